"""Sentences of `worker_class` in English."""


class WorkerClassTexts:
    title = "sync workers serve no other request while they wait"
    mend = "-k gthread --threads 8: each process serves eight requests at the same time"
    decides = "the same load with -k gthread --threads 8, in turn with sync"

    def effect(self, waiting: str, text: str, cpu_each: str, ok_rps: str) -> str:
        return (
            f"{waiting} requests waited for {text}, which use {cpu_each} of a core each; throughput"
            f" stops at {ok_rps}/s"
        )

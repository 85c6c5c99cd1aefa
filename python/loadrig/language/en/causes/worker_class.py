class WorkerClassTexts:
    """Sentences of `causes.worker_class`."""

    title = "workers of class sync wait, and serve nobody else meanwhile"
    mend = "-k gthread --threads 8: the same processes serve eight at once each"
    decides = "the same load with -k gthread --threads 8, in turn with sync"

    def effect(self, waiting: str, text: str, cpu_each: str, ok_rps: str) -> str:
        return f"{waiting} requests waited for {text}, which use {cpu_each} of a core each; {ok_rps}/s"

"""Sentences of `too_few_workers` in English."""


class TooFewWorkersTexts:
    title = "all workers are busy while the CPU has room"
    decides = "a quarter more workers or threads: if this is the cause, throughput rises by nearly as much"

    def workers_or_threads(self, number: str) -> str:
        return f"{number} worker or thread" if number == "1" else f"{number} workers or threads"

    def connections_waited_listener(self, mean: str) -> str:
        return f"{mean} connections waited to be accepted"

    def effect(self, waiting: str, slots_text: str, ok_rps: str) -> str:
        return f"{waiting} requests waited for {slots_text}; throughput stops at {ok_rps}/s"

    def more_them(self, more: str) -> str:
        return f"more workers: {more}"

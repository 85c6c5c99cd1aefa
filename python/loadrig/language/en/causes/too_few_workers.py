class TooFewWorkersTexts:
    """Sentences of `causes.too_few_workers`."""

    title = "all workers are taken while the CPU has room"
    decides = "a quarter more workers or threads: if this is the cause, throughput rises by nearly as much"

    def workers_or_threads(self, number: str) -> str:
        return f"{number} workers or threads"

    def connections_waited_listener(self, mean: str) -> str:
        return f"{mean} connections waited at its listener to be accepted"

    def effect(self, waiting: str, slots_text: str, ok_rps: str) -> str:
        return f"{waiting} requests waited for {slots_text}; {ok_rps}/s"

    def more_them(self, more: str) -> str:
        return f"more of them: {more}"

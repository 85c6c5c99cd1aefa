"""Sentences of `too_many_workers` in English."""


class TooManyWorkersTexts:
    title = "more workers or threads run than there are cores for"
    decides = (
        "the same load with a quarter fewer workers: if this is the cause, throughput stays and the tail"
        " shortens"
    )

    def threads_wanted_run(self, mean: str, cores: str) -> str:
        return f"{mean} of its threads were runnable on {cores}"

    def effect(self, word: str, cores: str, what: str, used: str) -> str:
        return f"{word} processes share {cores}, and {what} used {used} of these"

    def mend(self, word: str) -> str:
        return f"try fewer workers: {word}, and threads only for work that waits"

    def dearer(self, cpu: str, fastest: str) -> str:
        return f"a request cost {cpu} of CPU time on average, although the fastest took {fastest} in all"

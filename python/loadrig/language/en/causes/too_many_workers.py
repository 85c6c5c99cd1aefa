class TooManyWorkersTexts:
    """Sentences of `causes.too_many_workers`."""

    title = "more workers or threads run than there are cores for"
    decides = (
        "the same load with a quarter fewer workers: if this is the cause, nothing is lost and the tail"
        " shortens"
    )

    def threads_wanted_run(self, mean: str, cores: str) -> str:
        return f"{mean} of its threads wanted to run on {cores}"

    def effect(self, word: str, cores: str, what: str, used: str) -> str:
        return f"{word} processes share {cores}, and {what} took {used} of them"

    def mend(self, word: str) -> str:
        return f"try fewer: --workers {word}, and threads only for what waits"

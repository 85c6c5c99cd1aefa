"""Sentences of `gil` in English."""


class GilTexts:
    """Sentences of `causes.gil`."""

    title = "the interpreter lock of one Python process is used up"
    decides = "one process more: throughput rises in proportion; more threads change nothing"

    def whoever_held_mostly(self, top: str) -> str:
        return f"whoever held it was mostly in {top}"

    def effect(self, waiting: str, ok_rps: str) -> str:
        return f"{waiting} threads were waiting for its interpreter lock, {ok_rps}/s"

    def mend(self, processes: str, culprit: str) -> str:
        return f"more processes instead of threads: {processes}{culprit}"

    def or_make_cheaper(self, top: str) -> str:
        return f"; or make {top} cheaper"

    def them_behind_address(self, wanted: str, wanted_2: str) -> str:
        return f"{wanted} of them behind one address, such as gunicorn --workers={wanted_2}"

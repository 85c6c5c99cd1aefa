"""Sentences of `gil` in English."""


class GilTexts:
    """Sentences about a Python process whose interpreter lock is used up."""

    title = "the interpreter lock of one Python process is used up"
    decides = "one process more: throughput rises in proportion; more threads change nothing"

    def held_by(self, function: str) -> str:
        return f"the thread that held it was mostly in {function}"

    def waited(self, number: str, rate: str) -> str:
        return f"{number} threads were waiting for its interpreter lock, {rate}/s"

    def mend(self, processes: str) -> str:
        return f"more processes instead of threads: {processes}"

    def behind_an_address(self, number: str) -> str:
        return f"{number} of them behind one address, such as gunicorn --workers={number}"

    def or_cheaper(self, function: str) -> str:
        return f"; or make {function} cheaper"

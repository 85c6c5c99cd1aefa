"""Report of a probe or a profiler that it cannot work here: what is missing, and how to get it."""


class Unavailable(Exception):
    """Error where nothing can be observed of a component here.

    reason: why; mend: how to allow it; code: see `explain`.
    """

    def __init__(self, reason: str, mend: str, code: str) -> None:
        super().__init__(reason)
        self.reason, self.mend, self.code = reason, mend, code

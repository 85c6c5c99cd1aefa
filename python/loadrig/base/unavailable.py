"""Report of a probe or a profiler that it cannot work here: what is missing, and how to get it."""

from typing import Self

from loadrig.base.error_words import ErrorWords


class Unavailable(Exception):
    """Error where nothing can be observed of a component here.

    reason: why; mend: how to allow it; code: see `explain`.
    """

    def __init__(self, reason: str, mend: str, code: str) -> None:
        super().__init__(reason)
        self.reason, self.mend, self.code = reason, mend, code

    @classmethod
    def of(cls, wording: ErrorWords, *, code: str) -> Self:
        """Return the report in a catalogue's words; their reason is its `what`."""
        return cls(wording.what, wording.mend, code)

"""Pages of a server, as probes read them."""

from dataclasses import dataclass

from loadrig import __version__

AGENT = f"loadrig-probe/{__version__}"
"""User agent of the probes: with it a server's log tells their questions from the load."""

MOST_BYTES = 16 << 20
"""Bytes of an answer, at most: a larger answer is no page of figures."""


@dataclass(frozen=True, slots=True)
class Page:
    """An answer: status, the content type, the body."""

    status: int
    kind: str
    body: bytes

    @property
    def text(self) -> str:
        """Body as text."""
        return self.body.decode("utf-8", "replace")

"""The digest that a page carries of itself: its last line, a comment, names the SHA-256 of all before it.

A page may be made again at any time and sent to others, so it is no part of a folder's seal. The line tells
of accidents: a cut transfer, a flipped bit, an edit. Who wants to deceive can write a new digest too.
"""

import hashlib
import re
from typing import Literal

MOST_BYTES = 64_000_000
"""Largest size of a page that is checked, in bytes; pages are under 3 MB."""

_LINE = re.compile(rb"<!-- sha256 ([0-9a-f]{64}) of all lines above -->\n")
_LINE_BYTES = len(b"<!-- sha256  of all lines above -->\n") + 64
_END = b"</html>\n"

State = Literal["whole", "changed", "cut", "unsealed"]


def sealed(page: str) -> str:
    """Return the page with its digest as the last line."""
    return f"{page}<!-- sha256 {hashlib.sha256(page.encode()).hexdigest()} of all lines above -->\n"


def state_of(page: bytes) -> State:
    """Return the state of a page. "unsealed": it is whole and has no digest, as pages of earlier versions."""
    body, line = page[:-_LINE_BYTES], page[-_LINE_BYTES:]
    if (match := _LINE.fullmatch(line)) is not None:
        return "whole" if hashlib.sha256(body).hexdigest().encode() == match[1] else "changed"
    if page.endswith(_END):
        return "unsealed"
    end = page.rfind(_END)
    has_all = end >= 0 and len(page) - end - len(_END) >= _LINE_BYTES
    return "changed" if has_all else "cut"

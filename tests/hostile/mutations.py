"""Changes of a file as an editor, a broken disk or somebody with bad intent makes them, each of four numbers.

Hypothesis draws the numbers in the tests, a long run (`python -m tests.hostile SECONDS`) draws them by
itself; the same numbers make the same file.
"""

import gzip
import random
import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from hypothesis import strategies as st

MOST_BYTES = 300_000
"""Bytes of a changed file at most: what a longer one does to memory and time has tests of its own."""

MOST_CHANGES = 4


class FileChange(NamedTuple):
    """Change of a file. kind: its place in KINDS. place, other: shares of the file. value: any number."""

    kind: int
    place: float
    other: float
    value: int


CHANGES = st.lists(
    st.builds(
        FileChange,
        st.integers(0, 15),
        st.floats(0, 1, exclude_max=True),
        st.floats(0, 1, exclude_max=True),
        st.integers(0, 1_000_000),
    ),
    min_size=1,
    max_size=MOST_CHANGES,
)
"""Changes of a file, one after the other."""

_TOKEN = re.compile(rb'"(?:[^"\\\n]|\\.)*"|-?\d+(?:\.\d+)?|[\w.-]+')
_NUMBER = re.compile(rb"-?\d+(?:\.\d+)?")

VALUES = (
    b"", b"null", b"true", b"[]", b"{}", b'""', b"0", b"-1", b"1e999", b"NaN", b"-Infinity", b"9" * 30,
    b"9" * 5_000, b"0.0000000001", b'"0"', b'"-5"', b'"\\ud800"', b'[null]', b'{"": null}', b"[[[[1]]]]",
    b"{{", b"}}", b"{x}", b"{env:HOME}", b"${x}", b"${", b"${__P(", b"{{x}}", b"<", b"&a;", b"]]>", b"<!--",
    b"\0", b"\x1b[31m", b"\xff\xfe", "\u202e".encode(), "\u2028".encode(), b"\r", b"\t", b"'", b'"', b"\\",
    b"../../etc/passwd", b"/dev/zero", b"file:///etc/passwd", b"http://[::1", b"http://h:99999/", b"//",
    b"http://user:pw@h/", b"http://", b"://", b"%", b"%zz", b"#", b"?", b"@", b":", b"*a", b"&a",
    b"!!python/x", b"a" * 10_000, b"---", b"1" * 20 + b"ms", b"-0", b"0x10", b"1_000", "\u0663".encode(),
    b"$(id)", b"`id`",
)  # fmt: skip
"""Values that are put where another stands."""

ENCODINGS = ("utf-16", "utf-16-le", "utf-32", "utf-8-sig", "cp500", "latin-1", "utf-7")


def changed(content: bytes, changes: Sequence[FileChange]) -> bytes:
    """Return a file after some changes."""
    for change in changes:
        content = KINDS[change.kind % len(KINDS)](content, change)[:MOST_BYTES]
    return content


def drawn(lot: random.Random) -> list[FileChange]:
    """Return changes by chance, for a run without hypothesis."""
    count = lot.randint(1, MOST_CHANGES)
    return [
        FileChange(lot.randrange(len(KINDS)), lot.random(), lot.random(), lot.randrange(1_000_001))
        for _ in range(count)
    ]


def _at(content: bytes, share: float) -> int:
    return int(share * len(content))


def _span(content: bytes, change: FileChange) -> tuple[int, int]:
    first, second = sorted((_at(content, change.place), _at(content, change.other)))
    return first, second


def _flipped(content: bytes, change: FileChange) -> bytes:
    place = _at(content, change.place)
    return content[:place] + bytes([change.value % 256]) + content[place + 1 :]


def _cut(content: bytes, change: FileChange) -> bytes:
    return content[: _at(content, change.place)]


def _without_span(content: bytes, change: FileChange) -> bytes:
    first, second = _span(content, change)
    return content[:first] + content[second:]


def _lines_twice(content: bytes, change: FileChange) -> bytes:
    lines = content.splitlines(keepends=True)
    first, second = sorted((int(change.place * len(lines)), int(change.other * len(lines))))
    return b"".join((*lines[:second], *lines[first:]))


def _lines_swapped(content: bytes, change: FileChange) -> bytes:
    lines = content.splitlines(keepends=True)
    if lines:
        first, second = int(change.place * len(lines)), int(change.other * len(lines))
        lines[first], lines[second] = lines[second], lines[first]
    return b"".join(lines)


def _without_line(content: bytes, change: FileChange) -> bytes:
    lines = content.splitlines(keepends=True)
    first = int(change.place * len(lines))
    return b"".join((*lines[:first], *lines[first + 1 :]))


def _piece(content: bytes, share: float, form: "re.Pattern[bytes]" = _TOKEN) -> "re.Match[bytes] | None":
    pieces = list(form.finditer(content))
    return pieces[int(share * len(pieces))] if pieces else None


def _replaced(content: bytes, change: FileChange, form: "re.Pattern[bytes]" = _TOKEN) -> bytes:
    piece = _piece(content, change.place, form)
    if piece is None:
        return content
    return content[: piece.start()] + VALUES[change.value % len(VALUES)] + content[piece.end() :]


def _number_replaced(content: bytes, change: FileChange) -> bytes:
    return _replaced(content, change, _NUMBER)


def _quoted_value(content: bytes, change: FileChange) -> bytes:
    piece = _piece(content, change.place)
    if piece is None or not piece[0].startswith(b'"'):
        return _replaced(content, change)
    value = VALUES[change.value % len(VALUES)].replace(b'"', b"'")
    return content[: piece.start()] + b'"' + value + b'"' + content[piece.end() :]


def _inserted(content: bytes, change: FileChange) -> bytes:
    place = _at(content, change.place)
    return content[:place] + VALUES[change.value % len(VALUES)] + content[place:]


def _spliced(content: bytes, change: FileChange) -> bytes:
    target, source = _piece(content, change.place), _piece(content, change.other)
    if target is None or source is None:
        return content
    return content[: target.start()] + source[0] + content[target.end() :]


def _nested(content: bytes, change: FileChange) -> bytes:
    piece = _piece(content, change.place)
    if piece is None:
        return content
    begin, end = ((b"[", b"]"), (b'{"a":', b"}"), (b"(", b")"), (b"<a>", b"</a>"))[change.value % 4]
    depth = (2, 50, 3_000)[change.value // 4 % 3]
    return content[: piece.start()] + begin * depth + piece[0] + end * depth + content[piece.end() :]


def _repeated(content: bytes, change: FileChange) -> bytes:
    first, second = _span(content, change)
    second = min(second, first + 2_000)
    return content[:second] + content[first:second] * (change.value % 60) + content[second:]


def _encoded(content: bytes, change: FileChange) -> bytes:
    encoding = ENCODINGS[change.value % len(ENCODINGS)]
    return content.decode("utf-8", "replace").encode(encoding, "replace")


def _packed(content: bytes, change: FileChange) -> bytes:
    packed = gzip.compress(content, mtime=0)
    return packed[: _at(packed, change.place)] if change.value % 2 else packed


KINDS: tuple[Callable[[bytes, FileChange], bytes], ...] = (
    _flipped, _cut, _without_span, _lines_twice, _lines_swapped, _without_line, _replaced, _number_replaced,
    _quoted_value, _inserted, _spliced, _nested, _repeated, _encoded, _packed, _replaced,
)  # fmt: skip
"""Kinds of changes. Another value in place of one is twice there: it comes farthest into a reader."""

"""Writes the series of a trial as an Arrow stream, without the Arrow library.

The library and numpy take 150 ms of CPU time to import, which the load would wait for or be disturbed
by; what is written is always the same table of five columns. So this module knows the few messages of
that one stream, and the library reads them (series_store, and whoever opens the file).

An Arrow stream is a sequence of messages: a schema, then dictionary batches and record batches. Each is
a mark, the length of its head, the head (a FlatBuffer), and a body that holds the columns' buffers; all
of them padded to eight bytes. Source: Arrow columnar format 1.5, "Serialization and Interprocess
Communication (IPC)", with Schema.fbs and Message.fbs; FlatBuffers internals, "Format".
"""

import struct
from collections.abc import Sequence

from loadrig.base.records import dataclass

COLUMNS = ("probe", "metric", "subject")
"""The columns of words, each with a dictionary whose number is its place here."""

END = struct.pack("<iI", -1, 0)
"""The last message: no more will come."""

_VERSION_5 = 4
_SCHEMA, _DICTIONARY_BATCH, _RECORD_BATCH = 1, 2, 3
_INT, _FLOAT, _UTF8 = 2, 3, 5
_DOUBLE_PRECISION = 2


# --- FlatBuffers ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Table:
    """A table: its fields by number. A number with its format, something of its own place, or None."""

    fields: "tuple[tuple[str, int] | _Table | _Structs | _Tables | _Text | None, ...]"


@dataclass(frozen=True, slots=True)
class _Structs:
    """A vector of structs of 64-bit numbers, one after the other."""

    count: int
    numbers: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Tables:
    """A vector of tables."""

    tables: tuple[_Table, ...]


@dataclass(frozen=True, slots=True)
class _Text:
    """A text."""

    text: str


_Placed = _Table | _Structs | _Tables | _Text


class _Flat:
    """A FlatBuffer put together from the front: what refers stands before what it refers to."""

    def __init__(self, root: _Table) -> None:
        self._bytes = bytearray(4)
        self._refer(0, root)

    def padded(self) -> bytes:
        """The whole, padded to eight bytes."""
        self._align(8)
        return bytes(self._bytes)

    def _align(self, to: int, ahead: int = 0) -> None:
        """Fill up so that what comes `ahead` bytes from here is aligned."""
        self._bytes += bytes(-(len(self._bytes) + ahead) % to)

    def _refer(self, at: int, what: _Placed) -> None:
        """Put something at the end, and how far away it is to where it is referred to."""
        struct.pack_into("<I", self._bytes, at, self._place(what) - at)

    def _place(self, what: _Placed) -> int:
        match what:
            case _Table(fields=fields):
                return self._table(fields)
            case _Structs(count=count, numbers=numbers):
                self._align(8, ahead=4)
                at = len(self._bytes)
                self._bytes += struct.pack(f"<I{len(numbers)}q", count, *numbers)
                return at
            case _Text(text=text):
                self._align(4)
                at = len(self._bytes)
                self._bytes += struct.pack("<I", len(text.encode())) + text.encode() + b"\0"
                return at
            case _Tables(tables=tables):
                self._align(4)
                at = len(self._bytes)
                self._bytes += struct.pack("<I", len(tables)) + bytes(4 * len(tables))
                for number, table in enumerate(tables):
                    self._refer(at + 4 + 4 * number, table)
                return at

    def _table(self, fields: Sequence[tuple[str, int] | _Placed | None]) -> int:
        """A table behind its list of places; the widest fields come first, so that all are aligned."""
        formats = [field[0] if isinstance(field, tuple) else "I" if field else "" for field in fields]
        widths = [struct.calcsize(f"<{letter}") for letter in formats]
        order = sorted((n for n, width in enumerate(widths) if width), key=lambda n: -widths[n])
        size, places = 4, [0] * len(fields)
        for number in order:
            places[number], size = size, size + widths[number]
        listed = struct.pack(f"<{2 + len(fields)}H", 4 + 2 * len(fields), size, *places)
        self._align(8, ahead=len(listed) + 4)
        self._bytes += listed
        at = len(self._bytes)
        self._bytes += struct.pack("<i", len(listed)) + bytes(size - 4)
        for number in order:
            field = fields[number]
            if isinstance(field, tuple):
                struct.pack_into(f"<{field[0]}", self._bytes, at + places[number], field[1])
            elif field is not None:
                self._refer(at + places[number], field)
        return at


# --- messages -------------------------------------------------------------------------------------


def schema() -> bytes:
    """The first message: t_ns int64, three columns of words, value float64; none of them null."""
    fields = [_field("t_ns", _INT, _integer(64))]
    fields += [
        _field(name, _UTF8, _Table(()), _Table((("q", number), _integer(32))))
        for number, name in enumerate(COLUMNS)
    ]
    fields += [_field("value", _FLOAT, _Table((("h", _DOUBLE_PRECISION),)))]
    return _message(_SCHEMA, _Table((("h", 0), _Tables(tuple(fields)))), b"")


def dictionary(number: int, words: Sequence[str], *, is_delta: bool) -> bytes:
    """Words of one column, in the order of their codes. is_delta: they follow those sent before."""
    encoded = [word.encode() for word in words]
    ends, offsets = 0, [0]
    for word in encoded:
        ends += len(word)
        offsets.append(ends)
    batch, body = _batch(len(words), [[b"", struct.pack(f"<{len(offsets)}i", *offsets), b"".join(encoded)]])
    return _message(_DICTIONARY_BATCH, _Table((("q", number), batch, ("?", is_delta))), body)


def rows(t_ns: Sequence[int], codes: Sequence[Sequence[int]], values: Sequence[float]) -> bytes:
    """One batch of rows. codes: of each column of words, its codes."""
    n = len(t_ns)
    columns = [struct.pack(f"<{n}q", *t_ns)]
    columns += [struct.pack(f"<{n}i", *column) for column in codes]
    columns += [struct.pack(f"<{n}d", *values)]
    batch, body = _batch(n, [[b"", column] for column in columns])
    return _message(_RECORD_BATCH, batch, body)


def _field(name: str, kind: int, kind_table: _Table, encoding: _Table | None = None) -> _Table:
    """Field: name, nullable, kind and its table, dictionary, children."""
    return _Table((_Text(name), ("?", False), ("B", kind), kind_table, encoding, _Tables(())))


def _integer(bits: int) -> _Table:
    return _Table((("i", bits), ("?", True)))


def _batch(length: int, columns: Sequence[Sequence[bytes]]) -> tuple[_Table, bytes]:
    """The RecordBatch of columns of one length without nulls, and its body; each column its buffers."""
    body = bytearray()
    places: list[int] = []
    for buffer in (buffer for column in columns for buffer in column):
        places += [len(body), len(buffer)]
        body += buffer + bytes(-len(buffer) % 8)
    nodes = _Structs(len(columns), (length, 0) * len(columns))
    return _Table((("q", length), nodes, _Structs(len(places) // 2, tuple(places)))), bytes(body)


def _message(kind: int, head: _Table, body: bytes) -> bytes:
    flat = _Flat(_Table((("h", _VERSION_5), ("B", kind), head, ("q", len(body))))).padded()
    return struct.pack("<iI", -1, len(flat)) + flat + body

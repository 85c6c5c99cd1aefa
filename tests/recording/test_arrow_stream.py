"""Streams written without the Arrow library are what the library itself would have written."""

import io
import struct

import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from loadrig.recording import arrow_stream, series_store

numbers = st.integers(-(2**63), 2**63 - 1)
some_words = st.lists(st.text(st.characters(codec="utf-8"), max_size=6), min_size=1, max_size=5, unique=True)


def read(stream: bytes) -> list[dict[str, object]]:
    """Every row, after the library has checked every offset and code."""
    found = []
    for batch in pa.ipc.open_stream(io.BytesIO(stream)):
        batch.validate(full=True)
        found += batch.to_pylist()
    return found


def test_the_schema_is_the_one_that_readers_expect() -> None:
    stream = arrow_stream.schema() + arrow_stream.END
    assert pa.ipc.open_stream(io.BytesIO(stream)).schema == series_store.schema()
    assert read(stream) == []


@settings(deadline=None)
@given(st.data())
def test_rows_and_growing_dictionaries_come_back_as_they_were_written(data: st.DataObject) -> None:
    stream = arrow_stream.schema()
    known: list[list[str]] = [[], [], []]
    expected = []
    for _ in range(data.draw(st.integers(1, 3))):
        for number, words in enumerate(known):
            new = [word for word in data.draw(some_words) if word not in words]
            if new:
                stream += arrow_stream.dictionary(number, new, is_delta=bool(words))
                words += new
        n = data.draw(st.integers(0, 9))
        t_ns = data.draw(st.lists(numbers, min_size=n, max_size=n))
        values = data.draw(st.lists(st.floats(allow_nan=False), min_size=n, max_size=n))
        codes = [
            data.draw(st.lists(st.integers(0, len(words) - 1), min_size=n, max_size=n)) for words in known
        ]
        stream += arrow_stream.rows(t_ns, codes, values)
        for row in range(n):
            said = {
                name: known[number][codes[number][row]] for number, name in enumerate(arrow_stream.COLUMNS)
            }
            expected.append({"t_ns": t_ns[row], **said, "value": values[row]})
    assert read(stream + arrow_stream.END) == expected


def test_every_message_ends_on_eight_bytes() -> None:
    # Readers map the file into memory and take the columns from there: they must be aligned.
    messages = (
        arrow_stream.schema(),
        arrow_stream.dictionary(1, ["a", "bcd"], is_delta=False),
        arrow_stream.rows([1, 2, 3], [[0, 1, 0]] * 3, [0.5, 1.5, 2.5]),
    )
    for message in messages:
        mark, length = struct.unpack_from("<iI", message)
        assert mark == -1
        assert length % 8 == 0
        assert len(message) % 8 == 0

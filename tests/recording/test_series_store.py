"""Series of what probes saw: a stream that survives being torn, and the Parquet file it becomes."""

import dataclasses
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loadrig.base.errors import PlanError, VoidError
from loadrig.base.series import Key, Sample
from loadrig.recording import series_store
from loadrig.recording.manifest_document import MetricDocument
from loadrig.recording.series_store import SeriesStream
from tests.strategies import words

samples = st.builds(
    Sample, st.integers(0, 2**62), words, words, words, st.floats(allow_nan=False, allow_infinity=False)
)
batches = st.lists(st.lists(samples, max_size=6), max_size=6)


def write(path: Path, written: list[list[Sample]]) -> list[int]:
    """Write a stream, one batch a list; returns the size of the file after each."""
    stream = SeriesStream(path)
    sizes = []
    for batch in written:
        stream.add(batch, "server")
        stream.flush()
        sizes.append(path.stat().st_size)
    stream.close()
    return sizes


def as_readings(unsorted: list[Sample]) -> dict[tuple[str, str, str, str], list[tuple[int, float]]]:
    readings: dict[tuple[str, str, str, str], list[tuple[int, float]]] = {}
    for sample in sorted(unsorted, key=lambda sample: sample.t_ns):
        readings.setdefault(("server", sample.probe, sample.metric, sample.subject), []).append(
            (sample.t_ns, sample.value)
        )
    return readings


def read(stream: Path, parquet: Path) -> dict[tuple[str, str, str, str], list[tuple[int, float]]]:
    series_by_key = series_store.read(stream, parquet, {})
    return {
        key: list(zip(series.t_ns.tolist(), series.value.tolist(), strict=True))
        for key, series in series_by_key.items()
    }


@settings(deadline=None)
@given(batches)
def test_every_sample_comes_back_from_the_stream_and_from_parquet(
    tmp_path_factory: pytest.TempPathFactory, written: list[list[Sample]]
) -> None:
    folder = tmp_path_factory.mktemp("series")
    stream, parquet = folder / "series.arrow", folder / "series.parquet"
    write(stream, written)
    expected = as_readings([sample for batch in written for sample in batch])
    assert read(stream, parquet) == expected
    series_store.compact(stream, parquet)
    assert not stream.exists()
    assert read(stream, parquet) == expected


def test_a_torn_stream_is_read_up_to_its_last_whole_batch(tmp_path: Path) -> None:
    stream, parquet = tmp_path / "series.arrow", tmp_path / "series.parquet"
    written = [[Sample(10 * i + j, "process", f"m{i}", "tree", float(j)) for j in range(3)] for i in range(4)]
    sizes = write(stream, written)
    whole = stream.read_bytes()
    for size in range(len(whole)):
        stream.write_bytes(whole[:size])
        batch_count = sum(size >= end for end in sizes)
        expected = as_readings([sample for batch in written[:batch_count] for sample in batch])
        assert read(stream, parquet) == expected, f"cut at {size} of {len(whole)}"


def test_unit_and_kind_come_from_the_manifest(tmp_path: Path) -> None:
    write(tmp_path / "s", [[Sample(1, "process", "cpu_s", "tree", 0.5), Sample(1, "new", "thing", "", 1.0)]])
    metrics = {"process.cpu_s": MetricDocument("s", "counter", "CPU time.")}
    series_by_key = series_store.read(tmp_path / "s", tmp_path / "p", metrics)
    key, other = Key("server", "process", "cpu_s", "tree"), Key("server", "new", "thing", "")
    assert (series_by_key[key].unit, series_by_key[key].kind) == (
        "s",
        "counter",
    )
    assert (series_by_key[other].unit, series_by_key[other].kind) == ("", "gauge")


def test_samples_out_of_order_are_put_in_order(tmp_path: Path) -> None:
    write(tmp_path / "s", [[Sample(5, "p", "m", "", 5.0)], [Sample(3, "p", "m", "", 3.0)]])
    series = series_store.read(tmp_path / "s", tmp_path / "p", {})[Key("server", "p", "m", "")]
    assert series.t_ns.tolist() == [3, 5]
    assert series.value.tolist() == [3.0, 5.0]


def test_a_long_stream_becomes_several_row_groups(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(series_store, "ROWS_A_GROUP", 100)
    write(
        tmp_path / "s",
        [[Sample(t, "p", "m", f"cpu{t % 7}", 1.0) for t in range(i * 60, i * 60 + 60)] for i in range(9)],
    )
    series_store.compact(tmp_path / "s", tmp_path / "p")
    assert pq.ParquetFile(tmp_path / "p").num_row_groups == 5
    assert sum(len(readings) for readings in read(tmp_path / "s", tmp_path / "p").values()) == 540


def test_the_table_is_plain_for_others(tmp_path: Path) -> None:
    write(tmp_path / "s", [[Sample(1, "p", "m", "", np.pi)]])
    series_store.compact(tmp_path / "s", tmp_path / "p")
    table = pq.read_table(tmp_path / "p")
    assert table.column_names == ["t_ns", "component", "probe", "metric", "subject", "value"]
    assert table.to_pylist() == [
        {"t_ns": 1, "component": "server", "probe": "p", "metric": "m", "subject": "", "value": np.pi}
    ]


def test_numbers_and_words_are_packed_each_in_its_way(tmp_path: Path) -> None:
    write(tmp_path / "s", [[Sample(t, "p", "m", "", t / 3) for t in range(300)]])
    series_store.compact(tmp_path / "s", tmp_path / "p")
    group = pq.ParquetFile(tmp_path / "p").metadata.row_group(0)
    columns = {group.column(i).path_in_schema: group.column(i) for i in range(group.num_columns)}
    assert {column.compression for column in columns.values()} == {"ZSTD"}
    assert "DELTA_BINARY_PACKED" in columns["t_ns"].encodings
    assert "BYTE_STREAM_SPLIT" in columns["value"].encodings
    assert all(
        "RLE_DICTIONARY" in columns[name].encodings for name in ("component", "probe", "metric", "subject")
    )


WAYS_OF_OTHERS: dict[str, dict[str, object]] = {
    "as recordings were packed before": {
        "use_dictionary": ["component", "probe", "metric", "subject"],
        "column_encoding": {"t_ns": "DELTA_BINARY_PACKED", "value": "BYTE_STREAM_SPLIT"},
    },
    "all by dictionary": {},
    "all plain": {"use_dictionary": False},
    "in pages of the second version": {"data_page_version": "2.0"},
    "without compression": {"compression": "none"},
}


@pytest.mark.parametrize("way", WAYS_OF_OTHERS.values(), ids=WAYS_OF_OTHERS)
@pytest.mark.parametrize(
    "words", [pa.string(), pa.dictionary(pa.int32(), pa.string())], ids=["plain", "coded"]
)
@pytest.mark.parametrize("nullable", [True, False], ids=["nullable", "required"])
def test_what_others_have_packed_is_read(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    way: dict[str, object],
    words: pa.DataType,
    nullable: bool,
) -> None:
    monkeypatch.setattr(series_store, "_ROWS_A_PART", 70)  # a row group is read in parts
    written = [Sample(10 * i, "p", f"m{i % 3}", f"cpu{i % 5}", i / 7) for i in range(500)]
    kinds = {"t_ns": pa.int64(), **dict.fromkeys(("component", "probe", "metric", "subject"), words)}
    schema = pa.schema(
        [pa.field(name, kind, nullable=nullable) for name, kind in {**kinds, "value": pa.float64()}.items()]
    )
    rows = [{**dataclasses.asdict(sample), "component": "server"} for sample in written]
    table = pa.Table.from_pylist(rows, schema=schema)
    pq.write_table(table, tmp_path / "p", row_group_size=200, **{"compression": "zstd", **way})
    assert read(tmp_path / "s", tmp_path / "p") == as_readings(written)


def test_an_empty_value_is_damage(tmp_path: Path) -> None:
    rows = {"t_ns": [1, 2], "probe": ["p", "p"], "metric": ["m", None], "subject": ["", ""]}
    pq.write_table(pa.table({**rows, "value": [1.0, 2.0]}), tmp_path / "p", compression="zstd")
    with pytest.raises(PlanError) as refused:
        series_store.read(tmp_path / "s", tmp_path / "p", {})
    assert refused.value.problems[0].code == "recording.broken"


def as_varint(number: int) -> bytes:
    """Return a field of 64 bits and its number, as Thrift's compact protocol has it."""
    number, digits = 2 * number, []
    while number > 127:
        digits.append(number & 127 | 128)
        number >>= 7
    return bytes([0x16, *digits, number])


@pytest.mark.parametrize("rows", [999, 1_001, 900_000_000])
def test_parquet_that_holds_other_rows_than_it_says_is_refused(tmp_path: Path, rows: int) -> None:
    write(tmp_path / "s", [[Sample(t, "p", "m", "", 1.0) for t in range(1_000)]])
    series_store.compact(tmp_path / "s", tmp_path / "p")
    content = (tmp_path / "p").read_bytes()
    begin = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
    footer = content[begin:-8].replace(as_varint(1_000), as_varint(rows))
    (tmp_path / "p").write_bytes(content[:begin] + footer + len(footer).to_bytes(4, "little") + b"PAR1")
    assert pq.ParquetFile(tmp_path / "p").metadata.num_rows == rows
    with pytest.raises(PlanError) as refused:
        series_store.read(tmp_path / "s", tmp_path / "p", {})
    assert refused.value.problems[0].code == "recording.broken"


def test_what_cannot_be_written_leaves_the_stream(tmp_path: Path) -> None:
    write(tmp_path / "s", [[Sample(1, "p", "m", "", 1.0)]])
    (tmp_path / "p.draft").symlink_to("/dev/full")
    with pytest.raises(VoidError) as refused:
        series_store.compact(tmp_path / "s", tmp_path / "p")
    assert refused.value.problems[0].code == "recording.disk-full"
    assert [path.name for path in tmp_path.iterdir()] == ["s"]


def test_a_recording_of_format_1_is_given_components(tmp_path: Path) -> None:
    rows = {"t_ns": [1, 2], "probe": ["memory", "process"], "metric": ["m", "m"], "subject": ["", ""]}
    pq.write_table(pa.table({**rows, "value": [1.0, 2.0]}), tmp_path / "p", compression="zstd")
    series_by_key = series_store.read(tmp_path / "s", tmp_path / "p", {})
    assert list(series_by_key) == [("host", "memory", "m", ""), ("server", "process", "m", "")]
    assert [series.value.tolist() for series in series_by_key.values()] == [[1.0], [2.0]]


def test_what_a_probe_read_in_one_go_shares_its_instants(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(series_store, "ROWS_A_GROUP", 7)  # a group ends between two series of one go
    rounds = [[Sample(t_ns, "process", name, "", 1.0) for name in "abc"] for t_ns in range(20)]
    stream, parquet = tmp_path / "series.arrow", tmp_path / "series.parquet"
    write(stream, [*rounds, [Sample(99, "process", "a", "", 1.0)]])
    series_store.compact(stream, parquet)
    times_by_metric = {
        key.metric: series.t_ns for key, series in series_store.read(stream, parquet, {}).items()
    }
    assert times_by_metric["b"] is times_by_metric["c"]
    assert times_by_metric["a"].tolist() == [*range(20), 99]

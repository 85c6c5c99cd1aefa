"""Forms of JMeter's files: columns, delimiters, ends for starts, transactions, ill-meant XML."""

import gzip
from collections import Counter
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from loadrig.base.errors import PlanError
from loadrig.recording.reader import Recording
from tests.importers.made import HEADER, RECORDED, imported, jtl_file, jtl_row, origin

T = 1_795_353_980_000


def totals(recording: Recording) -> Counter[str]:
    counts: Counter[str] = Counter()
    for frame in recording.frames:
        for row in frame.routes:
            counts[f"{row.route} {row.outcome}"] += row.count
    return counts


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_columns_are_found_by_name_in_any_order_with_any_delimiter(tmp_path: Path, delimiter: str) -> None:
    names = ["success", "Latency", "elapsed", "label", "timeStamp"]
    lines = [
        names,
        *(["true" if i % 4 else "false", "3", str(10 + i), "search", str(T + 100 * i)] for i in range(8)),
    ]
    file = tmp_path / "some.jtl"
    file.write_text("".join(delimiter.join(line) + "\r\n" for line in lines), encoding="utf-8")
    recording = imported(tmp_path / "run", file)
    assert totals(recording) == {"search ok": 6, "search failed": 2}
    assert recording.histogram(outcome="ok", kind="service").max_ns == pytest.approx(17e6, rel=2e-3)
    assert origin(recording).knows == ()


def test_without_a_header_columns_are_those_that_jmeter_writes_by_default(tmp_path: Path) -> None:
    file = tmp_path / "bare.jtl"
    file.write_text("\n".join((RECORDED / "jmeter.jtl").read_text().splitlines()[1:]) + "\n")
    assert totals(imported(tmp_path / "a", file)) == totals(imported(tmp_path / "b", RECORDED / "jmeter.jtl"))


def test_a_row_that_does_not_reach_the_columns_that_decide_is_refused(tmp_path: Path) -> None:
    row = jtl_row(T, 10)
    reaching = HEADER.split(",").index("success")
    assert totals(imported(tmp_path / "run", jtl_file(tmp_path / "short.jtl", [row, row[: reaching + 1]])))
    with pytest.raises(PlanError, match="'success'") as error:
        imported(tmp_path / "other", jtl_file(tmp_path / "shorter.jtl", [row, row[:reaching]]))
    where = error.value.problems[0].where
    assert where is not None
    assert where.line == 3


def test_a_header_in_the_middle_is_that_of_a_file_that_was_appended_to(tmp_path: Path) -> None:
    rows = [jtl_row(T, 10), HEADER.split(","), jtl_row(T + 500, 12)]
    assert totals(imported(tmp_path / "run", jtl_file(tmp_path / "two.jtl", rows))) == {"search ok": 2}


def test_a_status_that_the_plan_called_a_success_is_good_and_said(
    tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    file = jtl_file(
        tmp_path / "a.jtl", [jtl_row(T, 10, code="404"), jtl_row(T + 50, 10, code="404", success="false")]
    )
    recording = imported(tmp_path / "run", file)
    assert totals(recording) == {"search ok": 1, "search http_4xx": 1}
    assert list(origin(recording).notes) == snapshot


def test_ends_for_starts_are_told_by_the_threads(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    took = [30, 80, 20, 90, 40, 70, 10, 60]
    ends = [T + sum(took[: i + 1]) for i in range(len(took))]
    file = jtl_file(tmp_path / "ends.jtl", [jtl_row(end, each) for end, each in zip(ends, took, strict=True)])
    recording = imported(tmp_path / "run", file)
    assert recording.manifest.wall_ns == T * 1_000_000
    assert list(origin(recording).notes) == snapshot
    starts = jtl_file(
        tmp_path / "starts.jtl", [jtl_row(end - each, each) for end, each in zip(ends, took, strict=True)]
    )
    again = imported(tmp_path / "again", starts)
    assert origin(again).notes == ()
    assert again.frames[0].in_flight_s == recording.frames[0].in_flight_s


TRANSACTION = "Number of samples in transaction : 2; number of failing samples : 0"


def test_transactions_count_only_where_their_requests_have_no_rows(
    tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    whole = [jtl_row(T + 200 * i, 100, "checkout", code="", message=TRANSACTION) for i in range(3)]
    alone = imported(tmp_path / "alone", jtl_file(tmp_path / "alone.jtl", whole))
    assert totals(alone) == {"checkout ok": 3}
    assert list(origin(alone).notes) == snapshot
    parts = [jtl_row(T + 200 * i + 50 * n, 50, f"step {n}") for i in range(3) for n in range(2)]
    both = imported(tmp_path / "both", jtl_file(tmp_path / "both.jtl", [*parts, *whole]))
    assert totals(both) == {"step 0 ok": 3, "step 1 ok": 3}
    assert list(origin(both).left_out.values()) == [3]
    assert origin(both).left_out == snapshot


def test_a_missing_column_is_named_with_the_property_that_writes_it(tmp_path: Path) -> None:
    file = tmp_path / "a.jtl"
    file.write_text(f"timeStamp,elapsed,label\n{T},1,a\n")
    with pytest.raises(PlanError) as refused:
        imported(tmp_path / "run", file)
    assert refused.value.problems[0].code == "import.missing-column"
    assert "jmeter.save.saveservice.successful=true" in refused.value.problems[0].mend


def test_xml_with_an_entity_is_refused_and_not_expanded(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    file = tmp_path / "bomb.jtl"
    file.write_text(
        '<?xml version="1.0"?>\n<!DOCTYPE testResults [<!ENTITY a "aaaa">]>\n<testResults version="1.2">'
        f'<httpSample t="1" ts="{T}" s="true" lb="&a;" rc="200"/></testResults>'
    )
    with pytest.raises(PlanError) as refused:
        imported(tmp_path / "run", file)
    (problem,) = refused.value.problems
    assert problem.code == "import.bad-line"
    assert problem.what.partition(": ")[2] == snapshot


@pytest.mark.parametrize(
    ("inner", "why"),
    [
        (b'<sample lb="' + b"a" * 20_000_000, "longer than 4 MB"),
        (b"<!--" + b"a" * 20_000_000, "longer than 4 MB"),
        (b"<a>" * 1_000, "lie within each other"),
    ],
    ids=["endless attribute", "endless comment", "deep"],
)
def test_xml_that_is_small_when_packed_fills_no_memory(inner: bytes, why: str, tmp_path: Path) -> None:
    file = tmp_path / "bomb.jtl.gz"
    file.write_bytes(gzip.compress(b'<?xml version="1.0"?><testResults version="1.2">' + inner, 1))
    with pytest.raises(PlanError, match=why):
        imported(tmp_path / "run", file)
    assert not (tmp_path / "run").exists()


def test_xml_that_ends_in_the_middle_is_read_up_to_there(tmp_path: Path) -> None:
    text = (RECORDED / "jmeter.xml").read_text()
    file = tmp_path / "cut.xml"
    file.write_text(text[: text.index('lb="wrong"')])
    recording = imported(tmp_path / "run", file)
    assert len(origin(recording).notes) == 1
    assert totals(recording)["moved ok"] == 1


def test_two_runs_in_one_file_are_refused(tmp_path: Path) -> None:
    file = jtl_file(tmp_path / "a.jtl", [jtl_row(T, 10), jtl_row(T + 86_400_000, 10)])
    with pytest.raises(PlanError) as refused:
        imported(tmp_path / "run", file)
    assert refused.value.problems[0].code == "import.several-runs"
    assert not (tmp_path / "run").exists()

"""Lines that are torn, odd or of another file; and what is said of each."""

import calendar
from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from syrupy.assertion import SnapshotAssertion

from loadrig.base.errors import PlanError, Problem
from loadrig.importers import OUTCOMES, outcome_of_text
from loadrig.importers._times import since_1970
from tests.importers.made import (
    BEGAN_NS,
    HEADER,
    RECORDED,
    imported,
    jtl_row,
    k6_file,
    k6_line,
    origin,
    vegeta_line,
)

T = "2026-11-22T13:20:35.5Z"


def problem(folder: Path, text: str, name: str = "a.txt", **more: str) -> Problem:
    file = folder / name
    file.write_text(text, encoding="utf-8")
    with pytest.raises(PlanError) as refused:
        imported(folder / "run", file, **more)
    assert not (folder / "run").exists()
    return refused.value.problems[0]


def test_a_bad_line_is_told_with_file_and_number_and_nothing_is_imported(
    tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    good = vegeta_line(BEGAN_NS, 5_000_000)
    error = problem(tmp_path, f"{good}\n{good}\nhello\n{good}\n")
    assert error.code == "import.bad-line"
    assert (error.where and error.where.line) == 3
    assert "sed -i 3d a.txt" in error.mend
    rows = [",".join(map(str, jtl_row(1_795_353_980_000 + i, 1))) for i in range(3)]
    rows[1] = rows[1].replace(",1,", ",null,", 1)
    error = problem(tmp_path, "\n".join([HEADER, *rows]) + "\n")
    assert (error.where and error.where.line) == 3
    assert error.what == snapshot


@pytest.mark.parametrize(
    "value", ["Infinity", "NaN", "1e300", "-1", '"a"', "null", "9" * 30, "[" * 100_000, "{}"]
)
def test_numbers_that_are_none_are_told_and_never_a_fault_of_ours(tmp_path: Path, value: str) -> None:
    good = k6_line("http_req_duration", T, 5.0, status="200", expected_response="true")
    error = problem(tmp_path, f"{good}\n{good.replace('5.0', value)}\n{good}\n")
    assert error.code == "import.bad-line"
    assert (error.where and error.where.line) == 2
    text = vegeta_line(BEGAN_NS, 5_000_000)
    error = problem(tmp_path, f"{text}\n{text.replace(',5000000,', ',' + value + ',')}\n{text}\n")
    assert error.code == "import.bad-line"


def test_a_label_cannot_reach_the_terminal_as_anything_but_text(tmp_path: Path) -> None:
    line = k6_line(
        "http_req_duration", T, 5.0, status="200", expected_response="true", name="a\x1b[31m\ud800\nb"
    )
    recording = imported(tmp_path / "run", k6_file(tmp_path / "k6.json", [line]))
    (route,) = recording.routes
    assert route.isprintable()


@pytest.mark.parametrize("name", ["vegeta.json", "vegeta.csv", "k6.json", "jmeter.jtl"])
def test_a_torn_last_line_is_left_out_and_said(
    tmp_path: Path, name: str, snapshot: SnapshotAssertion
) -> None:
    text = (RECORDED / name).read_text()
    whole = imported(tmp_path / "whole", RECORDED / name)
    torn = tmp_path / name
    last = text.rstrip("\n").rindex("\n") + 1
    torn.write_text(text[: last + 40])
    recording = imported(tmp_path / "torn", torn)
    assert len(origin(recording).notes) == len(origin(whole).notes) + 1
    assert list(origin(recording).notes) == snapshot
    assert origin(recording).requests >= origin(whole).requests - 1


def test_a_quote_that_is_never_closed_swallows_nothing(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    good = vegeta_line(BEGAN_NS, 5_000_000)
    bad = vegeta_line(BEGAN_NS, 5_000_000, 0, '"never closed')
    error = problem(tmp_path, "\n".join([good, bad, *[good] * 200]) + "\n")
    assert (error.where and error.where.line) == 2
    assert error.code == "import.bad-line"
    assert error.what == snapshot


def test_what_nobody_knows_is_refused_with_the_list(tmp_path: Path) -> None:
    error = problem(tmp_path, '{"hello": 1}\n')
    assert error.code == "import.unknown-format"
    assert all(name in error.why for name in ("jmeter", "k6", "vegeta"))
    assert problem(tmp_path, "").code == "import.unknown-format"
    assert problem(tmp_path, "a\n", tool="tsung").code == "import.unknown-format"
    assert problem(tmp_path, f"{HEADER}\n").code == "import.no-requests"


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    for path in (tmp_path / "none.jtl", tmp_path):
        with pytest.raises(PlanError) as refused:
            imported(tmp_path / "run", path)
        assert refused.value.problems[0].code == "import.cannot-read"


def test_files_of_several_tools_are_no_run(tmp_path: Path) -> None:
    with pytest.raises(PlanError) as refused:
        imported(tmp_path / "run", RECORDED / "jmeter.jtl", RECORDED / "k6.json")
    assert refused.value.problems[0].code == "import.several-tools"


def test_k6_without_the_tag_is_judged_by_http_req_failed(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    lines = [
        k6_line("http_req_duration", T, 5.0, method="GET", name="a", status="404"),
        k6_line("http_req_failed", T, 0.0, method="GET", name="a", status="404"),
        k6_line("http_req_duration", T, 5.0, method="GET", name="b", status="200"),
        k6_line("http_req_failed", T, 1.0, method="GET", name="b", status="200"),
        k6_line("http_req_duration", T, 5.0, method="GET", name="c", status="503"),
        k6_line("dropped_iterations", T, 3.0),
    ]
    recording = imported(tmp_path / "run", k6_file(tmp_path / "k6.json", lines))
    outcomes = {row.route: row.outcome for frame in recording.frames for row in frame.routes}
    assert outcomes == {"GET a": "ok", "GET b": "check_failed", "GET c": "http_5xx"}
    assert list(origin(recording).warnings) == snapshot


def test_k6_that_says_nothing_of_failures_is_refused(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    text = k6_line("http_req_duration", T, 5.0, method="GET", name="a") + "\n"
    error = problem(tmp_path, text)
    assert (error.code, error.what) == snapshot


def test_too_many_routes_are_told_together(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    file = tmp_path / "many.csv"
    file.write_text("".join(vegeta_line(BEGAN_NS + i, 9, path=f"/users/{i}") + "\n" for i in range(300)))
    recording = imported(tmp_path / "run", file)
    assert len(recording.routes) == 201
    assert list(origin(recording).notes) == snapshot


def test_a_route_goes_by_the_name_that_it_is_given(tmp_path: Path) -> None:
    recording = imported(tmp_path / "run", RECORDED / "vegeta.csv", routes={"GET /search": "search"})
    assert "search" in recording.routes
    assert "GET /search" not in recording.routes


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ('Get "http://a/": dial tcp 127.0.0.1:9: connect: connection refused', "connect_refused"),
        ('Get "http://a/": dial tcp 10.0.0.1:80: i/o timeout', "connect_timeout"),
        (
            'Get "http://a/": context deadline exceeded (Client.Timeout exceeded while awaiting headers)',
            "timeout",
        ),
        ('Get "http://a/": dial tcp: lookup nowhere: no such host', "connect_failed"),
        ('Get "https://a/": tls: failed to verify certificate: x509: unknown authority', "tls_failed"),
        ('Get "http://a/": dial tcp 127.0.0.1:80: connect: cannot assign requested address', "no_ports"),
        ('Get "http://a/": dial tcp 127.0.0.1:80: socket: too many open files', "no_descriptors"),
        ('Get "http://a/": EOF', "closed"),
        ("Non HTTP response code: java.net.SocketTimeoutException Read timed out", "timeout"),
        ("Non HTTP response code: org.apache.http.conn.ConnectTimeoutException", "connect_timeout"),
        ("Non HTTP response code: javax.net.ssl.SSLHandshakeException", "tls_failed"),
        ("Non HTTP response code: java.net.UnknownHostException", "connect_failed"),
        ("something that nobody has seen", "failed"),
        ("", "failed"),
    ],
)
def test_the_text_of_an_error_tells_the_outcome(text: str, outcome: str) -> None:
    assert outcome_of_text(text) == outcome


@given(st.text())
def test_any_text_has_an_outcome(text: str) -> None:
    assert outcome_of_text(text) in OUTCOMES


@given(st.datetimes(min_value=datetime(1970, 1, 2)), st.integers(0, 999))
def test_instants_keep_their_nanoseconds(moment: datetime, ns: int) -> None:
    text = f"{moment:%Y-%m-%dT%H:%M:%S}.{moment.microsecond:06d}{ns:03d}+02:00"
    seconds = calendar.timegm(moment.timetuple()) - 7200
    assert since_1970(text) == seconds * 10**9 + moment.microsecond * 1000 + ns

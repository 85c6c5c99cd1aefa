"""Files as their tools wrote them: every request is counted once, with its outcome and its time."""

import csv
import gzip
import json
import math
from collections import Counter, defaultdict
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from loadrig.base.errors import PlanError
from loadrig.recording import checking
from loadrig.recording.reader import Recording
from tests.importers.made import RECORDED, imported, origin

Expected = dict[tuple[str, str], list[int]]
"""Times in ns by route and outcome."""


def of_vegeta() -> Expected:
    errors = {"refused": "connect_refused", "reset": "reset", "close": "closed", "slow": "timeout"}
    times: Expected = defaultdict(list)
    for line in (RECORDED / "vegeta.json").read_text().splitlines():
        row = json.loads(line)
        path = urlsplit(row["url"]).path
        by_code = {200: "ok", 302: "ok", 404: "http_4xx", 500: "http_5xx"}
        outcome = by_code.get(row["code"]) or errors[path.strip("/")]
        times[f"{row['method']} {path}", outcome].append(row["latency"])
    return times


def of_k6() -> Expected:
    errors = {"1212": "connect_refused", "1220": "reset", "1050": "timeout"}
    times: Expected = defaultdict(list)
    for line in (RECORDED / "k6.json").read_text().splitlines():
        row = json.loads(line)
        if row["type"] != "Point" or row["metric"] != "http_req_duration":
            continue
        tags = row["data"]["tags"]
        name = urlsplit(tags["name"]).path if "://" in tags["name"] else tags["name"]
        if tags["expected_response"] == "true":
            outcome = "ok"
        elif tags["status"] == "0":
            outcome = errors.get(tags["error_code"], "closed")
        else:
            outcome = f"http_{tags['status'][0]}xx"
        times[f"{tags['method']} {name}", outcome].append(round(row["data"]["value"] * 1e6))
    return times


def of_jmeter() -> Expected:
    kinds = {
        "SocketTimeoutException": "timeout", "HttpHostConnectException": "connect_refused",
        "java.net.SocketException": "reset", "NoHttpResponseException": "closed",
    }  # fmt: skip
    times: Expected = defaultdict(list)
    for row in csv.DictReader((RECORDED / "jmeter.jtl").read_text().splitlines()):
        if row["label"] in ("checkout", "moved-0", "moved-1"):
            continue
        if row["success"] == "true":
            outcome = "ok"
        elif row["responseCode"].isdecimal():
            outcome = "check_failed" if row["responseCode"] == "200" else f"http_{row['responseCode'][0]}xx"
        else:
            outcome = next(word for kind, word in kinds.items() if row["responseCode"].endswith(kind))
        times[row["label"], outcome].append(int(row["elapsed"]) * 1_000_000)
    return times


FILES = {
    "vegeta.json": of_vegeta, "vegeta.csv": of_vegeta, "k6.json": of_k6,
    "jmeter.jtl": of_jmeter, "jmeter.xml": of_jmeter,
}  # fmt: skip


@pytest.fixture(scope="module", params=list(FILES))
def case(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Recording, Expected]:
    name = str(request.param)
    folder = tmp_path_factory.mktemp("imported") / "run"
    return imported(folder, RECORDED / name), FILES[name]()


def counts(recording: Recording) -> Counter[tuple[str, str]]:
    numbers: Counter[tuple[str, str]] = Counter()
    for frame in recording.frames:
        for row in frame.routes:
            numbers[row.route, row.outcome] += row.count
    return numbers


def test_every_request_is_counted_once_with_its_route_and_outcome(case: tuple[Recording, Expected]) -> None:
    recording, expected = case
    assert counts(recording) == {key: len(times) for key, times in expected.items()}
    assert origin(recording).requests == sum(len(times) for times in expected.values())


@pytest.mark.parametrize("share", [0.5, 0.95, 0.99])
def test_quantiles_are_those_of_the_file_to_three_digits(
    case: tuple[Recording, Expected], share: float
) -> None:
    recording, expected = case
    times = sorted(
        took for (_, outcome), of_route in expected.items() if outcome == "ok" for took in of_route
    )
    exact = times[math.ceil(share * len(times)) - 1]
    histogram = recording.histogram(outcome="ok", kind="service")
    assert histogram.count == len(times)
    assert histogram.quantile_ns(share) == pytest.approx(exact, rel=2e-3)


def test_a_failure_never_enters_the_times_of_good_answers(case: tuple[Recording, Expected]) -> None:
    recording, expected = case
    for (route, outcome), times in expected.items():
        histogram = recording.histogram(route=route, outcome=outcome, kind="service")
        assert histogram.count == len(times)
        assert histogram.max_ns == pytest.approx(max(times), rel=2e-3, abs=1)


def test_the_books_balance_at_every_frame(case: tuple[Recording, Expected]) -> None:
    recording, expected = case
    sent = ended = 0
    for frame in recording.frames:
        sent, ended = sent + frame.sent, ended + frame.answered + frame.failed
        assert frame.in_flight == sent - ended >= 0
    assert frame.in_flight == 0
    in_all_ns = sum(sum(times) for times in expected.values())
    assert sum(frame.in_flight_s for frame in recording.frames) == pytest.approx(in_all_ns / 1e9)


def test_the_folder_is_sealed_and_the_same_file_makes_the_same_one(tmp_path: Path) -> None:
    first, second = (imported(tmp_path / name, RECORDED / "k6.json") for name in ("one", "two"))
    assert first.is_sealed
    findings = checking.check_trial(first.folder)
    assert (findings.troubles, findings.unsealed) == ([], {})
    for name in ("manifest.json", "frames.jsonl", "latency.hlog"):
        assert (first.path / name).read_bytes() == (second.path / name).read_bytes()


def test_both_forms_of_a_tool_make_the_same_recording(tmp_path: Path) -> None:
    for forms in (("vegeta.json", "vegeta.csv"), ("jmeter.jtl", "jmeter.xml")):
        first, second = (imported(tmp_path / name, RECORDED / name) for name in forms)
        assert (first.path / "frames.jsonl").read_bytes() == (second.path / "frames.jsonl").read_bytes()
        assert (first.path / "latency.hlog").read_bytes() == (second.path / "latency.hlog").read_bytes()


def test_a_file_packed_by_gzip_is_read_as_it_is(tmp_path: Path) -> None:
    packed = tmp_path / "k6.json.gz"
    packed.write_bytes(gzip.compress((RECORDED / "k6.json").read_bytes()))
    assert counts(imported(tmp_path / "run", packed)) == {k: len(v) for k, v in of_k6().items()}


def test_what_jmeter_wrote_twice_is_left_out_and_said(tmp_path: Path) -> None:
    left_out = origin(imported(tmp_path / "run", RECORDED / "jmeter.jtl")).left_out
    assert sorted(left_out.values()) == [4, 30]


def test_vegetas_binary_form_is_refused_with_what_to_type(tmp_path: Path) -> None:
    with pytest.raises(PlanError) as refused:
        imported(tmp_path / "run", RECORDED / "vegeta.gob")
    (problem,) = refused.value.problems
    assert problem.code == "import.gob"
    assert "vegeta encode --to json vegeta.gob" in problem.mend
    assert not (tmp_path / "run").exists()


def test_wall_time_is_that_of_the_first_request(tmp_path: Path) -> None:
    recording = imported(tmp_path / "run", RECORDED / "vegeta.csv")
    starts = [int(line.split(",")[0]) for line in (RECORDED / "vegeta.csv").read_text().splitlines()]
    assert recording.manifest.wall_ns == min(starts)
    assert recording.manifest.monotonic_ns == recording.frames[0].t_ns == 0

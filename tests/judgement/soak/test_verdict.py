"""A soak's answer out of a case and a recording: the word, the sentences, the document."""

from pathlib import Path

import numpy as np
import pytest
from syrupy.assertion import SnapshotAssertion

from loadrig.judgement.facts.read import case_of
from loadrig.judgement.facts.readings import within
from loadrig.judgement.harms import leaks
from loadrig.judgement.soak.document import SoakVerdict
from loadrig.judgement.soak.mix import is_changed
from loadrig.judgement.soak.verdict import SoakCounts, soak
from loadrig.recording.manifest_document import AskedGoal
from loadrig.soaking.read import read
from loadrig.testing.cases import ACase
from loadrig.testing.synthetic import Route, SyntheticServer, write_recording
from tests.wording import shape

SECONDS = 600
MB = 1e6
NOTHING = SoakCounts()


def a_case(leak: float = 0.0, *, pids: tuple[str, ...] = ("pid:101", "pid:102")) -> ACase:
    rng = np.random.default_rng(1)
    case = ACase(seconds=SECONDS, rate=200.0, ok=200.0 + rng.normal(0, 2, SECONDS))
    case.tier("server", kind="gunicorn", runtime="cpython", workers=len(pids), limits={"memory_bytes": 1e9})
    for pid in pids:
        grown = leak / len(pids) * 200.0 * np.arange(SECONDS)
        case.gauge(
            "server", "process.pss_bytes", pid, 60 * MB + grown + rng.normal(0, 0.05 * MB, SECONDS), "B"
        )
    return case


def texts_of(verdict: SoakVerdict) -> list[str]:
    """Return headline and sentences, without figures and without those that a forecast makes itself."""
    texts = [verdict.headline, *verdict.sentences]
    for level in verdict.growth:
        if level.is_leak and level.reached_in_s is not None:
            forecast = level.text.rpartition("; ")[2]
            texts = [text.replace(f"; {forecast}", "; FORECAST") for text in texts]
    return [shape(text) for text in texts]


def test_a_leak_is_said_with_its_size_and_when_its_limit_is_reached(snapshot: SnapshotAssertion) -> None:
    verdict = soak(a_case(2_000).build(), NOTHING)
    assert verdict.verdict == "leaks"
    assert texts_of(verdict) == snapshot
    (memory,) = [level for level in verdict.growth if level.kind == "memory"]
    assert memory.reached_in_s is not None
    assert memory.text == verdict.sentences[0]
    # (1 GB - 360 MB) / (2 kB × 200/s)
    assert memory.reached_in_s.value == pytest.approx(1_600, rel=0.05)


def test_a_sound_soak_bounds_what_it_may_leak(snapshot: SnapshotAssertion) -> None:
    verdict = soak(a_case().build(), NOTHING)
    assert verdict.verdict == "sound"
    assert texts_of(verdict) == snapshot


def test_where_memory_was_not_seen_nothing_is_sure() -> None:
    case = ACase(seconds=SECONDS, rate=200.0, ok=200.0)
    case.tier("server", kind="gunicorn")
    assert soak(case.build(), NOTHING).verdict == "unsure"


@pytest.mark.parametrize(("tau_s", "word"), [(40.0, "sound"), (600.0, "unsure")])
def test_a_cache_that_is_full_by_half_time_is_sound_and_one_that_fills_is_not_sure(
    tau_s: float, word: str, snapshot: SnapshotAssertion
) -> None:
    case = a_case(pids=())
    level = 60 * MB + 40 * MB * (1 - np.exp(-np.arange(SECONDS) / tau_s))
    noise = np.random.default_rng(1).normal(0, 0.05 * MB, SECONDS)
    case.gauge("server", "process.pss_bytes", "pid:101", level + noise, "B")
    verdict = soak(case.build(), NOTHING)
    assert verdict.verdict == word
    (memory,) = [level for level in verdict.growth if level.kind == "memory"]
    assert (memory.verdict == "fills") == (word == "unsure")
    assert texts_of(verdict) == snapshot


def test_descriptors_and_connections_are_looked_at_too(snapshot: SnapshotAssertion) -> None:
    case = a_case()
    case.gauge("server", "process.fds", "tree", np.floor(20 + np.arange(SECONDS) * 0.5), "1")
    verdict = soak(case.build(), NOTHING)
    assert verdict.verdict == "leaks"
    assert [level.kind for level in verdict.growth if level.is_leak] == ["descriptors"]
    assert texts_of(verdict)[1] == snapshot


def test_databases_and_caches_may_hold_more_with_time() -> None:
    case = a_case()
    case.tier("redis", kind="redis").gauge(
        "redis", "process.pss_bytes", "pid:7", np.arange(SECONDS) * MB, "B"
    )
    assert {level.component for level in leaks.of(case.build())} == {"server"}


def test_requests_are_counted_from_the_begin_of_the_measured_part() -> None:
    case = ACase(seconds=60, warm_up=20, rate=100.0, ok=100.0).build()
    served = within(case)
    assert served.requests[-1] - served.requests[0] == pytest.approx(4_000)


def goal(
    text: str,
    measure: str,
    limit: float,
    over_s: float | None,
    route: str | None = None,
    *,
    below: bool = True,
) -> AskedGoal:
    return AskedGoal(
        text=text, measure=measure, below=below, limit=limit, unit="s", route=route, over_s=over_s
    )


def test_goals_over_stretches_are_read_from_the_histograms(
    tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    factors = [1.0] * 90
    factors[40:45] = [50.0] * 5
    recording = write_recording(
        tmp_path / "t", [200.0] * 90, factors, routes=(Route("search"), Route("order", 0.2)), server=None
    )
    goals = [
        goal("p95 < 100ms for 10s", "p95", 0.1, 10.0),
        goal("p50{order} < 10s for 30s", "p50", 10.0, 30.0, route="order"),
        goal("errors < 1% for 10s", "errors", 0.01, 10.0),
        goal("throughput > 100/s for 10s", "throughput", 100.0, 10.0, below=False),
        goal("offered > 150/s for 10s", "offered", 150.0, 10.0, below=False),
        goal("max < 60s for 5s", "max", 60.0, 5.0),
        goal("mean < 5s for 5s", "mean", 5.0, 5.0),
        goal("p95 < 100ms", "p95", 0.1, None),
    ]
    reading = read(recording, goals)
    assert [verdict.text for verdict in reading.goals] == [asked.text for asked in goals[:-1]]
    missed = reading.goals[0]
    assert missed.met is False
    # Five slow seconds of 50 times 10 ms: each of the 14 stretches of ten seconds that holds one of them.
    assert (len(missed.misses), missed.missed) == (1, 14)
    assert (missed.worst or 0.0) > 0.4
    assert all(verdict.met for verdict in reading.goals[1:])
    case = case_of(recording)
    assert case is not None
    answer = soak(case, reading)
    assert answer.verdict == "lapses"
    (lapse,) = [sentence for sentence in answer.sentences if sentence.startswith("p95 < 100ms for 10s: ")]
    assert "23 s" in lapse
    assert shape(lapse) == snapshot


def test_latency_is_read_route_by_route(tmp_path: Path) -> None:
    factors = [1.0] * 60 + [1.6] * 60
    routes = (Route("search", 0.5, spread=0.1), Route("order", 0.5, spread=0.1))
    recording = write_recording(
        tmp_path / "t", [400.0] * 120, factors, routes=routes, server=SyntheticServer(grows_to_bytes=50e6)
    )
    reading = read(recording)
    assert {(course.route, course.measure) for course in reading.courses} == {
        (route, measure) for route in ("", "search", "order") for measure in ("latency", "tail")
    }
    case = case_of(recording)
    assert case is not None
    answer = soak(case, reading)
    assert answer.verdict == "drifts"
    assert {trend.route for trend in answer.drift if trend.verdict == "step"} >= {"search", "order"}
    assert answer.mix is not None
    assert not is_changed(answer.mix)
    assert answer.mix.text in answer.sentences


def test_an_empty_recording_has_no_answer_of_goals(tmp_path: Path) -> None:
    recording = write_recording(tmp_path / "t", [0.0] * 3, server=None, warm_up_frames=0)
    reading = read(recording, [goal("p95 < 1s for 30s", "p95", 1.0, 30.0)])
    assert [verdict.met for verdict in reading.goals] == [None]

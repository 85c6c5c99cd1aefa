"""Tests of when the warm-up is over and when enough has been measured."""

from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest
from syrupy.assertion import SnapshotAssertion

from loadrig.base.clock import NS
from loadrig.base.units import Seconds, Share
from loadrig.plan.model import Measuring, TrialRules, WarmUp
from loadrig.recording.frame import Frame, RouteCount
from loadrig.trial.pace import Pace
from tests.wording import shape

FRAME_NS = NS // 5


def rules(
    warm_up: float = 10.0,
    at_least: float = 2.0,
    at_most: float = 20.0,
    until: float = 0.02,
    settle: float = 0.0,
) -> TrialRules:
    return TrialRules(
        warm_up=WarmUp(at_least=Seconds(settle), at_most=Seconds(warm_up)),
        measure=Measuring(at_least=Seconds(at_least), at_most=Seconds(at_most), until=Share(until)),
    )


def frame(number: int, good: int, failed: int = 0) -> Frame:
    routes = (RouteCount("a", "service", "ok", good), RouteCount("a", "service", "http_5xx", failed))
    end_ns = (number + 1) * FRAME_NS
    return cast("Frame", SimpleNamespace(end_ns=end_ns, len_ns=FRAME_NS, routes=routes))


def drive(pace: Pace, counts: list[int]) -> list[str]:
    """Feed frames until the pace is done; returns the phase after each."""
    pace.begin(0)
    phases = []
    for number, count in enumerate(counts):
        pace.see(frame(number, count))
        phases.append(pace.phase)
        if pace.phase == "draining":
            break
    return phases


def noisy(mean: float, n: int, sd: float = 0.01, seed: int = 1) -> list[int]:
    return [int(x) for x in np.random.default_rng(seed).normal(mean, mean * sd, n)]


def test_a_server_that_warms_up_is_not_measured_while_it_does() -> None:
    slow_start = [int(1000 * (1 - 0.9 * np.exp(-i / 10))) for i in range(40)] + noisy(1000, 400)
    pace = Pace(rules(warm_up=30.0), scheduled=False)
    drive(pace, slow_start)
    assert pace.warm_up is not None
    assert pace.warm_up.verdict == "steady"
    assert pace.from_ns is not None
    assert pace.from_ns >= 15 * FRAME_NS  # by then throughput is within a fifth of its end


def test_a_server_that_never_settles_is_measured_when_the_time_is_up_and_said_so() -> None:
    pace = Pace(rules(warm_up=8.0), scheduled=False)
    drive(pace, [10 + 10 * i for i in range(200)])
    assert pace.warm_up is not None
    assert pace.warm_up.verdict == "not_steady"
    assert pace.from_ns == 8 * NS


def test_measuring_stops_when_throughput_is_known_well_enough(snapshot: SnapshotAssertion) -> None:
    pace = Pace(rules(), scheduled=False)
    phases = drive(pace, noisy(1000, 300, sd=0.002))
    assert phases[-1] == "draining"
    assert shape(pace.why) == snapshot
    assert pace.to_ns is not None
    assert pace.from_ns is not None
    assert pace.to_ns - pace.from_ns < 20 * NS


def test_noisy_throughput_is_measured_until_the_time_is_up() -> None:
    pace = Pace(rules(at_most=8.0, until=0.001), scheduled=False)
    drive(pace, noisy(1000, 300, sd=0.2))
    assert pace.to_ns is not None
    assert pace.from_ns is not None
    assert pace.to_ns - pace.from_ns == pytest.approx(8 * NS, abs=FRAME_NS)


def test_a_handful_of_answers_is_never_enough_before_the_time_is_up(snapshot: SnapshotAssertion) -> None:
    pace = Pace(rules(), scheduled=False)
    drive(pace, [4] * 300)
    assert pace.to_ns is not None
    assert pace.from_ns is not None
    assert pace.to_ns - pace.from_ns == pytest.approx(20 * NS, abs=FRAME_NS)
    assert pace.why == snapshot


@pytest.mark.parametrize("late_ns", [0, 300_000, -300_000, 60_000_000])
def test_time_after_the_end_of_the_load_is_not_measured(late_ns: int) -> None:
    """A warm-up that ends with a frame, later than asked, leaves less than the plan's time for measuring."""
    frame_ns = 280_000_000
    pace = Pace(rules(warm_up=1.0, at_least=10.0, at_most=20.0, until=0.0001), scheduled=False)
    pace.begin(0)
    for number, good in enumerate(noisy(1000, 75, sd=0.2) + [0] * 5):
        routes = (RouteCount("a", "service", "ok", good),)
        end_ns = (number + 1) * frame_ns + late_ns
        pace.see(cast("Frame", SimpleNamespace(end_ns=end_ns, len_ns=frame_ns, routes=routes)))
    assert (pace.from_ns, pace.to_ns) == (4 * frame_ns + late_ns, 75 * frame_ns + late_ns)


def test_no_warm_up_means_that_every_request_counts() -> None:
    pace = Pace(rules(warm_up=0.0), scheduled=False)
    pace.begin(123)
    assert pace.from_ns == 123
    assert pace.warm_up is not None
    assert pace.warm_up.verdict == "none"


def test_a_schedule_of_the_plan_is_never_cut_short() -> None:
    pace = Pace(rules(settle=1.0), scheduled=True)
    phases = drive(pace, [1000] * 500)
    assert "draining" not in phases
    assert pace.from_ns == 1 * NS
    pace.close("the list was done")
    assert pace.to_ns == 500 * FRAME_NS


def test_a_run_that_ends_in_its_warm_up_is_measured_whole_and_says_so() -> None:
    pace = Pace(rules(), scheduled=False)
    drive(pace, [10, 10, 10])
    pace.close("every user had done its loops")
    assert (pace.from_ns, pace.to_ns) == (0, 3 * FRAME_NS)
    assert pace.warm_up is not None
    assert "warm-up" in pace.warm_up.why


def test_failures_do_not_count_as_throughput() -> None:
    good, bad = Pace(rules(), scheduled=False), Pace(rules(), scheduled=False)
    drive(good, [1000] * 100)
    bad.begin(0)
    for number in range(100):
        bad.see(frame(number, 0, failed=1000))
    assert bad.to_ns == pytest.approx(20 * NS, abs=FRAME_NS)  # its throughput was never known
    assert good.to_ns is not None
    assert good.to_ns < 15 * NS


def test_after_another_level_nothing_of_the_old_load_is_in_the_figures() -> None:
    pace = Pace(rules(until=0.0), scheduled=False)
    assert drive(pace, noisy(1000, 60))[-1] == "measuring"
    pace.begin_anew(60 * FRAME_NS)
    assert pace.phase == "warm_up"
    for number, count in enumerate(noisy(200, 100), 60):
        pace.see(frame(number, count))
    assert pace.from_ns is not None
    assert pace.from_ns >= 60 * FRAME_NS


def test_a_load_of_a_fixed_length_is_measured_from_the_new_level_on() -> None:
    pace = Pace(rules(warm_up=0.0, at_least=20.0), scheduled=False)
    assert drive(pace, noisy(1000, 20))[-1] == "measuring"
    pace.begin_anew(20 * FRAME_NS)
    assert (pace.phase, pace.from_ns) == ("measuring", 20 * FRAME_NS)

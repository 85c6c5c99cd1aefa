"""Figures of slots, from the generator's frames."""

import pytest

from loadrig.judgement.experiments.outcome import (
    FrameCounts,
    by_second,
    counts_in,
    dips_share,
    measure_of,
    outcome_of,
)
from loadrig.recording.frame import Frame
from loadrig.recording.steps import NS
from loadrig.testing.engine_frames import engine_frame, row


def ticks(rates: list[float], length_s: float = 0.1, in_flight: float = 5.0) -> list[FrameCounts]:
    frames, now = [], 0
    for rate in rates:
        now += int(length_s * NS)
        good = round(rate * length_s)
        frames.append(FrameCounts(now, int(length_s * NS), good, good, in_flight * length_s, 0))
    return frames


@pytest.mark.parametrize(
    ("harms", "is_open", "thinks", "measure"),
    [
        (["saturated"], False, False, "throughput"),
        (["short", "queueing"], True, False, "throughput"),
        (["missed"], True, False, "latency"),
        (["missed"], False, True, "latency"),
        (["missed"], False, False, "throughput"),
        (["dips", "missed"], False, True, "dips"),
        (["dips", "short"], True, False, "throughput"),
        (["growth"], True, False, "growth"),
        (["growth", "missed"], True, False, "latency"),
    ],
)
def test_what_is_watched_follows_from_what_is_wrong(
    harms: list[str], is_open: bool, thinks: bool, measure: str
) -> None:
    assert measure_of(harms, is_open=is_open, thinks=thinks) == measure


def test_who_shows_in_dips_alone_is_watched_by_dips() -> None:
    assert measure_of(["dips", "failing"], is_open=False, thinks=True, in_dips=True) == "dips"


def test_throughput_counts_good_answers_alone() -> None:
    times_s = [0.01]
    rows = [
        row("ok", times_s * 90), row("timeout", times_s * 10), row("ok", times_s * 7, route_class="login"),
    ]  # fmt: skip
    counts = counts_in(Frame.of(engine_frame(0, 0, NS, rows, in_flight_s=2.0)))
    assert (counts.good, counts.ended) == (90, 107)
    assert outcome_of("throughput", [counts]) == pytest.approx(90, rel=0.01)


def test_a_slot_without_an_answer_still_has_a_figure() -> None:
    assert outcome_of("throughput", ticks([0.0] * 10)) == pytest.approx(0.5)


def test_latency_is_the_mean_time_in_flight() -> None:
    assert outcome_of("latency", ticks([100.0] * 10, in_flight=5)) == pytest.approx(0.05)
    assert outcome_of("latency", ticks([0.0] * 10)) is None


def test_seconds_add_up_their_frames() -> None:
    assert by_second(ticks([10.0] * 10 + [20.0] * 10)) == [10.0, 20.0]


def test_dips_are_the_share_that_is_missing() -> None:
    even = [100.0] * 24
    dipping = [0.0 if place % 12 == 6 else 100.0 for place in range(36)]
    shallow = dips_share(even)
    deep = dips_share(dipping)
    assert shallow is not None
    assert shallow < 0.01
    assert deep == pytest.approx(1 / 12, rel=0.05)
    assert dips_share([100.0] * 5) is None


def test_noise_of_a_few_percent_is_no_dip() -> None:
    share = dips_share([100.0 + (5 if place % 2 else -5) for place in range(40)])
    assert share is not None
    assert share < 0.01

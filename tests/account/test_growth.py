"""Lines that grew: planted ones are named, noise names none, and what cannot be told apart is said."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from syrupy.assertion import SnapshotAssertion

from loadrig.account import growth_words, states
from loadrig.account.compose import document_of
from loadrig.account.growth import UNACCOUNTED, RequestGrowth, growth_of
from loadrig.account.levels import levels_of
from loadrig.account.load import LoadSeries
from loadrig.account.loads import Loads, loads
from loadrig.account.observations import Observations
from loadrig.account.trial_account import account
from loadrig.recording.steps import Floats
from tests.account.made import a_call, a_component, a_load
from tests.lengths import fewest, length, most

RATES = np.array([50.0, 100.0, 200.0, 300.0, 400.0])
STEPS = 10

Lines = dict[str, Callable[[Floats], Floats]]
"""Milliseconds of a line at a rate, by its name."""

FLAT: Lines = {
    "unread": lambda rate: 0 * rate + 2.0,
    "redis": lambda rate: 0 * rate + 5.0,
    "running": lambda rate: 0 * rate + 1.0,
}


def planted(lines: Lines, seed: int = 1, noise: float = 0.1) -> tuple[Observations, LoadSeries]:
    """Return a server whose lines are these at each of five rates, with noise, and its load."""
    rng = np.random.default_rng(seed)
    rate = np.repeat(RATES, STEPS)
    n = rate.size
    numbers = {
        name: ms_at(rate) * rate / 1e3 * rng.gamma(1 / noise**2, noise**2, n) for name, ms_at in lines.items()
    }
    awaiting = numbers.pop("redis")
    unseen = numbers.pop("unseen", np.zeros(n))
    in_hand = awaiting + numbers["running"]
    total = numbers["unread"] + in_hand + unseen
    server = a_component(
        n=n, total=total, in_hand=in_hand, calls=(a_call("redis", awaiting, n=n),), **numbers
    )
    load = a_load(rate, total, planned=rate, n=n)
    return server, replace(load, due=rate, model="rate")


def loads_of(lines: Lines, seed: int = 1, noise: float = 0.1) -> Loads:
    server, load = planted(lines, seed, noise)
    by_load = loads([server], load, levels_of(load))
    assert by_load is not None
    return by_load


def grown(by_load: Loads) -> RequestGrowth:
    assert by_load.growth is not None
    return by_load.growth


QUEUE: Lines = {**FLAT, "unread": lambda rate: 2.0 + 60.0 * (rate / 400) ** 4}


def test_a_line_that_bends_is_named_with_its_share() -> None:
    by_load = loads_of(QUEUE)
    growth = grown(by_load)
    assert [(line.state, line.of) for line in growth.most] == [("unread", "")]
    line = growth.most[0]
    assert line.ms == pytest.approx(growth.ms, rel=0.1)
    assert line.share_interval is not None
    assert line.share_interval[0] < 1.0 < line.share_interval[1]
    assert growth.interval[0] < 60.0 - 60.0 / 8**4 < growth.interval[1]


def test_it_is_said_from_which_load_on_the_line_bends() -> None:
    by_load = loads_of({**FLAT, "unread": lambda rate: np.where(rate < 250, 2.0, 40.0)})
    assert by_load.bends_at == 3


def test_of_a_queue_before_a_dependency_that_slows_down_both_are_named_in_order() -> None:
    by_load = loads_of({**QUEUE, "redis": lambda rate: 5.0 + 20.0 * (rate / 400) ** 4})
    named = [line for line in grown(by_load).lines if line.is_sure]
    assert [(line.state, line.of) for line in named] == [("unread", ""), ("awaiting", "redis")]
    assert [line.state for line in grown(by_load).most] == ["unread"]
    shares = [line.share for line in named]
    assert shares == pytest.approx([0.75, 0.25], abs=0.05)


def test_two_lines_that_grow_alike_are_told_as_a_tie() -> None:
    def like(rate: Floats) -> Floats:
        return 2.0 + 30.0 * (rate / 400) ** 4

    by_load = loads_of({**FLAT, "unread": like, "redis": like}, noise=0.2)
    assert {line.state for line in grown(by_load).most} == {"unread", "awaiting"}


def test_what_grows_unseen_names_no_line() -> None:
    growth = grown(loads_of({**FLAT, "unseen": lambda rate: 40.0 * (rate / 400) ** 4}))
    assert growth.is_unaccounted
    assert growth.lines[0].state == UNACCOUNTED
    assert growth.most == ()


def test_noise_alone_names_a_line_in_one_of_forty_comparisons_at_most() -> None:
    """Allow for the stated rate of false names, which is 2.5 %."""
    n = length(80, 2_000)
    false = sum(bool(grown(loads_of(FLAT, seed, noise=0.3)).most) for seed in range(n))
    assert false <= most(n, 0.025)


def test_the_share_of_the_growth_lies_in_its_interval() -> None:
    """Want the truth in at least 90 % of 95 % intervals: the rest are resamples of few blocks."""
    n = length(60, 1_000)
    lines = {**QUEUE, "redis": lambda rate: 5.0 + 20.0 * (rate / 400) ** 4}
    held = 0
    for seed in range(n):
        line = next(line for line in grown(loads_of(lines, seed, noise=0.2)).lines if line.state == "unread")
        assert line.share_interval is not None
        held += line.share_interval[0] <= 0.75 <= line.share_interval[1]
    assert held >= fewest(n, 0.9)


def test_a_disturbance_that_could_have_made_the_growth_takes_the_name_away() -> None:
    growth = grown(loads_of({**FLAT, "unread": lambda rate: 2.0 + 4.0 * (rate / 400) ** 4}))
    assert growth.most
    assert growth.widened(lambda interval: interval).most == growth.most
    assert not growth.widened(lambda interval: (interval[0] * 0.5, interval[1] / 0.5)).most


def test_where_only_an_overload_makes_it_longer_that_is_compared_and_said(
    snapshot: SnapshotAssertion,
) -> None:
    server, load = planted({**FLAT, "unread": lambda rate: np.where(rate < 350, 2.0, 900.0)})
    due = np.where(load.planned > 350, 1.5 * load.planned, load.planned)
    load = replace(load, due=due, planned=due)
    by_load = loads([server], load, levels_of(load))
    assert by_load is not None
    assert by_load.high.is_overloaded
    assert growth_words.by_load(by_load) == snapshot


def test_nothing_is_compared_with_less_than_three_readings() -> None:
    server, load = planted(QUEUE)
    few = np.zeros(load.seconds.size, dtype=np.bool_)
    few[:2] = True
    assert growth_of(server, load, few, ~few) is None


@pytest.mark.parametrize(
    "lines",
    [
        pytest.param(QUEUE, id="a queue"),
        pytest.param({**QUEUE, "redis": lambda rate: 5.0 + 20.0 * (rate / 400) ** 4}, id="two"),
        pytest.param(FLAT, id="nothing"),
        pytest.param({**FLAT, "redis": lambda rate: 30.0 - 20.0 * (rate / 400)}, id="shorter"),
        pytest.param({**FLAT, "unseen": lambda rate: 40.0 * (rate / 400) ** 4}, id="unseen"),
    ],
)
def test_it_is_told_in_one_sentence(lines: Lines, snapshot: SnapshotAssertion) -> None:
    assert growth_words.by_load(loads_of(lines)) == snapshot


def test_the_document_has_the_levels_and_what_grew() -> None:
    server, load = planted(QUEUE)
    whole = account([server], load)
    assert whole is not None
    loads_document = document_of(whole, loads=loads_of(QUEUE)).loads
    assert loads_document
    assert loads_document.unit == "1/s"
    assert [level.level for level in loads_document.levels] == RATES.tolist()
    assert loads_document.low.places == (0,)
    assert loads_document.high.places == (4,)
    assert loads_document.growth is not None
    assert [(line.state, line.of) for line in loads_document.growth.most] == [(states.UNREAD, "")]
    assert loads_document.growth.ms == pytest.approx(sum(line.ms for line in loads_document.growth.lines))
    level = loads_document.levels[-1]
    server_document = level.components["server"]
    lines = sum(line.ms for line in server_document.per_request)
    assert lines + server_document.unaccounted_ms == pytest.approx(level.total_ms, abs=1e-3)

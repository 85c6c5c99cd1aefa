"""Forecasts of claims: by the network of an account, and by the laws that causes declare."""

import math
from dataclasses import replace

import pytest

from loadrig.interventions import Lever
from loadrig.judgement.experiments.foretold import MAYBE, USUAL_GAIN, Forecast
from loadrig.judgement.experiments.outcome import Measure
from loadrig.judgement.experiments.suspects import Suspect, suspects_in
from loadrig.judgement.experiments.trial_gains import MOVED
from loadrig.judgement.limits.bottlenecks import Judgement
from loadrig.judgement.limits.kinds import Resource
from loadrig.judgement.limits.model import USERS
from loadrig.judgement.limits.network import Cap, Network, Station
from tests.judgement.experiments.examples import finding

RPS, PLACES = 100.0, 10.0
WORKERS = Resource("slots", "server", PLACES, PLACES, True, waiting=30.0)
QUOTA = Resource("quota", "server", 2.0, 1.8, True)
ACCOUNT = Judgement(
    (),
    (),
    (WORKERS, QUOTA),
    Network(
        RPS,
        (Station(QUOTA.name, 2.0, 1.8 / RPS),),
        (Cap(USERS, 40.0, PLACES), Cap(WORKERS.name, PLACES, PLACES)),
    ),
)
"""40 users of a server with ten workers, all taken, that uses nine tenths of its quota."""


def forecast(judgement: Judgement | None = ACCOUNT, measure: Measure = "throughput") -> Forecast:
    return Forecast(measure, ["mariadb"], judgement)


def suspect(cause: str, component: str = "server") -> Suspect:
    return suspects_in([finding(cause, component)], [])[0]


CPU, CORES, DELAY = Lever("cpu", "server"), Lever("cores", "host"), Lever("delay", "mariadb")
MORE_WORKERS = Lever("knob", "server", "workers")


def test_a_quota_that_is_the_limit_is_followed_nearly_one_to_one() -> None:
    foretold = forecast().of(suspect("cpu_quota"), CPU, 0.8)
    assert math.log(0.8) <= foretold.move < 0.8 * math.log(0.8)
    assert foretold.reach == 1.0


def test_workers_that_are_the_limit_are_followed_until_nobody_waits() -> None:
    twice, tenfold = (forecast().of(suspect("too_few_workers"), MORE_WORKERS, k).move for k in (2.0, 10.0))
    assert twice == pytest.approx(math.log(2), rel=0.05)
    assert twice < tenfold <= math.log(4) + 1e-9


def test_a_delay_holds_workers_and_not_a_processor_that_is_always_busy() -> None:
    of_workers = forecast().of(suspect("too_few_workers"), DELAY, None)
    of_quota = forecast().of(suspect("cpu_quota"), DELAY, None)
    assert of_workers.move < of_quota.move <= 0
    assert of_workers.reach == MAYBE


def test_a_lever_of_another_component_moves_nothing() -> None:
    assert forecast().of(suspect("cpu_quota"), Lever("cpu", "mariadb"), 0.8).move == 0
    assert forecast().of(suspect("cpu_quota"), MORE_WORKERS, 2.0).move == 0


@pytest.mark.parametrize(("used", "may_move"), [(1.8, True), (1.0, False)])
def test_what_a_server_said_may_be_so_beside_a_full_processor(used: float, may_move: bool) -> None:
    account = Judgement((), (), (replace(QUOTA, used=used),), ACCOUNT.network)
    foretold = forecast(account).of(suspect("pool_too_large"), CPU, 0.8)
    assert (foretold.move, foretold.reach) == ((math.log(0.8), MAYBE) if may_move else (0.0, 0.0))


def test_a_holder_foretells_by_its_own_gain_and_its_resource_by_the_network() -> None:
    spared = forecast().of(suspect("gc_pressure"), Lever("knob", "server", "heap"), 2.0)
    assert spared.move >= math.log(1.05)
    # A fifth less of the processor is felt whoever holds it.
    assert forecast().of(suspect("gc_pressure"), CPU, 0.8).move < 0


def test_without_an_account_a_declared_lever_is_followed_one_to_one_and_others_are_not() -> None:
    bare = forecast(None)
    assert bare.of(suspect("database_cpu", "mariadb"), Lever("cpu", "mariadb"), 0.8).move == math.log(0.8)
    assert bare.of(suspect("database_cpu", "mariadb"), CPU, 0.8).move == 0
    assert bare.of(suspect("row_lock", "mariadb"), CORES, None).move == 0
    knob = bare.of(suspect("pool_too_small"), Lever("knob", "server", "pool"), None)
    assert knob.move == pytest.approx(math.log(USUAL_GAIN))


def test_of_several_knobs_none_is_needed() -> None:
    assert forecast().of(suspect("too_few_workers"), MORE_WORKERS, 2.0).reach == MAYBE
    assert forecast().of(suspect("gc_pressure"), Lever("knob", "server", "heap"), 2.0).reach == 1.0


def test_half_of_the_dips_is_gone_with_a_causes_own_lever() -> None:
    jitter = Lever("knob", "server", "jitter")
    assert forecast(measure="dips").of(suspect("restarts_in_step"), jitter, None).move == math.log(
        MOVED["dips"]
    )
    assert forecast(measure="dips").of(suspect("leak"), jitter, None).move == 0


def test_neighbours_alone_foretell_that_going_first_helps_and_by_as_much_as_is_to_be_had() -> None:
    first = Lever("precedence", "server")
    of_neighbours = forecast().of(suspect("noisy_neighbour"), first, 1.6)
    assert of_neighbours.move == pytest.approx(math.log(1.6))
    assert of_neighbours.reach == 1.0
    assert forecast().of(suspect("noisy_neighbour"), first, None).move > 0
    assert forecast().of(suspect("cpu_quota"), first, 1.6).move == 0

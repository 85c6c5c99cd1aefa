"""Others on the server's cores: their cost by how answers follow what they used."""

import math

import numpy as np
import pytest

from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.cores import use_of
from loadrig.judgement.limits.neighbours import left_by_others, most_gain
from loadrig.stats.arrays import Floats
from loadrig.testing.cases import ACase

N = 40


def beside_others(cost: float, *, spread: float = 0.3, ok: float = 80.0, drift: float = 0.0) -> Case:
    """Return a server on core 1, beside others who use half of it, more or less from step to step.

    cost: share of all answers that a core of theirs costs. spread: of their cores, in cores. drift: answers a
    second by which a step has more than the last, as others use more, too: a load rises while a job begins.
    """
    noise = np.random.default_rng(7)
    steps = np.arange(N)
    others = np.clip(0.5 + spread * np.sin(steps * 1.7) + 0.004 * drift * (steps - N / 2), 0.0, 0.95)
    answers = ok * (1 - cost * (others - 0.5)) + drift * (steps - N / 2) + noise.normal(0.0, 1.0, N)
    return on_core(others, answers)


def on_core(others: Floats, answers: Floats) -> Case:
    case = ACase(seconds=N, rate=100.0, ok=answers, latency_s=1.5)
    case.tier("server", kind="program", runtime="go", cpus=(1,))
    case.counter("server", "process.cpu_s", "tree", 0.98 - others)
    case.counter("server", "process.run_delay_s", "tree", 2.0)
    case.counter("host", "system_cpu.user_s", "cpu0", 0.2).counter("host", "system_cpu.user_s", "cpu1", 0.98)
    case.counter("host", "neighbours.cpu_s", "cpu1:build, process 7", others)
    return case.build()


def gain_of(case: Case) -> float:
    use = use_of(case, case.server)
    assert use is not None
    return most_gain(case, use)


def left_of(case: Case) -> float:
    use = use_of(case, case.server)
    assert use is not None
    return left_by_others(case, use)


def test_others_beside_whom_as_much_is_answered_took_nothing() -> None:
    case = beside_others(cost=0.0)
    assert gain_of(case) < 1.1
    assert left_of(case) > 0.4


def test_others_who_cost_answers_when_they_are_there_are_not_cleared() -> None:
    case = beside_others(cost=1.0)
    assert gain_of(case) == pytest.approx(1.5, abs=0.1)
    assert left_of(case) < 0.3


@pytest.mark.parametrize(
    "case",
    [
        beside_others(cost=0.0, spread=0.02),  # hardly an experiment
        beside_others(cost=-0.8),  # they work for the requests
        beside_others(cost=0.0, ok=100.0),  # all that is due is answered anyhow
    ],
    ids=["always the same", "more with more answers", "all in time"],
)
def test_where_nothing_can_be_told_nobody_is_cleared(case: Case) -> None:
    assert math.isinf(gain_of(case))
    assert left_of(case) == 0.0


def test_what_rises_with_the_load_is_no_help_to_it() -> None:
    assert gain_of(beside_others(cost=1.0, drift=0.6)) > 1.3

"""Tests of what is offered next: levels around the limit, levels that confirm it, an overload at the end."""

import math

import numpy as np

from loadrig.study.capacity.agenda import Agenda
from loadrig.study.capacity.beyond import Overload
from loadrig.study.capacity.knowledge import Knowledge
from loadrig.study.capacity.locate import Located
from loadrig.study.capacity.probe import DoneProbe, Kind, Probe, Verdict
from loadrig.study.capacity.tick import LevelWindow
from tests.study.capacity.fakes import GOALS

CAPACITY = 800.0


def knowledge_with(*, spread: float) -> Knowledge:
    """Knowledge of the capacity. spread: of the candidates around it, in ln(level)."""
    knowledge = Knowledge(GOALS, is_closed=False)
    levels = CAPACITY * np.exp(np.linspace(-spread, spread, 101))
    knowledge.located = Located(levels, np.full(101, 1 / 101), 30.0, GOALS.shares[0].text)
    return knowledge


def agenda(knowledge: Knowledge, *, skip_overload: bool = False) -> Agenda:
    return Agenda(
        knowledge, least=1.0, most=math.inf, budget_s=120.0, width=0.03, seed=1, skip_overload=skip_overload
    )


def confirmation(kind: Kind, level: float, leans: Verdict) -> DoneProbe:
    window = LevelWindow(10.0, 8_000, 8_000, 8_000, 0, (), 5.0)
    return DoneProbe(kind, level, 20.0, 1.0, window, "open", leans, 0.8, False, "", ())


def test_levels_are_alternately_above_and_below_the_limit() -> None:
    choice = agenda(knowledge_with(spread=0.08))
    levels = [chosen.level for chosen in (choice.next(30.0) for _ in range(4)) if chosen]
    assert [level > CAPACITY for level in levels] == [True, False, True, False]


def test_far_from_the_limit_the_level_is_the_median() -> None:
    chosen = agenda(knowledge_with(spread=0.4)).next(30.0)
    assert chosen is not None
    assert math.isclose(chosen.level, CAPACITY)


def test_a_capacity_that_is_known_is_confirmed_below_and_above_and_then_overloaded() -> None:
    knowledge = knowledge_with(spread=0.01)
    choice = agenda(knowledge)
    below = choice.next(30.0)
    assert isinstance(below, Probe)
    assert below.kind == "confirm_below"
    knowledge.probes.append(confirmation("confirm_below", below.level, "meets"))
    above = choice.next(50.0)
    assert isinstance(above, Probe)
    assert above.kind == "confirm_above"
    knowledge.probes.append(confirmation("confirm_above", above.level, "fails"))
    assert isinstance(choice.next(60.0), Overload)
    assert choice.next(80.0) is None


def test_it_ends_without_an_overload_where_none_is_wanted() -> None:
    knowledge = knowledge_with(spread=0.01)
    knowledge.probes += [
        confirmation("confirm_below", 0.97 * CAPACITY, "meets"),
        confirmation("confirm_above", 1.05 * CAPACITY, "fails"),
    ]
    assert agenda(knowledge, skip_overload=True).next(60.0) is None


def test_a_confirmation_of_a_capacity_that_has_moved_does_not_count() -> None:
    knowledge = knowledge_with(spread=0.01)
    knowledge.probes.append(confirmation("confirm_below", 0.97 * CAPACITY, "meets"))
    assert knowledge.confirmed().below is True
    knowledge.probes = [confirmation("confirm_below", 0.97 * 0.95 * CAPACITY, "meets")]
    assert knowledge.confirmed().below is None

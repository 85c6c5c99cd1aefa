"""Trials too short for what a knob does are told of, with the arithmetic."""

from collections.abc import Mapping

import pytest
from syrupy.assertion import SnapshotAssertion

from loadrig.base.estimate import Estimate
from loadrig.base.setting import Setting
from loadrig.study import fidelity
from loadrig.study.trials import DoneTrial
from tests.study.fakes import knob, plan
from tests.wording import numbers

RECYCLED = (knob("workers", 4), knob("max_requests", 0, 500, 1000))


def trial(setting: Setting, per_second: float, verdict: str = "valid") -> DoneTrial:
    measures: Mapping[str, Estimate] = {"throughput": Estimate(per_second, "1/s")}
    return DoneTrial(
        index=1, block=0, repeat=0, setting=setting, is_base=False, seed=1, validity=verdict,  # type: ignore[arg-type]
        reasons=(), measures=measures, goals=(), folder="", seconds=30.0,
    )  # fmt: skip


def test_workers_that_are_hardly_replaced_within_a_trial_are_told_of_once_with_the_longest(
    snapshot: SnapshotAssertion,
) -> None:
    trials = [trial({"workers": 4, "max_requests": count}, 200.0) for count in (0, 500, 1000)]
    warnings = fidelity.warnings(plan(*RECYCLED), trials, 20.0)
    assert [numbers(text) for text in warnings] == [[20, 1000, 200, 20, 3, 60, 4, 60]]
    assert warnings == snapshot


def test_a_window_of_three_rounds_is_long_enough() -> None:
    assert (
        fidelity.warnings(plan(*RECYCLED), [trial({"workers": 4, "max_requests": 1000}, 200.0)], 60.0) == ()
    )


def test_a_knob_that_is_not_varied_or_never_acts_is_not_told_of() -> None:
    fixed = plan(knob("workers", 1, 4), knob("max_requests", 1000))
    assert fidelity.warnings(fixed, [trial({"workers": 4, "max_requests": 1000}, 10.0)], 20.0) == ()
    assert fidelity.warnings(plan(*RECYCLED), [trial({"workers": 4, "max_requests": 0}, 10.0)], 20.0) == ()


@pytest.mark.parametrize("verdict", ["void", "failed"])
def test_trials_that_say_nothing_warn_of_nothing(verdict: str) -> None:
    lost = trial({"workers": 4, "max_requests": 1000}, 200.0, verdict)
    assert fidelity.warnings(plan(*RECYCLED), [lost], 20.0) == ()


def test_it_is_foreseen_from_the_first_rate() -> None:
    foreseen = fidelity.foreseen(plan(*RECYCLED), 200.0, 20.0)
    assert len(foreseen) == 1
    assert "max_requests 1000" in foreseen[0]
    assert fidelity.foreseen(plan(*RECYCLED), 2_000.0, 20.0) == ()


def test_ports_that_are_not_yet_used_up_are_told_of() -> None:
    from dataclasses import replace

    from loadrig.plan.model import ChosenMember
    from loadrig.target import command
    from loadrig.target._knobs import FreeKnob

    name = "net.ipv4.tcp_tw_reuse"
    options = command.Options(("./serve",), knob_flags={name: FreeKnob(sysctl=name, words=("0", "1"))})
    study_plan = replace(plan(knob(name, "0", "1")), target=ChosenMember("command", options))
    warnings = fidelity.warnings(study_plan, [trial({name: "0"}, 1_000.0)], 10.0)
    assert len(warnings) == 1
    assert "after 28 s" in warnings[0]
    assert fidelity.warnings(study_plan, [trial({name: "0"}, 1_000.0)], 30.0) == ()

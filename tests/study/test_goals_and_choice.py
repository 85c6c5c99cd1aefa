import pytest
from syrupy.assertion import SnapshotAssertion

from loadrig.base.estimate import Estimate
from loadrig.base.setting import Setting
from loadrig.base.units import Seconds
from loadrig.plan.model import Goal
from loadrig.study.choose import Candidate, cheapest
from loadrig.trial.result import TrialResult
from tests.wording import numbers, shape

from .fakes import (
    CATALOGUE,
    DEMO,
    FakeServers,
    cores,
    equal,
    goal_result,
    judged,
    knob,
    plan,
    standings,
    trial_result,
)

# --- goals ----------------------------------------------------------------------------------------

FAST = Goal("p95 < 500ms", "p95", True, 0.5, "s")


def with_p95(setting: Setting) -> dict[str, Estimate]:
    return {"p95": Estimate(0.2 if setting["workers"] in (1, 2) else 0.9, "s")}


def test_a_setting_that_misses_a_goal_is_never_recommended(snapshot: SnapshotAssertion) -> None:
    study_plan = plan(knob("workers", 1, 2, 4), goals=[FAST])
    servers = FakeServers(lambda setting: 100.0 * int(setting["workers"]), more=with_p95)
    judgement = judged(study_plan, servers)
    assert standings(judgement) == {"workers=1": "worse", "workers=2": "best", "workers=4": "infeasible"}
    assert judgement.recommended is not None
    assert judgement.recommended.setting_id == 1
    assert [goal.met for goal in judgement.settings[2].goals] == [False]
    assert numbers(judgement.recommended.why)[1:] == [1, 1]  # one is worse, one misses a goal
    assert shape(judgement.recommended.why) == snapshot


def test_one_trial_that_misses_a_goal_is_enough() -> None:
    study_plan = plan(knob("workers", 1, 2), goals=[FAST])

    def spoil(spec: object) -> TrialResult | None:
        if getattr(spec, "block", 0) != 1 or getattr(spec, "setting", {}).get("workers") != 2:
            return None
        return trial_result(
            {"throughput": Estimate(200.0, "1/s"), "p95": Estimate(0.55, "s")},
            goals=(goal_result(FAST.text, False, 0.55),),
        )

    servers = FakeServers(lambda setting: 100.0 * int(setting["workers"]), more=with_p95, spoil=spoil)
    judgement = judged(study_plan, servers)
    assert judgement.settings[1].measures["p95"].value < 0.5
    assert judgement.settings[1].feasible is False
    assert standings(judgement)["workers=2"] == "infeasible"


def test_when_no_setting_meets_the_goals_none_is_recommended_and_it_is_said(
    snapshot: SnapshotAssertion,
) -> None:
    goal = Goal("p95 < 1ms", "p95", True, 0.001, "s")
    judgement = judged(plan(knob("workers", 1, 2), goals=[goal]), FakeServers(equal, more=with_p95))
    assert judgement.recommended is None
    assert set(standings(judgement).values()) == {"infeasible"}
    assert judgement.warnings == snapshot


def test_a_goal_that_cannot_be_told_is_no_promise(snapshot: SnapshotAssertion) -> None:
    judgement = judged(plan(knob("workers", 1, 2), goals=[FAST]), FakeServers(equal))
    assert [setting.feasible for setting in judgement.settings] == [None, None]
    assert judgement.recommended is None
    assert judgement.warnings == snapshot


def test_a_goal_for_one_route_is_known_to_the_trials_only() -> None:
    goal = Goal("p95{search} < 1s", "p95", True, 1.0, "s", route="search")
    outcome = {"throughput": Estimate(100.0, "1/s"), "p95": Estimate(5.0, "s")}
    servers = FakeServers(
        equal,
        spoil=lambda spec: trial_result(
            outcome, goals=(goal_result(goal.text, True, 0.5 + spec.block / 10),)
        ),
    )
    judgement = judged(plan(knob("workers", 1, 2), goals=[goal]), servers)
    assert judgement.settings[0].feasible is True
    assert judgement.settings[0].goals[0].value == pytest.approx(0.7)


def test_a_goal_over_stretches_is_known_to_the_trials_only() -> None:
    goal = Goal("p95 < 1s for 30s", "p95", True, 1.0, "s", over=Seconds(30.0))
    # A good p95 of the whole says nothing of the worst half minute.
    outcome = {"throughput": Estimate(100.0, "1/s"), "p95": Estimate(0.2, "s")}
    servers = FakeServers(
        equal, spoil=lambda _: trial_result(outcome, goals=(goal_result(goal.text, False, 1.4),))
    )
    judgement = judged(plan(knob("workers", 1, 2), goals=[goal]), servers)
    assert judgement.settings[0].feasible is False
    assert judgement.settings[0].goals[0].value == pytest.approx(1.4)


# --- knobs ----------------------------------------------------------------------------------------


def test_the_effect_of_a_knob_is_averaged_over_the_others() -> None:
    def truth(setting: Setting) -> float:
        return 100.0 * (1.2 if setting["a"] == 2 else 1.0) * (0.9 if setting["b"] == 2 else 1.0)

    judgement = judged(
        plan(knob("a", 1, 2), knob("b", 1, 2), knob("c", 1, 2)), FakeServers(truth, noise=0.005)
    )
    effects = {(knob_effect.knob, knob_effect.value): knob_effect for knob_effect in judgement.knob_effects}
    assert effects["a", 2].effect == pytest.approx(1.2, rel=0.01)
    assert effects["b", 2].effect == pytest.approx(0.9, rel=0.01)
    assert effects["c", 2].effect == pytest.approx(1.0, rel=0.01)
    assert [effects[name, 2].verdict for name in "abc"] == ["better", "worse", "equivalent"]
    assert effects["a", 2].pairs == 4
    # Four pairs a block know a knob better than one pair knows two settings.
    single = next(
        comparison.interval for comparison in judgement.comparisons if comparison.kind == "with_base"
    )
    interval = effects["a", 2].interval
    assert single is not None
    assert interval is not None
    assert interval[1] / interval[0] < single[1] / single[0]


def test_a_conditional_knob_has_its_effect_where_it_applies() -> None:
    judgement = judged(plan(*DEMO), FakeServers(cores(16), noise=0.01))
    effects = {(knob_effect.knob, knob_effect.value): knob_effect for knob_effect in judgement.knob_effects}
    assert effects["threads", 4].effect == pytest.approx(4.0, rel=0.05)
    assert effects["worker_class", "gthread"].effect == pytest.approx(1.0, rel=0.05)
    assert effects["workers", 2].effect == pytest.approx(2.0, rel=0.05)


# --- choice ---------------------------------------------------------------------------------------


def candidate(
    number: int, workers: int, threads: int | None, memory: float | None, lead: float = 0.0
) -> Candidate:
    setting: dict[str, str | int] = {"workers": workers}
    if threads is not None:
        setting["threads"] = threads
    return Candidate(number, setting, lead, None if memory is None else Estimate(memory, "B"))


@pytest.mark.parametrize(
    ("candidates", "chosen", "why"),
    [
        ([candidate(0, 2, 1, 9e6), candidate(1, 1, 8, 9e7)], 1, "the fewest processes"),
        ([candidate(0, 1, 4, 9e6), candidate(1, 1, 2, 9e7)], 1, "the fewest threads"),
        ([candidate(0, 1, 1, 9e7), candidate(1, 1, 1, 5e7)], 1, "the least memory (50 MB)"),
        ([candidate(0, 1, 1, 5.1e7), candidate(1, 1, None, 5e7)], 0, "the fewest changes from the base"),
        ([candidate(0, 1, 1, None, 1.0), candidate(1, 1, 1, None, 2.0)], 1, "the best figure"),
        ([candidate(0, 1, 1, None)], 0, ""),
    ],
)
def test_the_cheapest_is_chosen_by_processes_threads_memory(
    candidates: list[Candidate], chosen: int, why: str
) -> None:
    candidate, reason = cheapest(candidates, CATALOGUE, {"workers": 1, "threads": 1})
    assert candidate.number == chosen
    assert why in reason

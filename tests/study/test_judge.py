import pytest
from syrupy.assertion import SnapshotAssertion

from loadrig.base.estimate import Estimate
from loadrig.base.setting import Setting
from loadrig.plan.arrivals import Rate
from loadrig.study.yardstick import Yardstick, deciding
from loadrig.trial.result import TrialResult
from loadrig.trial.validity import Validity
from tests.wording import holding

from .fakes import (
    DEMO,
    P95,
    FakeServers,
    cores,
    equal,
    judged,
    knob,
    plan,
    rate,
    reason,
    standings,
    trial_result,
    words,
)

# --- what is left out, and what is said -----------------------------------------------------------


def test_void_trials_are_left_out_and_counted(snapshot: SnapshotAssertion) -> None:
    why = "the generator was late"

    def spoil(spec: object) -> TrialResult | None:
        if getattr(spec, "index", 0) in (2, 11):
            wild = {"throughput": Estimate(9999.0, "1/s")}
            return trial_result(wild, Validity("void", (reason("void", why),)))
        return None

    judgement = judged(plan(*DEMO), FakeServers(cores(2), noise=0.01, spoil=spoil))
    assert all(setting.measures["throughput"].value < 500 for setting in judgement.settings)
    (warning,) = holding(judgement.warnings, "2 of 31", why)
    assert warning == snapshot


def test_a_setting_without_a_usable_trial_is_void() -> None:
    void = trial_result({"throughput": Estimate(1.0, "1/s")}, Validity("void"))
    servers = FakeServers(equal, spoil=lambda spec: void if spec.setting["workers"] == 2 else None)
    judgement = judged(plan(knob("workers", 1, 2, 3)), servers)
    assert standings(judgement)["workers=2"] == "void"
    assert {
        comparison.between[1] for comparison in judgement.comparisons if comparison.kind == "with_base"
    } == {2}


def test_a_disturbed_trial_is_kept_with_a_warning(snapshot: SnapshotAssertion) -> None:
    def spoil(spec: object) -> TrialResult | None:
        if getattr(spec, "index", 0) == 3:
            return trial_result(
                {"throughput": Estimate(100.0, "1/s")},
                Validity("disturbed", (reason("disturbed", "cpu0 was busy"), reason("note", "fine"))),
            )
        return None

    judgement = judged(plan(*DEMO), FakeServers(equal, spoil=spoil))
    (warning,) = holding(judgement.warnings, "trial 3 (", "cpu0 was busy")
    assert warning == snapshot


def test_a_trial_that_does_not_belong_is_pointed_out_and_kept(snapshot: SnapshotAssertion) -> None:
    servers = FakeServers(equal, noise=0.01)
    spoiled = FakeServers(equal, noise=0.01)

    def spoil(spec: object) -> TrialResult | None:
        if getattr(spec, "index", 0) != 14:
            return None
        value = servers(spec).measures["throughput"].value * 0.78  # type: ignore[arg-type]
        return trial_result({"throughput": Estimate(value, "1/s")})

    spoiled.spoil = spoil
    judgement = judged(plan(*DEMO), spoiled)
    (warning,) = holding(judgement.warnings, "trial 14 (")
    assert warning == snapshot
    assert sum(len(setting.trials) for setting in judgement.settings) == 30
    clean = judged(plan(*DEMO), FakeServers(equal, noise=0.01))
    assert holding(clean.warnings, "trial ") == []


def test_a_server_without_a_good_answer_is_worse_not_missing(snapshot: SnapshotAssertion) -> None:
    dead = trial_result({"throughput": Estimate(0.0, "1/s"), "errors": Estimate(1.0, "1", n=500)})
    servers = FakeServers(equal, spoil=lambda spec: dead if spec.setting["workers"] == 2 else None)
    judgement = judged(plan(knob("workers", 1, 2, 3)), servers)
    assert standings(judgement)["workers=2"] == "worse"
    (warning,) = holding(judgement.warnings, "workers=2 ")
    assert warning == snapshot
    assert judgement.recommended is not None
    assert judgement.recommended.setting_id != 1


def test_latency_that_only_mirrors_throughput_is_said(snapshot: SnapshotAssertion) -> None:
    def more(setting: Setting) -> dict[str, Estimate]:
        return {"p95": Estimate(0.1, "s")}

    closed = judged(plan(*DEMO), FakeServers(equal, more=more), P95)
    opened = judged(plan(*DEMO), FakeServers(equal, more=more), P95, is_closed=False)
    (warning,) = set(closed.warnings) - set(opened.warnings)
    assert warning == snapshot
    assert warning not in judged(plan(*DEMO), FakeServers(equal)).warnings


def test_throughput_decides_in_a_closed_and_p95_in_an_open_model() -> None:
    assert deciding(plan(*DEMO)).name == "throughput"
    assert deciding(plan(*DEMO, arrivals=Rate(per_second=rate(100)))).name == "p95"
    assert deciding(plan(*DEMO, arrivals=Rate(per_second=rate(0)))).name == "throughput"
    chosen = deciding(plan(*DEMO, by="p99.9"))
    assert (chosen.name, chosen.unit, chosen.better) == ("p99.9", "s", "lower")


def test_a_lower_time_is_better() -> None:
    def more(setting: Setting) -> dict[str, Estimate]:
        workers = int(setting["workers"])
        return {"p95": Estimate(0.4 / workers, "s")}

    servers = FakeServers(equal, more=more)
    judgement = judged(plan(knob("workers", 1, 2, 4)), servers, P95)
    assert words(judgement, "with_base") == {"better": 2}
    assert standings(judgement) == {"workers=1": "worse", "workers=2": "worse", "workers=4": "best"}


def test_shares_are_compared_by_their_difference() -> None:
    def more(setting: Setting) -> dict[str, Estimate]:
        return {"errors": Estimate(0.02 if setting["workers"] == 2 else 0.0, "1", n=10_000)}

    errors = Yardstick("errors", "1", "lower", 0.001)
    judgement = judged(plan(knob("workers", 1, 2, 3)), FakeServers(equal, more=more), errors)
    verdicts = {
        comparison.between[1]: comparison
        for comparison in judgement.comparisons
        if comparison.kind == "with_base"
    }
    assert verdicts[1].verdict == "worse"
    assert verdicts[1].effect == pytest.approx(0.02)
    assert verdicts[2].verdict == "equivalent"
    two = judgement.settings[1].measures["errors"]
    assert two.low is not None
    assert two.high is not None
    assert two.low < 0.02 < two.high
    assert two.n == 30_000

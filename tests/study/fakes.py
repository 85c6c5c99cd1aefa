"""Plans and simulated servers with a known truth, for studies that load nothing."""

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, cast

import numpy as np

from loadrig.base.estimate import Estimate
from loadrig.base.setting import Knob, Setting, Value
from loadrig.base.units import Count, PerSecond, Seconds
from loadrig.plan.arrivals import Arrivals, Users
from loadrig.plan.model import (
    ChosenMember,
    Connections,
    Goal,
    Plan,
    PlannedKnob,
    StudyRules,
    Tls,
    TrialRules,
    Workload,
)
from loadrig.plan.requests import Request, Scenario, Think
from loadrig.study.answer import Question, StudyJudgement
from loadrig.study.judge import judge
from loadrig.study.strategies import grid
from loadrig.study.trials import DoneTrial, done
from loadrig.study.yardstick import Yardstick
from loadrig.target import gunicorn
from loadrig.trial.document import TrialDocument
from loadrig.trial.goals import GoalResult
from loadrig.trial.reasons import Reason
from loadrig.trial.result import TrialResult
from loadrig.trial.spec import TrialSpec
from loadrig.trial.validity import Validity

THROUGHPUT = Yardstick("throughput", "1/s", "higher", 0.03)
P95 = Yardstick("p95", "s", "lower", 0.05)

CATALOGUE: Mapping[str, Knob] = {
    knob.name: knob
    for knob in (
        Knob("worker_class", "word", "How a worker serves.", "sync", words=("sync", "gthread")),
        Knob("workers", "int", "Processes.", 1, 1, 64, cost=3),
        Knob("threads", "int", "Threads of each.", 1, 1, 64, cost=2),
    )
}


def knob(
    name: str, *values: Value, base: Value | None = None, when: Mapping[str, tuple[Value, ...]] | None = None
) -> PlannedKnob:
    return PlannedKnob(name, values, values[0] if base is None else base, when or {})


DEMO = (
    knob("worker_class", "sync", "gthread"),
    knob("workers", 1, 2, 4),
    knob("threads", 1, 4, when={"worker_class": ("gthread",)}),
)
"""Nine settings: three of sync workers, six of gthread."""


def plan(
    *knobs: PlannedKnob,
    strategy: str = "grid",
    blocks: int = 3,
    seed: int = 1,
    by: str | None = None,
    goals: Sequence[Goal] = (),
    budget: float | None = None,
    arrivals: Arrivals | None = None,
    name: str = "fake",
) -> Plan:
    request = Request(name="home", method="GET", path="/")
    return Plan(
        name=name,
        target=ChosenMember("gunicorn", gunicorn.Options("shop:app")),
        workload=Workload(
            arrivals=arrivals or Users(count=Count(10)),
            scenarios=(Scenario("home", 1.0, (request,)),),
            think=Think(constant=Seconds(0.0)),
            login=None,
            feeds={},
            headers={},
            cookies=True,
            timeout=Seconds(30.0),
            connect_timeout=Seconds(5.0),
            connections=Connections(),
            tls=Tls(),
            requests_limit=None,
            loops_per_user=None,
        ),
        goals=tuple(goals),
        knobs=knobs,
        trial=TrialRules(seed=seed),
        study=StudyRules(
            strategy=strategy, blocks=Count(blocks), by=by, budget=None if budget is None else Seconds(budget)
        ),
        probes=(),
        unwatched=(),
        allow=(),
        path="",
        text="",
    )


def reason(level: Literal["void", "grave", "disturbed", "note"], text: str) -> Reason:
    return Reason("G0", level, text)


def goal_result(text: str, is_met: bool | None, value: float | None) -> GoalResult:
    return GoalResult(text, "p99", is_met, value, "s")


VALID = Validity("valid")


def trial_result(
    measures: Mapping[str, Estimate],
    validity: Validity = VALID,
    goals: tuple[GoalResult, ...] = (),
    *,
    was_answered: bool = True,
) -> TrialResult:
    """Return what a trial that never ran came to, as far as a study reads it."""
    return TrialResult(
        validity=validity, measures=measures, goals=goals,
        folder=Path("trials/none"), seconds=0.0, was_answered=was_answered,
        document=cast("TrialDocument", None),
    )  # fmt: skip


Truth = Callable[[Setting], float]


@dataclass
class FakeServers:
    """Servers whose true throughput is known. Noise is normal on logs: of a trial, and of a block as a whole.

    more: further measures of a setting, without noise. spoil: what really happens in some trials.
    """

    truth: Truth
    noise: float = 0.02
    drift: float = 0.1
    seed: int = 1
    more: Callable[[Setting], Mapping[str, Estimate]] | None = None
    spoil: Callable[[TrialSpec], TrialResult | None] | None = None
    ran: list[TrialSpec] = field(default_factory=list)

    def __call__(self, spec: TrialSpec) -> TrialResult:
        self.ran.append(spec)
        if self.spoil and (spoiled := self.spoil(spec)) is not None:
            return spoiled
        block = np.random.default_rng([self.seed, 7, spec.block]).normal(0, self.drift)
        own = np.random.default_rng([self.seed, 8, spec.index]).normal(0, self.noise)
        value = self.truth(spec.setting) * math.exp(block + own)
        further = self.more(spec.setting) if self.more else {}
        return trial_result(
            {"throughput": Estimate(value, "1/s", value * 0.99, value * 1.01, n=1000), **further}
        )


def simulate(study_plan: Plan, servers: FakeServers) -> tuple[tuple[Setting, ...], list[DoneTrial]]:
    """Return all trials of a plan's grid, in memory."""
    strategy = grid.strategy(study_plan, grid.Options())
    trials = []
    while asked := strategy.ask():
        trial = done(asked[0], servers(asked[0]), 5.0, Path())
        trials.append(trial)
        strategy.tell(trial)
    return tuple(strategy.settings), trials


def judged(
    study_plan: Plan, servers: FakeServers, by: Yardstick = THROUGHPUT, *, is_closed: bool = True
) -> StudyJudgement:
    """Return what the judge makes of a plan's grid on these servers."""
    settings, trials = simulate(study_plan, servers)
    return judge(
        Question(settings, by, study_plan.goals, study_plan.knobs, CATALOGUE, is_closed=is_closed),
        trials,
    )


def cores(limit: float) -> Truth:
    """Throughput that grows with workers and threads until the cores are full: many settings are equal."""

    def truth(setting: Setting) -> float:
        slots = int(setting.get("workers", 1)) * int(setting.get("threads", 1))
        return 100.0 * min(limit, slots)

    return truth


def equal(setting: Setting) -> float:
    """No knob matters."""
    del setting
    return 100.0


def standings(judgement: StudyJudgement) -> dict[str, str]:
    return {setting.label: setting.standing for setting in judgement.settings}


def words(judgement: StudyJudgement, kind: str) -> Counter[str]:
    """Return how often each verdict was given in the comparisons of a kind."""
    return Counter(
        comparison.verdict if comparison.effect is not None else "none"
        for comparison in judgement.comparisons
        if comparison.kind == kind
    )


def rate(per_second: float) -> PerSecond:
    return PerSecond(per_second)

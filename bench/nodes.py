"""Studies of known gains, dealt to several nodes in simulated time and judged by the study's own judge.

What a trial shows is made up: noise of the trial, of its block and of its node, and what its setting gains on
that node. The mode `nodes` deals many, see `bench.modes.nodes`.
"""

import math
from dataclasses import dataclass, replace

import numpy as np

from bench.nodes_dealt import NODES, WorkedOutNode
from bench.nodes_dealt import dealt as deal
from loadrig.base.estimate import Estimate
from loadrig.base.setting import Setting
from loadrig.plan.model import Plan
from loadrig.study.answer import Question, StudyJudgement
from loadrig.study.carry_out import asked, planned
from loadrig.study.judge import judge
from loadrig.study.space import key
from loadrig.study.trials import DoneTrial
from loadrig.trial.spec import TrialSpec

SPREADS = (0.0, 0.01, 0.03)
GAINS = (0.0, 0.0, 0.0, 0.01, 0.02, 0.05, 0.10, 0.15, 0.15)
"""Logarithms of what the settings gain over the base, in the order of the grid."""

NOISE, DRIFT, SPEEDS = 0.02, 0.05, 0.2
"""Standard deviations, of logarithms: of a trial, of a block, of nodes."""

TRIAL_S, WOBBLE = 70.0, 0.05
"""Wall time of a trial, and the share by which it wavers: not every window is equally long."""

PLAN = """loadrig: 1
name: nodes
target: {gunicorn: {app: "shop:app"}}
workload: {users: 10, requests: [{get: /}]}
knobs: {workers: [1, 2, 4], threads: [1, 2, 4], worker_class: {values: [gthread]}}
study: {find: grid, blocks: 8}
"""


@dataclass(frozen=True)
class DealtStudy:
    """Outcome of a study. wall_s: from its first trial to its last. verdicts: on each setting but the base.

    regret: what the recommended setting is behind the best, as a logarithm; None without one.
    """

    wall_s: float
    verdicts: tuple[str, ...]
    regret: float | None


def dealt(plan: Plan, seed: int, nodes: int, spread: float) -> DealtStudy:
    """Run a study on so many nodes."""
    strategy = planned(plan)
    question = asked(plan, strategy)
    numbers = _numbers(plan)

    def worked_out(spec: TrialSpec) -> DoneTrial:
        own = np.random.default_rng([seed, 1, numbers[_place(spec)]])
        drift = np.random.default_rng([seed, 2, spec.block]).normal(0, DRIFT)
        value = 100 * math.exp(_gain(question, spec.setting) + drift + own.normal(0, NOISE))
        return DoneTrial(
            index=spec.index, block=spec.block, repeat=spec.repeat, is_base=spec.is_base, seed=spec.seed,
            setting=spec.setting, validity="valid", reasons=(), goals=(), folder="",
            seconds=TRIAL_S * math.exp(own.normal(0, WOBBLE)),
            measures={"throughput": Estimate(value, "1/s")},
        )  # fmt: skip

    places = [WorkedOutNode(f"node{number + 1}", worked_out) for number in range(nodes)]
    wall_s, trials = deal(strategy, places)  # type: ignore[arg-type]  # a grid has blocks
    speeds = np.random.default_rng([seed, 3]).normal(0, SPEEDS, max(NODES))
    gains = np.random.default_rng([seed, 4]).normal(0, spread, (max(NODES), len(GAINS)))
    on_nodes = []
    for trial in trials:
        node = int(trial.node.removeprefix("node")) - 1
        number = question.settings.index(trial.setting)
        value = trial.measures["throughput"].value * math.exp(speeds[node] + gains[node, number])
        name = f"node{node + 1}" if nodes > 1 else ""
        on_nodes.append(replace(trial, node=name, measures={"throughput": Estimate(value, "1/s")}))
    return _outcome(question, judge(question, on_nodes), wall_s)


def _place(spec: TrialSpec) -> tuple[int, str, int]:
    return spec.block, str(key(spec.setting)), spec.repeat


def _numbers(plan: Plan) -> dict[tuple[int, str, int], int]:
    """Return the number that each trial has on one node, so that its noise is the same on several."""
    strategy = planned(plan)
    numbers: dict[tuple[int, str, int], int] = {}
    while specs := strategy.ask():
        spec = specs[0]
        numbers[_place(spec)] = spec.index
        strategy.tell(
            DoneTrial(
                index=spec.index, block=spec.block, repeat=spec.repeat, is_base=spec.is_base, seed=spec.seed,
                setting=spec.setting, validity="valid", reasons=(), goals=(), folder="", seconds=0.0,
                measures={},
            )
        )  # fmt: skip
    return numbers


def _gain(question: Question, setting: Setting) -> float:
    return GAINS[question.settings.index(setting)]


def _outcome(question: Question, judgement: StudyJudgement, wall_s: float) -> DealtStudy:
    verdicts = tuple(row.verdict for row in judgement.comparisons if row.kind == "with_base")
    regret = None
    if judgement.recommended is not None:
        regret = max(GAINS) - _gain(question, judgement.recommended.setting)
    return DealtStudy(wall_s, verdicts, regret)

"""Time and verdicts of a study on 1, 2 and 4 nodes, simulated.

python -m bench.nodes [--studies 100]
python -m bench.nodes --tunings 20      tunings on 1, 2 and 4 nodes instead: wall-clock and regret
python -m bench.nodes --live            a study on one and on two real nodes of this machine instead

Nine settings of known gains are tried in eight blocks by the strategy of a grid. Each block is dealt to the
node that is free first by the study's own driver, in simulated time; nodes differ in speed by 20 % (standard
deviation), and what a setting gains differs from node to node by 0, 1 or 3 %. The study's own judge reads the
trials. One noise serves all numbers of nodes.
"""

import argparse
import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from bench.figures import markdown
from bench.nodes_dealt import NODES, WorkedOutNode, live_table, tuning_table
from bench.nodes_dealt import dealt as deal
from loadrig.base.estimate import Estimate
from loadrig.base.setting import Setting
from loadrig.plan.load import read
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


def table(studies: int) -> str:
    """Return the table of so many studies of each kind."""
    plan = read(PLAN, str(Path("nodes.yaml").absolute()))
    rows = []
    alone_s = 0.0
    for spread in SPREADS:
        alone: list[DealtStudy] = []
        for nodes in NODES:
            outcomes = [dealt(plan, seed, nodes, spread) for seed in range(studies)]
            alone = alone or outcomes
            wall_s = float(np.median([outcome.wall_s for outcome in outcomes]))
            alone_s = alone_s or wall_s
            words = [word for outcome in outcomes for word in zip(outcome.verdicts, GAINS[1:], strict=True)]
            pairs = [
                both
                for first, outcome in zip(alone, outcomes, strict=True)
                for both in zip(first.verdicts, outcome.verdicts, strict=True)
            ]
            regrets = [outcome.regret for outcome in outcomes if outcome.regret is not None]
            rows.append(
                [
                    f"{spread:.0%}", str(nodes), f"{wall_s / 60:.0f} min", f"{alone_s / wall_s:.2f}",
                    _share([word == "better" for word, gain in words if gain > 0.03]),
                    _share([word in ("better", "worse") for word, gain in words if gain == 0]),
                    _share([a == b for a, b in pairs]),
                    f"{np.mean(regrets):.1%}" if regrets else "none",
                ]
            )  # fmt: skip
            print(rows[-1], file=sys.stderr, flush=True)
    heads = [
        "gains differ by", "nodes", "wall-clock", "times as fast", "5 % and more found",
        "equal called different", "verdicts as on one node", "regret",
    ]  # fmt: skip
    return markdown(heads, rows)


def _share(hits: Sequence[bool]) -> str:
    return f"{sum(hits) / len(hits):.1%}"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m bench.nodes")
    parser.add_argument("--studies", type=int, default=100)
    parser.add_argument("--tunings", type=int, default=0)
    parser.add_argument("--live", action="store_true")
    typed = parser.parse_args()
    if typed.live:
        print(live_table())
    elif typed.tunings:
        print(tuning_table(typed.tunings))
    else:
        print(table(typed.studies))

"""Trials on several nodes: verdicts against servers whose truth is known, and what is said of the nodes."""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from loadrig.base.documents import plain
from loadrig.base.estimate import Estimate
from loadrig.base.setting import Setting
from loadrig.plan.model import Plan
from loadrig.study.answer import Question, StudyJudgement
from loadrig.study.document import StudyDocument
from loadrig.study.judge import judge
from loadrig.study.ledger import Ledger
from loadrig.study.result import document
from loadrig.study.space import key
from loadrig.study.trials import DoneTrial, line_of
from tests.lengths import length, most

from .fakes import CATALOGUE, DEMO, THROUGHPUT, FakeServers, cores, equal, knob, plan, simulate, words


@dataclass
class FakeNodes:
    """Nodes to which the blocks of a simulated study are dealt in turn.

    speeds: of each node, by its name. spread: standard deviation of the logarithm of what a setting gains on
    a node. seed: of those gains.
    """

    speeds: Mapping[str, float]
    spread: float = 0.0
    seed: int = 1
    gains: dict[tuple[str, str], float] = field(default_factory=dict)

    def deal(self, trials: list[DoneTrial]) -> list[DoneTrial]:
        names = list(self.speeds)
        return [self._on(trial, names[trial.block % len(names)]) for trial in trials]

    def _on(self, trial: DoneTrial, node: str) -> DoneTrial:
        random = np.random.default_rng([self.seed, len(self.gains)])
        gain = self.gains.setdefault((node, str(key(trial.setting))), float(random.normal(0, self.spread)))
        value = trial.measures["throughput"].value * self.speeds[node] * math.exp(gain)
        return replace(trial, node=node, measures={"throughput": Estimate(value, "1/s", n=1000)})


def asked(study_plan: Plan, settings: tuple[Setting, ...]) -> Question:
    return Question(settings, THROUGHPUT, study_plan.goals, study_plan.knobs, CATALOGUE, is_closed=True)


def judged_on(study_plan: Plan, servers: FakeServers, nodes: FakeNodes) -> StudyJudgement:
    settings, trials = simulate(study_plan, servers)
    return judge(asked(study_plan, settings), nodes.deal(trials))


def verdicts(judgement: StudyJudgement) -> list[str]:
    return [compared.verdict for compared in judgement.comparisons if compared.kind == "with_base"]


STUDIES = length(12, 60)
"""Simulated studies of which a share is asserted."""

TWO = {"left": 1.0, "right": 0.8}
FOUR = {"a": 1.0, "b": 0.8, "c": 1.1, "d": 0.95}


@pytest.mark.parametrize(("speeds", "blocks"), [(TWO, 4), (TWO, 8), (FOUR, 8)])
def test_equal_settings_are_seldom_called_different_though_nodes_are(
    speeds: Mapping[str, float], blocks: int
) -> None:
    false = compared = studies = 0
    for seed in range(STUDIES):
        study_plan = plan(*DEMO, blocks=blocks, seed=seed)
        judgement = judged_on(study_plan, FakeServers(equal, noise=0.03, seed=seed), FakeNodes(speeds))
        counts = words(judgement, "with_base")
        wrong = counts["better"] + counts["worse"]
        false, studies = false + wrong, studies + (wrong > 0)
        compared += sum(counts.values())
    assert compared == STUDIES * 8
    assert studies <= most(STUDIES, 0.05)  # of studies (Holm), not of comparisons
    assert false / compared <= 0.02


@pytest.mark.parametrize("spread", [0.02, 0.06])
def test_settings_that_gain_at_random_on_each_node_are_seldom_called_different(spread: float) -> None:
    wrong = warned = 0
    for seed in range(STUDIES):
        study_plan = plan(*DEMO, blocks=8, seed=seed)
        nodes = FakeNodes(FOUR, spread=spread, seed=seed)
        judgement = judged_on(study_plan, FakeServers(equal, noise=0.02, seed=seed), nodes)
        counts = words(judgement, "with_base")
        wrong += counts["better"] + counts["worse"] > 0
        assert judgement.nodes is not None
        warned += bool(judgement.nodes.spread)
        if judgement.nodes.spread:
            assert all(compared.to_decide is None for compared in judgement.comparisons)
    assert wrong <= most(STUDIES, 0.05)
    assert warned / STUDIES >= 0.8


def test_intervals_of_settings_cover_the_truth_on_nodes_that_differ() -> None:
    hits = total = 0
    for seed in range(STUDIES):
        study_plan = plan(*DEMO, blocks=4, seed=seed)
        nodes = FakeNodes(TWO, spread=0.03, seed=seed)
        judgement = judged_on(study_plan, FakeServers(cores(2), noise=0.02, seed=seed), nodes)
        for compared in judgement.comparisons:
            if compared.kind == "with_base" and compared.interval:
                truth = cores(2)(judgement.settings[compared.between[1]].setting) / 100.0
                hits += compared.interval[0] <= truth <= compared.interval[1]
                total += 1
    # All comparisons of a study share the base's own gain on each node, so they waver together.
    assert 0.88 <= hits / total <= 1.0


def test_verdicts_are_those_of_one_node_where_settings_gain_the_same_on_each() -> None:
    same = total = 0
    for seed in range(length(6, 20)):
        study_plan, servers = plan(*DEMO, blocks=8, seed=seed), FakeServers(cores(2), noise=0.02, seed=seed)
        alone = verdicts(judged_on(study_plan, servers, FakeNodes({"": 1.0})))
        dealt = verdicts(judged_on(study_plan, servers, FakeNodes(FOUR)))
        same += sum(a == b for a, b in zip(alone, dealt, strict=True))
        total += len(alone)
    assert same / total >= 0.95


def test_nodes_whose_base_differs_are_reported_by_name() -> None:
    study_plan = plan(knob("workers", 1, 2), blocks=8)
    servers = FakeServers(equal, noise=0.01, drift=0.02)
    judgement = judged_on(study_plan, servers, FakeNodes(TWO))
    assert judgement.nodes is not None
    assert [row.name for row in judgement.nodes.nodes] == ["left", "right"]
    assert [row.blocks for row in judgement.nodes.nodes] == [4, 4]
    (pair,) = judgement.nodes.comparisons
    assert (pair.between, pair.verdict) == (("left", "right"), "worse")
    assert pair.interval[0] <= 0.8 <= pair.interval[1]
    assert any("left" in text and "right" in text for text in judgement.warnings)


def test_nodes_that_are_alike_are_seldom_reported() -> None:
    alarms = 0
    for seed in range(STUDIES):
        study_plan = plan(knob("workers", 1, 2), blocks=8, seed=seed)
        servers = FakeServers(equal, noise=0.03, seed=seed)
        judgement = judged_on(study_plan, servers, FakeNodes(dict.fromkeys("abcd", 1.0)))
        assert judgement.nodes is not None
        alarms += any(pair.verdict in ("better", "worse") for pair in judgement.nodes.comparisons)
    assert alarms <= most(STUDIES, 0.05)


def test_a_study_on_one_node_has_nothing_to_say_of_nodes() -> None:
    study_plan = plan(*DEMO)
    settings, trials = simulate(study_plan, FakeServers(equal))
    for name in ("", "left"):
        assert (
            judge(asked(study_plan, settings), [replace(trial, node=name) for trial in trials]).nodes is None
        )


def test_the_rest_of_a_block_that_went_on_on_another_node_is_compared_there() -> None:
    study_plan = plan(knob("workers", 1, 2, 4), blocks=4)
    settings, trials = simulate(study_plan, FakeServers(equal, noise=0.01))
    slow = [
        replace(
            trial,
            node="right",
            measures={"throughput": Estimate(trial.measures["throughput"].value / 2, "1/s", n=1000)},
        )
        for trial in trials[2:]
    ]
    moved = [replace(trial, node="left") for trial in trials[:2]]
    judgement = judge(asked(study_plan, settings), moved + slow)
    for compared in judgement.comparisons:
        if compared.interval is not None:
            assert compared.interval[0] <= 1 <= compared.interval[1]


@given(node=st.text(max_size=10))
def test_the_node_stands_in_a_line_only_where_there_is_one(node: str) -> None:
    trial = replace(simulate(plan(blocks=1), FakeServers(equal))[1][0], node=node)
    line = json.loads(json.dumps(line_of(trial)))
    assert ("node" in line) == bool(node)
    assert msgspec.convert(line, DoneTrial) == trial


def test_a_ledger_and_a_result_keep_the_nodes(tmp_path: Path) -> None:
    study_plan = plan(*DEMO, blocks=4)
    settings, trials = simulate(study_plan, FakeServers(equal))
    dealt = FakeNodes(TWO).deal(trials)
    with Ledger.open(tmp_path / "ledger.jsonl", study_plan) as ledger:
        for trial in dealt:
            ledger.add(trial)
    with Ledger.open(tmp_path / "ledger.jsonl", study_plan) as ledger:
        assert ledger.trials == tuple(dealt)
    question = asked(study_plan, settings)
    results = [
        document(
            study_plan, question, judge(question, rows), tuple(rows), created="", machine={}, is_finished=True
        )
        for rows in (trials, dealt)
    ]  # fmt: skip
    alone, several = (json.loads(json.dumps(plain(result))) for result in results)
    assert "nodes" not in alone
    assert "node" not in alone["settings"][0]["trials"][0]
    assert {row["node"] for setting in several["settings"] for row in setting["trials"]} == set(TWO)
    assert msgspec.convert(several, StudyDocument).nodes == results[1].nodes

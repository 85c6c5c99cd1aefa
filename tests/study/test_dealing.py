"""Studies dealt to nodes that load nothing: who runs what, what is kept, what is lost, what is concluded."""

import json
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from loadrig.base.errors import Interrupted, PlanError, Problem, TargetError
from loadrig.base.units import Count
from loadrig.plan.model import Plan
from loadrig.plan.node_rules import NodeRules
from loadrig.recording.layout import RunFolder
from loadrig.study import dealing, node_places, runner
from loadrig.study.answer import Question
from loadrig.study.blocks import RandomisedBlocks
from loadrig.study.judge import judge
from loadrig.study.ledger import Ledger
from loadrig.study.space import key
from loadrig.study.strategies import grid
from loadrig.study.study_node import LostNode
from loadrig.study.trials import DoneTrial, done
from loadrig.study.watch import StudyWatcher
from loadrig.trial.spec import TrialSpec

from .fakes import CATALOGUE, DEMO, THROUGHPUT, FakeServers, cores, plan

TRIAL_S = 0.002
"""Seconds that a simulated trial takes, so that nodes run at the same time."""


@dataclass
class SimulatedNode:
    """Node whose trials are made up at once. spoil: what happens in place of a trial."""

    name: str
    servers: FakeServers
    spoil: Callable[[TrialSpec], None] = lambda _: None
    ran: list[TrialSpec] = field(default_factory=list)
    is_stopped: threading.Event = field(default_factory=threading.Event)

    def run(self, spec: TrialSpec) -> DoneTrial:
        self.ran.append(spec)
        self.spoil(spec)
        if self.is_stopped.wait(TRIAL_S):
            raise Interrupted(())
        # What noise a trial has follows from its place in the study, not from when it ran.
        place = replace(spec, index=1000 * spec.block + 10 * sum(map(ord, key(spec.setting))) + spec.repeat)
        return done(spec, self.servers(place), 5.0, Path())

    def stop(self) -> None:
        self.is_stopped.set()

    def close(self) -> None:
        pass


def nodes_of(count: int, spoil: Callable[[TrialSpec], None] = lambda _: None) -> list[SimulatedNode]:
    servers = FakeServers(cores(2))
    return [SimulatedNode(f"node{number}", servers, spoil) for number in range(1, count + 1)]


def dealt(
    study_plan: Plan,
    path: Path,
    nodes: Sequence[SimulatedNode],
    watch: StudyWatcher | None = None,
    **rules: float | None,
) -> tuple[runner.StudyEnd, tuple[DoneTrial, ...]]:
    path.mkdir(exist_ok=True)
    run = RunFolder(path)
    strategy = grid.strategy(study_plan, grid.Options())
    assert isinstance(strategy, RandomisedBlocks)
    with Ledger.open(run.ledger, study_plan) as ledger:
        end = dealing.run(strategy, ledger, run, nodes, dealing.DealRules(**rules), watch)  # type: ignore[arg-type]
        return end, ledger.trials


def which(trials: Sequence[DoneTrial]) -> set[tuple[int, str, int, int]]:
    return {(trial.block, str(key(trial.setting)), trial.repeat, trial.seed) for trial in trials}


@pytest.mark.parametrize("count", [1, 2, 3, 4, 7])
def test_the_same_trials_run_whatever_the_number_of_nodes_and_blocks_stay_whole(
    tmp_path: Path, count: int
) -> None:
    study_plan = plan(*DEMO, blocks=6)
    nodes = nodes_of(count)
    end, trials = dealt(study_plan, tmp_path, nodes)
    _, alone = dealt(study_plan, tmp_path / "alone", nodes_of(1))
    assert end.why == "done"
    assert which(trials) == which(alone)
    assert sorted(trial.index for trial in trials) == list(range(1, len(trials) + 1))
    for block in range(6):
        rows = [trial for trial in trials if trial.block == block]
        assert len({trial.node for trial in rows}) == 1
        wanted = [key(trial.setting) for trial in alone if trial.block == block]
        assert [key(trial.setting) for trial in rows] == wanted
    assert len({trial.node for trial in trials}) == min(count, 6)


def test_verdicts_are_those_of_one_node(tmp_path: Path) -> None:
    study_plan = plan(*DEMO, blocks=8)
    judged = []
    for count in (1, 2, 4):
        _, trials = dealt(study_plan, tmp_path / str(count), nodes_of(count))
        settings = tuple(grid.strategy(study_plan, grid.Options()).settings)
        question = Question(
            settings, THROUGHPUT, study_plan.goals, study_plan.knobs, CATALOGUE, is_closed=True
        )
        judged.append(judge(question, trials))
    standings = [[(row.label, row.standing) for row in judgement.settings] for judgement in judged]
    assert standings[0] == standings[1] == standings[2]


def test_a_lost_node_costs_its_open_trial_and_the_ledger_says_so(tmp_path: Path) -> None:
    nodes = nodes_of(2)

    def dies(spec: TrialSpec) -> None:
        if len(nodes[1].ran) == 3:
            raise LostNode("it is gone")

    nodes[1].spoil = dies
    study_plan = plan(*DEMO, blocks=4)
    end, trials = dealt(study_plan, tmp_path, nodes)
    _, alone = dealt(study_plan, tmp_path / "alone", nodes_of(1))
    assert end.why == "done"
    assert which(trials) == which(alone)
    lost = nodes[1].ran[-1]
    rows = [json.loads(line) for line in (tmp_path / "ledger.jsonl").read_text().splitlines()]
    assert [row for row in rows if row["kind"] == "lost"] == [
        {"kind": "lost", "node": "node2", "block": lost.block, "index": lost.index, "why": "it is gone"}
    ]
    assert Counter(trial.node for trial in trials)["node2"] == 2
    # Its number is given again, so that what it left in its folder is set aside.
    (again,) = [trial for trial in trials if trial.index == lost.index]
    assert (again.node, again.block) == ("node1", again.block)
    # A ledger with a loss is read as any other.
    assert dealt(study_plan, tmp_path, nodes_of(2))[1] == trials


def test_without_any_node_the_study_fails_and_goes_on_later(tmp_path: Path) -> None:
    def dies(spec: TrialSpec) -> None:
        if spec.block == 1:
            raise LostNode("it is gone")

    study_plan = plan(*DEMO, blocks=2)
    end, trials = dealt(study_plan, tmp_path, nodes_of(1, dies))
    assert (end.why, len(trials)) == ("failed", 10)
    assert end.failure is not None
    assert end.failure.problems[0].code == "nodes.all-lost"
    end, trials = dealt(study_plan, tmp_path, nodes_of(2))
    assert (end.why, len(trials)) == ("done", 20)


def test_a_study_that_goes_on_leaves_begun_blocks_with_their_nodes(tmp_path: Path) -> None:
    study_plan = plan(*DEMO, blocks=4)
    end, trials = dealt(study_plan, tmp_path, nodes_of(2), most_trials=7)
    assert (end.why, len(trials)) == ("budget", 7)
    begun = {trial.block: trial.node for trial in trials}
    _, trials = dealt(study_plan, tmp_path, nodes_of(2))
    assert {trial.block: trial.node for trial in trials} | begun == {t.block: t.node for t in trials}
    assert len(trials) == 40


def test_a_begun_block_waits_for_its_node_and_goes_to_no_other(tmp_path: Path) -> None:
    study_plan = plan(*DEMO, blocks=1)
    first, second = nodes_of(2)
    dealt(study_plan, tmp_path, [second], most_trials=2)
    end, trials = dealt(study_plan, tmp_path, [first, second])
    assert end.why == "done"
    assert {trial.node for trial in trials} == {"node2"}
    assert len(trials) > 2


def test_a_budget_is_of_trial_time_on_all_nodes_together(tmp_path: Path) -> None:
    end, trials = dealt(plan(*DEMO, blocks=4), tmp_path, nodes_of(3), budget_s=61.0, expected_s=5.0)
    assert (end.why, len(trials)) == ("budget", 12)


def test_a_server_that_never_works_ends_the_study_on_all_nodes(tmp_path: Path) -> None:
    def dies(spec: TrialSpec) -> None:
        raise TargetError(Problem(what="the server exited", mend="see its log", code="target.exited"))

    end, trials = dealt(plan(*DEMO, blocks=4), tmp_path, nodes_of(2, dies))
    assert end.why == "failed"
    assert end.failure is not None
    assert end.failure.problems[0].code == "target.exited"
    assert len(trials) < 6


def test_an_end_by_hand_keeps_what_is_over_and_stops_what_runs(tmp_path: Path) -> None:
    class Hand(StudyWatcher):
        @property
        def is_ended_early(self) -> bool:
            return time.monotonic() > until

    until = time.monotonic() + 0.1
    nodes = nodes_of(2)
    end, trials = dealt(plan(*DEMO, blocks=40), tmp_path, nodes, Hand())
    assert end.why == "budget"
    assert len(trials) == sum(len(node.ran) for node in nodes)


def test_a_trial_that_is_interrupted_ends_the_study(tmp_path: Path) -> None:
    nodes = nodes_of(2)

    def by_hand(spec: TrialSpec) -> None:
        if len(nodes[0].ran) == 3:
            raise Interrupted(Problem(what="stopped by hand", mend="go on", code="trial.interrupted"))

    nodes[0].spoil = by_hand
    end, trials = dealt(plan(*DEMO, blocks=4), tmp_path, nodes)
    assert end.why == "interrupted"
    assert nodes[1].is_stopped.is_set() or nodes[1].ran
    end, trials = dealt(plan(*DEMO, blocks=4), tmp_path, nodes_of(2))
    assert (end.why, len(trials)) == ("done", 40)


def on(study_plan: Plan, rules: NodeRules) -> Plan:
    return replace(study_plan, nodes=rules)


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        (NodeRules(Count(2)), [(0, 1), (2, 3)]),
        (NodeRules(), [(0, 1), (2, 3)]),
        (NodeRules(Count(1)), [(0, 1, 2, 3, 4)]),
        (NodeRules(cpus=("0", "4,2-3")), [(0,), (2, 3, 4)]),
        (NodeRules(Count(3)), "nodes.too-few-cores"),
        (NodeRules(Count(3), cpus=("0", "1")), "nodes.cpus"),
        (NodeRules(cpus=("0-1", "1-2")), "nodes.cpus"),
        (NodeRules(cpus=("0", "9")), "nodes.cpus"),
        (NodeRules(cpus=("0", "all")), "nodes.cpus"),
    ],
)
def test_cores_are_dealt_or_named_and_belong_to_one_node(
    rules: NodeRules, expected: list[tuple[int, ...]] | str
) -> None:
    if isinstance(expected, list):
        assert node_places.cpus_of(rules, range(5)) == expected
        return
    with pytest.raises(PlanError) as refused:
        node_places.cpus_of(rules, range(5))
    assert refused.value.problems[0].code == expected

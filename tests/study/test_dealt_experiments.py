"""Trials with an experiment in each, such as searches, as they are dealt to nodes."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from loadrig.base.errors import PlanError
from loadrig.base.estimate import Estimate
from loadrig.plan.load import read
from loadrig.plan.model import Plan
from loadrig.recording.layout import RunFolder
from loadrig.study import dealing, node_places
from loadrig.study.carry_out import asked, planned
from loadrig.study.judge import judge
from loadrig.study.ledger import Ledger
from loadrig.study.node_process import packed, unpacked
from loadrig.study.runner import StudyEnd
from loadrig.study.strategy import InBlocks
from loadrig.study.study_node import LostNode
from loadrig.study.trials import DoneTrial
from loadrig.trial.spec import TrialSpec

from .fakes import FakeServers, cores
from .test_dealing import SimulatedNode

PLAN = """\
loadrig: 1
target: {gunicorn: {app: "shop:app"}}
workload: {rate: 20/1s, requests: [{get: /}]}
goals: ["p99 < 200ms"]
trial: {seed: 7}
"""
KNOBS = "knobs: {workers: [1, 2]}\n"


def plan_of(study: str, more: str = "") -> Plan:
    return read(f"{PLAN}study: {study}\n{more}", str(Path("plan.yaml").absolute()))


class SearchingNode(SimulatedNode):
    """Node whose searches find a capacity of 100 requests a second for each worker."""

    def run(self, spec: TrialSpec) -> DoneTrial:
        trial = super().run(spec)
        assert spec.experiment is not None
        workers = spec.setting["workers"]
        assert isinstance(workers, int)
        value = 100.0 * workers * (1 + 0.002 * (spec.block % 3))
        return replace(trial, measures={**trial.measures, "capacity": Estimate(value, "1/s", n=1)})


def dealt(plan: Plan, path: Path, nodes: Sequence[SimulatedNode]) -> tuple[StudyEnd, tuple[DoneTrial, ...]]:
    path.mkdir(exist_ok=True)
    run = RunFolder(path)
    strategy = planned(plan)
    assert isinstance(strategy, InBlocks)
    with Ledger.open(run.ledger, plan) as ledger:
        end = dealing.run(strategy, ledger, run, nodes, dealing.DealRules())
        return end, ledger.trials


def nodes_of(count: int) -> list[SearchingNode]:
    return [SearchingNode(f"node{number}", FakeServers(cores(2))) for number in range(1, count + 1)]


@pytest.mark.parametrize("study", ["{find: capacity, blocks: 3}", "{find: soak, for: 60s}", "{find: spike}"])
def test_a_node_gets_the_experiment_of_a_trial_as_one_machine_does(study: str) -> None:
    strategy = planned(plan_of(study, KNOBS))
    assert isinstance(strategy, InBlocks)
    dealt_first = next(iter(strategy.ahead(()).values()))
    for spec, alone in zip(dealt_first, strategy.ask(), strict=True):
        # It crosses to another process, and is carried out there.
        there = unpacked(packed(spec)).experiment
        assert there is not None
        assert type(there) is type(alone.experiment)
        assert (there.frame_s, there.level_most, there.why_over()) == (
            alone.experiment.frame_s, alone.experiment.level_most, "",
        )  # fmt: skip


def test_searches_over_settings_are_dealt_in_blocks_and_judged_by_their_capacity(tmp_path: Path) -> None:
    plan = plan_of("{find: capacity, blocks: 4}", KNOBS)
    end, trials = dealt(plan, tmp_path, nodes_of(2))
    assert end.why == "done"
    # In each block the base twice, and the other setting.
    assert len(trials) == 4 * 3
    assert all(len({trial.node for trial in trials if trial.block == block}) == 1 for block in range(4))
    judgement = judge(asked(plan, planned(plan)), trials)
    (compared,) = [row for row in judgement.comparisons if row.kind == "with_base"]
    assert (judgement.settings[1].setting, compared.verdict) == ({"workers": 2}, "better")
    assert compared.effect == pytest.approx(2.0)


def test_a_lost_node_costs_its_open_search_alone(tmp_path: Path) -> None:
    nodes = nodes_of(2)

    def dies(spec: TrialSpec) -> None:
        if len(nodes[1].ran) == 2:
            raise LostNode("it is gone")

    nodes[1].spoil = dies
    end, trials = dealt(plan_of("{find: capacity, blocks: 3}", KNOBS), tmp_path, nodes)
    assert (end.why, len(trials)) == ("done", 9)
    rows = [json.loads(line) for line in (tmp_path / "ledger.jsonl").read_text().splitlines()]
    (loss,) = [row for row in rows if row["kind"] == "lost"]
    assert loss["index"] == nodes[1].ran[-1].index
    assert sum(len(node.ran) for node in nodes) == 10


MATRIX = "{find: soak, for: 60s, matrix: true}"


def test_a_soak_of_each_setting_is_a_trial_of_its_own_with_the_same_arrivals(tmp_path: Path) -> None:
    plan = plan_of(MATRIX, "knobs: {workers: [1, 2, 4]}\n")
    nodes = nodes_of(2)
    end, trials = dealt(plan, tmp_path, nodes)
    assert end.why == "done"
    assert sorted(trial.setting["workers"] for trial in trials) == [1, 2, 4]
    assert {trial.seed for trial in trials} == {7}
    assert all(node.ran for node in nodes)
    # A soak is no verdict on which setting is best.
    judgement = judge(asked(plan, planned(plan)), trials)
    assert judgement.recommended is None


def test_a_lost_node_costs_its_open_soak_alone_and_the_study_goes_on(tmp_path: Path) -> None:
    nodes = nodes_of(2)

    def dies(spec: TrialSpec) -> None:
        raise LostNode("it is gone")

    nodes[0].spoil = dies
    end, trials = dealt(plan_of(MATRIX, "knobs: {workers: [1, 2, 4]}\n"), tmp_path, nodes)
    assert (end.why, len(trials)) == ("done", 3)
    assert {trial.node for trial in trials} == {"node2"}
    assert (len(nodes[0].ran), len(nodes[1].ran)) == (1, 3)
    # What is over is not run again.
    assert dealt(plan_of(MATRIX, "knobs: {workers: [1, 2, 4]}\n"), tmp_path, nodes_of(2))[1] == trials


@pytest.mark.parametrize(
    ("study", "more", "code"),
    [
        ("{find: capacity}", "nodes: 2\n", "nodes.no-blocks"),
        ("{find: capacity}", f"{KNOBS}nodes: 2\n", ""),
        # A trial by itself may run on one node, which may be another host.
        ("{find: capacity}", "nodes: 1\n", ""),
        ("{find: soak, for: 60s}", "nodes: {count: 1, ray: auto}\n", ""),
        (MATRIX, f"{KNOBS}nodes: 2\n", ""),
        (MATRIX, "nodes: 2\n", "nodes.no-blocks"),
        ("{find: spike}", "nodes: 2\n", "nodes.no-blocks"),
        ("{find: one_trial}", "nodes: 2\n", "nodes.no-blocks"),
        ("{find: one_trial}", "nodes: 2\nprove: {after_run: true}\n", ""),
        ("{find: one_trial}", "nodes: 2\nprove: {after_run: false}\n", "nodes.no-blocks"),
    ],
)
def test_nodes_are_refused_where_a_second_one_has_nothing_to_do(study: str, more: str, code: str) -> None:
    plan = plan_of(study, more)
    refused: Mapping[bool, str] = {}
    try:
        node_places.check_plan(plan, planned(plan))
    except PlanError as error:
        refused = {True: error.problems[0].code}
    assert refused.get(True, "") == code

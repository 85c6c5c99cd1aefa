"""Nodes as places of a proof: what crosses to them and back, what a lost one leaves, and who refuses them."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from unittest.mock import patch

import pytest

from loadrig.base.documents import plain
from loadrig.base.errors import PlanError, Problem, TargetError
from loadrig.base.units import Count
from loadrig.interventions import Lever
from loadrig.judgement.experiments.results import Gain, Measurement, Result
from loadrig.plan.load import load, read
from loadrig.plan.node_rules import NodeRules
from loadrig.proving import carry_out, live_order
from loadrig.proving.carry_out import Wish
from loadrig.proving.changes import skip
from loadrig.proving.document import InterventionBand
from loadrig.proving.live_order import LiveFindings, LiveOrder
from loadrig.proving.side_by_side import LostPlace
from loadrig.proving.trials import ProvingPlace
from loadrig.recording.layout import RunFolder
from loadrig.study.node_messages import NodeAnswer, NodeBegin, NodeOrder, ToldError
from loadrig.study.node_process import FindingsText, NodePlace, packed, unpacked, unpacked_live
from loadrig.study.proving_nodes import ProvingNode, nodes_of
from loadrig.study.study_node import LostNode
from loadrig.study.trials import DoneTrial
from loadrig.trial.spec import TrialSpec, Watcher
from tests.integration.recorded_runs import recorded_run

PLAN = """\
loadrig: 1
target: {gunicorn: {app: "shop:app"}}
workload: {rate: 200/1s, requests: [{get: /}]}
"""
DIED = ToldError.of(TargetError(Problem(what="it died", mend="see its log", code="target.died")))


@dataclass
class AnsweringNode:
    """Node that answers what it is told to; None: it is lost."""

    answer: NodeAnswer | None
    name: str = "node1"
    orders: list[NodeOrder] = field(default_factory=list)

    def run(self, spec: TrialSpec) -> DoneTrial:
        raise AssertionError(f"a node of a proof is asked, and runs no trial of a study: {spec}")

    def ask(self, order: NodeOrder, index: int) -> NodeAnswer:
        assert unpacked(order.spec).index == index
        self.orders.append(order)
        if self.answer is None:
            raise LostNode("it is gone")
        return self.answer

    def stop(self) -> None: ...

    def close(self) -> None: ...


def findings() -> LiveFindings:
    parts = (Measurement(3, 0.0, 2.0, 0, 0, 100.0), Measurement(3, 2.0, 2.0, 0, 1, 80.0, 0.1))
    lever = Lever("cpu", "server")
    result = Result(
        lever, "less CPU", "throughput", 0.8, None, Gain(0.8, 0.7, 0.9), "limits", "", parts,
        setting={"workers": 2}, aside="2 round trips",
    )  # fmt: skip
    return LiveFindings([result], [skip(lever, "no right", "run as root", "prove.no-right")], [
        InterventionBand(3, 1.0, 2.0, "less CPU", 0)
    ])  # fmt: skip


def spec() -> TrialSpec:
    return TrialSpec(read(PLAN, "plan.yaml"), {}, seed=1, index=3, node="node1")


def order() -> LiveOrder:
    return LiveOrder(
        plan=read(PLAN, "plan.yaml"), levers=(Lever("cpu", "server"), Lever("delay", "db")), most=2,
        measure="throughput", warm_up_s=1.0, most_s=20.0, number=3, places={"db": "127.0.0.1:5432"},
    )  # fmt: skip


def test_an_experiment_crosses_to_a_node_and_what_it_found_comes_back(tmp_path: Path) -> None:
    node, findings_so_far = AnsweringNode(NodeAnswer(live=json.dumps(plain(findings())))), LiveFindings()
    ProvingNode(node, RunFolder(tmp_path)).prove(spec(), order(), findings_so_far, 2.0)
    assert findings_so_far == findings()
    (asked,) = node.orders
    assert asked.rest_s == 2.0
    there = unpacked_live(asked.live)
    # A node may run in another folder: paths count from that of the plan.
    assert there.plan.path == str(Path("plan.yaml").absolute())
    assert replace(there, plan=order().plan) == order()


def test_what_an_experiment_found_before_it_failed_is_kept(tmp_path: Path) -> None:
    node = AnsweringNode(NodeAnswer(live=json.dumps(plain(findings())), error=DIED))
    findings_so_far = LiveFindings()
    with pytest.raises(TargetError):
        ProvingNode(node, RunFolder(tmp_path)).prove(spec(), order(), findings_so_far, 0.0)
    assert findings_so_far == findings()


def test_a_node_makes_an_experiment_in_a_trial_of_its_own(tmp_path: Path) -> None:
    live = FindingsText()
    place = NodePlace(NodeBegin(folder=str(tmp_path), cpus=()), None)  # type: ignore[arg-type]

    def carried_out(order: LiveOrder, folder: Path, run: object, course: LiveFindings) -> None:
        assert (order.number, folder) == (3, tmp_path)
        assert callable(run)
        course.results += findings().results
        run(order.plan, {"workers": 2}, None)

    with (
        patch.object(live_order, "carry_out", carried_out),
        patch("loadrig.study.node_process.run_in", side_effect=DIED.as_error()) as run_in,
        pytest.raises(TargetError),
    ):
        live.make(order(), spec(), place)
    (folder, ran, _), _ = run_in.call_args
    assert (folder.path, ran.index, ran.setting) == (tmp_path, 3, {"workers": 2})
    assert len(json.loads(live.text)["results"]) == 1


def test_a_trial_that_fails_on_a_node_fails_here(tmp_path: Path) -> None:
    place = ProvingNode(AnsweringNode(NodeAnswer(error=DIED)), RunFolder(tmp_path))
    with pytest.raises(TargetError):
        place.run(spec(), 0.0)


def test_what_a_lost_node_has_left_of_a_trial_is_no_trial_of_the_proof(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    folder.trial(3).path.mkdir(parents=True)
    with pytest.raises(LostPlace):
        ProvingNode(AnsweringNode(None), folder).run(spec(), 0.0)
    assert not folder.trial_folders()


def test_a_plan_without_nodes_is_proved_here_and_shared_ports_are_refused() -> None:
    plan = read(PLAN, "plan.yaml")
    assert nodes_of(plan) is None
    shared = read(PLAN.replace('"shop:app"', '"shop:app", bind: "127.0.0.1:8123"'), "plan.yaml")
    with pytest.raises(PlanError) as refused:
        nodes_of(replace(shared, nodes=NodeRules(Count(2), cpus=("0", "1"))))
    assert refused.value.problems[0].code == "nodes.shared"


def test_slots_on_a_node_are_noted_once_it_is_over(tmp_path: Path) -> None:
    run = RunFolder(recorded_run("few-threads", tmp_path))
    proof = carry_out._Proof(Wish(run, 1, load(str(tmp_path / "plan.yaml")), 60.0), lambda _: Watcher())
    run.proof.path.mkdir()
    proof.use([ProvingNode(AnsweringNode(NodeAnswer(live=json.dumps(plain(findings())))), run.proof)])
    proof._run_live(order().plan, order().levers, 2, has_more=False)
    rows = [json.loads(line) for line in (run.proof.path / "blocks.jsonl").read_text().splitlines()]
    assert [(row["block"], row["title"], row["value"]) for row in rows] == [
        (0, "", 100.0), (0, "less CPU", 80.0),
    ]  # fmt: skip
    assert proof._course.results == findings().results


def test_packed_tasks_are_text_of_one_line() -> None:
    assert "\n" not in packed(order())


def test_a_proof_whose_nodes_are_refused_leaves_no_folder_and_one_that_has_them_uses_them(
    tmp_path: Path,
) -> None:
    run = RunFolder(recorded_run("few-threads", tmp_path))
    plan = load(str(tmp_path / "plan.yaml"))
    opened_for: list[Path] = []

    @contextmanager
    def refused(*_: object) -> Iterator[Sequence[ProvingPlace]]:
        raise PlanError(Problem(what="no room", mend="add hosts", code="fleet.too-few-hosts"))
        yield

    @contextmanager
    def opened(folder: RunFolder, held: int) -> Iterator[Sequence[ProvingPlace]]:
        assert held > 2
        assert not folder.path.exists()
        opened_for.append(folder.path)
        yield [ProvingNode(AnsweringNode(NodeAnswer(error=DIED)), folder)]

    with pytest.raises(PlanError):
        carry_out.carry_out(Wish(run, 1, plan, 60.0, nodes=refused))
    assert not run.proof.path.exists()
    proof = carry_out.carry_out(Wish(run, 1, plan, 60.0, nodes=opened))
    assert opened_for == [run.proof.path]
    # The base failed on its node, as it would have failed here.
    assert (proof.ended, [skipped.code for skipped in proof.skipped][-1]) == ("failed", "target.died")

"""Nodes of a plan as places of a proof: its trials run there, and its experiments while load runs."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from loadrig.base.documents import typed
from loadrig.plan.model import Plan
from loadrig.proving.carry_out import OpenNodes
from loadrig.proving.live_order import LiveFindings, LiveOrder
from loadrig.proving.side_by_side import LostPlace
from loadrig.proving.trials import ProvingPlace
from loadrig.recording.layout import RunFolder
from loadrig.study import node_places
from loadrig.study.node_messages import NodeAnswer, NodeOrder
from loadrig.study.node_process import packed
from loadrig.study.study_node import AskedNode, LostNode
from loadrig.trial.spec import TrialSpec


class ProvingNode:
    """Node as a place of a proof, see ProvingPlace. folder: of the proof."""

    def __init__(self, node: AskedNode, folder: RunFolder) -> None:
        self.name, self._node, self._folder = node.name, node, folder

    def run(self, spec: TrialSpec, rest_s: float) -> None:
        """Run a trial."""
        self._asked(spec, NodeOrder(spec=packed(_there(spec)), rest_s=rest_s)).over()

    def prove(self, spec: TrialSpec, order: LiveOrder, findings: LiveFindings, rest_s: float) -> None:
        """Make an experiment while load runs."""
        there = replace(order, plan=_from_anywhere(order.plan))
        asked = NodeOrder(spec=packed(_there(spec)), live=packed(there), rest_s=rest_s)
        answer = self._asked(spec, asked)
        if answer.live:
            findings.add(typed(LiveFindings, json.loads(answer.live), self.name))
        answer.over()

    def stop(self) -> None:
        """End the trial that runs, as Ctrl-C does."""
        self._node.stop()

    def _asked(self, spec: TrialSpec, order: NodeOrder) -> NodeAnswer:
        try:
            return self._node.ask(order, spec.index)
        except LostNode as loss:
            folder = self._folder.trial(spec.index)
            if folder.path.exists():
                folder.set_aside()  # a proof is judged by whole trials
            raise LostPlace(str(loss)) from None


def _from_anywhere(plan: Plan) -> Plan:
    """Return a plan whose files are found wherever a node runs."""
    return replace(plan, path=str(Path(plan.path).absolute()) if plan.path else "")


def _there(spec: TrialSpec) -> TrialSpec:
    return replace(spec, plan=_from_anywhere(spec.plan))


def nodes_of(plan: Plan) -> OpenNodes | None:
    """Return what opens the nodes of a plan for a proof; None where it has none.

    Raises PlanError where nodes would share what each needs for itself.
    """
    if plan.nodes is None:
        return None
    node_places.check_places(plan)

    @contextmanager
    def opened(folder: RunFolder, held: int) -> Iterator[Sequence[ProvingPlace]]:
        with node_places.started(plan, folder, held) as nodes:
            yield [ProvingNode(node, folder) for node in nodes]

    return opened

"""Protocol of a node: a place that runs one trial of a study at a time, apart from all other nodes."""

from typing import TYPE_CHECKING, Protocol

from loadrig.study.trials import DoneTrial
from loadrig.trial.spec import TrialSpec

if TYPE_CHECKING:
    from loadrig.study.node_messages import NodeAnswer, NodeOrder


class LostNode(Exception):
    """Loss of a node: it runs no trial any more. Its text says how, as a clause."""


class StudyNode(Protocol):
    """Place that runs trials. name: as in the ledger; a node keeps it when a study goes on."""

    name: str

    def run(self, spec: TrialSpec) -> DoneTrial:
        """Run a trial to its end, in the study's folder.

        Called from a thread of its own, one trial at a time. Raises what trial.runner.run_trial raises, and
        LostNode where the node is gone.
        """

    def stop(self) -> None:
        """Ask the node to end its trial now, as Ctrl-C does. Called from another thread than `run`."""

    def close(self) -> None:
        """End the node, and all that it started; called once, also for a node that is lost."""


class AskedNode(StudyNode, Protocol):
    """Node that carries out any order, such as an experiment of a proof."""

    def ask(self, order: "NodeOrder", index: int) -> "NodeAnswer":
        """Let the node carry out an order, and return its answer; the trial's folder is in its place then.

        index: of the trial. Called as `run`. Raises LostNode where the node is gone.
        """

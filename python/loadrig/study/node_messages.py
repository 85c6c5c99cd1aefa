"""Messages between a study's driver and a node: what goes from one process to another, a line each.

They are imported by whoever has several nodes, when a node speaks: no first request of one node waits for
msgspec (decision 0030).
"""

from collections.abc import Mapping
from typing import Annotated

from loadrig.base.documents import Document, Says
from loadrig.base.errors import Interrupted, PlanError, Problem, RigError, TargetError, VoidError
from loadrig.study.node_needs import NodeLack, NodeNeeds
from loadrig.study.trials import DoneTrial

KINDS: Mapping[str, type[RigError]] = {
    kind.__name__: kind for kind in (PlanError, TargetError, VoidError, Interrupted)
}
"""Errors of a trial by their names, as they cross from one process to another."""


class NodeBegin(Document, frozen=True, kw_only=True):
    """First message to a node."""

    folder: Annotated[str, Says("folder of the run; empty: one of the node's own, and trials are sent back")]
    cpus: Annotated[tuple[int, ...], Says("cores of the node; empty: all")]
    base: Annotated[str, Says("folder of the plan, where the node runs; empty: that of its start")] = ""
    files: Annotated[str, Says("files for a folder in place of `base`, see study.node_cargo")] = ""
    needs: Annotated[NodeNeeds, Says("needs of the server that are not sent")] = NodeNeeds()


class NodeReady(Document, frozen=True, kw_only=True):
    """First answer of a node: it takes trials, or says what its host lacks."""

    ready: Annotated[int, Says("1, always")] = 1
    lacks: Annotated[str, Says("folder that is not there; empty: no folder is lacking")] = ""
    lack: Annotated[NodeLack | None, Says("other lack of its host; null: nothing")] = None


class NodeOrder(Document, frozen=True, kw_only=True):
    """Later message to a node: a trial to run, or the end."""

    spec: Annotated[str, Says("a TrialSpec, pickled, in base64")] = ""
    live: Annotated[str, Says("a LiveOrder of a proof, packed likewise: it is carried out in the trial")] = ""
    rest_s: Annotated[float, Says("longest wait for free ports before the trial, in seconds")] = 0.0
    stop: Annotated[int, Says("1: end the trial that runs, and run no other")] = 0


class ToldError(Document, frozen=True, kw_only=True):
    """Error of a trial."""

    kind: Annotated[str, Says("name of its class, one of `KINDS`")]
    problems: Annotated[tuple[Problem, ...], Says("what it says")]

    @classmethod
    def of(cls, error: RigError) -> "ToldError":
        """Return an error as it is sent to the driver."""
        return cls(kind=type(error).__name__, problems=tuple(error.problems))

    def as_error(self) -> RigError:
        """Return the error that a node has sent."""
        return KINDS[self.kind](list(self.problems))


class NodeAnswer(Document, frozen=True, kw_only=True):
    """Answer to a trial's order: the trial that is over, or the error that it ended with.

    Of a proof's experiment it is what was found, also beside an error.
    Before it come the parts of the trial's folder, each in an answer of its own, where it is sent back.
    """

    part: Annotated[str, Says("part of the trial's folder, see study.node_cargo")] = ""
    live: Annotated[str, Says("findings of an experiment of a proof, JSON of a LiveFindings")] = ""
    done: DoneTrial | None = None
    error: ToldError | None = None

    def over(self) -> DoneTrial | None:
        """Return the trial that is over; None of a proof's experiment. Raises the error that ended it."""
        if self.error is not None:
            raise self.error.as_error()
        return self.done

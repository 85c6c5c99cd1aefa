"""Levers of the experiments that would prove a cause, for the components that there are.

A cause is proved where its lever moves what is wrong, and refuted where a lever that it needs moves nothing.
"""

from collections.abc import Iterator, Sequence

from loadrig.base.component import HOST, SERVER
from loadrig.interventions import Lever
from loadrig.judgement.cause import Proof

WITHOUT = "without"
"""Shape of the load that leaves out a route."""


def levers(proof: Proof, component: str, behind: Sequence[str], detail: str = "") -> Iterator[Lever]:
    """Yield the levers of a proof. component: the accused; behind: what the server talks to.

    detail: detail of the finding, which may name the dependency to be delayed, or the route to be left out.
    Without a name all dependencies are delayed, and no route is left out.
    """
    subject = detail.partition(": ")[2]
    match proof.change:
        case "cpu":
            yield Lever("cpu", component)
        case "cores":
            yield Lever("cores", HOST)
        case "precedence":
            yield Lever("precedence", SERVER)
        case "delay":
            for callee in [name for name in behind if name in (component, subject)] or behind:
                yield Lever("delay", callee)
        case "knob":
            for role in proof.what:
                yield Lever("knob", SERVER, role, proof.towards)
        case "load":
            for shape in proof.what:
                if shape != WITHOUT:
                    yield Lever("load", "", shape)
                elif subject:
                    yield Lever("load", "", f"{shape}:{subject}")

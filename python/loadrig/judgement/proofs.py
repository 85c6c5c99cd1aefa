"""Experiments that would prove a cause: declared by its file as PROOFS, in the order of preference.

A cause is proved where its lever moves what is wrong, and refuted where a lever that it needs moves nothing.
A cause that no experiment of loadrig decides says in its sentences, as `no_proof`, what a person would do.
"""

from collections.abc import Iterator, Sequence

from loadrig.base import members
from loadrig.base.component import HOST, SERVER
from loadrig.interventions import Lever
from loadrig.judgement.cause import Proof

ROOM = "loadrig.judgement.causes"

WITHOUT = "without"
"""Shape of the load that leaves out a route."""


def proofs_of(cause: str, detail: str | None = None) -> tuple[Proof, ...]:
    """Return the proofs that a cause's file declares; empty where no experiment of loadrig decides it.

    detail: detail of the finding, where it is known; it leaves out experiments that are for other kinds of
    the cause.
    """
    every: tuple[Proof, ...] = tuple(getattr(members.load(ROOM, cause), "PROOFS", ()))
    return tuple(proof for proof in every if detail is None or speaks_of(proof.of, detail))


def speaks_of(kinds: Sequence[str], detail: str) -> bool:
    """Return whether a finding with this detail is of one of these kinds; with no kinds every finding is."""
    return not kinds or detail.startswith(tuple(kinds))


def why_not(cause: str) -> str:
    """Return why no experiment of loadrig decides about a cause, as a clause; empty where one does."""
    return str(getattr(members.load(ROOM, cause).TEXTS, "no_proof", ""))


def is_provable(cause: str) -> bool:
    """Return whether an experiment proves a cause itself, and not only that its resource is the limit."""
    return any(proof.is_own for proof in proofs_of(cause))


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

"""Experiments that would prove a cause: declared by its file as PROOFS, in the order of preference.

A cause is proved where its lever moves what is wrong, and refuted where a lever that it needs moves nothing.
A cause that no experiment of loadrig decides says in its sentences, as `no_proof`, what a person would do.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from loadrig.base import members
from loadrig.base.component import HOST, SERVER
from loadrig.interventions import Change, Lever

ROOM = "loadrig.judgement.causes"

WITHOUT = "without"
"""Shape of the load that leaves out a route."""


@dataclass(frozen=True, slots=True)
class Proof:
    """Experiment that speaks for or against a cause.

    change: the kind of lever. what: roles of knobs, or shapes of the load, any of which will do.
    towards: direction of the knob in which what is wrong must get better.
    is_needed: whether the cause is refuted where nothing moves. The cause is not refuted where another limit
    may lie right behind it, or where the knob may not reach it.
    is_own: whether a move proves this cause, and not only that its component matters: the CPU of a database
    that lacks an index moves everything, too, and does not prove that an index is missing.
    is_conviction: whether it convicts a cause against the signs that had cleared it. A core that is idle for
    a third of the time is not used up, however much what waits in a row follows its speed.
    of: kinds of the cause that the experiment speaks of, by how a finding's `detail` begins; empty: all.
    needed_in: measures in which alone it is needed; empty: all. Who takes a core now and then may harm the
    slowest requests and leave their mean as it is.
    """

    change: Change
    what: tuple[str, ...] = ()
    towards: Literal["more", "less", "other"] = "more"
    is_needed: bool = True
    is_own: bool = True
    is_conviction: bool = True
    of: tuple[str, ...] = ()
    needed_in: tuple[str, ...] = ()

    def must_move(self, measure: str) -> bool:
        """Return whether the cause is refuted where a measure does not move."""
        return self.is_needed and (not self.needed_in or measure in self.needed_in)


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

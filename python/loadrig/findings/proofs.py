"""What would prove a cause: declared by its file as PROOFS, in the order of preference.

A cause is proved where its lever moves what is wrong, and refuted where a lever that it needs moves nothing.
A file of which no experiment of ours speaks says in NO_PROOF what a person would do instead.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from loadrig.base import members
from loadrig.base.component import HOST, SERVER
from loadrig.interventions import Change, Lever

ROOM = "loadrig.findings.causes"

WITHOUT = "without"
"""The shape of the load that leaves out a route."""


@dataclass(frozen=True, slots=True)
class Proof:
    """One experiment that speaks for or against a cause.

    change: the kind of lever. what: roles of knobs, or shapes of the load, any of which will do.
    towards: where the knob goes; what is wrong must get better that way.
    is_needed: whether the cause is refuted where nothing moves. It is not where something else may stand
    right behind it, or where the knob may not reach it.
    is_own: whether what moves proves this cause, and not only that its component matters: the CPU of a
    database that lacks an index moves everything, too, and proves no index.
    is_conviction: whether it convicts a cause against the signs that had cleared it. A core that is idle for
    a third of the time is not used up, however much what waits in a row follows its speed.
    of: the kinds of the cause that it speaks of, by how a finding's `detail` begins; empty: all.
    """

    change: Change
    what: tuple[str, ...] = ()
    towards: Literal["more", "less", "other"] = "more"
    is_needed: bool = True
    is_own: bool = True
    is_conviction: bool = True
    of: tuple[str, ...] = ()


def proofs_of(cause: str, detail: str | None = None) -> tuple[Proof, ...]:
    """What a cause's file declares; empty where no experiment of ours speaks of it.

    detail: of the finding, where it is known: without the experiments that speak of other kinds of the cause.
    """
    every: tuple[Proof, ...] = tuple(getattr(members.load(ROOM, cause), "PROOFS", ()))
    return tuple(one for one in every if detail is None or speaks_of(one.of, detail))


def speaks_of(kinds: Sequence[str], detail: str) -> bool:
    """Whether a finding with this detail is of one of these kinds; of no kinds every one is."""
    return not kinds or detail.startswith(tuple(kinds))


def why_not(cause: str) -> str:
    """Why no experiment of ours decides about a cause, as a clause; empty where one does."""
    return str(getattr(members.load(ROOM, cause), "NO_PROOF", ""))


def levers(proof: Proof, component: str, behind: Sequence[str], detail: str = "") -> Iterator[Lever]:
    """The levers that a proof means. component: the accused; behind: what the server talks to.

    detail: of the finding; it may name the dependency to be delayed, or the route to be left out. Without a
    name all that is behind is meant, and no route.
    """
    subject = detail.partition(": ")[2]
    match proof.change:
        case "cpu":
            yield Lever("cpu", component)
        case "cores":
            yield Lever("cores", HOST)
        case "delay":
            for one in [one for one in behind if one in (component, subject)] or behind:
                yield Lever("delay", one)
        case "knob":
            for role in proof.what:
                yield Lever("knob", SERVER, role, proof.towards)
        case "load":
            for shape in proof.what:
                if shape != WITHOUT:
                    yield Lever("load", "", shape)
                elif subject:
                    yield Lever("load", "", f"{shape}:{subject}")

"""Who is to be told apart: the causes that a diagnosis leaves standing, and those that nearly stand."""

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from loadrig.base import members
from loadrig.base.component import HOST
from loadrig.findings.proofs import ROOM, Proof, levers, proofs_of, why_not
from loadrig.interventions import Lever
from loadrig.interventions.knob_step import does

SHARED_CORES = Proof("cores", is_needed=False, is_own=False)

Json = Mapping[str, Any]

MOST = 8
"""Suspects; the ninth is a hundred times less likely than the first."""

NOT_TO_PROVE = frozenset({"healthy", "generator_limited"})

NEARLY = -1.0
"""Bans: a cause that signs cleared, though not by much."""

HIDDEN = 1.5
"""Bans by which a cause that could not be seen is less likely than the one that it looks like."""

UNPROVABLE_SHARE = 0.5
"""Of a budget, where no experiment decides about the first suspect: its rivals alone can be cleared."""

MOVES, STAYS = 0.9, 0.1
"""How likely a cause's own lever moves what is wrong, and one that has nothing to do with it."""


@dataclass(frozen=True, slots=True)
class Suspect:
    """A cause that may be it. weight: in bans. finding: as in a result; of a cleared one what is kept of it.

    is_standing: whether the diagnosis found it, as a root or as a symptom. is_hidden: whether it could not be
    seen, and looks like one that stands.
    """

    cause: str
    component: str
    weight: float
    is_standing: bool
    finding: Json
    is_hidden: bool = False

    @property
    def key(self) -> tuple[str, str]:
        """What it is told by."""
        return self.cause, self.component


def suspects(findings: Sequence[Json], cleared: Sequence[Json]) -> list[Suspect]:
    """All that are worth an experiment, the likeliest first; empty where nothing is accused."""
    found: dict[tuple[str, str], Suspect] = {}
    for root in findings:
        for place, one in enumerate((root, *root.get("symptoms", ()))):
            # A symptom is known to be less likely the root than what explains it.
            weight = float(one["weight"]) - (1.0 if place else 0.0)
            suspect = Suspect(one["cause"], one["component"], weight, True, one)
            if one["cause"] not in NOT_TO_PROVE:
                found.setdefault(suspect.key, suspect)
    for one in cleared:
        key = (one["cause"], one["component"])
        if one["cause"] not in NOT_TO_PROVE and key not in found and float(one["weight"]) > NEARLY:
            found[key] = Suspect(*key, float(one["weight"]) - 2.0, False, one)
    known = {*found, *((one["cause"], one["component"]) for one in cleared)}
    every = [*found.values(), *_unseen(found.values(), known)]
    ranked = sorted(every, key=lambda one: (not one.is_standing, -one.weight))
    return ranked[:MOST]


def _unseen(found: Iterable[Suspect], known: Collection[tuple[str, str]]) -> Iterator[Suspect]:
    """Causes that could not be seen for want of a profile, and look like one that stands.

    known: causes that could be, and their components.
    """
    standing = [one for one in found if one.is_standing]
    for cause in members.names(ROOM):
        for detail, others in getattr(members.load(ROOM, cause), "UNSEEN_IN", {}).items():
            for one in standing:
                if one.cause in others and (cause, one.component) not in known:
                    finding = {
                        "cause": cause, "component": one.component, "detail": detail,
                        "weight": one.weight - HIDDEN,
                        "why": "no profile was taken, which alone would show it",
                        "source": {"kind": "formula", "formula": "not seen"},
                    }  # fmt: skip
                    yield Suspect(cause, one.component, one.weight - HIDDEN, False, finding, is_hidden=True)


def shows_in(suspect: Suspect) -> str | None:
    """The measure in which alone what a cause does is seen, "dips" or "growth"; None: the mean shows it."""
    found: str | None = getattr(members.load(ROOM, suspect.cause), "SHOWS_IN", None)
    return found


def share_of_budget(suspects: Sequence[Suspect]) -> float:
    """How much of its budget a proof may use, 0 to 1: by whether it can decide about the first suspect."""
    return UNPROVABLE_SHARE if suspects and why_not(suspects[0].cause) else 1.0


def seen_in(suspects: Sequence[Suspect], measure: str) -> list[Suspect]:
    """Whom an experiment can tell apart that watches this measure: where some show there, they alone."""
    own = [one for one in suspects if shows_in(one) == measure]
    return own or list(suspects)


def wanted(suspect: Suspect, behind: Sequence[str]) -> Iterator[tuple[Proof, Lever]]:
    """The levers that speak of a suspect. behind: what the server talks to."""
    detail = str(suspect.finding.get("detail") or "")
    for proof in proofs_of(suspect.cause, detail or None):
        for lever in levers(proof, suspect.component, behind, detail):
            yield proof, lever
        if proof.change == "cpu":
            # On cores that it shares only the cores can be asked: that they matter is not its proof alone.
            yield SHARED_CORES, Lever("cores", HOST)


def levers_of(suspect: Suspect, behind: Sequence[str]) -> dict[Lever, Proof]:
    """Each lever of a suspect with what it declares of it first, in its order."""
    found: dict[Lever, Proof] = {}
    for proof, lever in wanted(suspect, behind):
        found.setdefault(lever, proof)
    return found


def subjects(lever: Lever, suspects: Sequence[Suspect], behind: Sequence[str]) -> set[str]:
    """The dependencies that the suspects with this lever speak of."""
    told = [
        (one.component, str(one.finding.get("detail") or ""))
        for one in suspects
        if lever in levers_of(one, behind)
    ]
    return {name for name in behind if any(name == part or name in detail for part, detail in told)}


def is_meant(asked: Lever, pulled: Lever) -> bool:
    """Whether a lever that was pulled is the one asked for: a knob may be asked for by its role."""
    if asked == pulled:
        return True
    return (
        asked.change == pulled.change == "knob"
        and does(pulled.what, asked.what)
        and (asked.towards in ("other", pulled.towards) or pulled.towards == "other")
    )


def ranked(suspects: Sequence[Suspect], behind: Sequence[str]) -> list[tuple[Lever, float]]:
    """All levers of all suspects, those first that tell most, with what an answer is worth.

    A suspect says that its levers move what is wrong; that another's do, it does not expect. An answer is
    worth the bits by which it lowers the entropy of who it is (Lindley 1956, Ann. Math. Stat. 27, 986), and
    the chance that it proves somebody: who is likely anyway is not named without a proof of his own.
    """
    if not suspects:
        return []
    priors = _normalised([10.0 ** min(one.weight, 3.0) for one in suspects])
    says = [levers_of(one, behind) for one in suspects]
    every = list(dict.fromkeys(lever for each in says for lever in each))
    worth = []
    for lever in every:
        moves = [(MOVES if each[lever].is_needed else 0.5) if lever in each else STAYS for each in says]
        proves = sum(
            prior * MOVES
            for prior, each in zip(priors, says, strict=True)
            if lever in each and each[lever].is_own
        )
        worth.append((lever, _bits(priors, moves) + proves))
    return sorted(worth, key=lambda one: -one[1])


def _bits(priors: Sequence[float], moves: Sequence[float]) -> float:
    before, after = _entropy(priors), 0.0
    for likely in (moves, [1 - one for one in moves]):
        joint = [prior * one for prior, one in zip(priors, likely, strict=True)]
        total = sum(joint)
        if total > 0:
            after += total * _entropy([one / total for one in joint])
    return before - after


def _entropy(shares: Sequence[float]) -> float:
    return -sum(one * math.log2(one) for one in shares if one > 0)


def _normalised(values: Sequence[float]) -> list[float]:
    total = sum(values)
    return [one / total for one in values]

"""Suspects of a proof: the causes that a diagnosis leaves standing, and those that nearly stand."""

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from loadrig.base import members
from loadrig.base.component import HOST
from loadrig.interventions import Lever
from loadrig.interventions.knob_step import does
from loadrig.judgement.proofs import ROOM, Proof, levers, proofs_of, why_not

SHARED_CORES = Proof("cores", is_needed=False, is_own=False)
"""Proof by a change of the cores that several components share. It is no cause's own proof."""

Json = Mapping[str, Any]

MOST = 8
"""Greatest number of suspects: the ninth is a hundred times less likely than the first."""

NOT_TO_PROVE = frozenset({"healthy", "generator_limited"})
"""Causes that no experiment is made for."""

NEARLY_SUSPECT_BANS = -1.0
"""Weight above which a cause that signs cleared remains a suspect, in bans."""

HIDDEN = 1.5
"""Bans by which a cause that could not be seen is less likely than the cause that it looks like."""

UNPROVABLE_SHARE = 0.5
"""Share of the budget that is used where no experiment can decide about the first suspect: only its rivals
can be cleared."""

MOVES, STAYS = 0.9, 0.1
"""Probability that a cause's own lever moves the harm, and that a lever moves it that has nothing to do
with the cause."""


@dataclass(frozen=True, slots=True)
class Suspect:
    """A cause that may bring about the harm.

    weight: in bans. finding: the cause as in a result; for a cleared cause what is kept of it. is_standing:
    whether the diagnosis found it, as a root or as a symptom. is_hidden: whether it could not be seen, and
    looks like a cause that stands.
    """

    cause: str
    component: str
    weight: float
    is_standing: bool
    finding: Json
    is_hidden: bool = False

    @property
    def key(self) -> tuple[str, str]:
        """Return cause and component, which identify the suspect."""
        return self.cause, self.component


def suspects(findings: Sequence[Json], cleared: Sequence[Json]) -> list[Suspect]:
    """Return the causes that are worth an experiment, the likeliest first; none where nothing is accused."""
    by_key: dict[tuple[str, str], Suspect] = {}
    for root in findings:
        for place, finding in enumerate((root, *root.get("symptoms", ()))):
            # A symptom is less likely the root than the cause that explains it.
            weight = float(finding["weight"]) - (1.0 if place else 0.0)
            suspect = Suspect(finding["cause"], finding["component"], weight, True, finding)
            if finding["cause"] not in NOT_TO_PROVE:
                by_key.setdefault(suspect.key, suspect)
    for entry in cleared:
        key = (entry["cause"], entry["component"])
        if (
            entry["cause"] not in NOT_TO_PROVE
            and key not in by_key
            and float(entry["weight"]) > NEARLY_SUSPECT_BANS
        ):
            by_key[key] = Suspect(*key, float(entry["weight"]) - 2.0, False, entry)
    known = {*by_key, *((entry["cause"], entry["component"]) for entry in cleared)}
    every = [*by_key.values(), *_unseen(by_key.values(), known)]
    ranked = sorted(every, key=lambda suspect: (not suspect.is_standing, -suspect.weight))
    return ranked[:MOST]


def _unseen(listed: Iterable[Suspect], known: Collection[tuple[str, str]]) -> Iterator[Suspect]:
    """Yield causes that could not be seen for want of a profile, and look like a cause that stands.

    known: causes that could be seen, with their components.
    """
    standing = [suspect for suspect in listed if suspect.is_standing]
    for cause in members.names(ROOM):
        for detail, others in getattr(members.load(ROOM, cause), "UNSEEN_IN", {}).items():
            for suspect in standing:
                if suspect.cause in others and (cause, suspect.component) not in known:
                    finding = {
                        "cause": cause, "component": suspect.component, "detail": detail,
                        "weight": suspect.weight - HIDDEN,
                        "why": "no profile was taken, which alone would show it",
                        "source": {"kind": "formula", "formula": "not seen"},
                    }  # fmt: skip
                    yield Suspect(
                        cause, suspect.component, suspect.weight - HIDDEN, False, finding, is_hidden=True
                    )


def shows_in(suspect: Suspect) -> str | None:
    """Return the one measure that shows what a cause does, "dips" or "growth"; None where the mean does."""
    measure: str | None = getattr(members.load(ROOM, suspect.cause), "SHOWS_IN", None)
    return measure


def share_of_budget(suspects: Sequence[Suspect]) -> float:
    """Return the share of its budget that a proof may use, 0 to 1: less for a first suspect without proof."""
    return UNPROVABLE_SHARE if suspects and why_not(suspects[0].cause) else 1.0


def seen_in(suspects: Sequence[Suspect], measure: str) -> list[Suspect]:
    """Return the suspects that an experiment on a measure can tell apart.

    Where some suspects show in that measure, they alone are returned.
    """
    own = [suspect for suspect in suspects if shows_in(suspect) == measure]
    return own or list(suspects)


def wanted(suspect: Suspect, behind: Sequence[str]) -> Iterator[tuple[Proof, Lever]]:
    """Yield the levers that decide about a suspect. behind: names of what the server talks to."""
    detail = str(suspect.finding.get("detail") or "")
    for proof in proofs_of(suspect.cause, detail or None):
        for lever in levers(proof, suspect.component, behind, detail):
            yield proof, lever
        if proof.change == "cpu":
            # Shared cores can only be cut together, which alone proves none of the causes that use them.
            yield SHARED_CORES, Lever("cores", HOST)


def levers_of(suspect: Suspect, behind: Sequence[str]) -> dict[Lever, Proof]:
    """Return the levers of a suspect, in its order, each with the first proof that is declared for it."""
    proofs: dict[Lever, Proof] = {}
    for proof, lever in wanted(suspect, behind):
        proofs.setdefault(lever, proof)
    return proofs


def subjects(lever: Lever, suspects: Sequence[Suspect], behind: Sequence[str]) -> set[str]:
    """Return the dependencies that the suspects with a lever name."""
    places = [
        (suspect.component, str(suspect.finding.get("detail") or ""))
        for suspect in suspects
        if lever in levers_of(suspect, behind)
    ]
    return {name for name in behind if any(name == part or name in detail for part, detail in places)}


def is_meant(asked: Lever, pulled: Lever) -> bool:
    """Return whether a lever that was pulled is the one asked for: a knob may be asked for by its role."""
    if asked == pulled:
        return True
    return (
        asked.change == pulled.change == "knob"
        and does(pulled.what, asked.what)
        and (asked.towards in ("other", pulled.towards) or pulled.towards == "other")
    )


def ranked(suspects: Sequence[Suspect], behind: Sequence[str]) -> list[tuple[Lever, float]]:
    """Return all levers of all suspects, the most telling first, with what an answer is worth.

    A suspect predicts that its own levers move the harm and that those of others do not. An answer is worth
    the bits by which it lowers the entropy of which suspect is the cause (Lindley 1956, Ann. Math. Stat. 27,
    986), plus the probability that it proves a suspect: even a likely cause is not named without a proof of
    its own.
    """
    if not suspects:
        return []
    priors = _normalised([10.0 ** min(suspect.weight, 3.0) for suspect in suspects])
    says = [levers_of(suspect, behind) for suspect in suspects]
    every = list(dict.fromkeys(lever for proofs in says for lever in proofs))
    worth = []
    for lever in every:
        moves = [(MOVES if proofs[lever].is_needed else 0.5) if lever in proofs else STAYS for proofs in says]
        proves = sum(
            prior * MOVES
            for prior, proofs in zip(priors, says, strict=True)
            if lever in proofs and proofs[lever].is_own
        )
        worth.append((lever, _bits(priors, moves) + proves))
    return sorted(worth, key=lambda pair: -pair[1])


def _bits(priors: Sequence[float], moves: Sequence[float]) -> float:
    before, after = _entropy(priors), 0.0
    for likely in (moves, [1 - chance for chance in moves]):
        joint = [prior * chance for prior, chance in zip(priors, likely, strict=True)]
        total = sum(joint)
        if total > 0:
            after += total * _entropy([share / total for share in joint])
    return before - after


def _entropy(shares: Sequence[float]) -> float:
    return -sum(share * math.log2(share) for share in shares if share > 0)


def _normalised(values: Sequence[float]) -> list[float]:
    total = sum(values)
    return [value / total for value in values]

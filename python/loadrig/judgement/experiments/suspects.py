"""Suspects of a proof: the causes that a diagnosis leaves standing, and those that nearly stand."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from loadrig.base.component import HOST
from loadrig.interventions import Lever
from loadrig.interventions.knob_step import does
from loadrig.judgement.cause import Proof
from loadrig.judgement.declarations import cause_of, causes
from loadrig.judgement.document import ClearedDocument, FindingDocument
from loadrig.judgement.evidence import FormulaSource
from loadrig.judgement.gains import Accusation
from loadrig.judgement.levers import levers
from loadrig.language.choice import texts_of
from loadrig.language.en.judgement.experiments import JudgementExperimentsSuspectsTexts

TEXTS = texts_of(JudgementExperimentsSuspectsTexts)

SHARED_CORES = Proof("cores", is_needed=False, is_own=False)
"""Proof by a change of the cores that several components share. It is no cause's own proof."""

Accused: TypeAlias = tuple[str, str]
"""Cause and the component in which it was looked for."""

MOST = 8
"""Greatest number of suspects. At a fifth for each rank, the ninth has less than one chance in 100,000."""

NOT_TO_PROVE = frozenset({"healthy", "generator_limited"})
"""Causes that no experiment is made for."""

NEARLY_SUSPECT_BANS = -1.0
"""Weight above which a cause that signs cleared remains a suspect, in bans."""

FALL = 0.2
"""Chance of a suspect over that of the suspect one rank before it, at equal gain, from the second rank on: in
draws of cases that nobody had tuned for, three of four faults that were not first were among the first three
(docs/concepts/diagnosis.md)."""

FIRST = 0.8
"""Chance of the first suspect where its finding tells none: what likely findings have on average."""

MIDDLE_SHARE, LEAST_SHARE = 0.5, 0.05
"""Share of the harm that a suspect explains where no gain is foretold of its mend, and the least share that
counts: a small gain is foretold too small now and then."""


@dataclass(frozen=True, slots=True)
class Suspect:
    """A cause that may bring about the harm: one claim of those that experiments decide between.

    prior: chance before any experiment, in proportion to the chances of other suspects. cleared: why the
    signs cleared it; None where the diagnosis found it, as a root or as a symptom.
    """

    accusation: Accusation
    prior: float
    cleared: ClearedDocument | None

    @property
    def cause(self) -> str:
        """Cause that is suspected."""
        return self.accusation.cause

    @property
    def component(self) -> str:
        """Component that it is suspected in."""
        return self.accusation.component

    @property
    def key(self) -> Accused:
        """Cause and component, which identify the suspect."""
        return self.cause, self.component

    @property
    def is_standing(self) -> bool:
        """Whether the diagnosis found it."""
        return self.cleared is None


def suspects_in(findings: Sequence[FindingDocument], cleared: Sequence[ClearedDocument]) -> list[Suspect]:
    """Return the causes that are worth an experiment, the likeliest first.

    A suspect's rank is that of the diagnosis: roots and their symptoms, each before the causes that could not
    be seen and look like it, then causes that signs cleared. At equal rank a suspect is likelier the more of
    the harm its mend would take away.
    """
    standing = [*findings, *(symptom for root in findings for symptom in root.symptoms)]
    near = sorted(cleared, key=lambda entry: -entry.weight)
    visible = {finding.accused for finding in standing} | {entry.accused for entry in near}
    candidates: dict[Accused, tuple[Accusation, ClearedDocument | None]] = {}
    for finding in standing:
        candidates.setdefault(finding.accused, (finding.accusation, None))
        for accusation, why in _unseen(finding, visible):
            candidates.setdefault(why.accused, (accusation, why))
    for entry in near:
        if entry.weight > NEARLY_SUSPECT_BANS:
            candidates.setdefault(entry.accused, (Accusation(*entry.accused), entry))
    asked = [each for key, each in candidates.items() if key[0] not in NOT_TO_PROVE]
    first = next((finding.chance for finding in findings if finding.chance), FIRST)
    return [
        Suspect(accusation, _by_rank(rank, first) * _share(accusation), why)
        for rank, (accusation, why) in enumerate(asked[:MOST])
    ]


def _by_rank(rank: int, first: float) -> float:
    """Return the chance of a rank, from 0, where the first has a chance: later ones share the rest of it."""
    return first if rank == 0 else (1 - first) * (1 - FALL) * FALL ** (rank - 1)


def at_hand(
    suspects: Sequence[Suspect], cleared: Iterable[ClearedDocument], knobs: Collection[str]
) -> list[Suspect]:
    """Return causes that signs cleared and that are no suspects, of which one of some knobs is the own lever.

    They have no chance of their own: signs may miss what a knob shows, but they are asked about only where
    nothing else is left to ask.
    """
    asked = {suspect.key for suspect in suspects}
    rest = (entry for entry in cleared if entry.accused not in asked and entry.cause not in NOT_TO_PROVE)
    others = (Suspect(Accusation(*entry.accused), 0.0, entry) for entry in rest)
    return [suspect for suspect in others if own_knobs(suspect, knobs)]


def own_knobs(suspect: Suspect, knobs: Collection[str]) -> list[Lever]:
    """Return the levers on some knobs that prove a suspect, also against the signs."""
    return [
        lever
        for lever, proof in levers_of(suspect, ()).items()
        if lever.change == "knob" and proof.is_own and proof.is_conviction
        if any(does(name, lever.what) for name in knobs)
    ]


def _share(accusation: Accusation) -> float:
    """Return the share of the harm that would be gone with a cause, 0 to 1."""
    share = (
        1 - 1 / accusation.gain
        if accusation.gain
        else MIDDLE_SHARE
        if accusation.bound is None
        else accusation.bound
    )
    return max(share, LEAST_SHARE)


def _unseen(
    finding: FindingDocument, visible: Collection[Accused]
) -> Iterator[tuple[Accusation, ClearedDocument]]:
    """Yield causes that could not be seen for want of a profile, and look like a finding that stands.

    visible: causes that could be seen, with their components.
    """
    for cause in causes():
        for detail, lookalikes in cause.unseen_in.items():
            place = cause.name, finding.component
            if finding.cause in lookalikes and place not in visible:
                source = FormulaSource(TEXTS.not_seen)
                yield Accusation(*place, detail), ClearedDocument(*place, TEXTS.no_profile_taken, 0.0, source)


def shows_in(suspect: Suspect) -> str | None:
    """Return the one measure that shows what a cause does, "dips" or "growth"; None where the mean does."""
    return cause_of(suspect.cause).shows_in


def is_shown_by(suspect: Suspect, measure: str) -> bool:
    """Return whether a measure tells anything of a suspect.

    Memory that grows has nothing to do with how many answers come meanwhile: half the load neither proves nor
    clears a leak by them. Dips take answers away, so that throughput shows what brings them about, too.
    """
    return shows_in(suspect) != "growth" or measure == "growth"


def shown_by(suspects: Sequence[Suspect], measure: str) -> list[Suspect]:
    """Return the suspects that an experiment on a measure can tell apart.

    Where some suspects show in that measure, they alone are returned.
    """
    own = [suspect for suspect in suspects if shows_in(suspect) == measure]
    return own or [suspect for suspect in suspects if is_shown_by(suspect, measure)] or list(suspects)


def levers_of(suspect: Suspect, behind: Sequence[str]) -> dict[Lever, Proof]:
    """Return the levers that decide about a suspect, each with the first proof that is declared for it.

    behind: names of what the server talks to.
    """
    detail = suspect.accusation.detail
    proofs: dict[Lever, Proof] = {}
    for proof in cause_of(suspect.cause).proofs_of(detail or None):
        for lever in levers(proof, suspect.component, behind, detail):
            proofs.setdefault(lever, proof)
        if proof.change == "cpu":
            # Shared cores can only be cut together, which alone proves none of the causes that use them.
            proofs.setdefault(Lever("cores", HOST), SHARED_CORES)
    return proofs


def subjects(lever: Lever, suspects: Sequence[Suspect], behind: Sequence[str]) -> set[str]:
    """Return the dependencies that the suspects with a lever name."""
    places = [
        (suspect.component, suspect.accusation.detail)
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


def proof_by(levers_asked: Mapping[Lever, Proof], pulled: Lever) -> Proof | None:
    """Return the proof that a lever which was pulled is for; None where it decides nothing of the suspect.

    levers_asked: as of `levers_of`.
    """
    return next((proof for asked, proof in levers_asked.items() if is_meant(asked, pulled)), None)

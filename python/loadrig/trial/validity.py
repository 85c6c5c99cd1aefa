"""Validity of a trial: the checks on the rig itself, before anyone looks for causes.

Valid: nothing disturbed it. Disturbed: something did; the trial says what, how much, and which claims weaken,
and the other claims stand. Void: nothing can be said of the target at all. A note weakens nothing: it says
what the target did that a reader of the figures must know.
"""

from collections.abc import Iterable, Mapping
from typing import Annotated, Literal

from msgspec.structs import replace

from loadrig.base.claims import CLAIMS, Claim, Weakened
from loadrig.base.documents import Document, Says
from loadrig.base.units import show_share
from loadrig.language.choice import texts_of
from loadrig.language.en.trial.endings import TrialValidityTexts
from loadrig.recording.reader import Recording
from loadrig.trial import checks, foreign
from loadrig.trial.checks import NotApplicable, Reason, Remark
from loadrig.trial.evidence import ValidityEvidence, gather
from loadrig.trial.weakening import weakened

TEXTS = texts_of(TrialValidityTexts)


class Validity(Document, frozen=True):
    """Validity of a trial, as it stands in its result under `validity`."""

    verdict: Annotated[
        Literal["valid", "disturbed", "void"],
        Says("`void` where nothing can be said of the server, `disturbed` where some claims weaken"),
    ]
    reasons: Annotated[tuple[Reason, ...], Says("what disturbed the trial, and notes on it")] = ()
    weakened: Annotated[tuple[Weakened, ...], Says("the claims that weaken; all others stand")] = ()
    not_checked: Annotated[
        Mapping[str, str], Says("checks that could not be applied, each with the reason")
    ] = {}

    def of(self, claim: Claim) -> Weakened | None:
        """Return the weakened claim; None where the claim stands as it is."""
        return next((weak for weak in self.weakened if weak.claim == claim), None)

    @property
    def has_load(self) -> bool:
        """Whether the server had the load that the plan asks for, so that goals can be judged."""
        load = self.of("load")
        return self.verdict != "void" and (load is None or load.effect != "lost")

    @property
    def is_comparable(self) -> bool:
        """Whether the trial's figures may be compared with those of other trials of its plan."""
        rates = self.of("rates")
        return self.has_load and (rates is None or rates.effect != "lost")

    @property
    def lost(self) -> frozenset[Claim]:
        """The claims of which nothing can be said; all claims of a void trial."""
        if self.verdict == "void":
            return frozenset(CLAIMS)
        return frozenset(weak.claim for weak in self.weakened if weak.effect == "lost")


def judge(recording: Recording) -> Validity:
    """Apply every check to a recording; a pure function of its folder."""
    if recording.imported:
        return of_remarks(foreign.remarks(recording, recording.imported))
    evidence = gather(recording)
    return of_evidence(evidence)


def of_evidence(evidence: ValidityEvidence) -> Validity:
    """Apply every check to the evidence; where the load fell short, say how much of it was sent."""
    validity = of_remarks(remark for check in checks.ALL for remark in check(evidence))
    return replace(validity, weakened=tuple(_with_sent(weak, evidence) for weak in validity.weakened))


def of_remarks(remarks: Iterable[Remark]) -> Validity:
    """Return the validity that follows from the remarks of all checks."""
    all_remarks = list(remarks)
    reasons = tuple(remark for remark in all_remarks if isinstance(remark, Reason))
    not_checked = {remark.check: remark.why for remark in all_remarks if isinstance(remark, NotApplicable)}
    levels = {reason.level for reason in reasons}
    if "void" in levels:
        return Validity("void", reasons, not_checked=not_checked)
    is_disturbed = bool(levels & {"disturbed", "grave"})
    return Validity("disturbed" if is_disturbed else "valid", reasons, weakened(reasons), not_checked)


def _with_sent(weak: Weakened, run: ValidityEvidence) -> Weakened:
    """Return a lost claim about the load with how much of the load was sent."""
    if weak.claim != "load" or weak.effect != "lost" or not run.due:
        return weak
    sent = TEXTS.requests_due_sent(f"{min(run.sent, run.due):,}", f"{run.due:,}")
    sent += f" ({show_share(min(1.0, run.sent / run.due))})"
    return replace(weak, why=f"{sent}: {weak.why}")

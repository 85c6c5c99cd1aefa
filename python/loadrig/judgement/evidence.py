"""Parts of a finding: observations with their weight and their source, hypotheses, findings."""

import math
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

Verdict: TypeAlias = Literal["named", "likely", "possible"]
"""Certainty of a finding.

- named: an experiment moved the cause.
- likely: bound and signature hold.
- possible: a sign was not seen, or little speaks for the cause.
"""

STRONG, CLEAR, SLIGHT = 2.0, 1.0, 0.5
"""Weights of evidence in bans (powers of ten of odds; Good 1950): how much rarer the observation is without
the cause. STRONG: hardly ever seen without it. CLEAR: seldom. SLIGHT: it fits, and fits much else."""


@dataclass(frozen=True, slots=True)
class SeriesSource:
    """Stored series. name: "PROBE.METRIC"."""

    component: str
    name: str
    subject: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return the fields as they stand in a trial's result."""
        return {"kind": "series", "component": self.component, "series": self.name, "subject": self.subject}


@dataclass(frozen=True, slots=True)
class FormulaSource:
    """Arithmetic with its numbers filled in: "28,232 ports / 60 s = 470 connections/s"."""

    text: str

    def to_json(self) -> dict[str, Any]:
        """Return the fields as they stand in a trial's result."""
        return {"kind": "formula", "formula": self.text}


@dataclass(frozen=True, slots=True)
class EventSource:
    """Events of a kind that are in the recording."""

    component: str
    event: str
    count: int

    def to_json(self) -> dict[str, Any]:
        """Return the fields as they stand in a trial's result."""
        return {"kind": "events", "component": self.component, "event": self.event, "count": self.count}


@dataclass(frozen=True, slots=True)
class LoadSource:
    """Count of the generator itself: a field of a trial's result, such as "load.achieved_rps"."""

    field: str

    def to_json(self) -> dict[str, Any]:
        """Return the fields as they stand in a trial's result."""
        return {"kind": "load", "field": self.field}


@dataclass(frozen=True, slots=True)
class ProfileSource:
    """Stored profile. file: its path within the trial's folder."""

    component: str
    file: str

    def to_json(self) -> dict[str, Any]:
        """Return the fields as they stand in a trial's result."""
        return {"kind": "profile", "component": self.component, "file": self.file}


@dataclass(frozen=True, slots=True)
class ExperimentSource:
    """Experiment that can be repeated. command: what to type."""

    command: str

    def to_json(self) -> dict[str, Any]:
        """Return the fields as they stand in a trial's result."""
        return {"kind": "experiment", "command": self.command}


Source: TypeAlias = SeriesSource | FormulaSource | EventSource | LoadSource | ProfileSource | ExperimentSource


@dataclass(frozen=True, slots=True)
class Evidence:
    """Observation as a sentence with its numbers, and its source.

    weight: in bans, above zero; the list that holds the evidence says whether it speaks for or against.
    """

    text: str
    source: Source
    weight: float = CLEAR

    def to_json(self) -> dict[str, Any]:
        """Return the fields as they stand in a trial's result."""
        return {"text": self.text, "weight": self.weight, "source": self.source.to_json()}


@dataclass(frozen=True, slots=True)
class Sign:
    """Observation that the cause must show. holds: None where it could not be seen.

    text: what was seen, with numbers; where nothing could be seen, what is missing and what would show it.
    """

    holds: bool | None
    text: str
    source: Source
    weight: float = CLEAR


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """Claim of one cause about one component: its signs, and what else speaks for or against it.

    component: the process or dependency accused. signs: all of them must hold. more, against: further
    evidence, for and against, that need not be there. bound: the share (0…1) of what is wrong that it
    could explain at most, by arithmetic; None where no bound is known. bound_text: that arithmetic.
    effect: a sentence with the size of the effect. mend: what to do, something to type where possible.
    decides: the experiment that would decide, as a sentence. detail: which kind of the cause it is, and of
    what: "KIND" or "KIND: SUBJECT", where the subject is a component or a route.
    gain: good answers a second without the cause over those with it, before any other limit; None where the
    bound says it (see gains.Law), or nothing does.
    """

    component: str
    signs: tuple[Sign, ...]
    effect: str
    mend: str
    decides: str
    more: tuple[Evidence, ...] = ()
    against: tuple[Evidence, ...] = ()
    bound: float | None = None
    bound_text: str = ""
    detail: str = ""
    gain: float | None = None


@dataclass(frozen=True, slots=True)
class Wording:
    """Words of a cause for a resource that is full; what is empty is said in the words of every cause.

    effect, mend, decides, detail: as of a hypothesis. evidence: what else speaks for it.
    """

    effect: str = ""
    mend: str = ""
    decides: str = ""
    detail: str = ""
    evidence: tuple[Evidence, ...] = ()


@dataclass(frozen=True, slots=True)
class Finding:
    """Hypothesis that passed the gates. cause: the file's name.

    weight: bans in favour, less bans against. symptoms: findings that this one explains. rivals: what else
    could have been the cause, and why it is not, or less likely. harms: those that the finding explains.
    bound: as of the hypothesis. gain: what good answers a second would be multiplied by if it were taken
    away altogether: foretold, at least 1, not beyond the next limit; None where nothing can be foretold.
    """

    cause: str
    component: str
    verdict: Verdict
    title: str
    effect: str
    mend: str
    decides: str
    weight: float
    evidence: tuple[Evidence, ...]
    against: tuple[Evidence, ...] = ()
    missing: tuple[str, ...] = ()
    symptoms: tuple["Finding", ...] = ()
    rivals: tuple["Cleared", ...] = ()
    detail: str = ""
    harms: tuple[str, ...] = ()
    bound: float | None = None
    gain: float | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the fields as they stand in a trial's result: the public contract, and further fields."""
        return {
            "cause": self.cause,
            "component": self.component,
            "verdict": self.verdict,
            "title": self.title,
            "effect": self.effect,
            "evidence": [evidence.to_json() for evidence in self.evidence],
            "against": [evidence.to_json() for evidence in self.against],
            "mend": self.mend,
            "decides": self.decides,
            "weight": round(self.weight, 2),
            "bound": _rounded(self.bound),
            "gain": _rounded(self.gain),
            "detail": self.detail,
            "missing": list(self.missing),
            "symptoms": [symptom.to_json() for symptom in self.symptoms],
            "rivals": [rival.to_json() for rival in self.rivals],
        }


@dataclass(frozen=True, slots=True)
class Cleared:
    """Cause that was looked into and does not stand. why: the sentence that cleared it."""

    cause: str
    component: str
    why: str
    source: Source
    weight: float = field(default=0.0)

    def to_json(self) -> dict[str, Any]:
        """Return the fields as they stand in a trial's result."""
        return {
            "cause": self.cause,
            "component": self.component,
            "why": self.why,
            "weight": round(self.weight, 2),
            "source": self.source.to_json(),
        }


def _rounded(value: float | None) -> float | None:
    return round(float(value), 4) if value is not None and math.isfinite(value) else None

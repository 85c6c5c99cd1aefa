"""Parts of a finding: observations with their weight and their source, hypotheses, findings."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Annotated, Literal, TypeAlias

from loadrig.base.documents import Document, Says

Verdict: TypeAlias = Literal["named", "likely", "possible"]
"""Certainty of a finding.

- named: an experiment moved the cause.
- likely: bound and signature hold.
- possible: a sign was not seen, or little speaks for the cause.
"""

STRONG, CLEAR, SLIGHT = 2.0, 1.0, 0.5
"""Weights of evidence in bans (powers of ten of odds; Good 1950): how much rarer the observation is without
the cause. STRONG: hardly ever seen without it. CLEAR: seldom. SLIGHT: it fits, and fits much else."""


class SeriesSource(Document, frozen=True, tag_field="kind", tag="series", rename={"name": "series"}):
    """Stored series."""

    component: Annotated[str, Says("component that it is of")]
    name: Annotated[str, Says("`PROBE.METRIC`")]
    subject: Annotated[str, Says('part of the component, "" or `tree` for the whole')] = ""


class FormulaSource(Document, frozen=True, tag_field="kind", tag="formula", rename={"text": "formula"}):
    """Arithmetic with its numbers filled in: "28,232 ports / 60 s = 470 connections/s"."""

    text: Annotated[str, Says("the formula")]


class EventSource(Document, frozen=True, tag_field="kind", tag="events"):
    """Events of a kind that are in the recording."""

    component: Annotated[str, Says("component that they happened to")]
    event: Annotated[str, Says("kind of the events")]
    count: Annotated[int, Says("number of them")]


class LoadSource(Document, frozen=True, tag_field="kind", tag="load"):
    """Count of the generator itself."""

    field: Annotated[str, Says("field of a trial's result, such as `load.achieved_rps`")]


class ProfileSource(Document, frozen=True, tag_field="kind", tag="profile"):
    """Stored profile."""

    component: Annotated[str, Says("component that was profiled")]
    file: Annotated[str, Says("its path within the trial's folder")]


class ExperimentSource(Document, frozen=True, tag_field="kind", tag="experiment"):
    """Experiment that can be repeated."""

    command: Annotated[str, Says("what to type")]


Source: TypeAlias = SeriesSource | FormulaSource | EventSource | LoadSource | ProfileSource | ExperimentSource


@dataclass(frozen=True, slots=True)
class Evidence:
    """Observation as a sentence with its numbers, and its source.

    weight: in bans, above zero; the list that holds the evidence says whether it speaks for or against.
    """

    text: str
    source: Source
    weight: float = CLEAR


@dataclass(frozen=True, slots=True)
class Sign:
    """Observation that the cause must show. holds: None where it could not be seen.

    text: what was seen, with numbers; where nothing could be seen, what is missing and what would show it.
    """

    holds: bool | None
    text: str
    source: Source
    weight: float = CLEAR


def by_arithmetic(holds: bool | None, text: str, weight: float = CLEAR, formula: str = "") -> Sign:
    """Return the sign that arithmetic shows. formula: its numbers; empty where the text has them."""
    return Sign(holds, text, FormulaSource(formula or text), weight)


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """Claim of one cause about one component: its signs, and what else speaks for or against it.

    component: the process or dependency accused. signs: all of them must hold. more, against: further
    evidence, for and against, that need not be there. bound: the share (0…1) of what is wrong that it
    could explain at most, by arithmetic; None where no bound is known. bound_text: that arithmetic.
    effect: a sentence with the size of the effect. mend: what to do, something to type where possible.
    decides: the experiment that would decide, as a sentence. Where these two are empty, the cause's sentences
    of the same names say it. detail: which kind of the cause it is, and of
    what: "KIND" or "KIND: SUBJECT", where the subject is a component or a route.
    gain: good answers a second without the cause over those with it, before any other limit; None where the
    bound says it (see gains.Law), or nothing does.
    """

    component: str
    signs: tuple[Sign, ...]
    effect: str
    mend: str = ""
    decides: str = ""
    more: tuple[Evidence, ...] = ()
    against: tuple[Evidence, ...] = ()
    bound: float | None = None
    bound_text: str = ""
    detail: str = ""
    gain: float | None = None


Claims: TypeAlias = Iterator[Hypothesis]
"""Hypotheses of one cause, one for each component that it could lie in."""


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


@dataclass(frozen=True, slots=True)
class Cleared:
    """Cause that was looked into and does not stand. why: the sentence that cleared it."""

    cause: str
    component: str
    why: str
    source: Source
    weight: float = field(default=0.0)

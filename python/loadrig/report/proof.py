"""What a proof left in a run's folder, as the report reads it: experiments, what was skipped, the fix.

The file is RUN/proof/proof.json (docs/reference/proof.md). What it has beyond that is ignored; what it lacks
is empty. A file that is not there, torn, or of another schema is no proof.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar, cast

from loadrig.base.errors import PlanError
from loadrig.interventions import Change, Lever
from loadrig.recording import documents
from loadrig.report import numbers

Json = Mapping[str, Any]
Accused = tuple[str, str]
"""Cause and the component in which it was looked for."""

SCHEMA = "loadrig.proof/1"

STANDINGS = ("limits", "shares", "cleared", "unsure")

UNITS = {"share": "1"}
"""Names in the report for units of the document."""

IN_PERCENT = ("cpu", "cores")
"""Changes that a reader understands as a percentage. A delay has a ratio too, of what an answer takes."""

_Part = TypeVar("_Part")


@dataclass(frozen=True, slots=True)
class Effect:
    """Number with its 95 % interval. low, high: None where an end is not known."""

    value: float
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class Slot:
    """Stretch of a trial, from `from_s` on, in which an outcome was measured, in the experiment's unit."""

    trial: int
    from_s: float
    length_s: float
    block: int
    is_changed: bool
    outcome: float | None


@dataclass(frozen=True, slots=True)
class Experiment:
    """Thing that was changed, and what moved.

    number: its place in the document. ratio: of the capacity, changed over unchanged; None where there is
    none. elasticity: None where ratio is. gain: the outcome changed over unchanged. is_at_least: the
    generator was the limit with the change. unchanged, changed: medians in `unit`. proves: causes that it
    proved. refutes: causes that it cleared.
    """

    number: int
    lever: Lever
    title: str
    is_live: bool
    measure: str
    unit: str
    ratio: float | None
    elasticity: Effect | None
    gain: Effect | None
    is_at_least: bool
    standing: str
    blocks: int
    unchanged: float | None
    changed: float | None
    proves: tuple[Accused, ...]
    refutes: tuple[Accused, ...]
    cost: str
    trial: int
    slots: tuple[Slot, ...]

    @property
    def is_of_capacity(self) -> bool:
        """Whether the experiment is judged by its elasticity.

        A knob is judged by whether the outcome moved as much as one would turn the knob for: twice the
        workers for a tenth more are worth it, though the outcome follows them little.
        """
        return self.elasticity is not None and (self.is_live or self.lever.change == "load")

    @property
    def in_percent(self) -> str:
        """Change of the capacity: "−20 %"; "" where a percentage would say nothing."""
        if self.ratio is None or not self.is_of_capacity or self.lever.change not in IN_PERCENT:
            return ""
        return numbers.change(self.ratio)

    @property
    def what(self) -> str:
        """Changed thing: "CPU of mariadb"; the whole title where only that says by how much."""
        return self.title.partition(": ")[0] if self.in_percent else self.title

    @property
    def label(self) -> str:
        """Changed thing, and by how much: "CPU of mariadb, −20 %"."""
        return f"{self.what}, {self.in_percent}" if self.in_percent else self.what

    @property
    def detail(self) -> str:
        """Part of the title that the label leaves out: "0.5 to 0.4 cores"."""
        return self.title.partition(": ")[2] if self.in_percent else ""

    @property
    def is_more_better(self) -> bool:
        """Whether more of the measure is better: so of throughput alone."""
        return self.measure == "throughput"

    @property
    def better(self) -> str:
        """Direction that is better, in words."""
        return "more is better" if self.is_more_better else "less is better"


@dataclass(frozen=True, slots=True)
class Skipped:
    """Experiment that was not made: why, and what would let it. code: of the page that says more."""

    lever: Lever
    title: str
    why: str
    mend: str
    code: str


@dataclass(frozen=True, slots=True)
class InterventionBand:
    """Stretch in which something was changed, in seconds since that trial's load began."""

    trial: int
    from_s: float
    to_s: float
    title: str
    experiment: int


@dataclass(frozen=True, slots=True)
class Fix:
    """Mend that was tried for real.

    before, after: medians in `unit`. pairs: of single measurements. gain, predicted: after over before.
    """

    title: str
    measure: str
    unit: str
    before: float
    after: float
    gain: Effect
    predicted: float | None
    predicted_why: str
    is_verified: bool
    pairs: tuple[tuple[float, float], ...]
    command: str

    @property
    def is_more_better(self) -> bool:
        """Whether more of the measure is better."""
        return self.measure == "throughput"


@dataclass(frozen=True, slots=True)
class Proof:
    """Proof as written. document: the whole file, for machines. of_trial: number of the trial it is about."""

    document: Json
    of_trial: int
    budget_s: float | None
    took_s: float | None
    ended: str
    sentence: str
    experiments: tuple[Experiment, ...]
    skipped: tuple[Skipped, ...]
    bands: tuple[InterventionBand, ...]
    fix: Fix | None

    @property
    def findings(self) -> Sequence[Json]:
        """Findings of the proof; empty where it came to none."""
        return list(self.document.get("findings") or ())

    @property
    def cleared(self) -> Sequence[Json]:
        """Causes that do not stand, with the sentence that cleared each."""
        own = (self.document.get("diagnosis") or {}).get("cleared")
        return [*(self.document.get("cleared") or ()), *(own or ())]

    def standing_for(self, result: Json) -> Json:
        """Return the result of a trial or a study with the findings and diagnosis of the proof in it.

        A proof that failed before it had any leaves the result as it is.
        """
        diagnosis = self.document.get("diagnosis")
        if not isinstance(diagnosis, Mapping) or "findings" not in self.document:
            return result
        merged = {**_NOTHING, **(result.get("diagnosis") or {}), **diagnosis}
        cleared: dict[Accused, Json] = {}
        for cause in (*self.cleared, *merged["cleared"]):
            cleared.setdefault((str(cause["cause"]), str(cause["component"])), cause)
        merged["cleared"] = list(cleared.values())
        # A failure of the server in the run itself is shown in place of one in its proof.
        failed = {
            name: self.document[name] for name in ("headline", "target_failed") if name in self.document
        }
        return {**result, **failed, **_failed_in(result), "findings": self.findings, "diagnosis": merged}


def _failed_in(result: Json) -> Json:
    return {name: result[name] for name in ("headline", "target_failed") if name in result}


_NOTHING: Json = {
    "sentence": "", "harms": [], "cleared": [], "unseen": [], "decides": [], "ceilings": [], "cards": [],
}  # fmt: skip


def read(path: Path) -> Proof | None:
    """Return the proof of a file; None where no proof can be read from it."""
    try:
        document = documents.read(path)
        return _proof(document) if document.get("schema") == SCHEMA else None
    except (PlanError, OSError, ValueError, TypeError, KeyError, AttributeError):
        # A rig that was killed may leave half a file, and a report must not fail for it.
        return None


def bands_of(proof: Proof, experiment: Experiment) -> tuple[InterventionBand, ...]:
    """Return when an experiment's change was in force; without bands, its changed slots."""
    bands = tuple(band for band in proof.bands if band.experiment == experiment.number)
    if bands or not experiment.is_live:
        return bands
    return tuple(
        InterventionBand(
            slot.trial, slot.from_s, slot.from_s + slot.length_s, experiment.title, experiment.number
        )
        for slot in experiment.slots
        if slot.is_changed
    )


# --- reading ------------------------------------------------------------------------------------


def _proof(document: Json) -> Proof:
    return Proof(
        document=document,
        of_trial=int(document.get("of_trial") or 1),
        budget_s=_number(document.get("budget_s")),
        took_s=_number(document.get("took_s")),
        ended=str(document.get("ended") or ""),
        sentence=str(document.get("sentence") or ""),
        experiments=tuple(_experiment(n, raw) for n, raw in enumerate(document.get("experiments") or ())),
        skipped=_all(_skipped, document.get("skipped")),
        bands=_all(_band, document.get("bands")),
        fix=_fix(document["fix"]) if document.get("fix") else None,
    )


def _all(read_part: Callable[[Json], _Part], parts: Sequence[Json] | None) -> tuple[_Part, ...]:
    return tuple(read_part(part) for part in parts or ())


def _experiment(number: int, raw: Json) -> Experiment:
    standing = str(raw.get("standing") or "")
    return Experiment(
        number=number,
        lever=_lever(raw.get("lever")),
        title=str(raw["title"]),
        is_live=raw.get("kind") != "trials",
        measure=str(raw.get("measure") or "throughput"),
        unit=_unit(raw),
        ratio=_number(raw.get("ratio")),
        elasticity=_effect(raw.get("elasticity")),
        gain=_effect(raw.get("gain")),
        is_at_least=bool(raw.get("is_at_least")),
        standing=standing if standing in STANDINGS else "unsure",
        blocks=int(raw.get("blocks") or 0),
        unchanged=_number(raw.get("unchanged")),
        changed=_number(raw.get("changed")),
        proves=_accused(raw.get("proves")),
        refutes=_accused(raw.get("refutes")),
        cost=str(raw.get("cost") or ""),
        trial=int(raw.get("trial") or 1),
        slots=_all(_slot, raw.get("slots")),
    )


def _lever(raw: Json | None) -> Lever:
    """Return what was changed; the load where it is not said."""
    fields = raw or {}
    change, towards = fields.get("change") or "load", fields.get("towards") or "more"
    return Lever(
        cast(Change, change),
        str(fields.get("component") or ""),
        str(fields.get("what") or ""),
        cast(Any, towards),
    )


def _unit(raw: Json) -> str:
    unit = str(raw.get("unit") or "")
    return UNITS.get(unit, unit)


def _slot(slot: Json) -> Slot:
    return Slot(
        trial=int(slot["trial"]),
        from_s=float(slot["from_s"]),
        length_s=float(slot["length_s"]),
        block=int(slot.get("block") or 0),
        is_changed=bool(slot["is_changed"]),
        outcome=_number(slot.get("outcome")),
    )


def _skipped(raw: Json) -> Skipped:
    return Skipped(
        lever=_lever(raw.get("lever")),
        title=str(raw["title"]),
        why=str(raw.get("why") or ""),
        mend=str(raw.get("mend") or ""),
        code=str(raw.get("code") or ""),
    )


def _band(raw: Json) -> InterventionBand:
    return InterventionBand(
        trial=int(raw["trial"]),
        from_s=float(raw["from_s"]),
        to_s=float(raw["to_s"]),
        title=str(raw.get("title") or ""),
        experiment=int(raw["experiment"]),
    )


def _fix(raw: Json) -> Fix | None:
    gain, before, after = _effect(raw.get("gain")), _number(raw.get("before")), _number(raw.get("after"))
    if gain is None or before is None or after is None:
        return None
    return Fix(
        title=str(raw["title"]),
        measure=str(raw.get("measure") or "throughput"),
        unit=_unit(raw),
        before=before,
        after=after,
        gain=gain,
        predicted=_number(raw.get("predicted")),
        predicted_why=str(raw.get("predicted_why") or ""),
        is_verified=bool(raw.get("is_verified")),
        pairs=tuple((float(low), float(high)) for low, high in raw.get("pairs") or ()),
        command=str(raw.get("command") or ""),
    )


def _effect(raw: Json | None) -> Effect | None:
    value = _number((raw or {}).get("value"))
    if raw is None or value is None:
        return None
    return Effect(value, _number(raw.get("low")), _number(raw.get("high")))


def _number(value: Any) -> float | None:
    """Return a number that can be drawn, else None: JSON of Python may hold Infinity and NaN."""
    return float(value) if value is not None and math.isfinite(float(value)) else None


def _accused(pairs: Sequence[Sequence[Any]] | None) -> tuple[Accused, ...]:
    return tuple((str(cause), str(component)) for cause, component in pairs or ())

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
"""A cause and the component in which it was looked for."""

SCHEMA = "loadrig.proof/1"

STANDINGS = ("limits", "shares", "cleared", "unsure")

UNITS = {"share": "1"}
"""What the report calls a unit of the document."""

IN_PERCENT = ("cpu", "cores")
"""Changes of which a reader knows what a fifth less is; a delay has a ratio too, of what an answer takes."""

_Part = TypeVar("_Part")


@dataclass(frozen=True, slots=True)
class Effect:
    """A number with its 95 % interval; an end is None where it is not known."""

    value: float
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class Slot:
    """A stretch of a trial, from `from_s` on, in which an outcome was measured; in the experiment's unit."""

    trial: int
    from_s: float
    length_s: float
    block: int
    is_changed: bool
    outcome: float | None


@dataclass(frozen=True, slots=True)
class Experiment:
    """One thing that was changed, and what moved.

    number: its place in the document. ratio: of the capacity, changed over unchanged; None where there is
    none. elasticity: None where ratio is. gain: the outcome changed over unchanged; is_at_least: the
    generator was the limit with the change. unchanged, changed: medians in `unit`. proves, refutes: causes
    that it proved, and that it cleared.
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
        """Whether its elasticity is what judges it.

        Of a knob it is whether it moved as much as one would turn it for: twice the workers for a tenth more
        are worth it, though they follow it little.
        """
        return self.elasticity is not None and (self.is_live or self.lever.change == "load")

    @property
    def in_percent(self) -> str:
        """By how much the capacity was changed: "−20 %"; "" where that would say nothing."""
        if self.ratio is None or not self.is_of_capacity or self.lever.change not in IN_PERCENT:
            return ""
        return numbers.change(self.ratio)

    @property
    def what(self) -> str:
        """What was changed: "CPU of mariadb"; the whole title where it alone says by how much."""
        return self.title.partition(": ")[0] if self.in_percent else self.title

    @property
    def label(self) -> str:
        """What was changed, and by how much: "CPU of mariadb, −20 %"."""
        return f"{self.what}, {self.in_percent}" if self.in_percent else self.what

    @property
    def detail(self) -> str:
        """What the label leaves out of the title: "0.5 to 0.4 cores"."""
        return self.title.partition(": ")[2] if self.in_percent else ""

    @property
    def is_more_better(self) -> bool:
        """Whether more of the measure is better: so of throughput alone."""
        return self.measure == "throughput"

    @property
    def better(self) -> str:
        """Which way is better, in words."""
        return "more is better" if self.is_more_better else "less is better"


@dataclass(frozen=True, slots=True)
class Skipped:
    """An experiment that was not made: why, and what would let it. code: of the page that says more."""

    lever: Lever
    title: str
    why: str
    mend: str
    code: str


@dataclass(frozen=True, slots=True)
class InterventionBand:
    """A stretch in which something was changed, in seconds since that trial's load began."""

    trial: int
    from_s: float
    to_s: float
    title: str
    experiment: int


@dataclass(frozen=True, slots=True)
class Fix:
    """A mend that was tried for real.

    before, after: medians in `unit`; pairs: of single measurements. gain, predicted: after over before.
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
    """A proof as written. document: the whole file, for machines; of_trial: whose diagnosis it is about."""

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
        """Its findings; empty where it came to none."""
        return list(self.document.get("findings") or ())

    @property
    def cleared(self) -> Sequence[Json]:
        """Causes that do not stand, with the sentence that cleared each."""
        own = (self.document.get("diagnosis") or {}).get("cleared")
        return [*(self.document.get("cleared") or ()), *(own or ())]

    def standing_for(self, result: Json) -> Json:
        """The result of a trial or a study with the findings and the diagnosis of the proof in their places.

        A proof that failed before it had any leaves the result as it is.
        """
        diagnosis = self.document.get("diagnosis")
        if not isinstance(diagnosis, Mapping) or "findings" not in self.document:
            return result
        told = {**_NOTHING, **(result.get("diagnosis") or {}), **diagnosis}
        cleared: dict[Accused, Json] = {}
        for one in (*self.cleared, *told["cleared"]):
            cleared.setdefault((str(one["cause"]), str(one["component"])), one)
        told["cleared"] = list(cleared.values())
        # That the server failed in the run itself comes before that it failed in the proof of it.
        failed = {
            name: self.document[name] for name in ("headline", "target_failed") if name in self.document
        }
        return {**result, **failed, **_failed_in(result), "findings": self.findings, "diagnosis": told}


def _failed_in(result: Json) -> Json:
    return {name: result[name] for name in ("headline", "target_failed") if name in result}


_NOTHING: Json = {
    "sentence": "", "harms": [], "cleared": [], "unseen": [], "decides": [], "ceilings": [], "cards": [],
}  # fmt: skip


def read(path: Path) -> Proof | None:
    """The proof of a file; None where there is none that can be read."""
    try:
        found = documents.read(path)
        return _proof(found) if found.get("schema") == SCHEMA else None
    except (PlanError, OSError, ValueError, TypeError, KeyError, AttributeError):
        # A rig that was killed may leave half a file, and a report must not fail for it.
        return None


def bands_of(proof: Proof, one: Experiment) -> tuple[InterventionBand, ...]:
    """When an experiment's change was in force; of one without bands, its changed slots."""
    told = tuple(band for band in proof.bands if band.experiment == one.number)
    if told or not one.is_live:
        return told
    return tuple(
        InterventionBand(slot.trial, slot.from_s, slot.from_s + slot.length_s, one.title, one.number)
        for slot in one.slots
        if slot.is_changed
    )


# --- reading ------------------------------------------------------------------------------------


def _proof(found: Json) -> Proof:
    return Proof(
        document=found,
        of_trial=int(found.get("of_trial") or 1),
        budget_s=_number(found.get("budget_s")),
        took_s=_number(found.get("took_s")),
        ended=str(found.get("ended") or ""),
        sentence=str(found.get("sentence") or ""),
        experiments=tuple(_experiment(n, one) for n, one in enumerate(found.get("experiments") or ())),
        skipped=_all(_skipped, found.get("skipped")),
        bands=_all(_band, found.get("bands")),
        fix=_fix(found["fix"]) if found.get("fix") else None,
    )


def _all(read_one: Callable[[Json], _Part], parts: Sequence[Json] | None) -> tuple[_Part, ...]:
    return tuple(read_one(part) for part in parts or ())


def _experiment(number: int, one: Json) -> Experiment:
    standing = str(one.get("standing") or "")
    return Experiment(
        number=number,
        lever=_lever(one.get("lever")),
        title=str(one["title"]),
        is_live=one.get("kind") != "trials",
        measure=str(one.get("measure") or "throughput"),
        unit=_unit(one),
        ratio=_number(one.get("ratio")),
        elasticity=_effect(one.get("elasticity")),
        gain=_effect(one.get("gain")),
        is_at_least=bool(one.get("is_at_least")),
        standing=standing if standing in STANDINGS else "unsure",
        blocks=int(one.get("blocks") or 0),
        unchanged=_number(one.get("unchanged")),
        changed=_number(one.get("changed")),
        proves=_accused(one.get("proves")),
        refutes=_accused(one.get("refutes")),
        cost=str(one.get("cost") or ""),
        trial=int(one.get("trial") or 1),
        slots=_all(_slot, one.get("slots")),
    )


def _lever(one: Json | None) -> Lever:
    """What was changed; the load where it is not said."""
    told = one or {}
    change, towards = told.get("change") or "load", told.get("towards") or "more"
    return Lever(
        cast(Change, change),
        str(told.get("component") or ""),
        str(told.get("what") or ""),
        cast(Any, towards),
    )


def _unit(one: Json) -> str:
    unit = str(one.get("unit") or "")
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


def _skipped(one: Json) -> Skipped:
    return Skipped(
        lever=_lever(one.get("lever")),
        title=str(one["title"]),
        why=str(one.get("why") or ""),
        mend=str(one.get("mend") or ""),
        code=str(one.get("code") or ""),
    )


def _band(one: Json) -> InterventionBand:
    return InterventionBand(
        trial=int(one["trial"]),
        from_s=float(one["from_s"]),
        to_s=float(one["to_s"]),
        title=str(one.get("title") or ""),
        experiment=int(one["experiment"]),
    )


def _fix(one: Json) -> Fix | None:
    gain, before, after = _effect(one.get("gain")), _number(one.get("before")), _number(one.get("after"))
    if gain is None or before is None or after is None:
        return None
    return Fix(
        title=str(one["title"]),
        measure=str(one.get("measure") or "throughput"),
        unit=_unit(one),
        before=before,
        after=after,
        gain=gain,
        predicted=_number(one.get("predicted")),
        predicted_why=str(one.get("predicted_why") or ""),
        is_verified=bool(one.get("is_verified")),
        pairs=tuple((float(low), float(high)) for low, high in one.get("pairs") or ()),
        command=str(one.get("command") or ""),
    )


def _effect(one: Json | None) -> Effect | None:
    value = _number((one or {}).get("value"))
    if one is None or value is None:
        return None
    return Effect(value, _number(one.get("low")), _number(one.get("high")))


def _number(value: Any) -> float | None:
    """A number that can be drawn; JSON of Python may hold Infinity and NaN."""
    return float(value) if value is not None and math.isfinite(float(value)) else None


def _accused(pairs: Sequence[Sequence[Any]] | None) -> tuple[Accused, ...]:
    return tuple((str(cause), str(component)) for cause, component in pairs or ())

"""Observations over time: samples as a probe takes them, and the series made of them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Self

if TYPE_CHECKING:  # numpy takes 60 ms to import; the engine and the help pages do without it
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Metric:
    """A quantity that a probe reads. A counter only grows; a gauge is a level.

    otel: its name in OpenTelemetry's semantic conventions, where they have one.
    """

    unit: str
    kind: Literal["gauge", "counter"]
    doc: str
    otel: str = ""


@dataclass(frozen=True, slots=True)
class Sample:
    """Reading of a metric. subject: what it was read of ("cpu0", "pid:123", "tree"); empty for the whole."""

    t_ns: int
    probe: str
    metric: str
    subject: str
    value: float


class EventWords(NamedTuple):
    """Text of an event in the language of this process, and the parts that it is made of.

    sentence: its name in the catalogue of events. values: what fills the holes of the sentence, by their
    names.
    """

    text: str
    sentence: str
    values: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Event:
    """Event at an instant of a run.

    An event that lasted has its length in facts["duration_s"], and began at t_ns. facts: plain JSON values.
    component: the tier that it happened to, "" for the rig itself; the observer fills it in.
    sentence, values: what text was made of (EventWords), so that a reader has it in his own language; "" for
    a text that is of no catalogue of events.
    """

    t_ns: int
    kind: str
    subject: str
    text: str
    facts: Mapping[str, Any] = field(default_factory=dict)
    component: str = ""
    sentence: str = ""
    values: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        t_ns: int,
        kind: str,
        subject: str,
        words: EventWords,
        facts: Mapping[str, Any],
        component: str = "",
    ) -> Self:
        """Return the event whose text is a sentence of the catalogue of events."""
        return cls(t_ns, kind, subject, words.text, facts, component, words.sentence, words.values)


class Key(NamedTuple):
    """Identity of a series. component: the tier; subject: the part of it, "" or "tree" for the whole."""

    component: str
    probe: str
    metric: str
    subject: str


@dataclass(frozen=True, slots=True, eq=False)
class Series:
    """Readings of one metric of one subject. t_ns: int64[n], increasing; value: float64[n]."""

    t_ns: "NDArray[np.int64]"
    value: "NDArray[np.float64]"
    unit: str
    kind: str

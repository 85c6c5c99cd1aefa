"""Types of the facts of events, by the kind of the event: what a recording says of each beside its text.

Events are written by probes before and while load runs, when nothing imports msgspec (decision 0030): they
hand over plain facts, and whoever reads a recording has these types. Facts that no field reads stay in the
recording.
"""

from collections.abc import Mapping
from typing import Annotated, TypeVar

from loadrig.base.documents import Document, Says, typed
from loadrig.base.series import Event


class CommonFacts(Document, frozen=True, kw_only=True):
    """Facts that events of many kinds have."""

    duration_s: Annotated[float | None, Says("how long it lasted, in seconds; null where unknown")] = None
    count: Annotated[int | None, Says("how often it happened since the event before; null: once")] = None
    pid: Annotated[int | None, Says("process that it happened to, or null")] = None


class DeathFacts(CommonFacts, frozen=True, kw_only=True):
    """Facts of a process or worker that ended (`process_died`, `worker_died`)."""

    reason: Annotated[str | None, Says("why it ended, such as `out_of_memory`; null where unknown")] = None
    memory_bytes: Annotated[float | None, Says("its memory at last, in bytes; null where unknown")] = None


class RuntimeFacts(CommonFacts, frozen=True, kw_only=True):
    """Facts of a Go program's settings (`go_runtime`)."""

    gomaxprocs_from: Annotated[str | None, Says("what set GOMAXPROCS; null where unknown")] = None


class GrownSite(Document, frozen=True, kw_only=True):
    """Line of code at which memory grew."""

    place: Annotated[str, Says("file and line")]
    growth_bytes: Annotated[int, Says("bytes by which what it holds grew")]
    growth_blocks: Annotated[int, Says("blocks by which what it holds grew")]


class SitesFacts(CommonFacts, frozen=True, kw_only=True):
    """Facts of a look at where the memory of a Python program grew (`memory_sites`)."""

    sites: Annotated[tuple[GrownSite, ...], Says("lines of code, the one that grew most first")] = ()


class PauseFacts(CommonFacts, frozen=True, kw_only=True):
    """Facts of a collection of garbage (`gc_pause`)."""

    kind: Annotated[str | None, Says("its kind, in the words of the collector")] = None
    after_bytes: Annotated[float | None, Says("heap in use after it, in bytes; null where unknown")] = None
    is_pause: Annotated[bool, Says("whether the program stood still")] = True


class HoldingFrame(Document, frozen=True, kw_only=True):
    """Function that held the interpreter lock."""

    frame: Annotated[str, Says("its name and place")]
    share: Annotated[float, Says("share of the looks at which it held the lock, 0 to 1")]


class HoldersFacts(CommonFacts, frozen=True, kw_only=True):
    """Facts of looks at who holds CPython's interpreter lock (`gil_top`)."""

    looks: Annotated[int, Says("number of looks")] = 0
    frames: Annotated[tuple[HoldingFrame, ...], Says("functions that held it, the most frequent first")] = ()


class StatedFacts(CommonFacts, frozen=True, kw_only=True):
    """Facts that a server stated in its log or its answers (`server_fact`)."""

    system: Annotated[str, Says("system that stated it")]
    resource: Annotated[str, Says("resource that it is about")]
    what: Annotated[str, Says("what happened to that")]
    numbers: Annotated[Mapping[str, float] | None, Says("numbers of the last line, by name")] = None


class TemplateFacts(CommonFacts, frozen=True, kw_only=True):
    """Facts of lines of a log that are alike (`log_template`)."""

    template: Annotated[int, Says("number of the template in its log")]
    level: Annotated[str, Says("`fatal`, `error`, `warning`, `info`, `debug` or empty")] = ""
    source: Annotated[str, Says("the log")] = ""
    over_s: Annotated[float, Says("time from the first line to the last one, in seconds")] = 0.0


class EffectFacts(CommonFacts, frozen=True, kw_only=True):
    """Facts of an effect on a server that began or ended (`effect`, `effect_over`)."""

    effect: Annotated[str, Says("name that both events share")]
    kind: Annotated[str | None, Says("its kind, such as `loads code`; null at its end")] = None


class NoteFacts(CommonFacts, frozen=True, kw_only=True):
    """Facts of what could not be seen (`note`, `gap`, `probe_failed`, `unprofiled`)."""

    code: Annotated[str, Says("code of the error, or empty")] = ""
    mend: Annotated[str, Says("what would mend it, or empty")] = ""


F = TypeVar("F", bound=CommonFacts)


def facts_of(event: Event, kind: type[F]) -> F:
    """Return the facts of an event. Raises PlanError `recording.broken` where they are of another type."""
    return typed(kind, event.facts, f"events.jsonl: {event.kind}")


class EventFactsDocument(Document, frozen=True, kw_only=True):
    """Facts of each kind of event that is read, by the kind."""

    process_died: DeathFacts
    worker_died: DeathFacts
    go_runtime: RuntimeFacts
    memory_sites: SitesFacts
    gc_pause: PauseFacts
    gil_top: HoldersFacts
    server_fact: StatedFacts
    log_template: TemplateFacts
    effect: EffectFacts
    effect_over: EffectFacts
    note: NoteFacts

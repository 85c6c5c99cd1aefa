"""Pages on which a Go program shows its figures: pprof, else expvar, else Prometheus.

Source: the documentation of net/http/pprof and expvar; the names of the Go collector of
prometheus/client_golang, whose go_gc_duration_seconds is the pauses of collections.
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from loadrig.language.choice import texts_of
from loadrig.language.en.errors.probes_go import ProbesGoPagesErrors
from loadrig.probes._go.text import (
    Contention,
    Goroutines,
    MemStats,
    parse_contention,
    parse_goroutines,
    parse_heap,
    parse_vars,
)
from loadrig.probes._pages import Pages
from loadrig.probes._session import Lost

ERRORS = texts_of(ProbesGoPagesErrors)

PAGE_S = 2.0
"""Seconds for a page: a program with a quarter of a core still answers in that time, if it is not overrun."""

CONTENTION_EVERY = 5
"""Readings between two looks at a profile of waits.

A profile that is off is looked at once in CONTENTION_OFF_EVERY readings.
"""
CONTENTION_OFF_EVERY = 60

GOROUTINES_PER_S = 5000
"""Goroutines whose page may be read each second.

The page costs the program 1.5 µs for each goroutine (measured, Go 1.26). With more goroutines it is read more
rarely, so that it never costs more than 0.8 % of a core."""

TOPS, MOST_NAMES, OTHERS = 5, 12, "others"

_FIGURES: Mapping[str, str] = {
    "go_goroutines": "goroutines",
    "go_memstats_heap_alloc_bytes": "heap_alloc_bytes",
    "go_memstats_heap_inuse_bytes": "heap_in_use_bytes",
    "go_memstats_heap_sys_bytes": "heap_sys_bytes",
    "go_memstats_next_gc_bytes": "heap_goal_bytes",
    "go_memstats_stack_inuse_bytes": "stack_bytes",
    "go_memstats_sys_bytes": "sys_bytes",
    "go_memstats_alloc_bytes_total": "allocated_bytes",
    "go_memstats_mallocs_total": "allocations",
    "go_gc_duration_seconds_count": "gc_cycles",
    "go_gc_duration_seconds_sum": "gc_pause_s",
    "go_sched_gomaxprocs_threads": "gomaxprocs",
}


@dataclass(slots=True)
class GoFigures:
    """Figures of a reading of the pages.

    values: by metric and subject; procs: GOMAXPROCS if the page has it.
    """

    stats: MemStats | None = None
    values: dict[tuple[str, str], float] = field(default_factory=dict)
    procs: int | None = None


def look_for(pages: Pages, path: str, until: float) -> "Pprof | FigurePage | None":
    """Return the pages of figures at an address; None where it has none. path: where pprof is.

    Raises Lost if the address does not answer.
    """
    if parse_heap(_text(pages, f"{path}/heap?debug=1", until)):
        return Pprof(pages, path)
    for page_path, parse in (("/debug/vars", _of_vars), ("/metrics", _of_figures)):
        if parse(_text(pages, page_path, until)):
            return FigurePage(pages, page_path, parse)
    return None


def _text(pages: Pages, path: str, until: float) -> str:
    """Return the text of a page; empty where its status is not 200."""
    left_s = until - time.monotonic()
    page = pages.get(path, min(PAGE_S, left_s))
    return page.text if page.status == 200 else ""


def _no_go_program(pages: Pages, path: str) -> Lost:
    return Lost.of(ERRORS.no_longer_go(pages.base + path), code="probe.not-that")


class Pprof:
    """The text forms of net/http/pprof."""

    def __init__(self, pages: Pages, path: str) -> None:
        self.pages, self._path = pages, path
        self._reading = 0
        self._goroutines_at = 0.0
        self._is_on = {"mutex": True, "block": True}
        self._started, self._waiting = Names(), Names()

    def read(self, until: float) -> GoFigures:
        """Return memory each time; goroutines and waits when it is their turn."""
        stats = parse_heap(self._page("heap", until))
        if stats is None:
            raise _no_go_program(self.pages, self._path)
        figures = GoFigures(stats)
        now = time.monotonic()
        if now >= self._goroutines_at:
            goroutines = parse_goroutines(self._page("goroutine", until))
            if goroutines is not None:
                self._goroutines_at = now + goroutines.total / GOROUTINES_PER_S
                figures.values |= self._counted(goroutines)
        for n, (name, is_on) in enumerate(self._is_on.items()):
            if self._reading % (CONTENTION_EVERY if is_on else CONTENTION_OFF_EVERY) == n:
                figures.values |= self._waited(name, parse_contention(self._page(name, until)))
        self._reading += 1
        return figures

    def _page(self, name: str, until: float) -> str:
        return _text(self.pages, f"{self._path}/{name}?debug=1", until)

    def _counted(self, goroutines: Goroutines) -> dict[tuple[str, str], float]:
        started, waiting = self._started.add(goroutines.by_start), self._waiting.add(goroutines.by_place)
        return {
            ("goroutines", ""): goroutines.total,
            **{("started", name): count for name, count in started.items()},
            **{("waiting_in", name): count for name, count in waiting.items()},
        }

    def _waited(self, name: str, contention: Contention | None) -> dict[tuple[str, str], float]:
        # The block profile does not tell whether it is on: without any wait it is taken to be off.
        self._is_on[name] = contention is not None and (
            contention.sampled_every > 0 if contention.sampled_every is not None else contention.waits > 0
        )
        if contention is None or not self._is_on[name]:
            return {}
        return {(f"{name}_waits", ""): contention.waits, (f"{name}_wait_s", ""): contention.seconds}


class FigurePage:
    """A page that holds all figures at once: the variables of expvar, or the go_ figures for Prometheus."""

    def __init__(self, pages: Pages, path: str, parse: Callable[[str], GoFigures | None]) -> None:
        self.pages, self._path, self._parse = pages, path, parse

    def read(self, until: float) -> GoFigures:
        """Return the figures of the page."""
        figures = self._parse(_text(self.pages, self._path, until))
        if figures is None:
            raise _no_go_program(self.pages, self._path)
        return figures


def _of_vars(text: str) -> GoFigures | None:
    """Return memory and collections of a page of expvar, which does not know goroutines."""
    stats = parse_vars(text)
    return GoFigures(stats) if stats else None


def _of_figures(text: str) -> GoFigures | None:
    """Return memory, collections in sum and goroutines of a page for Prometheus."""
    values = parse_figures(text)
    procs = values.pop("gomaxprocs", None)
    figures = {(metric, ""): value for metric, value in values.items()}
    return GoFigures(None, figures, int(procs) if procs else None) if figures else None


def parse_figures(text: str) -> dict[str, float]:
    """Return a Go program's figures on a Prometheus page, by our names; empty for pages without them."""
    if "go_goroutines" not in text:
        return {}
    from prometheus_client.parser import text_string_to_metric_families

    try:
        samples = [
            sample
            for family in text_string_to_metric_families(text)
            for sample in family.samples
            if not sample.labels
        ]
    except ValueError:  # not a page of the text format
        return {}
    return {_FIGURES[sample.name]: sample.value for sample in samples if sample.name in _FIGURES}


class Names:
    """Most frequent of many names, the rest together; a name that was once given stays."""

    def __init__(self) -> None:
        self._names: set[str] = set()

    def add(self, counts: Mapping[str, int]) -> dict[str, int]:
        """Take the present counts.

        Return them by given name, 0 for a name without a count; the rest as others.
        """
        for name in sorted(counts, key=lambda name: -counts[name])[:TOPS]:
            if len(self._names) < MOST_NAMES:
                self._names.add(name)
        named = {name: counts.get(name, 0) for name in sorted(self._names)}
        return {**named, OTHERS: sum(counts.values()) - sum(named.values())}

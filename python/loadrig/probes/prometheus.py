"""Figures of a program on a page for Prometheus, whatever they are.

## What it reads

The page that `at` names; else /metrics, and Spring's /actuator/prometheus, at the addresses on which a
program listens on this machine: asked for once, and if one of them is such a page, each second from then
on, over one connection that is kept. A page that takes long to come or to read is asked for more rarely,
down to every 15 s, so that reading takes 0.5 % of a core at most. It is read by Prometheus' own parsers,
of the text format and of OpenMetrics.

Names are those of the page, labels become the subject: `method=GET,route=/x`. Of a histogram or a summary
only `_sum` and `_count` are kept: a mean over any time, and no more than two series. At most 60 series are
kept (`most`): first those that many programs tell alike (process_*, go_*, jvm_*, http_*, hikaricp_*,
tomcat_*, python_gc_*, nodejs_eventloop_lag*), one of each name before the second of any; how many are left
out is said. `only` names those that you want.

## How to read it

As the program's documentation says; the rig takes units from names (_seconds, _bytes). Of several processes
behind one port, as gunicorn's workers without the multiprocess mode of prometheus_client, each has figures
of its own, and the page shows those of whichever answers. Counters go on where the program is started anew.

## Cost

4.1 ms of one core for a page of 10 kB (319 lines, buckets included), in a thread of its own; the program's
cost is its own: 0.4 ms for that page by prometheus_client.
Measured on Linux 6.18, Python 3.11, prometheus_client 0.26.
"""

import fnmatch
import math
import re
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from dataclasses import dataclass as plain_dataclass
from typing import TYPE_CHECKING, cast
from urllib.parse import urlsplit

from loadrig.base.component import HOST, SERVER, Component
from loadrig.base.effects import ServerEffect
from loadrig.base.series import Event, Metric, Sample
from loadrig.base.shape import option
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.probes_prometheus import ProbesPrometheusErrors
from loadrig.probes._aside import Aside, Reading
from loadrig.probes._counting import Counters
from loadrig.probes._pages import Pages, near, url_of
from loadrig.probes._session import Lost, Place, Session, Unavailable

if TYPE_CHECKING:
    from prometheus_client import Metric as Family

    from loadrig.probes._http import Page

ERRORS = texts_of(ProbesPrometheusErrors)

EFFECTS: tuple[ServerEffect, ...] = (
    ServerEffect("asks the server", "For its page of figures, once a second at most."),
)

METRICS: Mapping[str, Metric] = {}
"""Metrics known beforehand: none. A session has those that it found, in `metrics`."""

EVENTS: Mapping[str, str] = {"note": "Something about this watching that a reader must know."}

PATHS = ("/metrics", "/actuator/prometheus")
RUNTIMES = ("cpython", "jvm", "go", "node")

PAGE_S = 2.0
EVERY_S = 1.0
RARER, RARER_CPU = 20, 200
"""Rest before a page is read again, in lengths of the answer's time, and of the CPU time of reading it.

So reading never keeps the program busy for more than 5 % of the time, nor a core of the rig for more than
0.5 %.
"""
MOST_APART_S = 15.0
"""Seconds between two readings, at most: Prometheus itself asks every 15 s by default."""

TRIES = 3
LOOK_AGAIN_S = 30.0
"""Number of looks, one at each reading, while an address does not answer, and seconds between later looks."""

WELL_KNOWN = (
    "process_*", "go_*", "jvm_*", "http_*", "hikaricp_*", "tomcat_*", "python_gc_*", "nodejs_eventloop_lag*",
)  # fmt: skip

_ACCEPT = "text/plain;version=0.0.4, application/openmetrics-text;version=1.0.0;q=0.5"
_BUCKETS = re.compile(r"^\w+_bucket\{.*\n", re.MULTILINE)
_SUMS = ("_sum", "_count")


@dataclass(frozen=True, slots=True)
class Options:
    """Options of the probe: where the page is, and what of it is kept."""

    at: str | None = option(
        "URL of the page; found by itself at /metrics and /actuator/prometheus of programs on this machine.",
        default=None,
        example="http://127.0.0.1:9100/metrics",
    )
    only: tuple[str, ...] = option(
        "Names of the figures to keep, `*` for any letters; left out: all, the well-known ones first.",
        default=(),
        example="[http_requests_total, myapp_*]",
    )
    most: int = option("Series to keep at most.", default=60, low=1, high=1000)


def fits(component: Component) -> bool:
    """Return whether a component is the server, or a program whose runtime has such pages; no database."""
    return component.kind != HOST and (component.name == SERVER or component.runtime in RUNTIMES)


def attach(options: Options, component: Component, place: Place) -> Session:
    """Attach the probe.

    Raises Unavailable where the program is neither on this machine nor its page is named by `at`.
    """
    if options.at is not None and _is_of(url_of("prometheus", "at", options.at), component, place):
        return PrometheusWatch(options, component, (options.at,))
    urls = tuple(base + path for base in near(component) for path in PATHS)
    if not urls:
        raise Unavailable.of(ERRORS.not_here(component.name), code="probe.no-process")
    return PrometheusWatch(options, component, urls)


def _is_of(url: str, component: Component, place: Place) -> bool:
    """Return whether the page that the plan names is this component's.

    A page at an address where nobody listens is the server's.
    """
    parts = urlsplit(url)
    base = f"{parts.scheme}://{parts.netloc}"
    if base in near(component):
        return True
    others = (other for other in place.components() if other.name != component.name)
    return component.name == SERVER and not any(base in near(other) and fits(other) for other in others)


@plain_dataclass(frozen=True, slots=True)
class PageSeries:
    """A series of a page. labels: "method=GET,route=/x". is_counter: whether it only grows."""

    name: str
    labels: str
    value: float
    is_counter: bool
    doc: str


class PrometheusWatch(Aside):
    """Session of the probe. urls: where the page may be; the first that has a page is read from then on.

    metrics: what the samples mean, found by reading.
    """

    def __init__(self, options: Options, component: Component, urls: tuple[str, ...]) -> None:
        self.metrics: dict[str, Metric] = {}
        self._options, self._component, self.urls = options, component, urls
        self._pages: Pages | None = None
        self._path = ""
        self._find_at, self._tries = 0.0, 0
        self._again_at = 0.0
        self._counters: Counters[tuple[str, str]] = Counters()
        self._chosen: set[tuple[str, str]] = set()
        self._began: float | None = None
        self._has_told = False
        super().__init__(self.look, self._leave, EVERY_S)

    def look(self, t_ns: int) -> Reading:
        """Take a reading, in the thread of the session."""
        began, cpu_s = time.monotonic(), time.thread_time()
        reading = Reading()
        if began < (self._find_at if self._pages is None else self._again_at):
            return reading
        if self._pages is None:
            figures = self._find(t_ns, reading)
        else:
            figures = figures_of(self._page(self._pages, self._path), self._pages.base + self._path)
        self._note_restart(figures)
        for figure in self._choose(figures, t_ns, reading):
            value = (
                self._counters.go_on((figure.name, figure.labels), figure.value)
                if figure.is_counter
                else figure.value
            )
            reading.samples.append(Sample(t_ns, "prometheus", figure.name, figure.labels, value))
        self._again_at = began + self._apart_s(time.monotonic() - began, time.thread_time() - cpu_s)
        return reading

    @staticmethod
    def _apart_s(took_s: float, cpu_s: float) -> float:
        return min(max(took_s * RARER, cpu_s * RARER_CPU), MOST_APART_S)

    def _page(self, pages: Pages, path: str) -> "Page":
        return pages.get(path, PAGE_S, _ACCEPT)

    def _find(self, t_ns: int, reading: Reading) -> list[PageSeries]:
        """Look for the page; make a note, once, if there is none. Only silent addresses are asked again."""
        silent: Lost | None = None
        until = time.monotonic() + PAGE_S
        for url in self.urls:
            parts = urlsplit(url)
            pages, path = Pages(f"{parts.scheme}://{parts.netloc}"), parts.path or "/"
            path += f"?{parts.query}" if parts.query else ""
            try:
                page = pages.get(path, max(0.1, until - time.monotonic()), _ACCEPT)
                if page.status in (301, 302, 307, 308) and not path.endswith("/"):
                    path += "/"  # the page of an application that is mounted at /metrics
                    page = pages.get(path, max(0.1, until - time.monotonic()), _ACCEPT)
                figures = figures_of(page, url)
            except Lost as lost:
                pages.close()
                if self._options.at is not None and len(self.urls) == 1:
                    raise
                silent = lost if lost.code == "probe.no-answer" else silent
                continue
            self._pages, self._path = pages, path
            return figures
        self._tries += 1
        if silent is not None and self._tries < TRIES:
            raise silent
        self._find_at = time.monotonic() + LOOK_AGAIN_S if silent else math.inf
        if self._tries <= TRIES:
            text = ERRORS.no_page(self._component.name, ", ".join(self.urls))
            facts = {"code": "probe.not-that", "mend": ERRORS.name_page}
            reading.events.append(Event(t_ns, "note", "prometheus", text, facts))
        return []

    def _note_restart(self, figures: Iterable[PageSeries]) -> None:
        began = next(
            (figure.value for figure in figures if figure.name == "process_start_time_seconds"), None
        )
        if began is not None and self._began is not None and began != self._began:
            self._counters.begin_anew()
        self._began = began if began is not None else self._began

    def _choose(self, figures: list[PageSeries], t_ns: int, reading: Reading) -> list[PageSeries]:
        """Return the figures to keep: series once kept stay, and others join while there is room."""
        only = self._options.only
        wanted = [figure for figure in figures if not only or _matches(figure.name, only)]
        left_out = 0
        for figure in by_rank(wanted):
            if (figure.name, figure.labels) in self._chosen:
                continue
            if len(self._chosen) >= self._options.most:
                left_out += 1
                continue
            self._chosen.add((figure.name, figure.labels))
            metric = Metric(unit_of(figure.name), "counter" if figure.is_counter else "gauge", figure.doc)
            self.metrics.setdefault(figure.name, metric)
        if left_out and not self._has_told:
            self._has_told = True
            text = ERRORS.series_left_out(len(self._chosen), left_out)
            facts = {"kept": len(self._chosen), "left_out": left_out, "mend": ERRORS.name_series}
            reading.events.append(Event(t_ns, "note", "prometheus", text, facts))
        return [figure for figure in wanted if (figure.name, figure.labels) in self._chosen]

    def _leave(self) -> None:
        if self._pages is not None:
            self._pages.close()


def figures_of(page: "Page", url: str) -> list[PageSeries]:
    """Return the figures of a page.

    Raises Lost, code probe.not-that, if it is no such page, is empty, or was cut short.
    """
    if page.status in (401, 403):
        raise Lost.of(ERRORS.page_refused(url, str(page.status)), code="probe.refused")
    why = ""
    figures: list[PageSeries] = []
    if page.status != 200:
        why = ERRORS.page_has_status(str(page.status))
    elif "html" in page.kind or "json" in page.kind:
        why = ERRORS.page_of_kind(page.kind.partition(";")[0])
    elif not page.body.endswith(b"\n"):
        why = ERRORS.page_cut_short if page.body else ERRORS.page_empty
    else:
        try:
            parsed = (figure for family in _families(page) for figure in _figures_in(family))
            figures = list({(figure.name, figure.labels): figure for figure in parsed}.values())
        except (ValueError, LookupError) as error:  # the parsers' errors at a line without a figure
            why = ERRORS.line_unreadable(str(error))
        else:
            why = "" if figures else ERRORS.no_figures
    if why:
        raise Lost.of(ERRORS.not_a_page(url, why[:200]), code="probe.not-that")
    return figures


def _families(page: "Page") -> "Iterable[Family]":
    if "openmetrics" in page.kind:
        from prometheus_client.openmetrics import parser as strict

        return cast("Iterable[Family]", strict.text_string_to_metric_families(page.text))  # type: ignore[no-untyped-call]
    from prometheus_client import parser

    # Most lines of most pages are buckets, which are not kept.
    return parser.text_string_to_metric_families(_BUCKETS.sub("", page.text))


def _figures_in(family: "Family") -> list[PageSeries]:
    is_sum = family.type in ("histogram", "summary")
    if family.type in ("info", "gaugehistogram"):
        return []
    doc = family.documentation.strip().rstrip(".")
    figures = []
    for sample in family.samples:
        # A figure that ends in _info is the constant 1; its labels hold the information.
        if not math.isfinite(sample.value) or sample.name.endswith(("_created", "_info")):
            continue
        if is_sum and not sample.name.endswith(_SUMS):
            continue
        is_counter = is_sum or family.type == "counter" or sample.name.endswith("_total")
        labels = ",".join(
            f"{name}={' '.join(value.split())}" for name, value in sorted(sample.labels.items())
        )
        figures.append(PageSeries(sample.name, labels, sample.value, is_counter, f"{doc or sample.name}."))
    return figures


def _matches(name: str, patterns: Iterable[str]) -> bool:
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)


def by_rank(figures: Iterable[PageSeries]) -> list[PageSeries]:
    """Return figures by rank: those of many programs first; first series of each name before second ones."""
    counts: dict[str, int] = {}
    ranked = []
    for figure in figures:
        n = counts[figure.name] = counts.get(figure.name, 0) + 1
        ranked.append((not _matches(figure.name, WELL_KNOWN), n, figure))
    return [figure for *_, figure in sorted(ranked, key=lambda entry: entry[:2])]


def unit_of(name: str) -> str:
    """Return the unit in a name: base units stand at its end, before _total, _sum and _count."""
    if name.endswith("_count"):
        return "1"
    stem = name.removesuffix("_total").removesuffix("_sum")
    return "s" if stem.endswith("_seconds") else "B" if stem.endswith("_bytes") else "1"

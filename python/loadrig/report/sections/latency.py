"""Section on how long answers took: the table, over time, and how they lie."""

from collections.abc import Mapping

from loadrig._native import Histogram
from loadrig.language.choice import texts_of
from loadrig.language.en.report.sections import LatencySectionTexts
from loadrig.language.labels import label
from loadrig.report import numbers
from loadrig.report.figures import latency_bands, latency_heatmap, percentile_plot
from loadrig.report.model import Block, Cell, Column, Section, Table, present
from loadrig.report.run import Run, TrialView, per_trial
from loadrig.report.tables import FilledColumn, left, right, table_of
from loadrig.trial.document import RouteTotals, TimesDocument, TrialDocument

TEXTS = texts_of(LatencySectionTexts)

ORDER = 50
TITLE = "Latency"

_QUANTILES = ("p50", "p90", "p95", "p99", "p99.9", "max", "mean")
_RANKS: Mapping[str, int] = {"mean": 4, "p90": 3, "p99.9": 2, "max": 1}
"""Ranks of the columns that a narrow terminal leaves out, the greatest first."""


def build(run: Run) -> Section | None:
    """Return response and service time of good answers, by route too."""
    if not run.views:
        return None
    lead = TEXTS.service_time_counts if run.trial.imported else TEXTS.response_time_counts
    return per_trial(run, "latency", TITLE, lambda view: _blocks(view, run), lead)


def _blocks(view: TrialView, run: Run) -> list[Block]:
    time, trial = view.timeline, view.trial
    has_time = bool(time.t_s)
    return present(
        _table(trial),
        latency_bands.draw(view.id, time) if has_time else None,
        latency_heatmap.draw(view.id, time, trial.times_kind) if has_time else None,
        percentile_plot.draw(view.id, _histograms(view, run)) if has_time else None,
        _routes(trial) if len(trial.routes) > 1 or trial.login else None,
    )


def _histograms(view: TrialView, run: Run) -> list[tuple[str, Histogram]]:
    """Return response and service time in the measured part; for the recommended setting the base's too."""
    histograms = [(kind, _measured(view, kind)) for kind in ("response", "service")]
    base = next((candidate for candidate in run.views if candidate.group == "base"), None)
    if view.group == "recommended" and base is not None:
        histograms.append((TEXTS.response_base(base.label.split(":")[0]), _measured(base, "response")))
    return histograms


def _measured(view: TrialView, kind: str) -> Histogram:
    window = view.recording.measured
    return view.recording.histogram(outcome="ok", kind=kind, from_ns=window.from_ns, to_ns=window.to_ns)


def _table(trial: TrialDocument) -> Table:
    latency = trial.latency_ms
    heads = [Column("", "left")] + [Column(name, rank=_RANKS.get(name, 0)) for name in _QUANTILES]
    kinds = (("response", latency.response, ""), ("service", latency.service, "service_"))
    rows = []
    for kind, times, prefix in kinds:
        if times is None:
            continue
        rows.append(_row(label(kind), times))
        spans = [numbers.interval(trial.estimates.get(prefix + name)) for name in _QUANTILES]
        if any(span != "–" for span in spans):
            cells = (Cell("" if span == "–" else span, "quiet") for span in spans)
            rows.append((Cell(label("95 % interval"), "quiet"), *cells))
    if latency.failed is not None:
        rows.append(_row(label("failed"), latency.failed))
    if trial.session_ms:
        rows.append(_row(TEXTS.whole_session, trial.session_ms))
    notes = [] if latency.good is None else [TEXTS.good_answers(numbers.count(latency.good.count))]
    # Only warnings of the measures in this table, and of a quantile once: response and service time are of
    # the same answers, so that what one rests on the other does, too.
    for name in _QUANTILES:
        shown = (trial.estimates.get(prefix + name) for _, _, prefix in kinds)
        notes += next((estimate.warnings for estimate in shown if estimate and estimate.warnings), ())
    return Table(tuple(heads), tuple(rows), caption=TEXTS.caption, notes=tuple(notes))


def _row(label: str, times: TimesDocument) -> tuple[Cell, ...]:
    return (Cell(label), *(_cell(times, name) for name in _QUANTILES))


def _cell(times: TimesDocument | None, name: str) -> Cell:
    return Cell(numbers.amount(None if times is None else times.seconds(name), "s"))


def _routes(trial: TrialDocument) -> Table:
    rows = [(Cell(name), route) for name, route in trial.routes.items()]
    rows += [(Cell(name, note=TEXTS.note), route) for name, route in trial.login.items()]

    def errors(row: tuple[Cell, RouteTotals]) -> Cell:
        has_outcomes = not trial.imported or trial.imported.has_outcomes
        failed = (row[1].count - row[1].ok) / row[1].count if row[1].count and has_outcomes else None
        return Cell(numbers.amount(failed, "1"), "bad" if failed else "plain")

    def server(row: tuple[Cell, RouteTotals]) -> str:
        return row[1].server or ""

    def quantile(name: str) -> FilledColumn[tuple[Cell, RouteTotals]]:
        return right(name, lambda row: _cell(row[1].latency_ms.good, name), int(name == "max"))

    return table_of(
        rows,
        left("route", lambda row: row[0]),
        *([left("server", server)] if any(row[1].server for row in rows) else []),
        right("requests", lambda row: f"{row[1].count:,}"),
        right("rate", lambda row: numbers.amount(row[1].rps, "1/s"), 2),
        right("errors", errors),
        *map(quantile, ("p50", "p95", "p99", "max")),
        caption=TEXTS.routes_time(trial.times_kind),
    )

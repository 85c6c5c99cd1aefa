"""How long answers took: the table, over time, and how they lie."""

from collections.abc import Mapping

from loadrig._native import Histogram
from loadrig.base.estimate import Estimate
from loadrig.report import numbers
from loadrig.report.figures import latency_bands, latency_heatmap, percentile_plot
from loadrig.report.model import Block, Cell, Column, PerView, Section, Table
from loadrig.report.run import Run, TrialView
from loadrig.trial.document import TimesDocument, TrialDocument

ORDER = 50
TITLE = "Latency"

_QUANTILES = ("p50", "p90", "p95", "p99", "p99.9", "max", "mean")
# A narrow terminal leaves these out first.
_RANKS: Mapping[str, int] = {"mean": 4, "p90": 3, "p99.9": 2, "max": 1}


def build(run: Run) -> Section | None:
    """Return response and service time of good answers, by route too."""
    if not run.views:
        return None
    lead = (
        "Service time counts from when a request was sent; from when it was due is not known. Good answers"
        " only; failed ones stand apart."
        if run.trial.imported
        else "Response time counts from when a request was due, service time from when it was sent. Good"
        " answers only; failed ones stand apart."
    )
    return Section(
        "latency",
        TITLE,
        (PerView({view.id: _blocks(view, run) for view in run.views}),),
        lead=lead,
        in_text=run.study is None,
    )


def _blocks(view: TrialView, run: Run) -> tuple[Block, ...]:
    time = view.timeline
    trial = view.trial
    blocks: list[Block] = [_table(trial)]
    if time.t_s:
        blocks.append(latency_bands.draw(view.id, time))
        heat = latency_heatmap.draw(view.id, time, trial.times_kind)
        plot = percentile_plot.draw(view.id, _histograms(view, run))
        blocks += [figure for figure in (heat, plot) if figure is not None]
    if len(trial.routes) > 1 or trial.login:
        blocks.append(_routes(trial))
    return tuple(blocks)


def _histograms(view: TrialView, run: Run) -> list[tuple[str, Histogram]]:
    """Return response and service time in the measured part; for the recommended setting the base's too."""
    histograms = [(kind, _measured(view, kind)) for kind in ("response", "service")]
    base = next((candidate for candidate in run.views if candidate.group == "base"), None)
    if view.group == "recommended" and base is not None:
        histograms.append((f"response of the base ({base.label.split(':')[0]})", _measured(base, "response")))
    return histograms


def _measured(view: TrialView, kind: str) -> Histogram:
    window = view.recording.measured
    return view.recording.histogram(outcome="ok", kind=kind, from_ns=window.from_ns, to_ns=window.to_ns)


def _table(trial: TrialDocument) -> Table:
    latency = trial.latency_ms
    heads = [Column("", "left")] + [Column(name, rank=_RANKS.get(name, 0)) for name in _QUANTILES]
    kinds = (("response", latency.response, ""), ("service", latency.service, "service_"))
    rows = []
    for label, times, prefix in kinds:
        if times is None:
            continue
        rows.append(_row(label, times))
        spans = [_interval(trial.estimates.get(prefix + name)) for name in _QUANTILES]
        if any(cell.text for cell in spans):
            rows.append((Cell("95 % interval", "quiet"), *spans))
    if latency.failed is not None:
        rows.append(_row("failed", latency.failed))
    if trial.session_ms:
        rows.append(_row("whole session", trial.session_ms))
    notes = [] if latency.good is None else [f"{numbers.count(latency.good.count)} good answers"]
    # Only warnings of the measures in this table: other measures have theirs where they are shown.
    shown = [trial.estimates.get(prefix + name) for _, _, prefix in kinds for name in _QUANTILES]
    notes += dict.fromkeys(text for estimate in shown if estimate for text in estimate.warnings)
    return Table(tuple(heads), tuple(rows), caption="In the measured part", notes=tuple(notes))


def _row(label: str, times: TimesDocument) -> tuple[Cell, ...]:
    return (Cell(label), *(_cell(times, name) for name in _QUANTILES))


def _cell(times: TimesDocument | None, name: str) -> Cell:
    return Cell(numbers.amount(None if times is None else times.seconds(name), "s"))


def _interval(estimate: Estimate | None) -> Cell:
    if estimate is None or estimate.low is None or estimate.high is None:
        return Cell("")
    return Cell(numbers.span(estimate.value, estimate.low, estimate.high, estimate.unit), "quiet")


def _routes(trial: TrialDocument) -> Table:
    names = ("p50", "p95", "p99", "max")
    heads = [Column("route", "left"), Column("requests"), Column("rate", rank=2), Column("errors")]
    heads += [Column(name, rank=1 if name == "max" else 0) for name in names]
    listed = [(name, route, "") for name, route in trial.routes.items()]
    listed += [(name, route, "login, a class of its own") for name, route in trial.login.items()]
    rows = []
    for name, route, note in listed:
        failed = (route.count - route.ok) / route.count if route.count else None
        rows.append(
            (
                Cell(name, note=note),
                Cell(f"{route.count:,}"),
                Cell(numbers.amount(route.rps, "1/s")),
                Cell(numbers.amount(failed, "1"), "bad" if failed else "plain"),
                *(_cell(route.latency_ms.good, quantile) for quantile in names),
            )
        )
    return Table(tuple(heads), tuple(rows), caption=f"Routes, {trial.times_kind} time")

"""How long answers took: the table, over time, and how they lie."""

from collections.abc import Mapping

from loadrig._native import Histogram
from loadrig.report import numbers
from loadrig.report.figures import latency_bands, latency_heatmap, percentile_plot
from loadrig.report.model import Block, Cell, Column, PerView, Section, Table
from loadrig.report.run import Json, Run, TrialView

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
        if run.trial.get("imported")
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
    blocks: list[Block] = [_table(view.result)]
    if time.t_s:
        blocks.append(latency_bands.draw(view.id, time))
        heat = latency_heatmap.draw(view.id, time, _kind(view.result))
        plot = percentile_plot.draw(view.id, _histograms(view, run))
        blocks += [figure for figure in (heat, plot) if figure is not None]
    routes = view.result.get("routes") or {}
    if len(routes) > 1 or view.result.get("login"):
        blocks.append(_routes(view.result))
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


def _table(trial: Json) -> Table:
    latency, estimates = trial.get("latency_ms") or {}, trial.get("estimates") or {}
    heads = [Column("", "left")] + [Column(name, rank=_RANKS.get(name, 0)) for name in _QUANTILES]
    rows = []
    for kind, label in (("response", "response"), ("service", "service"), ("failed", "failed")):
        figures = latency.get(kind) or {}
        if not any(value is not None for value in figures.values()):
            continue
        rows.append((Cell(label), *(_cell(figures.get(name)) for name in _QUANTILES)))
        if kind != "failed":
            prefix = "" if kind == "response" else "service_"
            spans = [_interval(estimates, prefix, name) for name in _QUANTILES]
            if any(cell.text for cell in spans):
                rows.append((Cell("95 % interval", "quiet"), *spans))
    session = trial.get("session_ms") or {}
    if session:
        rows.append((Cell("whole session"), *(_cell(session.get(name)) for name in _QUANTILES)))
    n = (latency.get(_kind(trial)) or {}).get("count")
    notes = [f"{numbers.count(n)} good answers"] if n else []
    # Only warnings of the measures in this table: other measures have theirs where they are shown.
    shown = [estimates.get(prefix + name) for prefix in ("", "service_") for name in _QUANTILES]
    notes += dict.fromkeys(text for estimate in shown if estimate for text in estimate.get("warnings") or ())
    return Table(tuple(heads), tuple(rows), caption="In the measured part", notes=tuple(notes))


def _kind(trial: Json) -> str:
    """Return the kind of times that tells how long answers took."""
    return "service" if trial.get("imported") else "response"


def _cell(value_ms: float | None) -> Cell:
    return Cell(numbers.amount(None if value_ms is None else value_ms / 1e3, "s"))


def _interval(estimates: Json, prefix: str, name: str) -> Cell:
    for spelled in (name, name.replace(".", "_")):
        estimate = estimates.get(prefix + spelled)
        if estimate and estimate.get("low") is not None and estimate.get("high") is not None:
            return Cell(
                numbers.span(estimate["value"], estimate["low"], estimate["high"], estimate["unit"]), "quiet"
            )
    return Cell("")


def _routes(trial: Json) -> Table:
    names = ("p50", "p95", "p99", "max")
    heads = [Column("route", "left"), Column("requests"), Column("rate", rank=2), Column("errors")]
    heads += [Column(name, rank=1 if name == "max" else 0) for name in names]
    rows = []
    listed = [(name, route, "") for name, route in (trial.get("routes") or {}).items()]
    listed += [
        (name, route, "login, a class of its own") for name, route in (trial.get("login") or {}).items()
    ]
    for name, route, note in listed:
        latency = (route.get("latency_ms") or {}).get(_kind(trial)) or {}
        outcomes = route.get("outcomes") or {}
        count = route.get("count") or sum(outcomes.values())
        failed = (count - outcomes.get("ok", 0)) / count if count else None
        rows.append(
            (
                Cell(name, note=note),
                Cell(f"{count:,}"),
                Cell(numbers.amount(route.get("rps"), "1/s")),
                Cell(numbers.amount(failed, "1"), "bad" if failed else "plain"),
                *(_cell(latency.get(quantile)) for quantile in names),
            )
        )
    return Table(tuple(heads), tuple(rows), caption=f"Routes, {_kind(trial)} time")

"""Every tier on one time axis: the load and its latency first, then a strip for each tier."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import TypeAlias

from loadrig.base.component import HOST, SERVER
from loadrig.language.choice import texts_of
from loadrig.language.en.report.figures.tier_strips import TierStripTexts
from loadrig.report import numbers
from loadrig.report.figures import _time
from loadrig.report.figures._strips import STRIPS, Pick, Strip
from loadrig.report.model import Cell, Figure, Table
from loadrig.report.strips import Observed, StripBand
from loadrig.report.tables import left, right, table_of
from loadrig.report.timeline import Timeline

TEXTS = texts_of(TierStripTexts)

MOST_LINES = 5
MOST_PANELS_A_TIER = 10
"""Number of panels of a tier at most: more are scrolled past; the table holds every metric."""

_BUSY = ("user_s", "nice_s", "system_s", "irq_s", "softirq_s", "steal_s")
_LOOKS: tuple[tuple[_time.Colour, tuple[int, ...]], ...] = (
    ("blue", ()),
    ("orange", (6, 4)),
    ("green", (2, 3)),
    ("purple", (8, 3, 2, 3)),
    ("red", (4, 2)),
)
_HEIGHT = 92


_Tiers: TypeAlias = Mapping[str, Sequence[Observed]]
"""Series observed of each tier, in the order in which they are shown."""


def draw(view: str, time: Timeline, titles: dict[str, str]) -> Figure | None:
    """Return the load's panels, then each tier's; None if nothing was observed. titles: of tiers, by name."""
    if not time.observed:
        return None
    tiers = _tiers(time.observed)
    panels = _load(time)
    for name, series in tiers.items():
        drawn = _strips(series, time)
        if drawn:
            headed = drawn[0].options | {"heading": titles.get(name, name)}
            drawn[0] = replace(drawn[0], options=headed)
        panels += drawn
    return _time.figure(
        "tiers",
        view,
        time,
        TEXTS.title,
        TEXTS.about,
        panels,
        _table(time, tiers),
        columns=2,
    )


def order(component: str) -> tuple[int, str]:
    """Return the sort key of a component: the server first, then what it talks to, the hosts last."""
    place = 0 if component == SERVER else 2 if component.rpartition("/")[2] == HOST else 1
    return place, component


def _tiers(observed: Iterable[Observed]) -> _Tiers:
    by_tier: dict[str, list[Observed]] = {}
    for series in observed:
        by_tier.setdefault(series.component, []).append(series)
    return {name: (*_busy(by_tier[name]), *by_tier[name]) for name in sorted(by_tier, key=order)}


def _load(time: Timeline) -> list[_time.ChartPanel]:
    """Return requests a second and latency, for the eye to compare with."""
    rates = [
        _time.band_line(label, "1/s", band, colour, time.merged, dash=dash)
        for (band, label), (colour, dash) in zip(
            ((time.rates.answered, TEXTS.answered), (time.rates.failed, TEXTS.failed)), _LOOKS, strict=False
        )
        if band.mean
    ]
    latencies = [
        _time.ChartLine(name, "s", values, colour, dash=dash)
        for (name, values), (colour, dash) in zip(_latencies(time).items(), _LOOKS, strict=False)
    ]
    panels = []
    if rates:
        panels.append(
            _time.panel(
                rates, title=TEXTS.load, about=TEXTS.answers_a_second, height=_HEIGHT, heading=TEXTS.load
            )
        )
    if latencies:
        panels.append(
            _time.panel(latencies, title=TEXTS.latency, about=TEXTS.of_good_answers, height=_HEIGHT, log=True)
        )
    return panels


def _latencies(time: Timeline) -> dict[str, tuple[float | None, ...]]:
    # Another tool's results have service times only.
    shown = time.times.response if time.times.response.has_values else time.times.service
    quantiles = {"p50": shown.p50, "p99": shown.p99}
    return {name: values for name, values in quantiles.items() if any(value is not None for value in values)}


def _strips(observed: Sequence[Observed], time: Timeline) -> list[_time.ChartPanel]:
    panels = []
    # Hundreds of patterns meet hundreds of series; nearly all patterns name one probe.
    by_probe: dict[str, list[Observed]] = {}
    for series in observed:
        by_probe.setdefault(series.probe, []).append(series)
    for strip in STRIPS:
        lines = _lines(strip, by_probe)
        if lines and (strip.is_always or any(_moves(series) for _, series in lines)):
            panels.append(_panel(strip, lines, time))
        if len(panels) == MOST_PANELS_A_TIER:
            break
    return panels


def _lines(strip: Strip, by_probe: Mapping[str, Sequence[Observed]]) -> list[tuple[str, Observed]]:
    """Return what a strip shows of a tier, with labels: as many subjects of each pick as have room.

    by_probe: all that was observed of the tier, by the probe that saw it.
    """
    lines: list[tuple[str, Observed]] = []
    for pick in strip.picks:
        probe = pick.metric.partition(".")[0]
        named = [probe] if probe in by_probe else by_probe if set(probe) & set("*?[") else ()
        candidates = (series for name in named for series in by_probe[name])
        matching = sorted((series for series in candidates if _matches(pick, series)), key=_top, reverse=True)
        room = MOST_LINES - len(lines)
        lines += [(_label(pick, series), series) for series in matching[: min(room, pick.most)]]
    return lines


def _matches(pick: Pick, series: Observed) -> bool:
    metric = f"{series.probe}.{series.metric}"
    return fnmatchcase(metric, pick.metric) and fnmatchcase(series.subject, pick.subject)


def _label(pick: Pick, series: Observed) -> str:
    subject = series.subject.removeprefix("pool:").removeprefix("state:")
    if not pick.label:
        return subject or series.metric.removesuffix("_s").removesuffix("_bytes").replace("_", " ")
    return pick.label.replace("*", subject)


def _panel(strip: Strip, lines: Sequence[tuple[str, Observed]], time: Timeline) -> _time.ChartPanel:
    drawn = [
        _time.band_line(label, series.unit, series.band, look[0], time.merged, dash=look[1])
        for (label, series), look in zip(lines, _LOOKS, strict=False)
    ]
    return _time.panel(drawn, title=strip.title, about=strip.about or lines[0][1].doc, height=_HEIGHT)


def _busy(observed: Sequence[Observed]) -> list[Observed]:
    """Return the cores in use by all together, per core: the sum of what the kernel counts apart."""
    parts: dict[str, list[Observed]] = {}
    for series in observed:
        if series.probe == "system_cpu" and series.metric in _BUSY:
            parts.setdefault(series.subject, []).append(series)
    return [
        Observed(
            "system_cpu",
            "busy",
            subject,
            "cores",
            TEXTS.busy,
            _sum([part.band for part in kinds]),
            kinds[0].component,
        )
        for subject, kinds in parts.items()
    ]


def _sum(bands: Sequence[StripBand]) -> StripBand:
    def added(values: Sequence[Sequence[float | None]]) -> tuple[float | None, ...]:
        rows = zip(*values, strict=True)
        return tuple(
            None if None in row else sum(value for value in row if value is not None) for row in rows
        )

    ends = [(band.mean, band.low, band.high) for band in bands]
    return StripBand(*(added(values) for values in zip(*ends, strict=True)))


def _moves(series: Observed) -> bool:
    values = {value for value in series.band.mean if value is not None}
    return len(values) > 1 or any(values)


def _top(series: Observed) -> float:
    return max((value for value in series.band.high if value is not None), default=0.0)


def _table(time: Timeline, tiers: _Tiers) -> Table:
    rows = [
        (series, (values[0], values[len(values) // 2], values[-1]), name)
        for name, observed in tiers.items()
        for series in sorted(observed, key=lambda series: (series.probe, series.metric, series.subject))
        if any(values := time.measured_values(series.band.mean))
    ]
    return table_of(
        rows,
        left(TEXTS.tier, lambda row: row[2]),
        left(TEXTS.metric, lambda row: Cell(f"{row[0].probe}.{row[0].metric}", note=row[0].doc)),
        left(TEXTS.subject, lambda row: row[0].subject or TEXTS.whole),
        right(TEXTS.least, lambda row: numbers.amount(row[1][0], row[0].unit)),
        right(TEXTS.median, lambda row: numbers.amount(row[1][1], row[0].unit)),
        right(TEXTS.greatest, lambda row: numbers.amount(row[1][2], row[0].unit)),
        caption=TEXTS.caption,
        notes=(TEXTS.note,),
        folded=True,
    )

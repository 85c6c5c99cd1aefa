"""Every tier on one time axis: the load and its latency first, then a strip for each tier."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from loadrig.base.component import HOST, SERVER
from loadrig.report import numbers
from loadrig.report.figures import _time
from loadrig.report.figures._strips import STRIPS, Pick, Strip
from loadrig.report.model import Cell, Column, Figure, Table
from loadrig.report.strips import Band, Observed
from loadrig.report.timeline import Timeline

MOST_LINES = 5
MOST_PANELS_A_TIER = 10
"""More are scrolled past; the table holds every metric."""

_BUSY = ("user_s", "nice_s", "system_s", "irq_s", "softirq_s", "steal_s")
_LOOKS: tuple[tuple[_time.Colour, tuple[int, ...]], ...] = (
    ("blue", ()),
    ("orange", (6, 4)),
    ("green", (2, 3)),
    ("purple", (8, 3, 2, 3)),
    ("red", (4, 2)),
)
_HEIGHT = 92


@dataclass(frozen=True, slots=True)
class _Seen:
    """What was observed of one tier, in the order in which it is told."""

    component: str
    observed: tuple[Observed, ...]


def draw(view: str, time: Timeline, titles: dict[str, str]) -> Figure | None:
    """The load's panels, then each tier's; None if nothing was observed. titles: of tiers, by name."""
    if not time.observed:
        return None
    tiers = _tiers(time.observed)
    panels = _load(time)
    for tier in tiers:
        drawn = _strips(tier, time)
        if drawn:
            drawn[0]["heading"] = titles.get(tier.component, tier.component)
        panels += drawn
    return _time.figure(
        "tiers",
        view,
        "Every tier over time",
        "The load and its latency, and below them each tier on the same axis: the cursor is at the same"
        " instant in all. What stood still is in the table." + _time.merged_note(time),
        panels,
        _table(time, tiers),
        columns=2,
    )


def order(component: str) -> tuple[int, str]:
    """The server first, then what it talks to, the hosts last."""
    place = 0 if component == SERVER else 2 if component.rpartition("/")[2] == HOST else 1
    return place, component


def _tiers(observed: Iterable[Observed]) -> list[_Seen]:
    found: dict[str, list[Observed]] = {}
    for each in observed:
        found.setdefault(each.component, []).append(each)
    return [_Seen(name, (*_busy(found[name]), *found[name])) for name in sorted(found, key=order)]


def _load(time: Timeline) -> list[dict[str, object]]:
    """Requests a second and latency, for the eye to compare with."""
    rates = [
        _time.band_line(label, "1/s", band, colour, time.merged, dash=dash)
        for (label, band), (colour, dash) in zip(_rates(time).items(), _LOOKS, strict=False)
    ]
    latencies = [
        _time.line(name, "s", values, colour, dash=dash)
        for (name, values), (colour, dash) in zip(_latencies(time).items(), _LOOKS, strict=False)
    ]
    made = []
    if rates:
        made.append(
            _time.panel(rates, title="Load", about="answers a second", height=_HEIGHT, heading="Load")
        )
    if latencies:
        made.append(
            _time.panel(latencies, title="Latency", about="of good answers", height=_HEIGHT, log=True)
        )
    return made


def _rates(time: Timeline) -> dict[str, Band]:
    return {name: time.rates[name] for name in ("answered", "failed") if name in time.rates}


def _latencies(time: Timeline) -> dict[str, tuple[float | None, ...]]:
    for kind in ("response", "service"):  # of another tool's results there are only the latter
        found = time.quantiles.get(kind, {})
        if any(v is not None for v in found.get("p50", ())):
            return {name: found[name] for name in ("p50", "p99") if any(v is not None for v in found[name])}
    return {}


def _strips(tier: _Seen, time: Timeline) -> list[dict[str, object]]:
    made = []
    # Hundreds of patterns meet hundreds of series; nearly all patterns name one probe.
    by_probe: dict[str, list[Observed]] = {}
    for each in tier.observed:
        by_probe.setdefault(each.probe, []).append(each)
    for strip in STRIPS:
        lines = _lines(strip, by_probe)
        if lines and (strip.is_always or any(_moves(each) for _, each in lines)):
            made.append(_panel(strip, lines, time))
        if len(made) == MOST_PANELS_A_TIER:
            break
    return made


def _lines(strip: Strip, by_probe: Mapping[str, Sequence[Observed]]) -> list[tuple[str, Observed]]:
    """What of a tier a strip shows, with its label: as many subjects of each pick as there is room for.

    by_probe: all that was observed of the tier, by the probe that saw it.
    """
    found: list[tuple[str, Observed]] = []
    for pick in strip.picks:
        probe = pick.metric.partition(".")[0]
        named = [probe] if probe in by_probe else by_probe if set(probe) & set("*?[") else ()
        candidates = (each for name in named for each in by_probe[name])
        matching = sorted((each for each in candidates if _matches(pick, each)), key=_top, reverse=True)
        room = MOST_LINES - len(found)
        found += [(_label(pick, each), each) for each in matching[: min(room, pick.most)]]
    return found


def _matches(pick: Pick, each: Observed) -> bool:
    metric = f"{each.probe}.{each.metric}"
    return fnmatchcase(metric, pick.metric) and fnmatchcase(each.subject, pick.subject)


def _label(pick: Pick, each: Observed) -> str:
    subject = each.subject.removeprefix("pool:").removeprefix("state:")
    if not pick.label:
        return subject or each.metric.removesuffix("_s").removesuffix("_bytes").replace("_", " ")
    return pick.label.replace("*", subject)


def _panel(strip: Strip, lines: Sequence[tuple[str, Observed]], time: Timeline) -> dict[str, object]:
    drawn = [
        _time.band_line(label, each.unit, each.band, look[0], time.merged, dash=look[1])
        for (label, each), look in zip(lines, _LOOKS, strict=False)
    ]
    return _time.panel(drawn, title=strip.title, about=strip.about or lines[0][1].doc, height=_HEIGHT)


def _busy(observed: Sequence[Observed]) -> list[Observed]:
    """Cores in use by others and us together, per core: the sum of what the kernel counts apart."""
    parts: dict[str, list[Observed]] = {}
    for each in observed:
        if each.probe == "system_cpu" and each.metric in _BUSY:
            parts.setdefault(each.subject, []).append(each)
    return [
        Observed(
            "system_cpu",
            "busy",
            subject,
            "cores",
            "Time not idle, per core.",
            _sum([part.band for part in found]),
            found[0].component,
        )
        for subject, found in parts.items()
    ]


def _sum(bands: Sequence[Band]) -> Band:
    def added(values: Sequence[Sequence[float | None]]) -> tuple[float | None, ...]:
        rows = zip(*values, strict=True)
        return tuple(
            None if None in row else sum(value for value in row if value is not None) for row in rows
        )

    return Band(
        added([band.mean for band in bands]),
        added([band.low for band in bands]),
        added([band.high for band in bands]),
    )


def _moves(each: Observed) -> bool:
    values = {value for value in each.band.mean if value is not None}
    return len(values) > 1 or any(values)


def _top(each: Observed) -> float:
    return max((value for value in each.band.high if value is not None), default=0.0)


def _table(time: Timeline, tiers: Sequence[_Seen]) -> Table:
    rows = []
    for tier in tiers:
        for each in sorted(tier.observed, key=lambda one: (one.probe, one.metric, one.subject)):
            known = sorted(
                v for i in time.inside if i < len(each.band.mean) and (v := each.band.mean[i]) is not None
            )
            if not known or not any(known):
                continue
            rows.append(
                (
                    Cell(tier.component),
                    Cell(f"{each.probe}.{each.metric}", note=each.doc),
                    Cell(each.subject or "whole"),
                    *(
                        Cell(numbers.amount(value, each.unit))
                        for value in (known[0], known[len(known) // 2], known[-1])
                    ),
                )
            )
    heads = (
        Column("tier", "left"),
        Column("metric", "left"),
        Column("of", "left"),
        Column("least"),
        Column("median"),
        Column("greatest"),
    )
    notes = ("What was zero all the time is left out; series.parquet has it.",)
    return Table(
        heads, tuple(rows), caption="What the probes read, in the measured part", notes=notes, folded=True
    )

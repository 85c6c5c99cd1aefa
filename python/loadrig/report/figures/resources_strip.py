"""What the probes saw of the server and its host: small charts, one a metric, on the same axis."""

from collections.abc import Sequence

from loadrig.report import numbers
from loadrig.report.figures import _time
from loadrig.report.model import Cell, Column, Figure, Table
from loadrig.report.timeline import Band, Observed, Timeline

# More panels than this are scrolled past; the table holds every metric.
MOST_PANELS = 12
MOST_LINES = 5
# What a reader looks for first, then what explains it. Metrics of other probes follow.
_FIRST = (
    "process.cpu_s",
    "system_cpu.busy",
    "cgroup.throttled_s",
    "process.run_delay_s",
    "process.pss_bytes",
    "memory.available_bytes",
    "process.threads",
    "process.processes",
    "tcp_sockets.established",
    "tcp_sockets.time_wait",
    "tcp_sockets.accept_queue",
    "process.fds",
    "system_cpu.steal_s",
    "system_cpu.stalled_s",
)
# Rooms of the same house: shown whole by one of the above, or too slow or too plain to look at.
_TABLE_ONLY = ("system_cpu.", "memory.", "tcp_sockets.", "process.", "cgroup.")
_BUSY = ("user_s", "nice_s", "system_s", "irq_s", "softirq_s", "steal_s")
_LOOKS: tuple[tuple[_time.Colour, tuple[int, ...]], ...] = (
    ("blue", ()),
    ("orange", (6, 4)),
    ("green", (2, 3)),
    ("purple", (8, 3, 2, 3)),
    ("red", (4, 2)),
)


def draw(view: str, time: Timeline) -> Figure | None:
    """One panel a metric, its busiest subjects as lines; None if nothing was observed."""
    metrics: dict[tuple[str, str], list[Observed]] = {}
    for each in (*_busy(time.observed), *time.observed):
        metrics.setdefault((each.probe, each.metric), []).append(each)
    if not metrics:
        return None
    moving = [seen for key, seen in sorted(metrics.items(), key=_order) if _is_drawn(key) and _moves(seen)]
    panels = [
        _time.panel(
            [_line(each, time, look) for each, look in zip(_busiest(seen), _LOOKS, strict=False)],
            title=_title(seen),
            about=seen[0].doc,
            height=104,
        )
        for seen in moving[:MOST_PANELS]
    ]
    if not panels:
        return None
    note = " Metrics that stood still, and subjects beyond the busiest, are in the table."
    return _time.figure(
        "resources",
        view,
        "Server and host over time",
        "What the probes read of the server's processes and of its host." + note + _time.merged_note(time),
        panels,
        _table(time, metrics),
        columns=2,
    )


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


def _is_drawn(key: tuple[str, str]) -> bool:
    name = ".".join(key)
    return name in _FIRST or not name.startswith(_TABLE_ONLY)


def _order(item: tuple[tuple[str, str], list[Observed]]) -> tuple[int, str, str]:
    (probe, metric), _ = item
    name = f"{probe}.{metric}"
    return (_FIRST.index(name) if name in _FIRST else len(_FIRST), probe, metric)


def _moves(seen: Sequence[Observed]) -> bool:
    values = [value for each in seen for value in each.band.mean if value is not None]
    return bool(values) and max(values) > min(0.0, *values) and len(set(values)) > 1


def _busiest(seen: Sequence[Observed]) -> list[Observed]:
    """The whole ("tree" or "") first, then the subjects with the greatest readings."""

    def key(each: Observed) -> tuple[bool, float, str]:
        top = max((value for value in each.band.high if value is not None), default=0.0)
        return (each.subject not in ("", "tree"), -top, each.subject)

    return sorted(seen, key=key)[:MOST_LINES]


def _line(each: Observed, time: Timeline, look: tuple[_time.Colour, tuple[int, ...]]) -> dict[str, object]:
    label = each.subject or "whole"
    return _time.band_line(label, each.unit, each.band, look[0], time.merged, dash=look[1])


def _title(seen: Sequence[Observed]) -> str:
    metric = seen[0].metric.removesuffix("_s").removesuffix("_bytes")
    return f"{seen[0].probe} {metric}".replace("_", " ")


def _table(time: Timeline, metrics: dict[tuple[str, str], list[Observed]]) -> Table:
    rows = []
    for (probe, metric), seen in sorted(metrics.items(), key=_order):
        for each in _busiest(seen):
            known = sorted(
                v for i in time.inside if i < len(each.band.mean) and (v := each.band.mean[i]) is not None
            )
            three = (known[0], known[len(known) // 2], known[-1]) if known else (None, None, None)
            rows.append(
                (
                    Cell(f"{probe}.{metric}", note=each.doc),
                    Cell(each.subject or "whole"),
                    *(Cell(numbers.amount(value, each.unit)) for value in three),
                )
            )
    heads = (
        Column("metric", "left"),
        Column("of", "left"),
        Column("least"),
        Column("median"),
        Column("greatest"),
    )
    return Table(heads, tuple(rows), caption="What the probes read, in the measured part", folded=True)

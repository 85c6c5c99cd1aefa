"""What programs spend their CPU time on: a bar a component, divided by classes of work."""

from typing import Any

from loadrig.base.units import show_share
from loadrig.profilers._cpu_document import ComponentTime, CpuTimeDocument
from loadrig.profilers._cpu_time import class_words
from loadrig.report import top_frames
from loadrig.report.model import Cell, Column, Figure, Table

TITLE = "CPU time by what it was spent on"

LEAST_SHARE = 0.004
"""Share below which a part is not drawn: it would be narrower than a line."""


def draw(view: str, cpu_time: CpuTimeDocument) -> Figure | None:
    """Return the bars; None where no component was profiled."""
    bars = [_bar(name, component) for name, component in cpu_time.components.items() if component.classes]
    if not bars:
        return None
    about = (
        "Each bar is the CPU time that was seen, divided by what it was spent on. Own code is the program's,"
        " with what the language does for it; other is by the name of its library."
    )
    seen = {part["class"]: part["words"] for bar in bars for part in bar["parts"]}
    key = [{"class": name, "words": words.partition(" (")[0]} for name, words in seen.items()]
    return Figure(f"cpu-{view}", "cpu", TITLE, about, {"bars": bars, "key": key}, table(cpu_time))


def table(cpu_time: CpuTimeDocument) -> Table:
    """Return a table of every class of every component."""
    rows = tuple(
        (
            Cell(name),
            Cell(part.words),
            Cell(top_frames.share(part.share)),
            Cell(f"{show_share(part.interval[0])} – {show_share(part.interval[1])}"),
            Cell(f"{part.samples:,}"),
            Cell(", ".join(f"{row.name} {top_frames.share(row.share)}" for row in part.names)),
        )
        for name, component in cpu_time.components.items()
        for part in component.classes
    )
    heads = (
        Column("component", "left"),
        Column("CPU time spent on", "left"),
        Column("share"),
        Column("95 %", rank=1),
        Column("samples", rank=1),
        Column("of it", "left", rank=2),
    )
    return Table(heads, rows)


def _bar(name: str, component: ComponentTime) -> dict[str, Any]:
    at, parts = 0.0, []
    for part in component.classes:
        if part.share >= LEAST_SHARE:
            words = class_words(part)
            parts.append(
                {
                    "class": part.work,
                    "from": round(at, 4),
                    "share": part.share,
                    "words": words,
                    "text": f"{name}: {show_share(part.share)} {words}, {part.samples:,} samples",
                }
            )
        at += part.share
    note = f"{component.samples:,} samples by {component.profiler}"
    return {"name": name, "note": note, "parts": parts}

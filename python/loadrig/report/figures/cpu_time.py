"""CPU time of programs by what it was spent on: a bar a component, divided by classes of work."""

from typing import Any

from loadrig.base.units import show_share
from loadrig.language.choice import texts_of
from loadrig.language.en.report.figures.cpu_time import CpuTimeFigureTexts
from loadrig.profilers._cpu_document import ComponentTime, CpuTimeDocument, NamedTime
from loadrig.profilers._cpu_time import class_words
from loadrig.report import top_frames
from loadrig.report.model import Figure, Table
from loadrig.report.tables import left, right, table_of

TEXTS = texts_of(CpuTimeFigureTexts)

TITLE = TEXTS.title

LEAST_SHARE = 0.004
"""Share below which a part is not drawn: it would be narrower than a line."""


def draw(view: str, cpu_time: CpuTimeDocument) -> Figure | None:
    """Return the bars; None where no component was profiled."""
    bars = [_bar(name, component) for name, component in cpu_time.components.items() if component.classes]
    if not bars:
        return None
    words_of = {part["class"]: part["words"] for bar in bars for part in bar["parts"]}
    key = [{"class": name, "words": words.partition("(")[0].rstrip()} for name, words in words_of.items()]
    return Figure(f"cpu-{view}", "cpu", TITLE, TEXTS.about, {"bars": bars, "key": key}, table(cpu_time))


def table(cpu_time: CpuTimeDocument) -> Table:
    """Return a table of every class of every component."""
    return table_of(
        [(name, part) for name, component in cpu_time.components.items() for part in component.classes],
        left(TEXTS.component, lambda row: row[0]),
        left(TEXTS.spent_on, lambda row: row[1].words),
        right(TEXTS.share, lambda row: top_frames.share(row[1].share)),
        right("95 %", lambda row: " – ".join(map(show_share, row[1].interval)), 1),
        right(TEXTS.samples, lambda row: f"{row[1].samples:,}", 1),
        left(TEXTS.of_it, lambda row: ", ".join(map(_named_share, row[1].names)), 2),
    )


def _named_share(part: NamedTime) -> str:
    return f"{part.name} {top_frames.share(part.share)}"


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
                    "text": TEXTS.part(name, show_share(part.share), words, f"{part.samples:,}"),
                }
            )
        at += part.share
    note = TEXTS.samples_by(f"{component.samples:,}", component.profiler)
    return {"name": name, "note": note, "parts": parts}

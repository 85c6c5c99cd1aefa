"""What the servers said under load: facts that stand, and templates of their log lines."""

from collections.abc import Iterator, Mapping

from loadrig.base.printable import in_one_line
from loadrig.report import numbers
from loadrig.report.model import Block, Cell, Code, Column, Paragraph, PerView, Section, Table
from loadrig.report.run import Run
from loadrig.trial.document import LogFact, LogTemplate, ServerLog

ORDER = 65
TITLE = "What the servers said under load"

MOST_TOLD = 3
"""Number of lines on a terminal."""

MOST_ROWS = 15
"""Number of templates of a component on the page; the trial's JSON has more."""

_WIDEST = 96
"""Columns of a line on a terminal; the page has all of the line."""

_GRAVE = ("fatal", "error", "warning")
_UNITS = {"s": " s", "ms": " ms", "bytes": " B"}


def build(run: Run) -> Section | None:
    """Return facts and templates by component; None where no log said anything under load."""
    logs = {view.id: view.trial.server_logs for view in run.views}
    if not any(logs.values()):
        return None
    blocks = {view: tuple(_blocks(parts)) for view, parts in logs.items()}
    terminal = {view: tuple(_first_lines(parts)) for view, parts in logs.items()}
    return Section(
        "server-logs", TITLE, (PerView(blocks),), in_text=run.study is None, told=(PerView(terminal),)
    )  # fmt: skip


def _blocks(logs: Mapping[str, ServerLog]) -> Iterator[Block]:
    facts = [(name, fact) for name, log in logs.items() for fact in log.facts]
    if facts:
        heads = (
            Column("tier", "left"),
            Column("resource", "left"),
            Column("what it said", "left"),
            Column("lines"),
            Column("from", rank=1),
            Column("to", rank=1),
        )
        yield Table(heads, tuple(_fact_row(name, fact) for name, fact in facts), caption="Facts")
    for name, log in logs.items():
        if log.templates:
            heads = (
                Column("level", "left"),
                Column("lines that read", "left"),
                Column("lines"),
                Column("from", rank=1),
                Column("to", rank=1),
                Column("log", "left", rank=2),
            )
            yield Table(
                heads,
                tuple(map(_template_row, log.templates[:MOST_ROWS])),
                caption=f"Log of {in_one_line(name)}, what varies left out",
                folded=not any(template.level in _GRAVE for template in log.templates),
            )
        for sentence in log.unread:
            yield Paragraph(in_one_line(sentence), size="note")


def _fact_row(name: str, fact: LogFact) -> tuple[Cell, ...]:
    return (
        Cell(in_one_line(name)),
        Cell(in_one_line(fact.resource)),
        Cell(in_one_line(fact.text), note=_numbers(fact)),
        Cell(f"{fact.count:,}"),
        Cell(_instant(fact.first_s)),
        Cell(_instant(fact.last_s)),
    )


def _template_row(template: LogTemplate) -> tuple[Cell, ...]:
    level = template.level
    return (
        Cell(level, "bad" if level in ("fatal", "error") else "warn" if level == "warning" else "quiet"),
        Cell(in_one_line(template.text)),
        Cell(f"{template.count:,}"),
        Cell(_instant(template.first_s)),
        Cell(_instant(template.last_s)),
        Cell(in_one_line(template.source), "quiet"),
    )


def _instant(seconds: float) -> str:
    return numbers.amount(max(0.0, seconds), "s")


def _numbers(fact: LogFact) -> str:
    """Return the numbers of the last line of a fact: "size 5, overflow 10, timeout 30 s"."""
    return ", ".join(_number(name, value) for name, value in fact.numbers.items())


def _number(name: str, value: float) -> str:
    words, _, unit = name.rpartition("_")
    known = _UNITS.get(unit) if words else None
    shown = words if known is not None else name
    return f"{in_one_line(shown.replace('_', ' '))} {value:g}{known or ''}"


def _first_lines(logs: Mapping[str, ServerLog]) -> Iterator[Block]:
    """Yield at most MOST_TOLD lines as one block: facts, or else templates of errors."""
    lines = []
    for name, log in logs.items():
        for fact in log.facts:
            about = f" ({_numbers(fact)})" if fact.numbers else ""
            lines.append((fact.count, f"{name} · {fact.text}{about}"))
    if not lines:
        lines = [
            (template.count, f"{name} · {template.text}")
            for name, log in logs.items()
            for template in log.templates
            if template.level in ("fatal", "error")
        ]
    lines.sort(key=lambda line: -line[0])
    if lines:
        # As one block: paragraphs would have an empty line between them.
        yield Code("\n".join(_fitted(count, text) for count, text in lines[:MOST_TOLD]))


def _fitted(count: int, text: str) -> str:
    line = f"{count:,} × {in_one_line(text)}"
    return line if len(line) <= _WIDEST else line[: _WIDEST - 1] + "…"

"""Section on what the servers said under load: facts that stand, and templates of their log lines."""

from collections.abc import Iterator, Mapping

from loadrig.base.printable import in_one_line
from loadrig.language.choice import texts_of
from loadrig.language.en.report.sections import ServerLogsSectionTexts
from loadrig.report import numbers
from loadrig.report.model import Block, Cell, Code, Paragraph, PerView, Section, Tone
from loadrig.report.run import Run
from loadrig.report.tables import left, right, table_of
from loadrig.trial.document import LogFact, ServerLog

TEXTS = texts_of(ServerLogsSectionTexts)

ORDER = 65
TITLE = TEXTS.title

MOST_TOLD = 3
"""Number of lines on a terminal."""

MOST_ROWS = 15
"""Number of templates of a component on the page; the trial's JSON has more."""

_WIDEST = 96
"""Columns of a line on a terminal; the page has all of the line."""

_TONES: Mapping[str, Tone] = {"fatal": "bad", "error": "bad", "warning": "warn"}
"""Tones of the levels that are grave."""

_UNITS = {"s": " s", "ms": " ms", "bytes": " B"}


def build(run: Run) -> Section | None:
    """Return facts and templates by component; None where no log said anything under load."""
    logs = {view.id: view.trial.server_logs for view in run.views}
    if not any(logs.values()):
        return None
    blocks = {view: tuple(_blocks(parts)) for view, parts in logs.items()}
    terminal = {view: tuple(_first_lines(parts)) for view, parts in logs.items()}
    return Section(
        "server-logs", TITLE, (PerView(blocks),), in_text=run.study is None, terminal=(PerView(terminal),)
    )  # fmt: skip


def _blocks(logs: Mapping[str, ServerLog]) -> Iterator[Block]:
    facts = [(in_one_line(name), fact) for name, log in logs.items() for fact in log.facts]
    if facts:
        yield table_of(
            facts,
            left("tier", lambda row: row[0]),
            left("resource", lambda row: in_one_line(row[1].resource)),
            left(TEXTS.what, lambda row: Cell(in_one_line(row[1].text), note=_numbers(row[1]))),
            right("lines", lambda row: f"{row[1].count:,}"),
            right("from", lambda row: _instant(row[1].first_s), 1),
            right("to", lambda row: _instant(row[1].last_s), 1),
            caption="Facts",
        )
    for name, log in logs.items():
        if log.templates:
            yield table_of(
                log.templates[:MOST_ROWS],
                left("level", lambda template: Cell(template.level, _TONES.get(template.level, "quiet"))),
                left(TEXTS.lines_read, lambda template: in_one_line(template.text)),
                right("lines", lambda template: f"{template.count:,}"),
                right("from", lambda template: _instant(template.first_s), 1),
                right("to", lambda template: _instant(template.last_s), 1),
                left("log", lambda template: Cell(in_one_line(template.source), "quiet"), 2),
                caption=TEXTS.caption(in_one_line(name)),
                folded=not any(template.level in _TONES for template in log.templates),
            )
        for sentence in log.unread:
            yield Paragraph(in_one_line(sentence), size="note")


def _instant(seconds: float) -> str:
    return numbers.amount(max(0.0, seconds), "s")


def _numbers(fact: LogFact) -> str:
    """Return the numbers of the last line of a fact: "size 5, overflow 10, timeout 30 s"."""
    return ", ".join(_number(name, value) for name, value in fact.numbers.items())


def _number(name: str, value: float) -> str:
    words, _, unit = name.rpartition("_")
    suffix = _UNITS.get(unit) if words else None
    shown = words if suffix is not None else name
    return f"{in_one_line(shown.replace('_', ' '))} {value:g}{suffix or ''}"


def _first_lines(logs: Mapping[str, ServerLog]) -> Iterator[Block]:
    """Yield at most MOST_TOLD lines as one block: facts, or else templates of errors."""
    lines = [
        (fact.count, f"{name} · {fact.text}" + (f" ({_numbers(fact)})" if fact.numbers else ""))
        for name, log in logs.items()
        for fact in log.facts
    ] or [
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

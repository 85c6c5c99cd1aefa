"""Errors that a person can cause: what is wrong, where, why, and how to fix it.

    RigError                     carries one or more Problems and an exit code
    ├── PlanError                the plan or the command line is wrong            (104)
    ├── TargetError              the server failed us                             (120)
    ├── VoidError                the rig itself could not do its work             (111)
    └── Interrupted              Ctrl-C, SIGTERM or SIGHUP                        (105)

Anything else that escapes is a fault of the rig and shows a traceback (70).
"""

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Self

from loadrig.base.error_words import ENGLISH_LABELS, ErrorWords, Labels
from loadrig.base.exits import Exit
from loadrig.base.printable import printable


@dataclass(frozen=True, slots=True)
class Span:
    """A place in a text that the user wrote.

    file: as the user named it ("plan.yaml", "--rate"); line and column count from 1; 0 means
    the whole file. length: how many characters to underline, at least 1.
    text: the source line itself, for showing; empty where there is none.
    """

    file: str
    line: int = 0
    column: int = 0
    length: int = 1
    text: str = ""

    def __lt__(self, other: "Span") -> bool:
        """Compare by file, then by place in the file."""
        ours, theirs = ((span.file, span.line, span.column, span.length, span.text) for span in (self, other))
        return ours < theirs

    def __str__(self) -> str:
        if not self.line:
            return self.file
        return f"{self.file}:{self.line}:{self.column}"


@dataclass(frozen=True, slots=True)
class Problem:
    """Mistake or failure, in the user's words.

    what: one sentence without a full stop, with the value that the user gave.
    mend: what to type or to do to fix it. code: stable, `area.kebab-case`, see `loadrig explain`.
    why: the reason, where it is not plain. where: the place, if the user wrote one.
    detail: lines to show as they are (a server's last log lines).
    """

    what: str
    mend: str
    code: str
    why: str = ""
    where: Span | None = None
    detail: tuple[str, ...] = field(default=())

    @classmethod
    def of(
        cls, wording: ErrorWords, *, code: str, where: Span | None = None, detail: tuple[str, ...] = ()
    ) -> Self:
        """Return the problem that a catalogue's words tell."""
        return cls(wording.what, wording.mend, code, wording.why, where, detail)

    def render(self, labels: Labels = ENGLISH_LABELS) -> str:
        """Return the problem as printed: a first line that can be grepped for, then place, reason and fix."""
        place = f"{self.where}: " if self.where else ""
        lines = [f"{place}{self.what}", ""]
        if self.where and self.where.text:
            lines += _underlined(self.where)
        if self.detail:
            lines += [f"   | {line}" for line in self.detail]
        if self.why:
            lines.append(f"   {self.why}")
        if lines[-1]:
            lines.append("")
        lines.append(f"   {labels.mend}: {self.mend}")
        lines.append(f"   {labels.more}: loadrig explain {self.code}")
        return printable("\n".join(lines))


WIDEST = 100
"""Largest number of characters of a source line that is shown; a longer line is cut around its underlined
part."""


def _underlined(where: Span) -> list[str]:
    """Return the source line and a line of carets under the part that is meant."""
    start = max(0, where.column - 1)
    text, length = where.text.replace("\t", " "), max(1, where.length)
    if len(text) > WIDEST:
        first = max(0, min(start - WIDEST // 3, len(text) - WIDEST))
        text, start = text[first : first + WIDEST], start - first
        if first:
            text = "…" + text[1:]
        if first + WIDEST < len(where.text):
            text = text[:-1] + "…"
        length = max(1, min(length, WIDEST - start))
    margin = str(where.line) if where.line else ""
    before, meant = text[:start], text[start : start + length]
    return [
        f"   {margin} │ {text}",
        f"   {' ' * len(margin)} │ {' ' * _columns(before)}{'^' * max(_columns(meant), 1)}",
    ]


def _columns(text: str) -> int:
    """Return how many terminal columns a text takes: an ideograph takes two, an accent none."""
    return sum(
        0 if unicodedata.combining(letter) else 2 if unicodedata.east_asian_width(letter) in "WF" else 1
        for letter in text
    )


class RigError(Exception):
    """An error that a person can fix. Printed without a traceback."""

    exit: Exit = Exit.FAULT

    def __init__(self, problems: Problem | Iterable[Problem]) -> None:
        self.problems: tuple[Problem, ...] = (problems,) if isinstance(problems, Problem) else tuple(problems)
        super().__init__("; ".join(problem.what for problem in self.problems))

    @classmethod
    def of(
        cls, wording: ErrorWords, *, code: str, where: Span | None = None, detail: tuple[str, ...] = ()
    ) -> Self:
        """Return the error of a single problem, in a catalogue's words."""
        return cls(Problem.of(wording, code=code, where=where, detail=detail))

    def render(self, labels: Labels = ENGLISH_LABELS) -> str:
        """Return all problems as printed, in the order of their places."""
        ordered = sorted(self.problems, key=lambda p: (p.where is None, p.where or Span("")))
        return "\n\n".join(problem.render(labels) for problem in ordered)


class PlanError(RigError):
    """The plan or the command line is wrong; nothing was started."""

    exit = Exit.PLAN_WRONG


class TargetError(RigError):
    """The server did not start, did not become ready, died, or never answered."""

    exit = Exit.TARGET_FAILED


class VoidError(RigError):
    """The rig could not do its own work (a full disk, no descriptors left)."""

    exit = Exit.VOID


class Interrupted(RigError):  # not …Error: it is an event that happened, not an error
    """Ctrl-C, SIGTERM or a closed terminal (SIGHUP). What was measured until then is kept."""

    exit = Exit.INTERRUPTED

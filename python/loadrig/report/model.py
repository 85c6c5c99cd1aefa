"""The report as plain data: a tree of sections with text, numbers, tables and figures.

Sections build it, renderers (text, HTML) read it. It knows nothing of HTML or terminals, and it
holds numbers already put in words, so that every renderer says the same.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from loadrig.language.labels import label

Tone = Literal["plain", "strong", "quiet", "good", "warn", "bad"]
"""Colour of a text. It never carries a meaning alone: the words say it too."""

VerdictWords = tuple[str, str, Tone]
"""Verdict: symbol, words and tone. Symbol and words carry the meaning, the tone only colours them."""


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Text of one or more sentences. size: "lead" is the sentence to read first."""

    text: str
    tone: Tone = "plain"
    size: Literal["lead", "body", "note"] = "body"


@dataclass(frozen=True, slots=True)
class Badge:
    """Verdict of whether the run may be believed, with the reasons as sentences.

    notes: what else a reader of the figures should know. Both are counted, and told in full on demand.
    """

    verdict: Literal["valid", "disturbed", "void"]
    reasons: tuple[str, ...] = ()
    detail: str = ""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Number:
    """Big number: "412/s", what it is, and under it the interval and n."""

    value: str
    label: str
    detail: str = ""
    tone: Tone = "plain"

    def __post_init__(self) -> None:
        object.__setattr__(self, "label", label(self.label))


@dataclass(frozen=True, slots=True)
class Numbers:
    """Big numbers side by side."""

    items: tuple[Number, ...]


@dataclass(frozen=True, slots=True)
class Cell:
    """Cell of a table. note: a smaller text beneath or beside it (an interval, a reason)."""

    text: str
    tone: Tone = "plain"
    note: str = ""


Line = tuple[tuple[str, Tone], ...]
"""Line of a terminal: its texts with their tones."""


def verdict_cell(sign: VerdictWords, note: str = "") -> Cell:
    """Return the cell of a verdict."""
    symbol, text, tone = sign
    return Cell(f"{symbol} {label(text)}", tone, note)


@dataclass(frozen=True, slots=True)
class Column:
    """Head of a column. rank: a narrow terminal leaves out the greatest ranks; 0 always stays.

    doc: one sentence on what the column holds, shown on hover.
    """

    title: str
    align: Literal["left", "right"] = "right"
    rank: int = 0
    doc: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "title", label(self.title))


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of cells under columns; all rows are as long as `columns`.

    marked: indices of rows to make stand out. folded: the page shows it on demand, a terminal
    not at all. notes: sentences printed under it, once.
    """

    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    caption: str = ""
    notes: tuple[str, ...] = ()
    marked: frozenset[int] = frozenset()
    folded: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "caption", label(self.caption))


@dataclass(frozen=True, slots=True)
class Facts:
    """Pairs of name and value, one a line, under a title if there is one."""

    pairs: tuple[tuple[str, str], ...]
    title: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "pairs", tuple((label(name), value) for name, value in self.pairs))
        object.__setattr__(self, "title", label(self.title))


@dataclass(frozen=True, slots=True)
class Code:
    """Text to be shown as it is (a plan, a command)."""

    text: str
    caption: str = ""
    folded: bool = False


@dataclass(frozen=True, slots=True)
class Spark:
    """Line that stands for a figure in a terminal. values: None where nothing was measured."""

    label: str
    values: tuple[float | None, ...]
    note: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "label", label(self.label))


@dataclass(frozen=True, slots=True)
class Figure:
    """Picture as data. kind: which renderer draws it. data: plain JSON for that renderer.

    id: unique in the report. about: what is to be seen, in words, for those who do not see it.
    table: the same figures as a table. spark: what a terminal shows instead. drawn_in_text: a
    figure of kind "intervals" is drawn in the terminal too. view: whose time axis it has, where it does not
    stand among the blocks of a view.
    """

    id: str
    kind: str
    title: str
    about: str
    data: Mapping[str, Any]
    table: Table | None = None
    spark: tuple[Spark, ...] = ()
    drawn_in_text: bool = False
    view: str = ""


@dataclass(frozen=True, slots=True)
class Point:
    """Sentence of a card, what it rests on in words, and the course of the series that it speaks of."""

    text: str
    rests_on: str = ""
    course: tuple[float | None, ...] = ()


@dataclass(frozen=True, slots=True)
class Card:
    """Finding: a cause of a component, what speaks for it and against it, what it brings about.

    standing: how sure it is, as a word. chance: how sure it is, 0 to 1; None where that is not told. rivals:
    what else it could have been, and why it is not. figures: charts that belong to it (the page shows them
    under it).
    """

    title: str
    component: str
    standing: Literal["named", "likely", "possible"]
    effect: str
    mend: str
    decides: str
    points: tuple[Point, ...]
    against: tuple[Point, ...] = ()
    rivals: tuple[Point, ...] = ()
    missing: tuple[str, ...] = ()
    symptoms: tuple[str, ...] = ()
    cause: str = ""
    is_good: bool = False
    figures: tuple["Figure", ...] = ()
    chance: float | None = None


@dataclass(frozen=True, slots=True)
class PerView:
    """Blocks by trial, of which the reader sees those of one trial at a time (see Report.views)."""

    blocks: Mapping[str, tuple["Block", ...]]


Block = Paragraph | Badge | Numbers | Table | Facts | Code | Figure | Card | PerView


def present(*blocks: Block | None) -> list[Block]:
    """Return the blocks without those that are None, as where there is nothing to draw."""
    return [block for block in blocks if block is not None]


@dataclass(frozen=True, slots=True)
class Section:
    """Part of the report under one heading.

    id: a word for links. lead: one sentence under the heading. in_text: whether a terminal's
    summary shows it; the page shows all. terminal: blocks that a terminal shows in place of `blocks`; None
    where it shows the same ones, only narrower.
    """

    id: str
    title: str
    blocks: tuple[Block, ...]
    lead: str = ""
    in_text: bool = True
    terminal: tuple[Block, ...] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "title", label(self.title))


def sections_of(*sections: Section | None) -> tuple[Section, ...]:
    """Return the sections without those that are None, as where there is nothing to say."""
    return tuple(section for section in sections if section is not None)


@dataclass(frozen=True, slots=True)
class View:
    """Trial whose charts can be looked at.

    group: heading in the list of choices ("recommended", "base"). axis: the time axis that its
    charts share: "t" (start of each column in seconds), "step", "spans", "marks", "merged".
    """

    id: str
    label: str
    group: str
    axis: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Report:
    """Whole report. kicker: what kind of run it was, on one line. next: the command to type next."""

    title: str
    kicker: str
    sections: tuple[Section, ...]
    views: tuple[View, ...] = ()
    next: str = ""
    facts: Mapping[str, str] = field(default_factory=dict)

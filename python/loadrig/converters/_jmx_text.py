"""Texts of a JMX file, with its variables and functions, as templates of a plan.

`${name}` is a value that the test itself fixes, or a hole that a feed or an answer fills; `${__function(…)}`
is evaluated where its value is fixed, and becomes a feed where a feed gives the like. What is neither is sent
as it stands, as JMeter does with names that it does not know; that is noted.
"""

import random
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from urllib.parse import unquote_plus

from loadrig.converters._draft import FeedDraft, FileDraft
from loadrig.converters._jmx_charsets import Charset
from loadrig.converters._jmx_dates import written_time
from loadrig.converters._jmx_report import JmxReport
from loadrig.converters._jmx_tables import RowTables, ValueOf
from loadrig.converters._jmx_tree import TreeElement
from loadrig.converters._pieces import Hole, Piece, free_name, hole_name, template_of
from loadrig.language.choice import texts_of
from loadrig.language.en.converters.jmeter import ConvertersJmeterTexts
from loadrig.plan.model import Feed, FeedOrder

TEXTS = texts_of(ConvertersJmeterTexts)

MADE_VALUES = 10_000
"""Values that are made beforehand for a function that makes one at each call."""

DEEPEST_TEXT = 12
"""Variables and functions within each other at most; a variable that names itself has no end."""

MOST_UNCLOSED = 50
"""Calls of a text that begin and never end, at most; those after them are fixed text. The end of each is
looked for up to the end of the text."""

MOST_CALLS = 1_000_000
"""Variables and functions that are filled in a file, at most: a few that name each other mean any number."""

MOST_NUMBER = 1e15
"""Number that a test may state, at most: beyond it whole numbers are none of a computer's fractions."""

MOST_TEXT_LENGTH = 1 << 20
"""Letters of a text at most, once its variables are filled: each may name another ten times."""


@dataclass(frozen=True, slots=True)
class TextCall:
    """A `${…}` as written: a variable, or a function with its arguments. text: the whole."""

    name: str
    arguments: "tuple[tuple[Written, ...], ...]"
    text: str


Written = str | TextCall


def _letter(code: str) -> str | None:
    """Return the letter of a number as Java reads it, decimal, 0x or octal; None where it is none."""
    code = code.strip()
    octal = code[:1] == "0" and code[1:].isdecimal()
    try:
        letter = chr(int(code, 8 if octal else 0))
        letter.encode()
    except (ValueError, OverflowError):
        return None
    return letter


def parsed(text: str) -> tuple[Written, ...]:
    """Return the fixed texts and the calls of a text, in order."""
    if "${" not in text:
        return (text,)
    return _Reader(text).parts()


class _Reader:
    """Reader of `${name}` and `${__function(a,${b})}`. A backslash takes the meaning of $ , and itself."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._unclosed = 0

    def parts(self, ends: str = "", depth: int = 0) -> tuple[Written, ...]:
        """Return the parts up to one of some letters that is not within a call."""
        parts: list[Written] = []
        plain: list[str] = []
        text = self._text
        level = 0
        while self._at < len(text):
            letter = text[self._at]
            if letter == "\\" and text[self._at + 1 : self._at + 2] in ("$", ",", "\\"):
                plain.append(text[self._at + 1])
                self._at += 2
                continue
            may_begin = depth < DEEPEST_TEXT and self._unclosed < MOST_UNCLOSED
            if may_begin and text.startswith("${", self._at):
                start = self._at
                call = self._call(depth + 1)
                if call is not None:
                    if plain:
                        parts.append("".join(plain))
                        plain = []
                    parts.append(call)
                    continue
                self._unclosed += 1
                self._at = start
            if ends and letter in ends and not level:
                break
            if ends:
                level += (letter == "(") - (letter == ")")
            plain.append(letter)
            self._at += 1
        if plain or not parts:
            parts.append("".join(plain))
        return tuple(parts)

    def _call(self, depth: int) -> TextCall | None:
        """Return the call that begins here; None where it is none, with the place anywhere."""
        start = self._at
        self._at += 2
        name_end = start + 2
        text = self._text
        while name_end < len(text) and text[name_end] not in "}(${\n":
            name_end += 1
        name = text[start + 2 : name_end].strip()
        self._at = name_end
        arguments: list[tuple[Written, ...]] = []
        if text[name_end : name_end + 1] == "(" and name.startswith("__"):
            self._at += 1
            while True:
                arguments.append(self.parts(",)", depth))
                if self._at >= len(text):
                    return None
                self._at += 1
                if text[self._at - 1] == ")":
                    break
        if text[self._at : self._at + 1] != "}":
            return None
        self._at += 1
        return TextCall(name, tuple(arguments), text[start : self._at])


@dataclass(slots=True)
class Variables:
    """Values of a test's variables. fixed: texts as written; holes: names of the plan's holes.

    properties: values that are given for the import. asked: names of properties that the test asks for.
    seed: a number of the file, from which made values follow, so that a test always makes the same plan.
    """

    report: JmxReport
    seed: int = 0
    time_ms: int = 0
    properties: Mapping[str, str] = field(default_factory=dict)
    asked: set[str] = field(default_factory=set)
    fixed: dict[str, str] = field(default_factory=dict)
    holes: dict[str, str] = field(default_factory=dict)
    feeds: dict[str, FeedDraft] = field(default_factory=dict)
    rows: RowTables = field(default_factory=RowTables)
    calls: int = 0

    def pieces(self, text: str, element: TreeElement, depth: int = 0) -> list[Piece]:
        """Return a text's fixed parts and holes, in order, neighbours joined."""
        joined: list[Piece] = []
        length = 0
        for part in parsed(text):
            pieces = [part] if isinstance(part, str) else self._value(part, element, depth + 1)
            for piece in pieces:
                length += len(piece) if isinstance(piece, str) else 1
                if length > MOST_TEXT_LENGTH:
                    self.report.alter(element, TEXTS.long_text(MOST_TEXT_LENGTH))
                    return joined
                if isinstance(piece, str) and joined and isinstance(joined[-1], str):
                    joined[-1] += piece
                else:
                    joined.append(piece)
        return joined or [""]

    def template(
        self, text: str, element: TreeElement, encode: Callable[[str], str] = lambda text: text
    ) -> str:
        """Return a text as a template. encode: what is done to its fixed parts."""
        return template_of(self.pieces(text, element), encode)

    def constant(self, text: str, element: TreeElement) -> str | None:
        """Return a text whose value the test fixes; None for one with holes."""
        pieces = self.pieces(text, element)
        return None if any(isinstance(piece, Hole) for piece in pieces) else "".join(map(str, pieces))

    def number(self, text: str, element: TreeElement, default: float = 0.0) -> float:
        """Return a number that the test fixes; the default, which is noted, for any other text."""
        if not text.strip():
            return default
        value = self.constant(text, element)
        try:
            number = float((value or "").strip())
        except ValueError:
            number = float("nan")
        if not -MOST_NUMBER < number < MOST_NUMBER:
            self.report.alter(element, TEXTS.number_not_fixed(text[:80], f"{default:g}"))
            return default
        return number

    def feed(self, stem: str, draft: FeedDraft) -> str:
        """Add a feed under a name that is free. Return the name."""
        name = free_name(hole_name(stem), (*self.feeds, *self.holes.values()))
        self.feeds[name] = draft
        return name

    def fixed_hole(self, stem: str, value: str, comment: str) -> Hole:
        """Return a hole that is always filled with one value."""
        draft = FeedDraft(Feed(values=(value,)), comment=comment)
        name = next((name for name, other in self.feeds.items() if other == draft), "")
        return Hole(name or self.feed(stem, draft))

    def values_of(self, hole: str) -> Sequence[str] | None:
        """Return the values that may fill a hole, none for whole numbers; None where nobody knows them."""
        draft = self.feeds.get(hole)
        if draft is None:
            return self.rows.values(hole)
        return draft.feed.values if draft.file is None else draft.file.content.decode().splitlines()

    # --- values -----------------------------------------------------------------------------------

    def _value(self, call: TextCall, element: TreeElement, depth: int) -> Iterable[Piece]:
        self.calls += 1
        if depth > DEEPEST_TEXT or self.calls > MOST_CALLS:
            self.report.alter(element, TEXTS.sent_as_it_stands, call.text[:80])
            return [call.text]
        if call.name.startswith("__"):
            return self._function(call, element, depth)
        if call.name in self.holes:
            return [Hole(self.holes[call.name])]
        if call.name in self.fixed:
            return self.pieces(self.fixed[call.name], element, depth)
        self.report.alter(element, TEXTS.unknown_variable, call.text[:80])
        return [call.text]

    def _function(self, call: TextCall, element: TreeElement, depth: int) -> Iterable[Piece]:
        arguments = [self._joined(argument, element, depth) for argument in call.arguments]
        texts = ["".join(map(str, pieces)) if _is_fixed(pieces) else None for pieces in arguments]
        match call.name:
            case "__P" | "__property" if arguments:
                name = texts[0] or ""
                self.asked.add(name)
                if name in self.properties:
                    return [self.properties[name]]
                default = arguments[1 if call.name == "__P" else 2 :][:1]
                value: list[Piece] = (
                    default[0] if default else ["1" if call.name == "__P" else texts[0] or ""]
                )
                self.report.alter(
                    element, TEXTS.property_default("".join(map(_shown, value))), call.text[:80]
                )
                return value
            case "__V" | "__eval" | "__evalVar" if texts and texts[0] is not None:
                text = texts[0] if call.name == "__eval" else f"${{{texts[0]}}}"
                return self.pieces(text, element, depth)
            case "__urlencode" if arguments:
                return self.url_encoded(arguments[0], Charset().quoted, element, call.text[:80])
            case "__urldecode" if (
                arguments and (plain := self._changed(call.name, arguments[0], unquote_plus)) is not None
            ):
                return [plain]
            case "__char" if texts and None not in (letters := [_letter(text or "") for text in texts]):
                return ["".join(map(str, letters))]
            case "__Random" if len(texts) >= 2:
                return self._random(call, texts, element)
            case "__UUID":
                return self._made(call, "uuid", self._uuids(), element)
            case "__RandomString" if texts and (texts[0] or "").strip().isdecimal():
                return self._random_texts(call, texts, element)
            case "__time" | "__timeShift" if call.name == "__time":
                return self._time(call, texts, element)
            case "__counter":
                return self._counter(call, texts, element)
            case "__threadNum":
                return [Hole(self._shared("thread_number", Feed(counter=1, order="unique")))]
        self.report.alter(element, TEXTS.unknown_function, call.text[:80])
        return [call.text]

    def _joined(self, argument: Sequence[Written], element: TreeElement, depth: int) -> list[Piece]:
        pieces: list[Piece] = []
        for part in argument:
            pieces += [part] if isinstance(part, str) else self._value(part, element, depth + 1)
        return pieces

    def url_encoded(
        self, pieces: Sequence[Piece], encode: Callable[[str], str], element: TreeElement, part: str = ""
    ) -> list[Piece]:
        """Return a text as Java's URLEncoder writes it; note values of which a plan cannot say that."""
        if (encoded := self._changed("urlencode", pieces, encode)) is not None:
            return [encoded]
        self.report.alter(element, TEXTS.encoded_by_place, part)
        return [encode(piece) if isinstance(piece, str) else piece for piece in pieces]

    def _changed(self, function: str, pieces: Sequence[Piece], change: Callable[[str], str]) -> Piece | None:
        """Return what a function makes of a text, of rows a column of their table; None where neither is."""
        holes = {piece.name for piece in pieces if isinstance(piece, Hole)}

        def changed(value: ValueOf) -> str:
            return change("".join(piece if isinstance(piece, str) else value(piece.name) for piece in pieces))

        return self.rows.column(holes, changed, function.strip("_")) if holes else changed(str)

    def _random(self, call: TextCall, texts: Sequence[str | None], element: TreeElement) -> list[Piece]:
        try:
            low, high = sorted(int((text or "").strip()) for text in texts[:2])
        except ValueError:
            self.report.alter(element, TEXTS.unknown_function, call.text[:80])
            return [call.text]
        hole = self.feed("random", FeedDraft(Feed(random=(low, high)), comment=_comment(call)))
        self._remember(texts[2:3], hole, call, element)
        return [Hole(hole)]

    def _random_texts(self, call: TextCall, texts: Sequence[str | None], element: TreeElement) -> list[Piece]:
        length = min(int((texts[0] or "0").strip()), 1000)
        letters = (texts[1] if len(texts) > 1 else None) or "abcdefghijklmnopqrstuvwxyz0123456789"
        source = random.Random(f"{self.seed}{call.text}")
        values = ["".join(source.choices(letters, k=length)) for _ in range(MADE_VALUES)]
        pieces = self._made(call, "text", values, element)
        self._remember(texts[2:3], str(pieces[0].name), call, element)
        return list(pieces)

    def _uuids(self) -> list[str]:
        source = random.Random(f"{self.seed}uuid")
        return [str(uuid.UUID(int=source.getrandbits(128), version=4)) for _ in range(MADE_VALUES)]

    def _made(self, call: TextCall, stem: str, values: Sequence[str], element: TreeElement) -> list[Hole]:
        name = free_name(stem, (*self.feeds, *self.holes.values()))
        file = FileDraft(f"{name}.txt", ("\n".join(values) + "\n").encode())
        self.feeds[name] = FeedDraft(Feed(lines=file.name), file, _comment(call))
        self.report.alter(element, TEXTS.made_beforehand(len(values)), call.text[:80])
        return [Hole(name)]

    def _time(self, call: TextCall, texts: Sequence[str | None], element: TreeElement) -> list[Piece]:
        form = (texts[0] if texts else "") or ""
        if form not in ("", "/1000"):
            text = written_time(form, datetime.fromtimestamp(self.time_ms / 1000, UTC))
            how = TEXTS.unknown_function if text is None else TEXTS.time_of_file
            self.report.alter(element, how, call.text[:80])
            name = (texts[1] or "").strip() if len(texts) > 1 else ""
            if text is not None and name and name not in self.holes:
                self.fixed[name] = text
            return [call.text if text is None else text]
        start = self.time_ms // (1000 if form else 1)
        hole = self.feed("time", FeedDraft(Feed(counter=start), comment=_comment(call)))
        self.report.alter(element, TEXTS.time_counted, call.text[:80])
        return [Hole(hole)]

    def _counter(self, call: TextCall, texts: Sequence[str | None], element: TreeElement) -> list[Piece]:
        is_own = (texts[0] or "" if texts else "").strip().lower() == "true"
        order: FeedOrder = "sequential_per_user" if is_own else "sequential"
        hole = self.feed("counter", FeedDraft(Feed(counter=1, order=order), comment=_comment(call)))
        self._remember(texts[1:2], hole, call, element)
        return [Hole(hole)]

    def _shared(self, name: str, feed: Feed) -> str:
        self.feeds.setdefault(name, FeedDraft(feed))
        return name

    def _remember(self, names: Sequence[str | None], hole: str, call: TextCall, element: TreeElement) -> None:
        """Let a variable that a function sets mean the same feed, whose value then holds for the loop."""
        for name in names:
            if name and name.strip():
                draft = self.feeds[hole]
                self.feeds[hole] = replace(draft, feed=replace(draft.feed, per="loop"))
                if self.holes.setdefault(name.strip(), hole) != hole:
                    self.report.alter(element, TEXTS.value_of_its_own(name.strip()[:80]), call.text[:80])


def _is_fixed(pieces: Sequence[Piece]) -> bool:
    return all(isinstance(piece, str) for piece in pieces)


def _shown(piece: Piece) -> str:
    return piece if isinstance(piece, str) else f"{{{piece.name}}}"


def _comment(call: TextCall) -> str:
    return call.text[:80]

"""The text of a plan that was made of another tool's test: YAML with comments, by the YAML library.

What is written follows from the classes that a plan is read into (`plan.kinds`): a key that has its default
is left out, an amount gets its notation, and a class with a short form is written short where that says it
all.
"""

import io
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.scalarstring import DoubleQuotedScalarString, LiteralScalarString

from loadrig.base.printable import in_one_line
from loadrig.converters._draft import Altered, Conversion, Dropped, PlanDraft, ScenarioDraft, StepDraft
from loadrig.language.choice import texts_of
from loadrig.language.en.converters.room import ConvertersTexts
from loadrig.plan.arrivals import Rate, Replay, Sessions, Users
from loadrig.plan.kinds import Amount, Kind, Listed, Mapped, Shaped, fields_of, short_of
from loadrig.plan.model import Cache
from loadrig.plan.written import ASKED
from loadrig.plan.yaml_text import core

TEXTS = texts_of(ConvertersTexts)

MOST_COMMENTS = 1000
"""Parts that were left out or altered and stand in the plan as comments, at most; the rest is counted."""

_WIDTH = 1 << 20
"""Columns of a line at most: none is folded, as a person looks for a path in one piece."""

_PLAIN = re.compile(r"[A-Za-z_/$][A-Za-z0-9_./$-]*", re.ASCII)
_BLOCK = re.compile(r"[^\s](?:[^\n]*[^\s])?\n(?:[^\n]*[^\s]\n|\n)*(?:[^\n]*[^\s]\n?)?")
_MOST_IN_BRACES = 90
_INDENT = 2

_ARRIVALS = {Users: "users", Rate: "rate", Sessions: "sessions", Replay: "replay"}

Part = Altered | Dropped


def text_of(conversion: Conversion, origin: str) -> str:
    """Return the plan's text. origin: what it was made of, for the first line."""
    plan = conversion.plan
    root = CommentedMap()
    root["loadrig"] = 1
    if plan.name:
        root["name"] = scalar(plan.name)
    root["target"] = _in_braces(CommentedMap(external=scalar(plan.server)))
    if plan.servers:
        root["servers"] = plain(plan.servers)
    placed = _Placed(conversion)
    root["workload"] = _workload(plan, placed)
    trial = _shape(plan.trial)
    if trial:
        root["trial"] = trial
    if plan.goals:
        root["goals"] = CommentedSeq(scalar(goal) for goal in plan.goals)
    if plan.allow:
        root["allow"] = _in_braces(CommentedSeq(scalar(host) for host in plan.allow))
        _above(root, "allow", [TEXTS.allowed_as_named], 0)
    root.yaml_set_start_comment("\n".join(map(in_one_line, _head(conversion, origin, placed.rest()))))
    yaml = YAML(typ="rt", pure=True)
    yaml.width = _WIDTH
    yaml.indent(mapping=_INDENT, sequence=2 * _INDENT, offset=_INDENT)
    stream = io.StringIO()
    yaml.dump(root, stream)
    return stream.getvalue()


def part_line(part: Part) -> str:
    """Return what became of a part, on one line: "line 214: JSR223 sampler, dropped: …"."""
    if isinstance(part, Dropped):
        return in_one_line(TEXTS.dropped(part.place, part.what, part.why))
    return in_one_line(TEXTS.altered(part.place, part.what, part.how))


def summary(conversion: Conversion) -> list[str]:
    """Return how many parts of each kind were carried, and how many were altered and left out."""
    counts = {**conversion.carried, TEXTS.further_servers: len(conversion.plan.servers)}
    carried = ", ".join(f"{count:,} {what}" for what, count in counts.items() if count)
    return [
        TEXTS.carried(carried or "0"),
        TEXTS.altered_and_dropped(len(conversion.altered), len(conversion.dropped)),
    ]


def _head(conversion: Conversion, origin: str, rest: Sequence[Part]) -> list[str]:
    lines = [TEXTS.made_of(origin), *summary(conversion)]
    return [*lines, *map(part_line, rest)]


class _Placed:
    """Parts that became comments, each above the first step that stands after it in the test."""

    def __init__(self, conversion: Conversion) -> None:
        parts = conversion.parts
        self._left_out = len(parts) - MOST_COMMENTS
        self._waiting = [part for part in parts[:MOST_COMMENTS] if part.order]
        self._rest: list[Part] = [part for part in parts[:MOST_COMMENTS] if not part.order]

    def above(self, step: StepDraft) -> list[str]:
        """Return the lines above a step. Asked in the plan's order."""
        lines = []
        while self._waiting and step.order and self._waiting[0].order < step.order:
            lines.append(part_line(self._waiting.pop(0)))
        return [*lines, *([step.comment] if step.comment else [])]

    def rest(self) -> list[Part]:
        """Return what stands above no step: without a place among them, or after the last."""
        rest = [*self._rest, *self._waiting]
        if self._left_out > 0:
            rest.append(Dropped(TEXTS.further, TEXTS.parts(self._left_out), TEXTS.shown_by_json))
        return rest


def _workload(plan: PlanDraft, placed: _Placed) -> CommentedMap:
    work = CommentedMap()
    arrivals = _ARRIVALS[type(plan.arrivals)]
    work[arrivals] = _short(_shape(plan.arrivals), type(plan.arrivals))
    if plan.arrivals_comment:
        _above(work, arrivals, plan.arrivals_comment, _INDENT)
    if plan.limit != type(plan.limit)():
        work["limit"] = _in_braces(_shape(plan.limit))
    if think := _shape(plan.think):
        work["think"] = _short(think, type(plan.think))
    for key, seconds in (("timeout", plan.timeout_s), ("connect_timeout", plan.connect_timeout_s)):
        if seconds is not None:
            work[key] = duration(seconds)
    if not plan.cookies:
        work["cookies"] = False
    if plan.cache is not None:
        shaped = _shape(plan.cache) or CommentedMap(fresh=plan.cache.fresh)
        work["cache"] = _short(_in_braces(shaped), Cache)
    for key, part in (("connections", plan.connections), ("tls", plan.tls)):
        if shaped := _shape(part):
            work[key] = _in_braces(shaped)
    if plan.protos:
        work["protos"] = CommentedSeq(map(scalar, plan.protos))
    if plan.headers:
        work["headers"] = CommentedMap((scalar(name), scalar(text)) for name, text in plan.headers.items())
    if plan.login is not None:
        work["login"] = _request(StepDraft(plan.login))
    if plan.feeds:
        feeds = CommentedMap()
        for name, draft in plan.feeds.items():
            feeds[scalar(name)] = _short(_shape(draft.feed), type(draft.feed))
            if draft.comment:
                _above(feeds, name, [draft.comment], 2 * _INDENT)
        work["feeds"] = feeds
    key, value = _requests(plan.scenarios, placed)
    work[key] = value
    return work


def _requests(scenarios: Sequence[ScenarioDraft], placed: _Placed) -> tuple[str, CommentedSeq]:
    if len(scenarios) == 1:
        return "steps", _steps(scenarios[0].steps, placed, 2 * _INDENT)
    if all(len(scenario.steps) == 1 and not scenario.name for scenario in scenarios):
        steps = [
            replace(step, request=replace(step.request, weight=scenario.weight))
            for scenario in scenarios
            for step in scenario.steps
        ]
        return "requests", _steps(steps, placed, 2 * _INDENT)
    listed = CommentedSeq()
    for number, scenario in enumerate(scenarios):
        entry = CommentedMap(name=scalar(scenario.name))
        if scenario.weight != 1.0:
            entry["weight"] = _number(scenario.weight)
        entry["steps"] = _steps(scenario.steps, placed, 4 * _INDENT)
        listed.append(entry)
        if scenario.comment:
            _above(listed, number, [scenario.comment], 2 * _INDENT)
    return "scenarios", listed


def _steps(steps: Iterable[StepDraft], placed: _Placed, indent: int) -> CommentedSeq:
    listed = CommentedSeq()
    for number, step in enumerate(steps):
        lines = placed.above(step)
        listed.append(_request(step))
        if lines:
            _above(listed, number, lines, indent)
    return listed


def _request(step: StepDraft) -> CommentedMap:
    """Return a request with its method first, as people write it."""
    shaped = _shape(step.request)
    method = next(key for key in ASKED if key in shaped)
    shaped.move_to_end(method, last=False)
    if "name" in shaped:
        shaped.move_to_end("name", last=False)
    return shaped


# --- values ---------------------------------------------------------------------------------------


def _shape(part: Any) -> CommentedMap:
    """Return the keys of a frozen part that have not their defaults."""
    written = CommentedMap()
    for field in fields_of(type(part)):
        value = getattr(part, field.name)
        if value == field.default and not field.is_required:
            continue
        if value is not None:
            written[field.key] = _value(value, field.kind)
    return written


def _value(value: Any, kind: Kind) -> Any:
    match kind:
        case Amount(name=name):
            return amount(value, name)
        case Listed(item=item):
            items = CommentedSeq(_value(inner, item) for inner in value)
            return items[0] if len(items) == 1 and not isinstance(items[0], dict) else _in_braces(items)
        case Mapped(item=item):
            return CommentedMap((scalar(key), _value(inner, item)) for key, inner in value.items())
        case Shaped(cls=cls):
            return _short(_shape(value), cls)
        case _:
            return plain(value)


def _short(written: CommentedMap, cls: type[Any]) -> Any:
    """Return the short form of a part, where its class has one and nothing else is written."""
    short = short_of(cls)
    if short is not None and list(written) == [short.key] and not isinstance(written[short.key], dict):
        return written[short.key]
    return _in_braces(written)


def plain(value: Any) -> Any:
    """Return data as the library writes them, every text safe."""
    match value:
        case str():
            return scalar(value)
        case Mapping():
            return CommentedMap((scalar(str(key)), plain(inner)) for key, inner in value.items())
        case list() | tuple():
            return CommentedSeq(map(plain, value))
        case float():
            return _number(value)
        case _:
            return value


def scalar(text: str) -> str:
    """Return a text that is read as itself: bare if it is a plain word, as a block of lines, else quoted."""
    if _PLAIN.fullmatch(text) and isinstance(core(text), str):
        return text
    if _BLOCK.fullmatch(text) and all(letter.isprintable() or letter == "\n" for letter in text):
        block: str = LiteralScalarString(text)
        return block
    quoted: str = DoubleQuotedScalarString(text)
    return quoted


def amount(value: float, name: str) -> str | int:
    """Return an amount in the notation of its kind."""
    match name:
        case "duration":
            return duration(value)
        case "rate":
            return f"{_digits(value)}/1s"
        case "share":
            return f"{_digits(value * 100)}%"
        case _:
            return int(value)


def duration(seconds: float) -> str:
    """Return a length of time as a plan says it: "300ms", "1.5s", "2m"."""
    if seconds == 0:
        return "0s"
    if seconds >= 3600 and seconds % 3600 == 0:
        return f"{seconds / 3600:.0f}h"
    if seconds >= 60 and seconds % 60 == 0:
        return f"{seconds / 60:.0f}m"
    return f"{_digits(seconds)}s" if seconds >= 1 else f"{_digits(seconds * 1000)}ms"


def _digits(value: float) -> str:
    return f"{value:.9f}".rstrip("0").rstrip(".")


def _number(value: float) -> int | float:
    return int(value) if value == int(value) else value


def _in_braces(part: Any) -> Any:
    """Return a part that is written on one line, if it is short and holds no part of several lines."""
    has_lines = any(isinstance(text, LiteralScalarString) for text in _leaves(part))
    if len(str(part)) <= _MOST_IN_BRACES and not has_lines:
        part.fa.set_flow_style()
    return part


def _leaves(part: Any) -> Iterable[Any]:
    if isinstance(part, dict):
        for inner in part.values():
            yield from _leaves(inner)
    elif isinstance(part, list):
        for inner in part:
            yield from _leaves(inner)
    else:
        yield part


def _above(part: CommentedMap | CommentedSeq, key: Any, lines: Sequence[str], indent: int) -> None:
    part.yaml_set_comment_before_after_key(key, before="\n".join(map(in_one_line, lines)), indent=indent)

"""The reference page of plans, made from the declarations: `python -m loadrig.plan.reference`."""

import functools
import sys
from collections.abc import Iterator
from typing import Any

from loadrig.base import members
from loadrig.plan.build import STRATEGIES
from loadrig.plan.forms import forms_of
from loadrig.plan.goals import measures
from loadrig.plan.kinds import (
    Either,
    Field,
    Kind,
    Listed,
    Mapped,
    Member,
    Shaped,
    fields_of,
    noun_of,
    options_of,
    short_of,
)
from loadrig.plan.model import StudyRules
from loadrig.plan.written import WrittenKnob, WrittenPlan

_HEAD = """\
<!-- Made by `make docs` from the source; do not edit. -->

# The plan

A plan is a YAML 1.2 file: what is loaded, how, with which settings, and what is to be found out.
`loadrig check PLAN` says in sentences what it would do, or all that is wrong with it.
`loadrig check --schema` prints a JSON Schema for editors.

Every key stands in a table below, with what may be written, its default and an example.
A key without a default must be written.

## Notations

| what | how it is written |
| --- | --- |
| a duration | `300ms`, `10s`, `1m30s`, `2h`; a bare number only if it is 0 |
| a rate | `1000`, `1000/1s`, `50/1m`, `10k/s` |
| a count | `200`, `10k`, `1m` |
| a size | `512`, `64kB`, `1MiB` |
| a share | `5%`, `0.05` |
| a hole | `{word}` in a path, a header or a body; `{{` and `}}` are braces |
| values of a knob | `[1, 2, 4]`, `1..9`, or `{values: 1..16, when: worker_class == gthread, base: 4}` |
| a goal | `p95 < 500ms`, `errors < 0.1%`, `throughput > 100/s`, `p95{search} < 1s` |

Where a list may stand, a single value is a list of one.
A condition (`when:`) is `==`, `!=` or `in [a, b]` on a knob above, joined by `and`.
"""

ELSEWHERE = "see there"
"""Default of a key whose value is a mapping: each of its keys has one."""

_TITLES = {
    "WrittenPlan": "The plan's own keys",
    "WrittenWorkload": "workload",
    "WrittenRequest": "a request",
    "WrittenLogin": "workload.login",
    "WrittenScenario": "a scenario",
    "EarlyEnd": "workload.limit",
    "LoadStage": "a stage of users",
    "RateStage": "a stage of a rate",
    "Users": "workload.users",
    "Rate": "workload.rate",
    "Sessions": "workload.sessions",
    "Replay": "workload.replay",
    "Think": "think",
    "Expect": "expect",
    "Extract": "extract",
    "Feed": "a feed",
    "When": "when",
    "Repeat": "repeat",
    "Condition": "a condition",
    "Comparison": "an alternative of a condition",
    "WrittenConnections": "workload.connections",
    "Cache": "workload.cache",
    "Tls": "workload.tls",
    "TrialRules": "trial",
    "ObservedHost": "an observer",
    "FleetRules": "fleet",
    "NodeRules": "nodes",
    "WrittenProve": "prove",
    "WarmUp": "trial.warm_up",
    "Measuring": "trial.measure",
}
"""Headings of the plan's own classes; a member's class has the member's name as its title."""


def render() -> str:
    """Return the whole page, ending with a newline."""
    parts = [_HEAD]
    for cls in _classes(WrittenPlan):
        parts.append(_section(title_of(cls), cls))
        if cls is WrittenPlan:
            parts.append(_section("a knob", WrittenKnob))
    parts.append(_section("study", StudyRules))
    for name in members.names(STRATEGIES):
        options = options_of(STRATEGIES, name)
        if fields_of(options):
            parts.append(_section(f"study, with find: {name}", options))
    for title in ("target", "probes", "profilers"):
        parts += _members(f"loadrig.{title}", title)
    parts.append(_goals())
    return "\n".join(part.rstrip() + "\n" for part in parts)


def described_classes() -> list[type[Any]]:
    """Return every class whose keys stand in plans, with the options of all members, each once."""
    roots = [WrittenPlan, WrittenKnob, StudyRules]
    for room in (STRATEGIES, "loadrig.target", "loadrig.probes", "loadrig.profilers"):
        roots += [options_of(room, name) for name in members.names(room)]
    return list(dict.fromkeys(cls for root in roots for cls in _classes(root)))


@functools.cache
def _classes(root: type[Any]) -> tuple[type[Any], ...]:
    """Return every class that a plan can contain, each before the classes that it contains."""
    classes: list[type[Any]] = []

    def visit(cls: type[Any]) -> None:
        if cls in classes:
            return
        classes.append(cls)
        for field in fields_of(cls):
            for inner in _inner(field.kind):
                visit(inner)

    visit(root)
    return tuple(classes)


def _inner(kind: Kind) -> Iterator[type[Any]]:
    match kind:
        case Shaped(cls=cls):
            yield cls
        case Listed(item=item) | Mapped(item=item):
            yield from _inner(item)
        case Either(kinds=kinds):
            for inner in kinds:
                yield from _inner(inner)


def title_of(cls: type[Any]) -> str:
    """Return the heading of a class: by its meaning for a plan's own class, by its room for a member's."""
    return _TITLES.get(cls.__name__) or f"{cls.__module__.split('.')[1]}: {cls.__name__}"


def _section(title: str, cls: type[Any], level: int = 2) -> str:
    lines = [f"{'#' * level} {title}", "", _doc(cls), ""]
    fields = fields_of(cls)
    short = short_of(cls)
    if short is not None:
        lines += [f"A bare value is its `{short.key}`.", ""]
    for group, forms in forms_of(cls).items():
        lines += [_form(group, forms), ""]
    if fields:
        lines += ["| key | what may be written | default | example | what it is |", "| --- " * 5 + "|"]
        lines += [_row(field) for field in fields]
    return "\n".join(lines)


def _doc(cls: type[Any]) -> str:
    """Return the first paragraph of a class's docstring, a sentence a line."""
    paragraph = " ".join((cls.__doc__ or "").strip().split("\n\n")[0].split())
    return paragraph.replace(". ", ".\n")


def _form(group: str, forms: tuple[tuple[str, ...], ...]) -> str:
    texts = []
    for form in forms:
        first, *more = (f"`{key}`" for key in form) if form else ("",)
        texts += [first + (f" (with {', '.join(more)})" if more else "")] if form else []
    how = "At most one" if () in forms else "Exactly one"
    return f"{how} says the {group}: {', '.join(texts[:-1])} or {texts[-1]}."


def _row(field: Field) -> str:
    bounds = ""
    if field.low is not None or field.high is not None:
        low = "" if field.low is None else amount_of(field, field.low)
        high = "" if field.high is None else amount_of(field, field.high)
        bounds = f", {low}..{high}" if low and high else f", from {low}" if low else f", to {high}"
    cells = [
        f"`{field.key}`",
        _nouns(field.kind) + bounds,
        default_of(field),
        f"`{field.example}`",
        field.doc,
    ]
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _nouns(kind: Kind) -> str:
    match kind:
        case Shaped(cls=cls):
            short = short_of(cls)
            below = f"the keys of [{title_of(cls)}](#{_anchor(cls)})"
            return f"{noun_of(short.kind)}, or {below}" if short else below
        case Listed(item=Shaped() as item):
            return f"a list, each with {_nouns(item)}"
        case Mapped(item=item):
            return f"names, each with {_nouns(item)}"
        case Member(room=room):
            return f"a name of [{room.rpartition('.')[2]}](#{room.rpartition('.')[2]}), with its options"
        case Listed(item=Member() as item):
            return f"a list, each {_nouns(item)}"
        case _:
            return noun_of(kind)


def _anchor(cls: type[Any]) -> str:
    """Return the anchor that Markdown renderers give to the class's heading."""
    return "".join(
        letter for letter in title_of(cls).lower().replace(" ", "-") if letter.isalnum() or letter in "-_"
    )


def default_of(field: Field) -> str:
    """Return the default of a key as it stands on a page; empty where the key must be written."""
    if field.is_required:
        return ""
    default = field.default
    if default is None or default == () or default == {}:
        return "none"
    if isinstance(default, bool):
        return f"`{str(default).lower()}`"
    if isinstance(default, str):
        return f"`{default}`"
    if isinstance(default, (int, float)):
        return f"`{amount_of(field, default)}`"
    if isinstance(default, tuple):
        return f"`[{', '.join(map(str, default))}]`"
    return ELSEWHERE


def amount_of(field: Field, value: float) -> str:
    """Return a number of a key as it is written in a plan."""
    name = getattr(field.kind, "name", "")
    if name == "duration":
        return f"{value * 1000:g}ms" if 0 < value < 1 else f"{value:g}s"
    return f"{value * 100:g}%" if name == "share" else f"{value:g}"


def _members(room: str, title: str) -> list[str]:
    page = f"{title.removesuffix('s')}s.md"
    parts = [f"## {title}\n\nOptions of each member; what it does stands in [{page}]({page})."]
    for name in members.names(room):
        options = options_of(room, name)
        parts.append(_section(f"{title}: {name}", options, level=3))
    shared = dict.fromkeys(
        cls
        for name in members.names(room)
        for cls in _classes(options_of(room, name))[1:]  # type: ignore[arg-type]  # a class is hashable
    )
    parts += [_section(title_of(cls), cls, level=3) for cls in shared]
    return parts


def _goals() -> str:
    lines = ["## goals", "", "Measures that goals and `study: by:` can name.", ""]
    lines += ["| measure | unit of its limit | better |", "| --- | --- | --- |"]
    unit_words = {"s": "a duration", "1/s": "a rate", "1": "a share", "B": "a size"}
    for name, (unit, better) in sorted(measures().items()):
        lines.append(f"| `{name}` | {unit_words.get(unit, unit)} | {better} |")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.stdout.write(render())

"""A knob of the catalogue by its name, and its page as `loadrig explain` shows it."""

import inspect
from collections.abc import Iterable, Iterator, Mapping

from loadrig.base import members
from loadrig.base.columns import width
from loadrig.catalogue.entry import Entry
from loadrig.catalogue.translation import about, title_of, translated
from loadrig.language.choice import language, texts_of
from loadrig.language.en.catalogue import CatalogueLookUpTexts

TEXTS = texts_of(CatalogueLookUpTexts)

ROOM = "loadrig.catalogue.systems"

LABEL_COLUMNS = 11
"""Columns of the labels on a knob's page: the longest has ten or eleven, in each language."""


def systems() -> tuple[str, ...]:
    """Return the names of the systems that are known."""
    return members.names(ROOM)


def knobs_of(system: str, code: str | None = None) -> Mapping[str, Entry]:
    """Return the knobs of a system; empty where the system is not known.

    code: language of their texts; that of this process if None.
    """
    if system not in systems():
        return {}
    knobs: Mapping[str, Entry] = members.load(ROOM, system).KNOBS
    return translated(system, knobs, code or language())


def entry_of(system: str, knob: str) -> Entry | None:
    """Return a knob of a system; hyphens and underscores are alike. None where the knob is not known."""
    knobs = knobs_of(system)
    return knobs.get(knob) or {_plain(name): entry for name, entry in knobs.items()}.get(_plain(knob))


def entries(member: str, knobs: Iterable[str]) -> Mapping[str, Entry]:
    """Return the entries of these knobs of a target: its own system's, else another system's of that name.

    member: the target's name in plans. A name that several systems have, but not the target's, is left out.
    """
    own = knobs_of(member)
    chosen: dict[str, Entry] = {}
    for name in knobs:
        if name in own:
            chosen[name] = own[name]
            continue
        others = [entry for system in systems() if (entry := knobs_of(system).get(name)) is not None]
        if len(others) == 1:
            chosen[name] = others[0]
    return chosen


def names() -> Iterator[str]:
    """Return every knob as `system.knob`."""
    for system in systems():
        for knob in knobs_of(system):
            yield f"{system}.{knob}"


def page(word: str) -> str | None:
    """Return the page of `gunicorn.workers` or of `gunicorn` as Markdown; None where there is none.

    A knob's own name may hold dots (`linux_tcp.net.core.somaxconn`): the first dot ends the system's.
    """
    system, dot, knob = word.strip().partition(".")
    if system not in systems():
        return None
    if not dot:
        return _system_page(system)
    entry = entry_of(system, knob)
    return None if entry is None else _knob_page(system, entry)


def _system_page(system: str) -> str:
    module = members.load(ROOM, system)
    text = about(system, inspect.cleandoc(module.__doc__ or ""), language())
    lines = [f"# {system}: {TEXTS.knobs_of_system(_title(system))}", "", *text.splitlines(), ""]
    lines += [f"- {system}.{name}: {entry.does}" for name, entry in knobs_of(system).items()]
    return "\n".join(lines)


def _knob_page(system: str, entry: Entry) -> str:
    rows = [
        (TEXTS.set_by, TEXTS.kinds[entry.kind]),
        (TEXTS.values, entry.range),
        (TEXTS.default, f"{entry.default} ({entry.of_version})"),
        (TEXTS.costs, entry.costs),
        (TEXTS.acts_after, _time(entry)),
        (TEXTS.source, entry.source),
    ]
    title = TEXTS.knob_of_system(_title(system))
    head = f"# {system}.{entry.name}: {title}\n\n{entry.does}\n{entry.matters}\n\n"
    return head + "\n".join(
        f"{label}{' ' * (LABEL_COLUMNS - width(label))} {text}" for label, text in rows if text
    )


def _title(system: str) -> str:
    return title_of(system, members.load(ROOM, system).TITLE, language())


def _time(entry: Entry) -> str:
    if entry.time is None:
        return ""
    if entry.time.cycles == 1:
        return entry.time.formula
    return TEXTS.several_times(entry.time.formula, entry.time.cycles)


def _plain(name: str) -> str:
    return name.lower().replace("-", "_")

"""A knob of the catalogue by its name, and its page as `loadrig explain` shows it."""

from collections.abc import Iterable, Iterator, Mapping

from loadrig.base import members
from loadrig.catalogue.entry import Entry

ROOM = "loadrig.catalogue.systems"


def systems() -> tuple[str, ...]:
    """Return the names of the systems that are known."""
    return members.names(ROOM)


def knobs_of(system: str) -> Mapping[str, Entry]:
    """Return the knobs of a system; empty where the system is not known."""
    if system not in systems():
        return {}
    knobs: Mapping[str, Entry] = members.load(ROOM, system).KNOBS
    return knobs


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
    lines = [f"# {system}: knobs of {module.TITLE}", "", *(module.__doc__ or "").strip().splitlines(), ""]
    lines += [f"- {system}.{name}: {entry.does}" for name, entry in knobs_of(system).items()]
    return "\n".join(lines)


def _knob_page(system: str, entry: Entry) -> str:
    title = members.load(ROOM, system).TITLE
    rows = [
        ("set by", KINDS[entry.kind]),
        ("values", entry.range),
        ("default", f"{entry.default} ({entry.of_version})"),
        ("costs", entry.costs),
        ("acts after", _time(entry)),
        ("source", entry.source),
    ]
    head = f"# {system}.{entry.name}: a knob of {title}\n\n{entry.does}\n{entry.matters}\n\n"
    return head + "\n".join(f"{name:<11} {text}" for name, text in rows if text)


KINDS = {
    "flag": "a flag of the command line",
    "environment": "a variable of the environment",
    "key": "a key of its configuration",
    "option": "an option of the JVM",
    "sysctl": "a sysctl",
    "cgroup": "a file of the control group",
}
"""Words for each kind."""


def _time(entry: Entry) -> str:
    if entry.time is None:
        return ""
    times = f", {entry.time.cycles} times within a window" if entry.time.cycles > 1 else ""
    return f"{entry.time.formula}{times}"


def _plain(name: str) -> str:
    return name.lower().replace("-", "_")

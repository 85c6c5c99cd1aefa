"""The map as text for a terminal: in full, and in a few lines."""

import textwrap
from collections.abc import Iterable, Iterator

from loadrig.base.component import Component
from loadrig.base.units import show
from loadrig.discovery.map import Edge, ServiceMap, place

WIDTH = 80

_RUNTIMES = {"cpython": "CPython", "jvm": "JVM", "go": "Go", "node": "Node"}
_LABEL = 10
"""Columns of "limits", "settings" and their like."""

_ORDER = ("framework", "workers by")
_MOST_SETTINGS = 24


def lines(found: ServiceMap) -> list[str]:
    """The whole map as a tree, in lines of at most 80 columns where words allow it."""
    told: set[str] = set()
    out = [*_component(found, found.components[0], None, 0, told)]
    # What was found and whose edge is gone is told all the same.
    for one in found.components:
        if one.name not in told:
            out += ["", *_component(found, one, None, 0, told)]
    for note in found.notes:
        out += ["", *textwrap.wrap(f"note: {note}", WIDTH, break_long_words=False)]
    return out


def summary(found: ServiceMap, most: int = 8) -> list[str]:
    """The map in a few lines: the server, and a line for each edge; at most `most` lines."""
    server = found.components[0]
    out = [_shortened(f"{server.name}: {what(server)}{_tree(server)}")]
    rows = []
    for edge in found.edges:
        to = found.component(edge.to)
        said = what(to) if to.kind != "program" else ""
        name = f"{edge.to} ({said})" if said else edge.to
        rows.append(_shortened(f"  {edge.source} -> {name} {place(edge.address)}: {how_many(edge)}"))
    room = most - len(out)
    if len(rows) > room:
        rows = [*rows[: room - 1], f"  and {len(rows) - room + 1} more: loadrig discover shows all"]
    return out + rows


def what(one: Component) -> str:
    """What a component is: "gunicorn 27.0.1, CPython 3.11.7"; of a program without a name, its own."""
    name = f"{one.kind} {one.program_version}".strip()
    if one.runtime in _RUNTIMES:
        return f"{name}, {_RUNTIMES[one.runtime]} {one.version}".rstrip()
    return name


def how_many(edge: Edge) -> str:
    """What the looks saw of an edge: "8 connections", "at most 3 at once, 41 in all"."""
    if not edge.looks:
        return "by its settings" if edge.address.unix else "short connections"
    if edge.different > edge.connections:
        return f"up to {edge.connections} at once, {edge.different} different ones seen"
    return f"{edge.connections} connection{'s' if edge.connections != 1 else ''}"


def _component(
    found: ServiceMap, one: Component, edge: Edge | None, depth: int, told: set[str]
) -> Iterator[str]:
    indent = "   " * depth
    head = f"-> {one.name}" if edge else one.name
    if edge and one.name in told:  # what it is was said where it was met first
        yield f"{indent}{head}: {place(edge.address)}, {how_many(edge)}"
        return
    told.add(one.name)
    yield from _wrapped(f"{indent}{head}: ", f"{what(one)}{_tree(one)}", f"{indent}     ")
    inner = indent + ("   " if edge else "") + "  "
    if edge:
        yield from _row(inner, "at", f"{place(edge.address)}, {how_many(edge)}")
    elif one.address:
        yield from _row(inner, "at", one.address.unix or one.address.url)
    also = ", ".join(place(address) for address in one.listens)
    if also:
        yield from _row(inner, "listens", f"also on {also}")
    if one.container:
        yield from _row(inner, "container", one.container)
    if one.limits or one.cpus:
        yield from _row(inner, "limits", ", ".join(_limits(one)))
    if one.settings:
        yield from _row(inner, "settings", _settings(one))
    for note in one.notes:
        yield from _row(inner, "note", note)
    for next_edge in found.edges:
        if next_edge.source == one.name:
            yield from _component(found, found.component(next_edge.to), next_edge, depth + 1, told)


def _tree(one: Component) -> str:
    if one.pid is None:
        return ""
    workers = f" with {one.workers} below it" if one.workers else ""
    return f", pid {one.pid}{workers}"


def _limits(one: Component) -> Iterator[str]:
    if "cores" in one.limits:
        yield f"{one.limits['cores']:g} cores of time"
    if one.cpus:
        yield f"cpus {spans(one.cpus)}"
    if "memory_bytes" in one.limits:
        yield f"{show(one.limits['memory_bytes'], 'B')} of memory"
    if "pids" in one.limits:
        yield f"{one.limits['pids']:,.0f} tasks"
    if "descriptors" in one.limits:
        yield f"{one.limits['descriptors']:,.0f} descriptors"


def spans(cpus: Iterable[int]) -> str:
    """Cores as the kernel writes them: "0-3,6"."""
    found: list[list[int]] = []
    for cpu in sorted(cpus):
        if found and found[-1][-1] == cpu - 1:
            found[-1].append(cpu)
        else:
            found.append([cpu])
    return ",".join(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in found)


def _settings(one: Component) -> str:
    names = sorted(one.settings, key=lambda name: name not in _ORDER)
    shown = [_setting(name, one.settings[name]) for name in names[:_MOST_SETTINGS]]
    left = len(names) - len(shown)
    return ", ".join([*shown, *([f"and {left} more: --json shows all"] if left else [])])


def _setting(name: str, value: str) -> str:
    if not value:
        return name
    return (
        f"{name} {value}" if name.startswith("-") and not name.startswith(("-D", "-X")) else f"{name}={value}"
    )


def _row(indent: str, label: str, text: str) -> list[str]:
    return _wrapped(f"{indent}{label:<{_LABEL}}", text, indent + " " * _LABEL)


def _wrapped(first: str, text: str, following: str) -> list[str]:
    return textwrap.wrap(
        plain(text), WIDTH, initial_indent=first, subsequent_indent=following,
        break_long_words=False, break_on_hyphens=False,
    )  # fmt: skip


def plain(text: str) -> str:
    """A text without what would move the cursor: a command line may hold any bytes."""
    return "".join(letter if letter.isprintable() else " " for letter in text)


def _shortened(line: str) -> str:
    line = plain(line)
    return line if len(line) <= WIDTH else f"{line[: WIDTH - 1]}…"

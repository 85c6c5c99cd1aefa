"""The map as text for a terminal."""

import textwrap
from collections.abc import Iterable, Iterator

from loadrig.base.columns import width
from loadrig.base.component import Component
from loadrig.base.units import show
from loadrig.discovery.map import MapEdge, ServiceMap, place
from loadrig.language.choice import texts_of
from loadrig.language.en.discovery import DiscoveryTexts

TEXTS = texts_of(DiscoveryTexts)

WIDTH = 80

_RUNTIMES = {"cpython": "CPython", "jvm": "JVM", "go": "Go", "node": "Node"}
_LABEL = 10
"""Columns for the labels: "limits", "settings" and their like."""

_ORDER = ("framework", "driver", "workers by")
_MOST_SETTINGS = 24


def lines(service_map: ServiceMap) -> list[str]:
    """Return the whole map as a tree, in lines of at most 80 columns where words allow it."""
    shown: set[str] = set()
    out = [*_component(service_map, service_map.components[0], None, 0, shown)]
    # A component that no edge leads to any more is shown all the same.
    for component in service_map.components:
        if component.name not in shown:
            out += ["", *_component(service_map, component, None, 0, shown)]
    for note in service_map.notes:
        out += ["", *textwrap.wrap(TEXTS.note(note), WIDTH, break_long_words=False)]
    return out


def what(component: Component) -> str:
    """Return what a component is: "gunicorn 27.0.1, CPython 3.11.7"; by its own name if not known."""
    name = f"{component.kind} {component.program_version}".strip()
    if component.runtime in _RUNTIMES:
        return f"{name}, {_RUNTIMES[component.runtime]} {component.version}".rstrip()
    return name


def how_many(edge: MapEdge) -> str:
    """Return what the looks saw of an edge: "8 connections", "at most 3 at once, 41 in all"."""
    if not edge.looks:
        return TEXTS.by_settings if edge.address.unix else TEXTS.short_connections
    if edge.different > edge.connections:
        return TEXTS.up_to(str(edge.connections), str(edge.different))
    return TEXTS.connections(edge.connections)


def _component(
    service_map: ServiceMap, component: Component, edge: MapEdge | None, depth: int, shown: set[str]
) -> Iterator[str]:
    indent = "   " * depth
    head = f"-> {component.name}" if edge else component.name
    if edge and component.name in shown:  # it is described where it is first met
        yield f"{indent}{head}: {place(edge.address)}, {how_many(edge)}"
        return
    shown.add(component.name)
    yield from _wrapped(f"{indent}{head}: ", f"{what(component)}{_tree(component)}", f"{indent}     ")
    inner = indent + ("   " if edge else "") + "  "
    if edge:
        yield from _row(inner, "at", f"{place(edge.address)}, {how_many(edge)}")
    elif component.address:
        yield from _row(inner, "at", component.address.unix or component.address.url)
    also = ", ".join(place(address) for address in component.listens)
    if also:
        yield from _row(inner, "listens", TEXTS.also_on(also))
    if component.container:
        yield from _row(inner, "container", component.container)
    if component.limits or component.cpus:
        yield from _row(inner, "limits", ", ".join(_limits(component)))
    if component.settings:
        yield from _row(inner, "settings", _settings(component))
    for note in component.notes:
        yield from _row(inner, "note", note)
    for next_edge in service_map.edges:
        if next_edge.source == component.name:
            yield from _component(
                service_map, service_map.component(next_edge.to), next_edge, depth + 1, shown
            )


def _tree(component: Component) -> str:
    if component.pid is None:
        return ""
    workers = TEXTS.workers_below(component.workers) if component.workers else ""
    return f", pid {component.pid}{workers}"


def _limits(component: Component) -> Iterator[str]:
    if "cores" in component.limits:
        yield TEXTS.cores(f"{component.limits['cores']:g}")
    if component.cpus:
        yield f"cpus {spans(component.cpus)}"
    if "memory_bytes" in component.limits:
        yield TEXTS.memory(show(component.limits["memory_bytes"], "B"))
    if "pids" in component.limits:
        yield TEXTS.tasks(f"{component.limits['pids']:,.0f}")
    if "descriptors" in component.limits:
        yield TEXTS.descriptors(f"{component.limits['descriptors']:,.0f}")


def spans(cpus: Iterable[int]) -> str:
    """Return core numbers as the kernel writes them: "0-3,6"."""
    runs: list[list[int]] = []
    for cpu in sorted(cpus):
        if runs and runs[-1][-1] == cpu - 1:
            runs[-1].append(cpu)
        else:
            runs.append([cpu])
    return ",".join(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs)


def _settings(component: Component) -> str:
    names = sorted(component.settings, key=lambda name: name not in _ORDER)
    shown = [_setting(name, component.settings[name]) for name in names[:_MOST_SETTINGS]]
    hidden = len(names) - len(shown)
    return ", ".join([*shown, *([TEXTS.and_more_settings(str(hidden))] if hidden else [])])


def _setting(name: str, value: str) -> str:
    if not value:
        return name
    return (
        f"{name} {value}" if name.startswith("-") and not name.startswith(("-D", "-X")) else f"{name}={value}"
    )


def _row(indent: str, name: str, text: str) -> list[str]:
    label = TEXTS.rows[name]
    return _wrapped(f"{indent}{label}{' ' * (_LABEL - width(label))}", text, indent + " " * _LABEL)


def _wrapped(first: str, text: str, following: str) -> list[str]:
    return textwrap.wrap(
        plain(text), WIDTH, initial_indent=first, subsequent_indent=following,
        break_long_words=False, break_on_hyphens=False,
    )  # fmt: skip


def plain(text: str) -> str:
    """Return a text without what would move the cursor: a command line may hold any bytes."""
    return "".join(letter if letter.isprintable() else " " for letter in text)

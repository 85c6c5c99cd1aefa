"""Levels that grow with every request: memory, descriptors, threads, goroutines, connections.

Databases and caches are left out: that they hold more with time is what they are for.
"""

from collections.abc import Iterator

from loadrig.judgement.evidence import SeriesSource
from loadrig.judgement.facts.case import Case, once_a_case
from loadrig.judgement.facts.courses import Course, course, read, series_of
from loadrig.judgement.facts.memory import memory
from loadrig.judgement.facts.observed import machine
from loadrig.judgement.facts.tier import Tier
from loadrig.judgement.harms import drift
from loadrig.language.choice import texts_of
from loadrig.language.en.judgement.harms import JudgementHarmsLeaksTexts

TEXTS = texts_of(JudgementHarmsLeaksTexts)

_COUNTED = (
    ("descriptors", "process.fds", "tree", TEXTS.open_descriptors),
    ("threads", "process.threads", "tree", TEXTS.threads),
    ("goroutines", "go.goroutines", "", TEXTS.goroutines),
)

_STATES = (("established", TEXTS.open_connections), ("close_wait", TEXTS.connections_half_closed))


@once_a_case
def of(case: Case) -> tuple[Course, ...]:
    """Return every level that could leak, the leaks first; empty where nothing was read."""
    levels = [
        level
        for tier in case.programs
        if not tier.is_store
        for level in (*_levels_of(tier), *_connection_levels(tier))
    ]
    return tuple(sorted(levels, key=lambda level: not level.is_leak))


def harm(case: Case) -> str | None:
    """Return the harm "growth" as a sentence; None where nothing leaks."""
    first = next((level for level in of(case) if level.is_leak), None) or gone_through(case)
    if first is None:
        return None
    low, high = (first.shown(value) for value in first.interval)
    return TEXTS.grew_every_request(first.what, first.component, first.shown(first.a_request), low, high)


def gone_through(case: Case) -> Course | None:
    """Return the memory of the server that grew while each request took more CPU time; None without such.

    A cache that fills spares work, and garbage that waits for its collection makes none: what makes requests
    dearer as it grows is gone through by each of them. So its course need not tell it from what fills.
    """
    if drift.rise_of(case) is None:
        return None
    own = (level for level in of(case) if level.component == case.server.name)
    return next((level for level in own if level.grew_much), None)


def _levels_of(tier: Tier) -> Iterator[Course]:
    memory_level = memory(tier)
    if memory_level is not None:
        yield memory_level
    for kind, name, subject, what in _COUNTED:
        yield from _counted(tier, tier, kind, name, subject, what)


def _connection_levels(tier: Tier) -> Iterator[Course]:
    """Yield the courses of connections from a program to its dependencies."""
    host = machine(tier)
    for edge in tier.case.edges:
        if edge.source == tier.name:
            for state, what in _STATES:
                name = f"tcp_sockets.{state}"
                yield from _counted(tier, host, "connections", name, edge.role, TEXTS.to(what, edge.to))


def _counted(tier: Tier, host: Tier, kind: str, name: str, subject: str, what: str) -> Iterator[Course]:
    series = series_of(host, name).get(subject)
    if series is None:
        return
    process = read(tier.case, series, subject)
    if process.t_s.size:
        yield course(tier, kind, what, SeriesSource(host.name, name, subject), [process])

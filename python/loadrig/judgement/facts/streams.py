"""Streams of events as amounts a step, which dips of throughput are laid beside.

A stream holds events of one kind: the collections of one tier, the logins, the time that the hypervisor took.
Its amounts are zero or more, one a step of the case. Events that last are counted in seconds, instants by
their number.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from loadrig.base.component import HOST
from loadrig.base.series import Event
from loadrig.judgement.evidence import EventSource, Source
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.garbage import OWN_PAUSES
from loadrig.judgement.facts.load import LOAD
from loadrig.judgement.facts.tier import Tier
from loadrig.language.choice import texts_of
from loadrig.language.en.judgement.facts import JudgementFactsStreamsTexts
from loadrig.recording.event_facts import CommonFacts, facts_of
from loadrig.recording.steps import NS, Floats

TEXTS = texts_of(JudgementFactsStreamsTexts)

ASKED_AGAIN = ("401", "403", "419", "440")
"""HTTP statuses with which a server says that a token or a session is over."""

LEAST_OF_ROUTE = 0.02
"""Share of the answers that a route must have had in some step to have its own stream, 0 to 1."""

_EVENT_TEXTS: dict[str, str] = {
    "gc_pause": TEXTS.event_text_gc_pause,
    "safepoint": TEXTS.event_text_safepoint,
    "worker_died": TEXTS.event_text_worker_died,
    "worker_born": TEXTS.event_text_worker_born,
    "process_died": TEXTS.event_text_process_died,
    "process_born": TEXTS.event_text_process_born,
    "checkpoint": TEXTS.event_text_checkpoint,
    "oom_kill": TEXTS.event_text_oom_kill,
    "slow_command": TEXTS.event_text_slow_command,
    "latency_spike": TEXTS.event_text_latency_spike,
    "restarted": TEXTS.event_text_restarted,
    "log_rotated": TEXTS.event_text_log_rotated,
}
"""Names of streams, by the kind of event: events that can take something away from a server for a while."""

_BETTER_KIND = {"process_died": "worker_died", "process_born": "worker_born"}
"""Kinds of events about the same processes, by the less informative kind: it is left out where there is a
stream of the other kind, which says why."""

_COUNTED: tuple[tuple[str, str, str], ...] = (
    ("cgroup.throttled_s", "throttled", TEXTS.time_stood_still),
    ("process.major_faults", "major_faults", TEXTS.pages_read_back),
    ("redis.misses", "misses", TEXTS.look_ups_nothing),
    ("redis.expired_keys", "expired_keys", TEXTS.keys_whose_time),
    ("redis.evicted_keys", "evicted_keys", TEXTS.keys_threw_out),
    ("postgresql.autovacuum_workers", "autovacuum", TEXTS.workers_autovacuum),
)
"""Series that come in bursts: metric, kind of the stream, name of the stream."""


@dataclass(frozen=True, slots=True, eq=False)
class Stream:
    """Events of one kind, step by step. kind: as an event is called, or "logins", "route", "steal", ...

    component: the tier that the events are about, "load" for the generator's own. text: name of the events, a
    plural. amounts: float64[n], one a step of the whole case, zero or more. is_time: whether the amounts are
    seconds in which (part of) the component stood still. subject: name of a route, number of a status.
    """

    kind: str
    component: str
    text: str
    amounts: Floats
    source: Source
    is_time: bool = False
    subject: str = ""

    @property
    def is_load(self) -> bool:
        """Whether the events are the generator's own, or were read from answers."""
        return self.component == LOAD


def streams(case: Case) -> list[Stream]:
    """Return the streams of a case that have an event in the measured part."""
    every = [*_load_streams(case), *_event_streams(case), *_series_streams(case)]
    return [stream for stream in every if np.any(stream.amounts[case.is_inside] > 0)]


def _load_streams(case: Case) -> Iterator[Stream]:
    load = case.load
    yield Stream("logins", LOAD, "logins", load.logins, load.source("load.logins"))
    refusals = [load.status[code] for code in ASKED_AGAIN if code in load.status]
    if refusals:
        text = TEXTS.answers_token_or
        yield Stream("refused", LOAD, text, np.sum(refusals, axis=0), load.source("load.status"))
    ended = np.maximum(load.ok + load.failed + load.logins, 1e-9)
    if len(load.routes) > 1:
        for route, rate in load.routes.items():
            if np.max(rate / ended) >= LEAST_OF_ROUTE:
                text = TEXTS.requests_route(route)
                yield Stream("route", LOAD, text, rate, load.source("load.routes"), subject=route)


def _event_streams(case: Case) -> Iterator[Stream]:
    by_kind: dict[tuple[str, str], list[Event]] = {}
    for event in case.events_of(*_EVENT_TEXTS, is_measured=False):
        by_kind.setdefault((event.kind, event.component or HOST), []).append(event)
    for (kind, component), events in by_kind.items():
        if (_BETTER_KIND.get(kind), component) in by_kind or _is_of_connections(case, kind, component):
            continue
        lasted = kind in ("gc_pause", "safepoint", "slow_command", "latency_spike", "checkpoint") and any(
            facts_of(event, CommonFacts).duration_s for event in events
        )
        yield Stream(
            kind,
            component,
            _EVENT_TEXTS[kind].format(component),
            _binned(case, events, is_time=lasted),
            EventSource(component, kind, len(events)),
            # The server goes on working during a checkpoint: its length is no standstill.
            is_time=lasted and kind != "checkpoint",
        )


def _is_of_connections(case: Case, kind: str, component: str) -> bool:
    """Return whether the processes of a component are connections, as those of a database are.

    They come and go when workers are replaced and connect anew, so their stream would match the dips just as
    well as the stream of the workers.
    """
    tier = case.tiers.get(component)
    return kind in _BETTER_KIND and tier is not None and tier.is_database


def _binned(case: Case, events: Iterable[Event], *, is_time: bool) -> Floats:
    """Return the number of events in each step, or the seconds of each step that events lasted."""
    amounts = np.zeros(case.edges_ns.size - 1)
    starts, ends = case.edges_ns[:-1], case.edges_ns[1:]
    for event in events:
        first = int(np.searchsorted(starts, event.t_ns, side="right")) - 1
        if first < 0 or event.t_ns >= ends[-1]:
            continue
        facts = facts_of(event, CommonFacts)
        if not is_time:
            amounts[first] += facts.count or 1
            continue
        until_ns = event.t_ns + int((facts.duration_s or 0.0) * NS)
        for step in range(first, int(np.searchsorted(starts, max(until_ns, event.t_ns + 1)))):
            amounts[step] += max(0, min(until_ns, int(ends[step])) - max(event.t_ns, int(starts[step]))) / NS
    return amounts


def _series_streams(case: Case) -> Iterator[Stream]:
    for tier in case.tiers.values():
        if tier.is_host:
            yield from _steal(tier)
            continue
        if not case.events_of("gc_pause", component=tier.name, is_measured=False):
            for name in OWN_PAUSES:
                yield from _counted(tier, name, "gc_pause", _EVENT_TEXTS["gc_pause"], is_time=True)
        for name, kind, text in _COUNTED:
            yield from _counted(tier, name, kind, text, is_time=kind == "throttled")


def _steal(host: Tier) -> Iterator[Stream]:
    tracks = [track for track in host.parts("system_cpu.steal_s").values() if track.subject.startswith("cpu")]
    if tracks:
        amounts = np.sum([_filled(track.values) for track in tracks], axis=0)
        text = TEXTS.time_hypervisor_took(host.name)
        yield Stream("steal", host.name, text, amounts, tracks[0].source, is_time=True)


def _counted(tier: Tier, name: str, kind: str, text: str, *, is_time: bool) -> Iterator[Stream]:
    tracks = [track for track in tier.case.subjects(tier.name, name).values() if track.is_known]
    if tracks:
        # Take the process or group that lost most: a sum over several is no time of the server.
        most = max(tracks, key=lambda track: track.mean)
        yield Stream(kind, tier.name, text.format(tier.name), _filled(most.values), most.source, is_time)


def _filled(values: Floats) -> Floats:
    filled: Floats = np.nan_to_num(values, nan=0.0)
    return np.maximum(filled, 0.0)

"""A recording's series and map as what was seen of each component, on the steps of the load."""

from dataclasses import replace
from typing import TYPE_CHECKING

from loadrig.account import cores
from loadrig.account.background import background_of
from loadrig.account.calls import calls_of, from_callers, is_timeless, served
from loadrig.account.cores import summed
from loadrig.account.document import UnseenDocument
from loadrig.account.load import LoadSeries
from loadrig.account.observations import Observations, Threads
from loadrig.account.scene import AccountScene
from loadrig.account.slots import MOST_OF_TIME, ONE_EACH
from loadrig.account.source import AccountSource
from loadrig.base.component import HOST, SERVER
from loadrig.base.later import Later
from loadrig.language.choice import texts_of
from loadrig.language.en.account import AccountReadTexts
from loadrig.recording.steps import Floats

if TYPE_CHECKING:
    import numpy as np
else:
    np = Later("numpy")

TEXTS = texts_of(AccountReadTexts)


MULTIPLEXED = frozenset({"2", "h2", "h2c", "http2"})
"""Values of the plan's `http` for which one connection carries several requests at a time."""

SHARING = frozenset({"websocket", "grpc"})
"""Protocols of routes for which one connection carries several requests at a time."""

A_PROCESS_EACH = frozenset({"postgresql"})
"""Kinds of components that start a process for each connection: no request waits for a free process."""

READS_A_CONNECTION = ("reading in:", "reading out:")
"""Names of waits in which a thread of `thread_states` waits to read one connection, at a port of its own or
of a dependency."""

READS_APART = 0.02
"""Number of threads that read a connection of their own. Above it the program's threads each have a
connection: it is one look of fifty, so that a thread which asks something once a minute does not count."""


def observations_of(recording: AccountSource, load: LoadSeries) -> list[Observations]:
    """Return what was seen of all programs of the map, the loaded server first."""
    scene = AccountScene(recording, load)
    names = sorted(scene.components, key=lambda name: (name != SERVER, name))
    return [_component(scene, name) for name in names]


def server_of(recording: AccountSource, load: LoadSeries) -> Observations:
    """Return what was seen of the loaded server alone."""
    return _component(AccountScene(recording, load), SERVER)


def _component(scene: AccountScene, name: str) -> Observations:
    component = scene.components[name]
    is_loaded = name == SERVER
    cpu = scene.subjects(name, "process", "cpu_s").get("tree")
    threads = _threads(scene, name)
    limit = component.limits.get("cores")
    quotas = [float(np.nanmedian(v)) for v in scene.subjects(name, "cgroup", "quota_cores").values()]
    quota = min([*quotas, *([limit] if limit else [])], default=None)
    places = float(len(component.cpus)) or scene.cores
    throttled = list(scene.subjects(name, "cgroup", "throttled_s").values())
    host = f"{name.rpartition('/')[0]}/{HOST}" if "/" in name else HOST
    tier = Observations(
        name,
        component.kind,
        component.runtime,
        is_loaded,
        is_loaded and _is_multiplexed(scene.recording),
        total=scene.load.in_flight if is_loaded else from_callers(scene, name),
        calls=calls_of(scene, name),
        running=cpu if cpu is not None else summed(scene.subjects(name, "thread_states", "group_cpu_s")),
        runnable=_delay(scene, name),
        # Of nested groups the tightest stands still longest, and all of its threads stand still with it.
        throttled_s=max(throttled, key=np.nansum, default=None),
        disk=threads.states.get("disk"),
        threads=threads,
        workers=0 if component.kind in A_PROCESS_EACH else component.workers,
        cores=min([n for n in (quota, places) if n], default=None),
        quota=quota,
        host_cores=scene.cores if host == HOST else None,
        host_used=cores.used(scene.subjects, host),
        steal=cores.stolen(scene.subjects, host),
        places=places,
        places_used=cores.used(scene.subjects, host, component.cpus),
        places_stolen=cores.stolen(scene.subjects, host, component.cpus),
        background=background_of(scene, name),
    )
    return replace(_with_sockets(scene, tier), unseen=tuple(_unseen(scene, tier)))


def _with_sockets(scene: AccountScene, tier: Observations) -> Observations:
    groups = served(scene, tier.name)
    if not groups:
        return tier

    def number(stage: str) -> Floats:
        total = np.zeros(scene.load.seconds.size)
        for stages in groups:
            # Every group has `sockets` in all steps with looks; a stage without sockets is left out.
            total = total + np.where(np.isfinite(stages["sockets"]), 0.0, np.nan)
            total = total + stages.get(stage, np.zeros(total.size))
        return total

    accept_queue = np.maximum(0.0, number("not_accepted") - number("silent"))
    tier = replace(
        tier,
        accept_queue=accept_queue,
        unread=number("unread"),
        sending=number("sending"),
        abandoned=number("abandoned"),
    )
    if all(is_timeless(stages) for stages in groups):
        return tier  # Unix sockets bear no times: what is in hand cannot be told
    tier = replace(tier, in_hand=number("in_hand"), tied=number("tied"))
    accepted = number("sockets") - number("not_accepted") - number("abandoned")
    return _with_taken_up(scene, tier, accepted)


def _with_taken_up(scene: AccountScene, tier: Observations, accepted: Floats) -> Observations:
    """Return a component with all its accepted connections in hand, where each process has one at a time.

    Such a process accepts only when it has nothing to do. It may leave bytes unread all the while: PHP-FPM
    never reads the empty record with which FastCGI ends a request. accepted: float64[n], connections that
    some process has and whose client is still there.
    """
    inside = accepted[scene.load.is_measured]
    if tier.workers < 1 or tier.is_multiplexed or not np.isfinite(inside).any():
        return tier
    if np.nanquantile(inside, MOST_OF_TIME) > ONE_EACH * tier.workers:
        return tier
    assert tier.in_hand is not None
    assert tier.unread is not None  # both are read above
    return replace(tier, in_hand=tier.in_hand + tier.unread, unread=np.zeros(tier.unread.size))


def _threads(scene: AccountScene, name: str) -> Threads:
    states = {
        subject.removeprefix("state:"): values
        for subject, values in scene.bursts(name, "threads").items()
        if subject.startswith("state:")
    }
    groups: dict[str, dict[str, Floats]] = {}
    for subject, values in scene.bursts(name, "group_threads").items():
        state, _, group = subject.partition(" ")
        groups.setdefault(group, {})[state] = values
    reads_apart = any(
        subject.startswith(READS_A_CONNECTION) and float(np.nanmax(number)) > READS_APART
        for subject, number in scene.bursts(name, "waits").items()
    )
    threads = Threads(
        states,
        groups,
        reads_apart=reads_apart,
        lock_held=scene.subjects(name, "python", "gil_share").get(""),
        lock_wanted=scene.subjects(name, "python", "waiting_threads").get(""),
    )
    busy = scene.subjects(name, "thread_states", "thread_cpu_s")
    if not busy:
        return threads
    inside = scene.load.is_measured
    busiest = max(sorted(busy), key=lambda subject: float(np.nansum(busy[subject][inside])))
    delay = scene.subjects(name, "thread_states", "thread_run_delay_s").get(busiest)
    return replace(threads, busiest=busiest, cpu=busy[busiest], delay=delay)


def _delay(scene: AccountScene, name: str) -> "Floats | None":
    """Return how many threads wait for a core."""
    by_group = summed(scene.subjects(name, "thread_states", "group_run_delay_s"))
    return by_group if by_group is not None else scene.subjects(name, "process", "run_delay_s").get("tree")


def _is_multiplexed(recording: AccountSource) -> bool:
    """Return whether a connection of the load carries several requests at once."""
    config = recording.config
    if recording.manifest.load.http in MULTIPLEXED or config is None:
        return recording.manifest.load.http in MULTIPLEXED
    return config.connections.protocol == "http2" or any(route.protocol in SHARING for route in config.routes)


def _unseen(scene: AccountScene, tier: Observations) -> list[UnseenDocument]:
    """Return what was not seen of a component, each with the reason that its probe gave."""
    notes = {
        event.subject: event.text
        for event in scene.recording.events
        if event.kind in ("note", "probe_failed", "gap") and event.component == tier.name
    }
    missing = []
    if not scene.groups(tier.name):
        why = notes.get("socket_stages", TEXTS.probe_socket_stages)
        missing.append(UnseenDocument(TEXTS.socket_stages, why))
    elif not served(scene, tier.name):
        missing.append(UnseenDocument(TEXTS.in_hand, TEXTS.no_socket_port))
    elif all(is_timeless(stages) for stages in served(scene, tier.name)):
        missing.append(UnseenDocument(TEXTS.in_hand, TEXTS.asked_over_unix))
    if not tier.threads.states:
        why = notes.get("thread_states", TEXTS.probe_thread_states)
        missing.append(UnseenDocument(TEXTS.thread_states, why))
    if tier.running is None:
        missing.append(UnseenDocument("running", notes.get("process", TEXTS.cpu_time_not)))
    if tier.runnable is None:
        missing.append(UnseenDocument("runnable", TEXTS.time_threads_waited))
    return missing

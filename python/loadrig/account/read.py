"""A recording's series and map as what was seen of each component, on the steps of the load."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from loadrig.account import cores
from loadrig.account.background import background_of
from loadrig.account.cores import summed
from loadrig.account.document import UnseenDocument
from loadrig.account.load import LoadSeries
from loadrig.account.seen import DependencyCalls, Observations, Threads
from loadrig.account.source import AccountSource
from loadrig.base.component import HOST, PROXY, SERVER
from loadrig.base.later import Later
from loadrig.base.series import Series
from loadrig.language.choice import texts_of
from loadrig.language.en.account import AccountReadTexts
from loadrig.recording.service_map import MapComponent, MapDocument
from loadrig.recording.steps import Floats, averages, levels, rates

if TYPE_CHECKING:
    import numpy as np
else:
    np = Later("numpy")

TEXTS = texts_of(AccountReadTexts)


LONGEST_GAP_S = 12.0
"""Longest time between two samples with looks, in seconds; between samples further apart nothing is known.
The probe `socket_stages` looks every 5 s on average at the least, so that in one of ten such gaps its looks
are merely late."""

MULTIPLEXED = frozenset({"2", "h2", "h2c", "http2"})
"""Values of the plan's `http` for which one connection carries several requests at a time."""

SHARING = frozenset({"websocket", "grpc"})
"""Protocols of routes for which one connection carries several requests at a time."""

A_PROCESS_EACH = frozenset({"postgresql"})
"""Kinds of components that start a process for each connection: no request waits for a free process."""

DATABASES = ("postgresql", "mariadb")
"""Probes that count the sessions of a database by client."""

IN_TRANSACTION = "client_idle_in_transaction"
"""Metric of the database probes: sessions that are idle in a transaction, by client."""

HOLDS_FOR_STEPS = 12
"""Number of steps for which a burst of looks at threads holds: a burst comes every 5 s, or later where it
costs much."""


READS_A_CONNECTION = ("reading in:", "reading out:")
"""Names of waits in which a thread of `thread_states` waits to read one connection, at a port of its own or
of a dependency."""

READS_APART = 0.02
"""Number of threads that read a connection of their own. Above it the program's threads each have a
connection: it is one look of fifty, so that a thread which asks something once a minute does not count."""


class AccountScene:
    """The recording as far as accounts ask for it: its map, and its series on the steps of the load."""

    def __init__(self, recording: AccountSource, load: LoadSeries) -> None:
        self.recording, self.load = recording, load
        service_map = recording.manifest.map or MapDocument()
        self.components = {row.name: row for row in service_map.programs if row.kind != PROXY}
        self.components.setdefault(SERVER, MapComponent(SERVER, "program"))
        self.edges = service_map.edges
        self._by_metric: dict[tuple[str, str, str], dict[str, Series]] = {}
        for key, series in recording.series().items():
            self._by_metric.setdefault(key[:3], {})[key.subject] = series
        self._groups: dict[str, dict[str, dict[str, Floats]]] = {}

    @property
    def cores(self) -> float | None:
        """Cores of this machine; the manifest has those that the rig may use, which may be fewer."""
        machine = self.recording.manifest.machine
        listed = machine.cores if machine else 0
        seen = self._by_metric.get((HOST, "system_cpu", "user_s"), {})
        return float(max(listed, sum(subject.startswith("cpu") for subject in seen))) or None

    def subjects(self, component: str, probe: str, metric: str) -> dict[str, Floats]:
        """Return all subjects of a metric on the steps, without those whose values are all unknown."""
        by_subject = {}
        for subject, series in self._by_metric.get((component, probe, metric), {}).items():
            on_steps = (rates if series.kind == "counter" else levels)(series, self.load.edges_ns)
            if np.isfinite(on_steps).any():
                by_subject[subject] = on_steps
        return by_subject

    def bursts(self, component: str, metric: str) -> dict[str, Floats]:
        """Return the means of bursts of `thread_states`, each held for a while until the next burst."""
        by_subject = {}
        for subject, series in self._by_metric.get((component, "thread_states", metric), {}).items():
            on_steps = _held(levels(series, self.load.edges_ns))
            if np.isfinite(on_steps).any():
                by_subject[subject] = on_steps
        return by_subject

    def groups(self, component: str) -> dict[str, dict[str, Floats]]:
        """Return the mean numbers of sockets by group and stage; empty where nobody looked."""
        if component not in self._groups:
            self._groups[component] = self._read_groups(component)
        return self._groups[component]

    def _read_groups(self, component: str) -> dict[str, dict[str, Floats]]:
        looks = self._by_metric.get((component, "socket_stages", "looks"), {}).get("")
        if looks is None:
            return {}
        t_ns = looks.t_ns[looks.value > 0]
        by_group: dict[str, dict[str, Floats]] = {}
        for (name, probe, metric), subjects in self._by_metric.items():
            if (name, probe) != (component, "socket_stages") or metric == "looks" or metric.endswith("_s"):
                continue
            for group, series in subjects.items():
                values = averages(series, t_ns, self.load.edges_ns, LONGEST_GAP_S)
                if np.isfinite(values).any():
                    by_group.setdefault(group, {})[metric] = values
        return by_group


def seen_of(recording: AccountSource, load: LoadSeries) -> list[Observations]:
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
    seen = Observations(
        name,
        component.kind,
        component.runtime,
        is_loaded,
        is_loaded and _is_multiplexed(scene.recording),
        total=scene.load.in_flight if is_loaded else _from_callers(scene, name),
        calls=_calls(scene, name),
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
    return replace(_with_sockets(scene, seen), unseen=tuple(_unseen(scene, seen)))


def _with_sockets(scene: AccountScene, seen: Observations) -> Observations:
    groups = _served(scene, seen.name)
    if not groups:
        return seen

    def number(stage: str) -> Floats:
        total = np.zeros(scene.load.seconds.size)
        for stages in groups:
            # Every group has `sockets` in all steps with looks; a stage without sockets is left out.
            total = total + np.where(np.isfinite(stages["sockets"]), 0.0, np.nan)
            total = total + stages.get(stage, np.zeros(total.size))
        return total

    accept_queue = np.maximum(0.0, number("not_accepted") - number("silent"))
    seen = replace(
        seen,
        accept_queue=accept_queue,
        unread=number("unread"),
        sending=number("sending"),
        abandoned=number("abandoned"),
    )
    if all(_is_timeless(stages) for stages in groups):
        return seen  # Unix sockets bear no times: what is in hand cannot be told
    return replace(seen, in_hand=number("in_hand"), tied=number("tied"))


def _served(scene: AccountScene, name: str) -> list[dict[str, Floats]]:
    """Return the socket groups through which a component is asked.

    These are the groups of the addresses that callers use, else all.
    """
    groups = {
        group: stages
        for group, stages in scene.groups(name).items()
        if group.startswith("in:") and "sockets" in stages
    }
    wanted = {f"in:{_port(edge.address)}" for edge in scene.edges if edge.to == name}
    if name == SERVER:
        address = scene.components[name].address or scene.recording.manifest.address or ""
        wanted = {f"in:{_port(address)}"}
    chosen = [stages for group, stages in groups.items() if group in wanted]
    return chosen or list(groups.values())


def _port(address: str) -> str:
    """Return the port of an address or URL as the probe names it; of a Unix socket its path."""
    if "://" in address:
        url = urlsplit(address)
        return str(url.port or (443 if url.scheme in ("https", "wss") else 80))
    return address if address.startswith(("/", "@")) else address.rpartition(":")[2]


def _is_timeless(stages: Mapping[str, Floats]) -> bool:
    """Return whether all sockets of a group are Unix sockets, which bear no times."""
    unclear = stages.get("unclear")
    times = sum(
        float(np.nansum(stages[stage])) for stage in ("in_hand", "awaiting", "idle") if stage in stages
    )
    return unclear is not None and times == 0.0 and float(np.nansum(unclear)) > 0


def _calls(scene: AccountScene, name: str) -> tuple[DependencyCalls, ...]:
    """Return calls by dependency, all addresses of one dependency together, in the order of their names."""
    by_name: dict[str, list[tuple[str, dict[str, Floats]]]] = {}
    for group, stages in scene.groups(name).items():
        if group.startswith("out:") and "sockets" in stages:
            address = group.removeprefix("out:")
            by_name.setdefault(_dependency(scene, name, address), []).append((group, stages))
    waits = scene.bursts(name, "waits")
    calls = (
        _call(dependency, by_name[dependency], waits, scene.load.seconds.size)
        for dependency in sorted(by_name)
    )
    return tuple(_with_transactions(scene, name, call) for call in calls)


def _with_transactions(scene: AccountScene, name: str, call: DependencyCalls) -> DependencyCalls:
    """Tell connections that are idle in the middle of a transaction from those that are free.

    To the kernel they look alike; a database that lists its sessions by client knows which are taken.
    """
    idle = call.stages.get("idle")
    rows = [scene.subjects(call.of, probe, IN_TRANSACTION) for probe in DATABASES]
    taken = next((sessions[f"client:{name}"] for sessions in rows if f"client:{name}" in sessions), None)
    if idle is None or taken is None:
        return call
    held = np.minimum(idle, np.nan_to_num(taken))
    return replace(call, stages={**call.stages, "idle": idle - held, "in_transaction": held})


def _call(
    dependency: str, groups: Sequence[tuple[str, dict[str, Floats]]], waits: Mapping[str, Floats], n: int
) -> DependencyCalls:
    totals: dict[str, Floats] = {}
    awaiting = np.zeros(n)
    for group, stages in groups:
        for stage, values in stages.items():
            totals[stage] = totals.get(stage, np.zeros(n)) + values
        if _is_timeless(stages):
            by_threads = waits.get(f"reading {group}")
            awaiting = awaiting + (np.nan_to_num(by_threads) if by_threads is not None else 0.0)
        else:
            awaiting = awaiting + stages.get("awaiting", np.zeros(n))
    zeros = np.where(np.isfinite(totals["sockets"]), 0.0, np.nan)
    return DependencyCalls(
        dependency,
        zeros + totals.get("connecting", 0.0),
        zeros + awaiting,
        zeros + totals.get("answer_unread", 0.0),
        {stage: values for stage, values in totals.items() if not stage.endswith("_sd")},
    )


def _dependency(scene: AccountScene, source: str, address: str) -> str:
    """Return the name of the component that listens at an address, by the map.

    The address itself where the map has no name.
    """
    for edge in scene.edges:
        if edge.source == source and edge.address == address:
            return edge.to
    return next((edge.to for edge in scene.edges if edge.address == address), address)


def _from_callers(scene: AccountScene, name: str) -> "Floats | None":
    """Return the requests for which a component's callers wait; None where no caller's sockets tell."""
    total: Floats | None = None
    for source in scene.components:
        for call in _calls(scene, source):
            is_told = call.of == name and float(np.nansum(call.awaiting + call.connecting)) > 0
            if is_told and source != name:
                number = call.awaiting + call.connecting
                total = number if total is None else total + number
    return total


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


def _held(values: Floats) -> Floats:
    """Return values with each gap filled, for a while, by the value before it."""
    is_known = np.isfinite(values)
    places = np.where(is_known, np.arange(values.size), -1)
    last = np.maximum.accumulate(places)
    is_near = (last >= 0) & (np.arange(values.size) - last <= HOLDS_FOR_STEPS)
    filled: Floats = np.where(is_near, values[np.maximum(last, 0)], np.nan)
    return filled


def _is_multiplexed(recording: AccountSource) -> bool:
    """Return whether a connection of the load carries several requests at once."""
    config = recording.config
    if recording.manifest.load.http in MULTIPLEXED or config is None:
        return recording.manifest.load.http in MULTIPLEXED
    return config.connections.protocol == "http2" or any(route.protocol in SHARING for route in config.routes)


def _unseen(scene: AccountScene, seen: Observations) -> list[UnseenDocument]:
    """Return what was not seen of a component, each with the reason that its probe gave."""
    notes = {
        event.subject: event.text
        for event in scene.recording.events
        if event.kind in ("note", "probe_failed", "gap") and event.component == seen.name
    }
    missing = []
    if not scene.groups(seen.name):
        why = notes.get("socket_stages", TEXTS.probe_socket_stages)
        missing.append(UnseenDocument(TEXTS.socket_stages, why))
    elif not _served(scene, seen.name):
        missing.append(UnseenDocument(TEXTS.in_hand, TEXTS.no_socket_port))
    elif all(_is_timeless(stages) for stages in _served(scene, seen.name)):
        missing.append(UnseenDocument(TEXTS.in_hand, TEXTS.asked_over_unix))
    if not seen.threads.states:
        why = notes.get("thread_states", TEXTS.probe_thread_states)
        missing.append(UnseenDocument(TEXTS.thread_states, why))
    if seen.running is None:
        missing.append(UnseenDocument("running", notes.get("process", TEXTS.cpu_time_not)))
    if seen.runnable is None:
        missing.append(UnseenDocument("runnable", TEXTS.time_threads_waited))
    return missing

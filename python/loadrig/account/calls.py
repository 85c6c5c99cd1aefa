"""Calls between components, by both ends of their connections."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from loadrig.account.observations import DependencyCalls
from loadrig.account.scene import AccountScene
from loadrig.base.component import SERVER
from loadrig.base.later import Later
from loadrig.recording.steps import Floats

if TYPE_CHECKING:
    import numpy as np
else:
    np = Later("numpy")

DATABASES = ("postgresql", "mariadb")
"""Probes that count the sessions of a database by client."""

IN_TRANSACTION = "client_idle_in_transaction"
"""Metric of the database probes: sessions that are idle in a transaction, by client."""

TITLES = "session_titles"
"""Probe that counts the sessions of PostgreSQL by the titles of their processes."""

OTHERS_SOCKETS = 1.1
"""Ratio of a dependency's connections to those of its watched callers. Above it others call it, too, and what
it sends may be for them."""


def served(scene: AccountScene, name: str) -> list[dict[str, Floats]]:
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


def is_timeless(stages: Mapping[str, Floats]) -> bool:
    """Return whether all sockets of a group are Unix sockets, which bear no times."""
    unclear = stages.get("unclear")
    times = sum(
        float(np.nansum(stages[stage])) for stage in ("in_hand", "awaiting", "idle") if stage in stages
    )
    return unclear is not None and times == 0.0 and float(np.nansum(unclear)) > 0


def calls_of(scene: AccountScene, name: str) -> tuple[DependencyCalls, ...]:
    """Return calls by dependency, all addresses of one dependency together, in the order of their names."""
    return tuple(_with_arriving(scene, call) for call in _by_own_end(scene, name))


def _by_own_end(scene: AccountScene, name: str) -> tuple[DependencyCalls, ...]:
    """Return calls as the sockets of the caller alone tell of them."""
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

    To the kernel they look alike; a database that lists its sessions by client knows which are taken. One
    that lets nobody look writes what its sessions do into their titles, which name no program: they are all
    of the caller where it is the only one.
    """
    idle = call.stages.get("idle")
    rows = [scene.subjects(call.of, probe, IN_TRANSACTION) for probe in DATABASES]
    in_use = next((sessions[f"client:{name}"] for sessions in rows if f"client:{name}" in sessions), None)
    if in_use is None and {edge.source for edge in scene.edges if edge.to == call.of} == {name}:
        in_use = scene.subjects(call.of, TITLES, "sessions").get("idle in transaction")
    if idle is None or in_use is None:
        return call
    held = np.minimum(idle, np.nan_to_num(in_use))
    return replace(call, stages={**call.stages, "idle": idle - held, "in_transaction": held})


def _with_arriving(scene: AccountScene, call: DependencyCalls) -> DependencyCalls:
    """Count connections on which a part of an answer was read and the rest is still to come as awaited.

    At the caller's end such a connection is idle: data came in after data last went out. The other end, where
    it is watched, has the rest to send: until the caller's acknowledgement lets it go, or as fast as the
    line takes it. What that end counts as under way beyond what all callers await is of this kind.
    """
    idle, groups = call.stages.get("idle"), served(scene, call.of) if call.of in scene.components else []
    if idle is None or not groups or all(is_timeless(stages) for stages in groups):
        return call

    def sockets_of(*names: str) -> Floats:
        total = np.zeros(scene.load.seconds.size)
        for stages in groups:
            total = total + np.where(np.isfinite(stages["sockets"]), 0.0, np.nan)
            total = total + sum(stages.get(name, 0.0) for name in names)
        return total

    callers = [
        own
        for source in scene.components
        if source != call.of
        for own in _by_own_end(scene, source)
        if own.of == call.of
    ]
    if not callers:  # it calls itself
        return call
    awaited = np.sum([own.connecting + own.awaiting + own.answer_unread for own in callers], axis=0)
    sending = sockets_of("sending")
    under_way = sockets_of("not_accepted", "unread", "in_hand") - sockets_of("silent") + sending
    is_seen = scene.load.is_measured & np.isfinite(under_way + awaited)
    own_sockets = np.sum([own.stages["sockets"] for own in callers], axis=0)
    sent = float(sending[is_seen].sum())
    is_others = sockets_of("sockets")[is_seen].sum() > OTHERS_SOCKETS * own_sockets[is_seen].sum()
    if not sent > 0 or is_others:
        return call
    # Looks at the two ends are of different instants: only their means can be compared.
    excess = float((under_way - awaited)[is_seen].sum())
    rest = np.nan_to_num(sending) * min(1.0, max(0.0, excess / sent))
    idle_of_all = np.sum([own.stages.get("idle", np.zeros(idle.size)) for own in callers], axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        arriving = np.minimum(idle, rest * np.where(idle_of_all > 0, idle / idle_of_all, 0.0))
    awaiting = call.awaiting + arriving
    return replace(
        call, awaiting=awaiting, stages={**call.stages, "idle": idle - arriving, "awaiting": awaiting}
    )


def _call(
    dependency: str, groups: Sequence[tuple[str, dict[str, Floats]]], waits: Mapping[str, Floats], n: int
) -> DependencyCalls:
    totals: dict[str, Floats] = {}
    awaiting = np.zeros(n)
    for group, stages in groups:
        for stage, values in stages.items():
            totals[stage] = totals.get(stage, np.zeros(n)) + values
        if is_timeless(stages):
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


def from_callers(scene: AccountScene, name: str) -> "Floats | None":
    """Return the requests for which a component's callers wait; None where no caller's sockets tell."""
    total: Floats | None = None
    for source in scene.components:
        for call in calls_of(scene, source):
            awaits_answers = call.of == name and float(np.nansum(call.awaiting + call.connecting)) > 0
            if awaits_answers and source != name:
                number = call.awaiting + call.connecting
                total = number if total is None else total + number
    return total

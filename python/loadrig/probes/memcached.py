"""A memcached: hits, misses and evictions, also in bursts, its connections, and how full it is.

## What it reads

The command `stats`, over one connection that is kept: once a sample, and besides ten times a second at random
instants, for what happens in bursts. Nothing is set, and no key is read.

`sasl` and the binary protocol are not spoken: where memcached wants a login (`-S`, `-Y`), the probe says so.

## How to read it

`hits` against `misses` tell what the cache is worth. `evictions` that grow under load mean that it is too
small (`items_bytes` near `memory_limit_bytes`), `evictions_unfetched` that what it throws out was never
asked for.
Where `evictions` fall into bursts (`evictions_peak_per_s` far above the mean), so do the misses that follow
and the load of what lies behind the cache; a burst of misses alone, with `expired_unfetched` or `flushes`,
is many keys that expire at once. A peak is the highest rate between two looks since the sample before.
`connections` that grow as fast as requests mean that there is no pool. `accepting` at 0, or
`listen_disabled`, means that `max_connections` was reached and that clients wait. `conn_yields` that grow
mean that single clients ask so much at once that others are made to wait.
`cpu_user_s` and `cpu_system_s` near `threads` seconds a second are its end.

## Cost

0.3 ms of one core for a look and 0.1 ms of the memcached itself; 4.3 ms a second with all looks.
Measured on Linux 6.18, Python 3.11, memcached 1.6.18.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass

from loadrig.base.component import Component
from loadrig.base.effects import ServerEffect
from loadrig.base.members import only
from loadrig.base.series import Metric
from loadrig.probes._aside import Aside, Reading
from loadrig.probes._counting import Counters, SubjectValues, figured, metrics, numbers
from loadrig.probes._databases.looks import LOOKS, DatabaseLook
from loadrig.probes._databases.memcached_stats import FIGURES, PEAKS, RATES, MemcachedWire, levels
from loadrig.probes._databases.peaks import Peaks
from loadrig.probes._databases.sampled import Sampled, restarted
from loadrig.probes._line import Door, ServerAccess, ServerConnection, door
from loadrig.probes._session import Place, Session
from loadrig.probes._watch import samples_of

PORT = 11211

RESTART_S = 5.0
"""Seconds by which its start must differ to count as a new one; start and time are known in whole seconds."""

ONLY = {"kind": ("memcached",)}

EFFECTS: tuple[ServerEffect, ...] = (
    ServerEffect(
        "asks the server", "The command stats, eleven times a second over one connection; nothing is set."
    ),
)

METRICS: Mapping[str, Metric] = {
    **metrics(FIGURES),
    **PEAKS,
    "connections_open": Metric("1", "gauge", "Connections of clients, ours left out."),
    "connections_share": Metric("1", "gauge", "Of max_connections; at 1 clients have to wait."),
    "memory_share": Metric("1", "gauge", "Bytes of items over the limit; near 1 it evicts."),
    "mean_connections_open": Metric("1", "gauge", "Connections of clients. Mean number over the looks."),
    "mean_connections_open_sd": Metric("1", "gauge", "Standard deviation of that from look to look."),
    "looks": LOOKS,
}

EVENTS: Mapping[str, str] = {
    "restarted": "The server was started anew, or another one took its place.",
}


@dataclass(frozen=True, slots=True)
class Options(ServerAccess):
    """Options of the probe: the address of memcached, where discovery does not find it."""


class MemcachedReader(Sampled[MemcachedWire]):
    """Reader of a memcached, in the thread of its Aside, with looks in between."""

    def __init__(self, server: Door) -> None:
        super().__init__(ServerConnection(lambda: MemcachedWire(server), MemcachedWire.close))
        self._counters: Counters[str] = Counters()
        self._peaks = Peaks(RATES)
        self._server: tuple[str, float] | None = None

    def read(self, t_ns: int) -> Reading:
        """Take a reading, and what the looks since the last have seen."""
        with self._one_at_a_time:
            stats = self.line.ask(MemcachedWire.stats)
        reading = Reading()
        self._notice_restart(stats, t_ns, reading)
        values = numbers(stats.items())
        readings: SubjectValues = figured(FIGURES, values, self._counters) | levels(values)
        readings |= self.looks.take()
        with self._one_at_a_time:
            self._peaks.add(time.monotonic_ns(), values)
            readings |= self._peaks.take()
        reading.samples = samples_of(t_ns, "memcached", readings)
        return reading

    def look(self) -> DatabaseLook:
        """Look at the connections and the counters."""
        with self._one_at_a_time:
            values = numbers(self.line.ask(MemcachedWire.stats).items())
            self._peaks.add(time.monotonic_ns(), values)
        count = levels(values).get(("connections_open", ""), 0.0)
        return DatabaseLook({("mean_connections_open", ""): count})

    def _notice_restart(self, stats: Mapping[str, str], t_ns: int, into: Reading) -> None:
        values = numbers(stats.items())
        up_s = values.get("uptime", 0.0)
        server = (stats.get("pid", ""), values.get("time", 0.0) - up_s)
        last, self._server = self._server, server
        # The two clocks advance in whole seconds, not at the same instant.
        if last is None or (last[0] == server[0] and server[1] - last[1] < RESTART_S):
            return
        self._counters.begin_anew()
        into.events.append(restarted("memcached", t_ns, up_s))


fits = only(ONLY)


def attach(options: Options, component: Component, place: Place) -> Session:
    """Attach the probe. Raises Unavailable where its address is not known."""
    reader = MemcachedReader(door("memcached", options, component, place, PORT))
    return Aside(reader.read, reader.close, cpu_beside_s=reader.cpu_beside_s)

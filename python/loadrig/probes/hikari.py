"""HikariCP, the pool of database connections: how many are in use, and how many threads wait for one.

## What it reads

The MBeans that a pool registers if it is told to: `registerMbeans=true` of its configuration, in Spring Boot
`spring.datasource.hikari.register-mbeans=true`. They are read by the same reader as those of the probe `jvm`.
A JVM without HikariCP is passed over.

## How to read it

`waiting` above zero while `active` equals `limit` says that the pool is too small for what the threads do, or
that each keeps its connection too long: look how busy the database is. If its CPU is used up, a larger pool
only moves the queue into it, where it costs more. `waiting` with `idle` connections is a pool that cannot
make new ones in time. `connections` far below `limit` under load says that the pool is not the limit.

## Cost

Together with `tomcat`, at a reading every 2 s (option `every`): 0.6 ms of one core a second here, 2 ms in the
reader that they share with `jvm`, and in the JVM 6 ms in the first minutes, while it compiles what it has run
for nobody before. Measured on Linux 6.18, Python 3.11, OpenJDK 17, HikariCP 5.1.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from loadrig.base.component import Component
from loadrig.base.effects import EFFECT_EVENTS
from loadrig.base.series import Metric
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.probes_jvm import ProbesHikariErrors
from loadrig.probes._jvm import beans as beans_of
from loadrig.probes._jvm.access import ENTERED, PacedAccess, is_jvm
from loadrig.probes._jvm.beans import Beans, keys
from loadrig.probes._session import Place, Session

ERRORS = texts_of(ProbesHikariErrors)

EVENTS = EFFECT_EVENTS
ONLY = {"runtime": ("jvm",)}

EFFECTS = ENTERED

METRICS: Mapping[str, Metric] = {
    "active": Metric("1", "gauge", "Connections that a thread has taken.", "db.client.connection.count"),
    "idle": Metric("1", "gauge", "Connections that nobody uses.", "db.client.connection.count"),
    "connections": Metric("1", "gauge", "Connections of the pool, used or not."),
    "waiting": Metric(
        "1", "gauge", "Threads that wait for a connection.", "db.client.connection.pending_requests"
    ),
    "limit": Metric("1", "gauge", "Most connections it makes.", "db.client.connection.max"),
    "idle_least": Metric("1", "gauge", "Idle connections it keeps up.", "db.client.connection.idle.min"),
}

_ATTRIBUTES = {
    "Pool": (
        ("active", "ActiveConnections", 1.0),
        ("idle", "IdleConnections", 1.0),
        ("connections", "TotalConnections", 1.0),
        ("waiting", "ThreadsAwaitingConnection", 1.0),
    ),
    "PoolConfig": (("limit", "MaximumPoolSize", 1.0), ("idle_least", "MinimumIdle", 1.0)),
}
_QUESTION = tuple(
    (f"com.zaxxer.hikari:type={kind} (*)", ",".join(attribute for _, attribute, _ in attributes))
    for kind, attributes in _ATTRIBUTES.items()
)
_TYPE = re.compile(r"(Pool|PoolConfig) \((.*)\)")


@dataclass(frozen=True, slots=True)
class Options(PacedAccess):
    """Options of the probe: how the JVM is reached, and how often."""


def figures(beans: Beans) -> Iterator[tuple[str, str, float]]:
    """Yield metric, subject ("pool:HikariPool-1") and value."""
    for name, values in beans.items():
        if match := _TYPE.fullmatch(keys(name).get("type", "")):
            yield from beans_of.figures(values, f"pool:{match[2]}", _ATTRIBUTES[match[1]])


fits = is_jvm  # a reading shows whether it has a pool


def attach(options: Options, component: Component, place: Place) -> Session:
    """Attach the probe. Raises Unavailable if the JVM lets nobody in and exposes no JMX."""
    from loadrig.probes._jvm import libraries  # imported here, as only a JVM needs it

    library = libraries.Library("hikari", METRICS, ("HikariCP",), _QUESTION, figures, ERRORS.no_mbeans())
    return libraries.watch(library, options, component, place)

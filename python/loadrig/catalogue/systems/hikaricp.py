"""A pool of JDBC connections; the usual one of Spring Boot (`spring.datasource.hikari.*`)."""

from loadrig.base.setting import Setting, Value
from loadrig.catalogue.entry import Entry, TimeConstant, by_name, number

TITLE = "HikariCP"
V = "HikariCP 5.1"
SOURCE = "HikariCP README, Configuration; About Pool Sizing"


def _milliseconds(value: Value, setting: Setting, per_second: float) -> float | None:
    del setting, per_second
    milliseconds = number(value)
    return milliseconds / 1000 if milliseconds else None


KNOBS = by_name(
    Entry(
        "maximumPoolSize", "key", "Most connections to the database, idle ones included.",
        "When threads wait for one while the database idles; at its CPU a database gets slower by more.",
        "10", V, SOURCE, low=2, high=100, scale="log",
        costs="A connection of the database each, there often a process and its memory.",
    ),
    Entry(
        "minimumIdle", "key", "Idle connections that are kept up; left out, the pool has a fixed size.",
        "When load comes in bursts: connections that are missing are made while requests wait.",
        "that of maximumPoolSize", V, SOURCE, low=0, high=100,
    ),
    Entry(
        "connectionTimeout", "key", "How long a thread waits for a connection before it fails.",
        "Beyond the capacity: it says how old a request may get before it is given up.",
        "30000", V, SOURCE, unit="ms", low=250, high=60_000, scale="log",
    ),
    Entry(
        "idleTimeout", "key", "After so long idle a connection is closed, down to minimumIdle; 0 is never.",
        "Only with a minimumIdle below the pool's size.",
        "600000", V, SOURCE, unit="ms", low=10_000, high=1_800_000, scale="log", zero="above",
        time=TimeConstant("idleTimeout / 1000", _milliseconds),
    ),
    Entry(
        "maxLifetime", "key", "After so long a connection is replaced, once it is given back; 0 is never.",
        "It must be shorter than what a database or a firewall closes by itself.",
        "1800000", V, SOURCE, unit="ms", low=30_000, high=7_200_000, scale="log", zero="above",
        time=TimeConstant("maxLifetime / 1000", _milliseconds),
    ),
    Entry(
        "keepaliveTime", "key", "How often an idle connection is used to keep it open; 0 is never.",
        "When something between pool and database forgets idle connections.",
        "0", V, SOURCE, unit="ms", low=30_000, high=600_000, scale="log", zero="above",
        time=TimeConstant("keepaliveTime / 1000", _milliseconds),
    ),
    Entry(
        "validationTimeout", "key", "How long the test of a connection may take.",
        "When the database is far or stalls.",
        "5000", V, SOURCE, unit="ms", low=250, high=10_000, scale="log",
    ),
)  # fmt: skip

"""The runtime of Go programs, and the pools of its standard library."""

from loadrig.base.setting import Setting, Value
from loadrig.catalogue.entry import Entry, TimeConstant, by_name, number

TITLE = "Go runtime"
V = "Go 1.26"
SOURCE = "Go documentation: package runtime, A Guide to the Go Garbage Collector"
HTTP = "Go documentation: package net/http, Transport"
SQL = "Go documentation: package database/sql, DB"


def _seconds(value: Value, setting: Setting, per_second: float) -> float | None:
    del setting, per_second
    return number(value) or None


KNOBS = by_name(
    Entry(
        "GOMAXPROCS", "environment", "Threads that run Go code at once.",
        "With a CPU quota before Go 1.25: all cores were taken, and the quota stalled them all.",
        "the cores, since Go 1.25 no more than the quota", V, SOURCE, low=1, high=64, scale="log",
    ),
    Entry(
        "GOGC", "environment", "How much the heap grows, in percent of the live data, until it is collected.",
        "When collecting takes a share of the CPU worth having: twice the number, half the collections.",
        "100", V, SOURCE, unit="%", low=25, high=1_600, scale="log",
        costs="Memory: live data x (1 + GOGC / 100).",
    ),
    Entry(
        "GOMEMLIMIT", "environment", "Memory above which it collects as often as it must; soft.",
        "In a container: with a high GOGC it uses the limit and is not killed for it.",
        "no limit", V, SOURCE, unit="B", low=32e6, high=64e9, scale="log",
    ),
    Entry(
        "MaxIdleConnsPerHost", "key", "Idle connections that a Transport keeps to each host.",
        "When more than two requests a moment go to one host: the others make a new connection each.",
        "2", V, HTTP, low=2, high=1_000, scale="log", costs="A connection each.",
    ),
    Entry(
        "MaxConnsPerHost", "key", "Most connections of a Transport to each host; 0 is no limit.",
        "To protect what is asked; further requests wait.",
        "0", V, HTTP, low=1, high=1_000, scale="log", zero="above", costs="A connection each.",
    ),
    Entry(
        "IdleConnTimeout", "key", "How long a Transport keeps an idle connection; 0 is for ever.",
        "It must be shorter than that of the server that is asked.",
        "90 (DefaultTransport)", V, HTTP, unit="s", low=5, high=300, scale="log", zero="above",
        time=TimeConstant("IdleConnTimeout", _seconds, cycles=1),
    ),
    Entry(
        "SetMaxOpenConns", "key", "Most connections of a DB, in use and idle; 0 is no limit.",
        "Always with a database that counts its connections: without it a burst opens one for each request.",
        "0", V, SQL, low=2, high=200, scale="log", zero="above", costs="A connection of the database each.",
    ),
    Entry(
        "SetMaxIdleConns", "key", "Idle connections that a DB keeps.",
        "When more than two queries run a moment: the others' connections are closed after each.",
        "2", V, SQL, low=0, high=200, costs="A connection of the database each.",
    ),
)  # fmt: skip

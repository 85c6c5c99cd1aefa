"""Drivers of databases that a Python program has loaded, by the libraries that are mapped into it."""

import re
from collections.abc import Iterable

from loadrig.discovery._seen import VisibleProcess

_LIBRARIES = (
    ("asyncpg", re.compile(r"/asyncpg/protocol/")),
    ("psycopg2", re.compile(r"/psycopg2/|/psycopg2_binary")),
    ("psycopg", re.compile(r"/psycopg_(?:c|binary)[/.]|/libpq[-.]")),
    ("mysqlclient", re.compile(r"/MySQLdb/_mysql")),
)
"""Drivers by files of theirs; psycopg without its compiled part loads PostgreSQL's own library, libpq."""

MOST_PROCESSES = 3
"""Number of processes of a program that are looked at: its workers load the same, and a master nothing."""


def driver_of(pids: Iterable[int]) -> str:
    """Return the driver that a program's processes have loaded; empty where none of the known ones is."""
    for pid in sorted(pids, reverse=True)[:MOST_PROCESSES]:
        mapped = VisibleProcess(pid).mapped
        for name, pattern in _LIBRARIES:
            if any(pattern.search(path) for path in mapped):
                return name
    return ""

"""Index of the runs below a folder: a database that is made from the folders, and again when it is lost."""

import contextlib
import math
import os
import re
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec

from loadrig.archive.entries import RunEntry, entry_of
from loadrig.recording.layout import RunFolder

NAME = ".runs.sqlite"
"""Name of the database, in the folder of all runs."""

VERSION = 3
"""Version of its tables: another one is made anew."""

LEDGER = RunFolder(Path()).ledger.name
RESULT = RunFolder(Path()).result.name

DEEPEST = 3
"""Folders between the folder of all runs and a run, at most: `runs/shop/nightly/RUN`."""

_COMMIT = re.compile("[0-9a-f]{7,40}")
"""Beginning of a commit, as git shortens it: fewer digits would be found in many by chance."""

_TABLES = """
CREATE TABLE runs (
  id TEXT PRIMARY KEY, stamp TEXT NOT NULL, created_s REAL NOT NULL, is_pinned INTEGER NOT NULL,
  is_running INTEGER NOT NULL, plan TEXT NOT NULL, words TEXT NOT NULL, code TEXT NOT NULL,
  entry BLOB NOT NULL
) WITHOUT ROWID;
CREATE INDEX runs_in_order ON runs (is_pinned DESC, created_s DESC);
"""


class RunIndex:
    """Index of the runs below a folder. Used by one thread at a time, and closed with `close`.

    runs_read: how many runs were read since it was made.
    Where the folder cannot be written to, the index lives in memory.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self.runs_read = 0
        self._database = self._opened()

    def _opened(self) -> sqlite3.Connection:
        path = self._root / NAME
        for attempt in range(2):
            try:
                database = sqlite3.connect(path, check_same_thread=False, timeout=5.0)
                os.chmod(path, 0o600)
                self._make_tables(database)
                return database
            except (sqlite3.DatabaseError, OSError):  # damaged, or not to be written
                if attempt == 0:
                    with contextlib.suppress(OSError):
                        path.unlink()
        database = sqlite3.connect(":memory:", check_same_thread=False)
        self._make_tables(database)
        return database

    @staticmethod
    def _make_tables(database: sqlite3.Connection) -> None:
        (version,) = database.execute("PRAGMA user_version").fetchone()
        if version != VERSION:
            with database:
                database.executescript(f"DROP TABLE IF EXISTS runs;{_TABLES}PRAGMA user_version = {VERSION};")

    def refresh(self, most_s: float = math.inf) -> bool:
        """Bring the index up to date with the folders; return whether all of them were read.

        A run whose folder has not changed since is not read; one that went on is, as its rig may have been
        killed. most_s: time to read runs in, in seconds; the next call goes on with the others. Each call
        reads one at least.
        """
        until_s = time.monotonic() + most_s
        stamps = {
            run_id: "" if is_running else stamp
            for run_id, stamp, is_running in self._database.execute("SELECT id, stamp, is_running FROM runs")
        }
        root = os.fspath(self._root)
        changed: list[tuple[str, RunEntry]] = []
        present, is_whole = set[str](), True
        for path, stamp in _runs(root, DEEPEST):
            run_id = path[len(root) + 1 :] or "."
            present.add(run_id)
            if stamps.get(run_id) == stamp:
                continue
            if changed and time.monotonic() > until_s:
                is_whole = False
                continue
            changed.append((stamp, entry_of(Path(path), run_id)))
            self.runs_read += 1
        rows = [
            (entry.id, stamp, entry.created_s, entry.is_pinned, entry.state == "running", entry.plan,
             _words(entry), entry.commit, msgspec.json.encode(entry))
            for stamp, entry in changed
        ]  # fmt: skip
        gone = stamps.keys() - present
        if rows or gone:
            with self._database:
                self._database.executemany(
                    "INSERT OR REPLACE INTO runs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", rows
                )
                self._database.executemany("DELETE FROM runs WHERE id = ?", [(run_id,) for run_id in gone])
        return is_whole

    def listed(self, search: str = "", most: int = 200) -> list[RunEntry]:
        """Return runs, the pinned ones first, then the newest.

        search: words that must all stand in a run's plan, address, routes, labels, date, verdict, cause,
        answer or folder, in any order; a word after a minus must not. A word that looks like a commit also
        finds the runs whose commit begins with it.
        """
        wanted, values = [], []
        for word in search.lower().split():
            no, word = word.startswith("-") and len(word) > 1, word.removeprefix("-") or word
            place = "words LIKE ? ESCAPE '\\'"
            values.append(f"%{_escaped(word)}%")
            if _COMMIT.fullmatch(word):
                place += " OR code LIKE ?"
                values.append(f"{word}%")
            wanted.append(f"{'NOT ' if no else ''}({place})")
        where = f"WHERE {' AND '.join(wanted)}" if wanted else ""
        rows = self._database.execute(
            f"SELECT entry FROM runs {where} ORDER BY is_pinned DESC, created_s DESC LIMIT ?",
            (*values, most),
        )
        return [msgspec.json.decode(entry, type=RunEntry) for (entry,) in rows]

    def count(self) -> int:
        """Return the number of runs."""
        return int(self._database.execute("SELECT count(*) FROM runs").fetchone()[0])

    def find(self, run_id: str) -> RunFolder | None:
        """Return the folder of a run of the index; None for any other text, whatever it names."""
        row = self._database.execute("SELECT 1 FROM runs WHERE id = ?", (run_id,)).fetchone()
        return RunFolder(self._root / run_id) if row else None

    def close(self) -> None:
        """Close the database."""
        self._database.close()


def _runs(folder: str, deeper: int) -> Iterator[tuple[str, str]]:
    """Yield the runs in a folder and below it, each with its stamp. Plain paths: there may be thousands."""
    stamp = _stamp(folder)
    if stamp is not None:
        yield folder, stamp
        return
    if not deeper:
        return
    try:
        with os.scandir(folder) as entries:
            # Names begin with the date: the newest run is read first.
            names = [each.name for each in entries if each.is_dir(follow_symlinks=False)]
    except OSError:
        return
    for name in sorted(names, reverse=True):
        if not name.startswith("."):
            yield from _runs(f"{folder}/{name}", deeper - 1)


def _stamp(folder: str) -> str | None:
    """Return what changes when a run's files do; None for a folder that is no run's.

    All files of a run are replaced whole, which changes the folder, but for the ledger, which grows. A run
    has a ledger, which is written first, or a result.
    """
    try:
        status = os.stat(folder)
        ledger = _size(f"{folder}/{LEDGER}")
        if ledger is None and _size(f"{folder}/{RESULT}") is None:
            return None
    except OSError:
        return None
    return f"{status.st_mtime_ns} {ledger}"


def _size(path: str) -> int | None:
    try:
        return os.stat(path).st_size
    except FileNotFoundError:
        return None


def _words(entry: RunEntry) -> str:
    """Return all that a search looks at, in lower case."""
    date = time.strftime("%Y-%m-%d %H:%M", time.localtime(entry.created_s))
    pinned = "pinned" if entry.is_pinned else ""
    words = (entry.id, entry.plan, entry.kind, entry.address, *entry.routes, entry.state, entry.verdict,
             entry.cause, entry.headline, *entry.labels, date, pinned)  # fmt: skip
    return "\n".join(words).lower()


def _escaped(word: str) -> str:
    return word.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")

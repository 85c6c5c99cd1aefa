"""Index of the runs below a folder: a database that is made from the folders, and again when it is lost."""

import contextlib
import os
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec

from loadrig.archive.entries import RunEntry, entry_of, is_run
from loadrig.recording.layout import RunFolder

NAME = ".runs.sqlite"
"""Name of the database, in the folder of all runs."""

VERSION = 1
"""Version of its tables: another one is made anew."""

DEEPEST = 3
"""Folders between the folder of all runs and a run, at most: `runs/shop/nightly/RUN`."""

_TABLES = """
CREATE TABLE runs (
  id TEXT PRIMARY KEY, stamp TEXT NOT NULL, created_s REAL NOT NULL, is_pinned INTEGER NOT NULL,
  plan TEXT NOT NULL, words TEXT NOT NULL, entry BLOB NOT NULL
) WITHOUT ROWID;
CREATE INDEX runs_in_order ON runs (is_pinned DESC, created_s DESC);
"""


class RunIndex:
    """Index of the runs below a folder. Used by one thread at a time, and closed with `close`.

    Where the folder cannot be written to, the index lives in memory.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
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

    def refresh(self) -> int:
        """Bring the index up to date with the folders; return how many runs were read again.

        A run whose folder has not changed since is not read.
        """
        stamps = dict(self._database.execute("SELECT id, stamp FROM runs"))
        changed, present = [], set()
        for path in self._runs(self._root, DEEPEST):
            run_id = path.relative_to(self._root).as_posix() or "."
            present.add(run_id)
            stamp = _stamp(path)
            if stamps.get(run_id) != stamp:
                changed.append((stamp, entry_of(path, run_id)))
        rows = [
            (entry.id, stamp, entry.created_s, entry.is_pinned, entry.plan, _words(entry),
             msgspec.json.encode(entry))
            for stamp, entry in changed
        ]  # fmt: skip
        with self._database:
            self._database.executemany("INSERT OR REPLACE INTO runs VALUES (?, ?, ?, ?, ?, ?, ?)", rows)
            self._database.executemany(
                "DELETE FROM runs WHERE id = ?", [(run_id,) for run_id in stamps.keys() - present]
            )
        return len(rows)

    def _runs(self, folder: Path, deeper: int) -> Iterator[Path]:
        if is_run(folder):
            yield folder
            return
        if not deeper:
            return
        try:
            inside = sorted(entry.name for entry in os.scandir(folder) if entry.is_dir(follow_symlinks=False))
        except OSError:
            return
        for name in inside:
            if not name.startswith("."):
                yield from self._runs(folder / name, deeper - 1)

    def listed(self, search: str = "", most: int = 200) -> list[RunEntry]:
        """Return runs, the pinned ones first, then the newest.

        search: words that must all stand in a run's plan, address, routes, labels, date, verdict, cause,
        answer or folder, in any order; a word after a minus must not.
        """
        wanted, values = [], []
        for word in search.lower().split():
            no, word = word.startswith("-") and len(word) > 1, word.removeprefix("-") or word
            wanted.append(f"words {'NOT ' if no else ''}LIKE ? ESCAPE '\\'")
            values.append(f"%{_escaped(word)}%")
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


def _stamp(path: Path) -> str:
    """Return what changes when a run's files do: they are all replaced whole, which changes their folder.

    A ledger grows, and so does the folder of trials; a run that goes on is told by its now.json.
    """
    run = RunFolder(path)
    parts = []
    for part in (path, run.ledger, run.now):
        try:
            status = part.stat()
            parts.append(f"{status.st_mtime_ns}:{status.st_size}")
        except OSError:
            parts.append("-")
    return " ".join(parts)


def _words(entry: RunEntry) -> str:
    """Return all that a search looks at, in lower case."""
    date = time.strftime("%Y-%m-%d %H:%M", time.localtime(entry.created_s))
    pinned = "pinned" if entry.is_pinned else ""
    words = (entry.id, entry.plan, entry.kind, entry.address, *entry.routes, entry.state, entry.verdict,
             entry.cause, entry.headline, *entry.labels, date, pinned)  # fmt: skip
    return "\n".join(words).lower()


def _escaped(word: str) -> str:
    return word.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")

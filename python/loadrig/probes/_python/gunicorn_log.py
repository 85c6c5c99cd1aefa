"""Lives of gunicorn's workers from its error log, and why each worker ended.

The lines are those of gunicorn 19.10 to 27.0 (gunicorn/arbiter.py, gunicorn/workers/*.py), which changed
their words in 20.1 and 21; and one of uvicorn (uvicorn/server.py), whose workers say it in their own way.
"""

import re
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from loadrig.base import user_files

_MESSAGES = tuple(
    (what, re.compile(pattern))
    for what, pattern in (
        ("born", r"Booting worker with pid: (?P<pid>\d+)"),
        ("leaving", r"Worker exiting \(pid: (?P<pid>\d+)\)"),
        ("timed_out", r"WORKER TIMEOUT \(pid:(?P<pid>\d+)\)"),
        ("signal", r"Worker \(pid:(?P<pid>\d+)\) was sent (?:SIG)?(?P<detail>\w+)!"),
        ("signal", r"Worker with pid (?P<pid>\d+) was terminated due to signal (?P<detail>\d+)"),
        ("status", r"Worker \(pid:(?P<pid>\d+)\) exited with code (?P<detail>-?\d+)"),
        ("recycling", r"\] \[(?P<pid>\d+)\] \[.*Autorestarting worker after current request"),
        ("recycling", r"\] \[(?P<pid>\d+)\] \[.*Maximum request limit of \d+ exceeded"),
    )
)
_MARKS = ("orker", "WORKER", "Maximum request limit")
"""Texts of which every line of interest has one: all other lines cost no regular expression."""

_DATE = re.compile(r"\[(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d [+-]\d{4})\]")
_LINE = re.compile(rf"{_DATE.pattern} \[\d+\] \[(?:DEBUG|INFO|WARNING|ERROR|CRITICAL)\] ")

_KILLED = ("KILL", "9")
_TOLD_TO_END = ("TERM", "INT", "QUIT", "15", "2", "3")


@dataclass(frozen=True, slots=True)
class WorkerEntry:
    """A line about a worker. pid: as gunicorn sees it, in its own namespace.

    what: born, leaving, timed_out, signal (detail: its name or number), status (detail: the exit status)
    or recycling. wall_ns: the second of its date, None where the format of the log was changed.
    """

    what: str
    pid: int
    detail: str = ""
    wall_ns: int | None = None


def parse(line: str) -> WorkerEntry | None:
    """Return the entry in a line about a worker; None for any other line."""
    if not any(mark in line for mark in _MARKS):
        return None
    for what, pattern in _MESSAGES:
        if match := pattern.search(line):
            detail = match.groupdict().get("detail") or ""
            return WorkerEntry(what, int(match["pid"]), detail, _wall_ns(line))
    return None


def _wall_ns(line: str) -> int | None:
    match = _DATE.search(line)
    if match is None:
        return None
    try:
        return int(datetime.strptime(match[1], "%Y-%m-%d %H:%M:%S %z").timestamp()) * 10**9
    except ValueError:
        return None


@dataclass(slots=True)
class Fate:
    """Facts from the log on a worker so far. details: by what happened; wall_ns: date of its end."""

    details: dict[str, str] = field(default_factory=dict)
    wall_ns: int | None = None

    def add(self, entry: WorkerEntry) -> None:
        """Add an entry. Entries on the worker's end give its date."""
        self.details[entry.what] = entry.detail
        if entry.what != "born":
            self.wall_ns = entry.wall_ns

    @property
    def is_ending(self) -> bool:
        """Whether the worker has begun to end."""
        return bool(self.details.keys() - {"born"})

    @property
    def is_settled(self) -> bool:
        """Whether further lines would not change the reason."""
        return bool(self.details.keys() & {"timed_out", "signal", "status", "recycling"})

    @property
    def reason(self) -> str:
        """Reason for which the worker ended: recycled, timed_out, killed, exited, or unknown."""
        signal = self.details.get("signal", "")
        if "timed_out" in self.details:
            return "timed_out"
        if signal in _KILLED:
            return "killed"
        if "recycling" in self.details:
            return "recycled"
        if signal and signal not in _TOLD_TO_END:
            return "killed"
        return "exited" if self.details.keys() & {"signal", "status", "leaving"} else "unknown"

    @property
    def detail(self) -> str:
        """Manner in which the worker ended, in words of the system: "SIGKILL", "status 3", or nothing."""
        if signal := self.details.get("signal"):
            return f"signal {signal}" if signal.isdecimal() else f"SIG{signal}"
        status = self.details.get("status", "0")
        return f"status {status}" if status != "0" else ""


def option_of(argv: tuple[str, ...]) -> str | None:
    """Return the file of the error log by a command line; None if it gives none, or "-"."""
    for n, word in enumerate(argv):
        name, equals, value = word.partition("=")
        if name in ("--error-logfile", "--log-file"):
            file = value if equals else "".join(argv[n + 1 : n + 2])
            return file if file not in ("", "-") else None
    return None


def find(master: int, argv: tuple[str, ...], printed: Path | None, root: Path = Path("/")) -> Path | None:
    """Return the error log of a master, where it is a file; else None.

    printed: what the server prints into, if that is known. Asked are its command line, what it prints
    into, and the files that it has open and that hold such lines already (a configuration file may name
    any).
    """
    process = root / "proc" / str(master)
    if option := option_of(argv):
        path = process / "cwd" / option
        return _seen_from_here(path, option) if path.is_file() else None
    files = {fd: file for fd in _descriptors(process) if (file := _file(process / "fd" / fd))}
    for fd, file in files.items():
        if fd not in ("0", "1", "2") and _LINE.search(_end_of(file)):
            return file
    return files.get("2", printed)


def _descriptors(process: Path) -> list[str]:
    try:
        return sorted((descriptor.name for descriptor in (process / "fd").iterdir()), key=int)
    except OSError:
        return []


def _file(descriptor: Path) -> Path | None:
    """Return the file of a descriptor, if regular, by a path that leads to it from here."""
    try:
        target = descriptor.readlink()
        if not descriptor.is_file() or str(target).endswith(" (deleted)"):
            return None
    except OSError:
        return None
    within = descriptor.parents[1] / "root" / str(target).lstrip("/")
    return _seen_from_here(within, str(target))


def _seen_from_here(path: Path, named: str) -> Path:
    """Return the plain name of a file where it leads to the same file; in a container it does not.

    The plain name is better: the path through the process ends with it.
    """
    try:
        plain = path.resolve() if not named.startswith("/") else Path(named)
        return plain if plain.samefile(path) else path
    except OSError:
        return path


def _end_of(path: Path) -> str:
    try:
        with user_files.open_bytes(path) as file:
            file.seek(0, 2)
            file.seek(max(0, file.tell() - 65536))
            return file.read().decode("utf-8", "replace")
    except OSError:
        return ""

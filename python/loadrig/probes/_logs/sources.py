"""Logs that a server writes: what it prints, files that it holds open for writing, a container's log.

A file is taken for a log by its name, as a server also holds open what it stores: an upload, an index, the
journal of a database. Those are never read.
"""

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from stat import S_ISFIFO, S_ISREG, S_ISSOCK

from loadrig.base import processes
from loadrig.base.component import Component
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.probes_logs import ProbesLogsErrors
from loadrig.probes._held_files import reachable
from loadrig.probes._logs.follow import Follower

ERRORS = texts_of(ProbesLogsErrors)

MOST_LOGS = 16
"""Logs of a component, at most."""

MOST_PROCESSES = 64
"""Processes whose descriptors are looked at, at most; workers of a server mostly hold the same logs."""

MOST_DESCRIPTORS = 4096
"""Descriptors of a process, at most; logs are opened at its start and have low numbers."""

_LOG_NAME = re.compile(
    r"(?:^|[._-])(?:log|logs|err|error|errors|out|stdout|stderr|console|catalina|messages|"
    r"debug|warn)(?:[._-]|\d|$)|log$",
    re.IGNORECASE,
)
_LOG_FOLDER = re.compile(r"/(?:log|logs)/")
_NO_LOG = re.compile(
    r"access|audit|general|quer(?:y|ies)|slow|trace|(?:^|[._-])(?:gc|bin|binlog|relay|redo|undo|wal|xlog|clog|"
    r"aof|rdb|journal|commit|index|db|sqlite|dump|backup|upload|tmp|part)(?:[._-]|\d|$)|-bin\.",
    re.IGNORECASE,
)
"""Access logs are the probe access_log's; all others hold statements, data, or what other probes read."""

_DOCKER = Path("/var/lib/docker/containers")
_OUTPUTS = ("1", "2")
_APPENDS = os.O_APPEND
_WRITES = os.O_WRONLY


@dataclass(frozen=True, slots=True)
class OpenLog:
    """A log. inode: device and number; owner: its user. is_inside: in another file system than the rig's."""

    path: Path
    inode: tuple[int, int]
    owner: int
    is_inside: bool = False

    def followed(self, *, from_start: bool = False) -> Follower:
        """Return a follower of the log. Raises OSError where the log may not be read."""
        return Follower(
            self.path, inode=self.inode, owner=self.owner, has_heirs=not self.is_inside, from_start=from_start
        )


@dataclass(slots=True)
class Logs:
    """Logs that were found. unseen: sentences on what cannot be read, and why."""

    held: dict[tuple[int, int], OpenLog] = field(default_factory=dict)
    unseen: list[str] = field(default_factory=list)
    prints_to_socket: bool = False

    def add(self, path: Path, is_inside: bool = False) -> None:
        """Add a log, if it is a regular file and there is room."""
        try:
            status = os.stat(path, follow_symlinks=False)
        except OSError:
            return
        if S_ISREG(status.st_mode) and len(self.held) < MOST_LOGS:
            inode = (status.st_dev, status.st_ino)
            self.held.setdefault(inode, OpenLog(path, inode, status.st_uid, is_inside))


def is_log(path: Path) -> bool:
    """Return whether a file is a log, by its name.

    >>> [is_log(Path(path)) for path in ("/srv/app.log", "/var/log/x/error.log.1", "/srv/upload-7.txt")]
    [True, True, False]
    """
    name = path.name
    return not _NO_LOG.search(name) and bool(_LOG_NAME.search(name) or _LOG_FOLDER.search(str(path)))


def logs_of(component: Component) -> Logs:
    """Return the logs of a component that can be seen now."""
    logs = Logs()
    if component.log is not None:
        logs.add(component.log)
    if component.pid is not None:
        family = processes.tree(component.pid, processes.table())[:MOST_PROCESSES]
        for pid in family:
            _look_at(logs, pid, is_root=pid == component.pid)
    if component.container.startswith("docker "):
        _add_docker_logs(logs, component.container.removeprefix("docker "))
    return logs


def _look_at(logs: Logs, pid: int, *, is_root: bool) -> None:
    try:
        numbers = sorted(os.listdir(f"/proc/{pid}/fd"), key=int)[:MOST_DESCRIPTORS]
    except PermissionError:
        if is_root:
            logs.unseen.append(ERRORS.descriptors_hidden(str(pid)))
        return
    except OSError:  # gone in the meantime
        return
    for number in numbers:
        mode = _mode(pid, number)
        if number in _OUTPUTS and is_root:
            _note_output(logs, number, mode)
        if not S_ISREG(mode) or not _is_written(pid, number):
            continue
        path = reachable(pid, number)
        if path is not None and (number in _OUTPUTS or is_log(path)):
            logs.add(path, is_inside=str(path).startswith("/proc/"))


def _mode(pid: int, number: str) -> int:
    try:
        return os.stat(f"/proc/{pid}/fd/{number}").st_mode
    except OSError:
        return 0


def _is_written(pid: int, number: str) -> bool:
    """Return whether a descriptor is for writing alone, or for appending, as those of logs are.

    Source: proc(5), /proc/PID/fdinfo: the flags of open(2) in octal.
    """
    try:
        with open(f"/proc/{pid}/fdinfo/{number}", encoding="ascii", errors="replace") as file:
            text = file.read(256)
    except OSError:
        return False
    flags = re.search(r"^flags:\s*([0-7]+)", text, re.MULTILINE)
    value = int(flags[1], 8) if flags else 0
    return bool(value & _APPENDS) or value & os.O_ACCMODE == _WRITES


def _note_output(logs: Logs, number: str, mode: int) -> None:
    if S_ISFIFO(mode):
        logs.unseen.append(ERRORS.output_into_pipe if number == "1" else ERRORS.error_output_into_pipe)
    elif S_ISSOCK(mode):
        logs.prints_to_socket = True


def _add_docker_logs(logs: Logs, begin: str) -> None:
    """Add the log of a container, as Docker's json-file driver writes it. begin: of the container's name."""
    if not re.fullmatch(r"[0-9a-f]{12,64}", begin):
        return
    try:
        folders: Iterable[str] = os.listdir(_DOCKER)
    except FileNotFoundError:
        return
    except OSError as error:
        logs.unseen.append(ERRORS.containers_unreadable(str(error.strerror)))
        return
    for name in folders:
        if name.startswith(begin):
            logs.add(_DOCKER / name / f"{name}-json.log")

"""Logs with lines about collections: the JVM's own file, or a file that the rig has it write."""

import contextlib
import errno
import os
import re
import secrets
import shutil
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from loadrig.base.effects import begun, ended
from loadrig.base.series import Event
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.probes_jvm import ProbesJvmGcSourceErrors
from loadrig.language.events import SENTENCES, event_words
from loadrig.probes._jvm.attach import Jvm
from loadrig.probes._session import Lost
from loadrig.probes._tail import Tail

ERRORS = texts_of(ProbesJvmGcSourceErrors)

DECORATORS = "time,timenanos,level,tags"
"""`timenanos` is the monotonic clock, which the rig uses; `time` is for a person who opens the file."""

WHAT = "gc*=info,safepoint=info"
_OFF = 'VM.log output="{}" what=all=off'
_OURS = "loadrig-gc-"
ROTATION = "filecount=1,filesize=16m"
"""Limits of the log's size: it cannot fill the disk if the rig is killed before it switches the log off."""

RETRY_S = 10.0
"""Least seconds between two attempts to enter a JVM that refused or did not answer."""

_HEAD_BYTES = 1 << 16
_LEVELS = ("info", "debug", "trace")
# What the JVM puts for %p, %t and %hn in a file's name.
_HOLES = {"%p": r"\d+", "%t": r"\d{4}-\d\d-\d\d_\d\d-\d\d-\d\d", "%hn": r"[^/]+"}
_LISTED = re.compile(
    r"^ *#\d+: (file=.*?) (all=\S*|\S+=(?:off|trace|debug|info|warning|error)\S*) ", re.MULTILINE
)
_COLLECTOR = re.compile(r"-XX:\+Use(Serial|Parallel|G1|Z|Shenandoah|ConcMarkSweep|Epsilon)GC\b")
_REGION = re.compile(r"-XX:(?:G1HeapRegionSize)=(\d+)")
_NAMES = {"Z": "ZGC", "ConcMarkSweep": "CMS"}


@dataclass(frozen=True, slots=True)
class Output:
    """A file that a JVM logs to. path: as given to the JVM, with %p and %t.

    is_detailed: whether gc* goes there.
    """

    path: str
    is_detailed: bool


class GcLogSource(Protocol):
    """Source of the lines of a log."""

    collector: str
    region_bytes: int

    def lines(self) -> list[str]:
        """Return new whole lines. Raises Lost while there are none to read."""

    def events(self) -> list[Event]:
        """Return the events of switching a log on or off since the last call."""

    def close(self) -> None:
        """Close what was opened."""


def outputs(argv: Sequence[str]) -> Iterator[Output]:
    """Yield the files to which a command line sends lines about garbage collection."""
    for word in argv:
        if word.startswith("-Xloggc:"):
            yield Output(word.removeprefix("-Xloggc:"), False)
        elif word.startswith("-Xlog:"):
            what, output, *_ = [*_split(word.removeprefix("-Xlog:")), "", ""]
            path = output.removeprefix("file=").strip('"')
            if path not in ("", "stdout", "stderr") and (detail := _detail(what)) is not None:
                yield Output(path, detail)


def collector_of(flags: str) -> tuple[str, int]:
    """Return the collector and the size of a heap region by a JVM's options; "" and 0 where not given."""
    collector, region = _COLLECTOR.search(flags), _REGION.search(flags)
    name = collector[1] if collector else ""
    return _NAMES.get(name, name), int(region[1]) if region else 0


def _split(text: str) -> list[str]:
    """Return the parts between colons; in quotes a colon is a letter."""
    parts, quoted = [""], False
    for letter in text:
        quoted ^= letter == '"'
        if letter == ":" and not quoted:
            parts.append("")
        else:
            parts[-1] += letter
    return parts


def _detail(what: str) -> bool | None:
    """Return whether a selection such as "gc*,safepoint" has all of collections; None if it has nothing."""
    best: bool | None = None
    for selector in (what or "all").split(","):
        tags, _, level = selector.partition("=")
        if (level or "info") in _LEVELS:
            if tags in ("all", "gc*"):
                return True
            if tags == "gc":
                best = False
    return best


def find(jvm: Jvm, argv: Sequence[str]) -> Path | None:
    """Return the file to which the JVM's command line sends its log, if it can be read; else None.

    A file without details is not enough for ZGC, which logs its pauses only in the details.
    """
    is_z = "-XX:+UseZGC" in argv
    for output in outputs(argv):
        if output.is_detailed or not is_z:
            path = locate(jvm, output.path)
            if path is not None:
                return path
    return None


def locate(jvm: Jvm, named: str) -> Path | None:
    """Return the file that a JVM means by a path, as it can be read from here; None if it cannot."""
    try:
        full = os.path.join(os.readlink(f"/proc/{jvm.pid}/cwd"), named)
        if any(hole in full for hole in _HOLES):
            parts = re.split(f"({'|'.join(_HOLES)})", os.path.normpath(full))
            wanted = re.compile("".join(_HOLES.get(part, re.escape(part)) for part in parts))
            full = next((path for path in jvm.files() if wanted.fullmatch(path)), "")
    except OSError:
        return None
    path = Path(f"/proc/{jvm.pid}/root{full}") if jvm.has_own_files() else Path(full)
    if not full or not path.is_file() or not os.access(path, os.R_OK):
        return None
    # The JVM's command line may name a file that root may read and the JVM's user may not.
    return path if os.geteuid() != 0 or path.stat().st_uid == jvm.owner() else None


class Existing:
    """Log file that the JVM writes anyway. Nothing in the JVM is changed."""

    def __init__(self, path: Path, flags: str, owner: int | None = None) -> None:
        """Open the log. flags: the JVM's options; owner: the JVM's user, to whom the file must belong."""
        self._tail = Tail(path, owner=owner)
        self.collector, self.region_bytes = collector_of(flags)
        self.head = [line for line in self._tail.head(_HEAD_BYTES).splitlines() if "GC(" not in line]

    def lines(self) -> list[str]:
        """Return the lines written since the last call."""
        return self._tail.lines()

    def events(self) -> list[Event]:
        """Return no events: nothing is switched on."""
        return []

    def close(self) -> None:
        """Close the file."""
        self._tail.close()


class Enabled:
    """Log that the JVM writes at the rig's request, until `close`. The JVM's own logs stay as they are.

    The JVM is entered in a thread of its own; `lines` does not wait for it. folder: where the file is
    put; a folder of its own, removed at the end, where there is no folder or the JVM cannot write to it.
    """

    def __init__(self, jvm: Jvm, folder: Path | None) -> None:
        self.collector, self.region_bytes = "", 0
        self._jvm, self._folder = jvm, folder
        self._tail: Tail | None = None
        self._temporary: str | None = None
        self._output: str | None = None
        self._failure: Lost | None = None
        self._tried_at = 0.0
        self._pending: list[Event] = []
        self._thread = self._enter()

    def events(self) -> list[Event]:
        """Return the events of the log being switched on, and off again."""
        pending, self._pending = self._pending, []
        return pending

    def lines(self) -> list[str]:
        """Return the lines written since the last call; none while the JVM is being entered."""
        if self._thread.is_alive():
            return []
        if self._tail is None:
            failure = self._failure
            if time.monotonic() - self._tried_at > RETRY_S:
                self._thread = self._enter()
            if failure is not None:
                raise failure
            return []
        return self._tail.lines()

    def close(self) -> None:
        """End the log, and remove it unless it lies in the trial's folder."""
        self._thread.join()
        if self._tail is not None:
            self._tail.close()
        if self._output is not None:
            with contextlib.suppress(Lost):  # the JVM has ended, and its log with it
                self._jvm.jcmd(_OFF.format(self._output))
                text = event_words(SENTENCES.jvm_log_ended, str(self._jvm.pid))
                self._pending.append(ended(time.monotonic_ns(), "gc_log", "jvm-log", text, self._jvm.pid))
        self._remove()

    def _remove(self) -> None:
        name, self._temporary = self._temporary, None
        if name is not None:
            with contextlib.suppress(OSError):
                tmp = self._jvm.open_tmp()
                try:
                    shutil.rmtree(name, ignore_errors=True, dir_fd=tmp)
                finally:
                    os.close(tmp)

    def _enter(self) -> threading.Thread:
        self._tried_at = time.monotonic()
        thread = threading.Thread(target=self._open, name="loadrig-gc-log", daemon=True)
        thread.start()
        return thread

    def _open(self) -> None:
        try:
            self.collector, self.region_bytes = collector_of(self._jvm.jcmd("VM.flags"))
            existing = self._existing()
            if existing is None:
                path, name = self._make_place()
                self._tell(name)
                self._output = name
                text = event_words(SENTENCES.jvm_log_begun, str(self._jvm.pid), name)
                event = begun(
                    time.monotonic_ns(), "gc_log", "jvm-log", "changes a setting", text, self._jvm.pid
                )
                self._pending.append(event)
                existing = path
                self._tail = Tail(existing, from_start=True, owner=self._jvm.owner())
            else:
                self._tail = Tail(existing, owner=self._jvm.owner())
        except Lost as lost:
            self._failure = lost
            self._remove()

    def _existing(self) -> Path | None:
        """Return the file with all about collections that this JVM writes already; None without one."""
        best = None
        for row in _LISTED.finditer(self._jvm.jcmd("VM.log list")):
            name = row[1].removeprefix("file=")
            if _OURS in name:  # it was left by a rig that was killed
                self._jvm.jcmd(_OFF.format(name))
            elif _detail(row[2]):
                best = best or locate(self._jvm, name)
        return best

    def _make_place(self) -> tuple[Path, str]:
        """Return a path for a file of the rig's: as seen from here, and as the JVM sees it."""
        owner = os.stat(f"/proc/{self._jvm.pid}").st_uid
        if self._folder is not None and owner == os.geteuid() and not self._jvm.has_own_files():
            path = self._folder.resolve() / f"{_OURS}{self._jvm.pid}.log"
            return path, str(path)
        top = self._jvm.root() if self._jvm.has_own_files() else Path("/")
        try:
            self._temporary = name = self._make_folder(owner)
        except OSError as error:
            wording = ERRORS.file_not_made(str(self._jvm.pid), str(error.strerror))
            raise Lost.of(wording, code="probe.no-right") from None
        return top / "tmp" / name / "gc.log", f"/tmp/{name}/gc.log"

    def _make_folder(self, owner: int) -> str:
        """Make a folder in the JVM's /tmp for its user alone, through no link; return its name."""
        name = f"{_OURS}{secrets.token_hex(8)}"
        tmp = self._jvm.open_tmp()
        try:
            os.mkdir(name, 0o700, dir_fd=tmp)
            folder = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=tmp)
        finally:
            os.close(tmp)
        try:
            if os.fstat(folder).st_uid != os.geteuid():
                raise PermissionError(errno.EPERM, ERRORS.folder_replaced)
            if owner != os.geteuid():
                os.fchown(folder, owner, -1)
        finally:
            os.close(folder)
        return name

    def _tell(self, path: str) -> None:
        complaint = self._jvm.jcmd(
            f'VM.log output="{path}" what={WHAT} decorators={DECORATORS} output_options={ROTATION}'
        ).strip()
        if complaint:  # without output the JVM has agreed
            wording = ERRORS.log_refused(str(self._jvm.pid), path, complaint.splitlines()[-1])
            raise Lost.of(wording, code="probe.not-readable")

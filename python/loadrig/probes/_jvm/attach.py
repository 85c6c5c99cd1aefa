"""The way into a running JVM that `jcmd` uses, spoken here: no JVM is started to ask one.

A HotSpot JVM that is sent SIGQUIT while a file `.attach_pidN` lies in its working directory or in /tmp
listens on /tmp/.java_pidN, a Unix socket. A request is the protocol's version, a command and three
arguments, each ended by a zero byte; the answer is a line with a status, 0 for success, and text.
Source: the JDK's own client, sun.tools.attach.VirtualMachineImpl, and attachListener_posix.cpp.
"""

import contextlib
import os
import pwd
import signal
import socket
import struct
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from loadrig.base import processes
from loadrig.base.component import Component
from loadrig.base.private import NEW_FILE
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.probes_jvm import ProbesJvmAttachErrors
from loadrig.probes._session import Lost, Unavailable

ERRORS = texts_of(ProbesJvmAttachErrors)

TIMEOUT_S = 2.5
"""Seconds to wait for an answer. A session waits longer for its thread at the end."""

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC

_NO_ATTACH = "-XX:+DisableAttachMechanism"


class Jvm:
    """A running JVM of this machine. It is asked nothing until `ask` or `jcmd` is called."""

    def __init__(self, pid: int, start: int | None, argv: Sequence[str] = ()) -> None:
        self.pid, self._start, self._argv = pid, start, argv

    def check(self) -> None:
        """Raise Lost if this JVM cannot be entered: it is gone, another user's, or closed by its options."""
        self.still_there()
        owner = os.stat(f"/proc/{self.pid}").st_uid
        if os.geteuid() not in (0, owner):
            raise Lost.of(ERRORS.other_user(str(self.pid), name_of(owner)), code="probe.no-right")
        if _NO_ATTACH in self._argv:
            raise Lost.of(ERRORS.attach_disabled(str(self.pid), _NO_ATTACH), code="probe.refused")
        if not self._socket().exists() and not processes.is_caught(self.pid, signal.SIGQUIT):
            # The signal that asks for the socket would end the JVM. With -Xrs it has the socket from the
            # beginning.
            raise Lost.of(ERRORS.no_way_in(str(self.pid)), code="probe.refused")

    def ask(self, command: str, *arguments: str, timeout_s: float = TIMEOUT_S) -> str:
        """Run a command of the attach protocol ("jcmd", "agentProperties"). Return its output.

        Raises Lost as `check` does, and if the JVM does not answer in time or reports an error.
        """
        self.check()
        end = time.monotonic() + timeout_s
        path = self._socket()
        if not path.exists():
            self._open(path, end)
        words = [command, *arguments, *[""] * (3 - len(arguments))]
        request = b"".join(word.encode() + b"\0" for word in ("1", *words))
        try:
            reply = self._exchange(path, request, end)
        except OSError as error:
            raise self._silent(str(error) or type(error).__name__) from None
        status, _, text = reply.partition("\n")
        if status != "0":
            what = " ".join((command, *arguments)).strip()
            why = text.strip().rpartition("\n")[2] or ERRORS.status_of(status)
            raise Lost.of(ERRORS.command_refused(str(self.pid), repr(what), why), code="probe.refused")
        return text

    def jcmd(self, command: str, timeout_s: float = TIMEOUT_S) -> str:
        """Run a diagnostic command, as `jcmd PID COMMAND` would. Return its output."""
        return self.ask("jcmd", command, timeout_s=timeout_s)

    def root(self) -> Path:
        """Return the root of the JVM's file system as seen from here: in a container another one."""
        return Path(f"/proc/{self.pid}/root")

    def open_tmp(self) -> int:
        """Open the JVM's /tmp and return the descriptor.

        Raises OSError, also where a container made it a link.

        A link to an absolute path in its file system would lead to that path on the rig's side.
        """
        if not self.has_own_files():
            return os.open("/tmp", _FOLDER)
        root = os.open(self.root(), _FOLDER)
        try:
            return os.open("tmp", _FOLDER | os.O_NOFOLLOW, dir_fd=root)
        finally:
            os.close(root)

    def _open_own_folder(self) -> int:
        return os.open(f"/proc/{self.pid}/cwd", _FOLDER)

    def has_own_files(self) -> bool:
        """Return whether the JVM sees other mounts than this process, so that paths differ in meaning."""
        try:
            return os.readlink(f"/proc/{self.pid}/ns/mnt") != os.readlink("/proc/self/ns/mnt")
        except OSError:
            return False

    def files(self) -> list[str]:
        """Return the paths that the JVM holds open, as it sees them.

        Returns an empty list if the JVM is gone, or another user's.
        """
        folder, paths = f"/proc/{self.pid}/fd", []
        with contextlib.suppress(OSError):
            for name in os.listdir(folder):
                with contextlib.suppress(OSError):  # closed in the meantime
                    paths.append(os.readlink(f"{folder}/{name}"))
        return paths

    def still_there(self) -> None:
        """Raise Lost if this JVM has ended."""
        start = processes.start_of(self.pid)
        if start is None or (self._start is not None and start != self._start):
            raise Lost.of(ERRORS.jvm_ended(str(self.pid)), code="probe.no-process")

    def owner(self) -> int | None:
        """Return the user that the JVM runs as; None where it has ended."""
        try:
            return os.stat(f"/proc/{self.pid}").st_uid
        except OSError:
            return None

    def own_pid(self) -> int:
        """Return the pid by which the JVM knows itself: in a container another one."""
        return processes.own_pid(self.pid)

    def _socket(self) -> Path:
        return self.root() / "tmp" / f".java_pid{self.own_pid()}"

    def _open(self, path: Path, end: float) -> None:
        """Have the JVM listen on its socket."""
        with self._trigger():
            try:
                os.kill(self.pid, signal.SIGQUIT)
                while not path.exists():
                    if time.monotonic() > end:
                        raise self._silent(ERRORS.no_socket_opened)
                    time.sleep(0.005)
            except ProcessLookupError:
                self.still_there()
                raise

    @contextlib.contextmanager
    def _trigger(self) -> Iterator[None]:
        """Lay down, for a while, the file that gives SIGQUIT its meaning; made by the rig, through no link.

        The file must belong to the JVM's user, or to root. Others may write to its folder: a name that is
        there already may lead anywhere.
        """
        name = f".attach_pid{self.own_pid()}"
        reason = ""
        for open_folder in (self._open_own_folder, self.open_tmp):
            try:
                folder = open_folder()
            except OSError as error:
                reason = error.strerror or str(error)
                continue
            try:
                os.close(os.open(name, NEW_FILE, 0o600, dir_fd=folder))
            except OSError as error:
                os.close(folder)
                reason = f"{name}: {error.strerror or error}"
                continue
            try:
                yield
            finally:
                with contextlib.suppress(OSError):
                    os.unlink(name, dir_fd=folder)
                os.close(folder)
            return
        raise Lost.of(ERRORS.trigger_not_made(str(self.pid), reason), code="probe.no-right")

    def _exchange(self, path: Path, request: bytes, end: float) -> str:
        """Ask over the JVM's socket.

        Raises Lost where another process listens there, as anybody may make a socket.
        """
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(max(0.01, end - time.monotonic()))
            connection.connect(str(path))
            listener, *_ = struct.unpack(
                "3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
            )
            if listener != self.pid:
                other = str(listener or "")
                raise Lost.of(ERRORS.another_listener(str(self.pid), other, str(path)), code="probe.refused")
            connection.sendall(request)
            reply = b""
            while chunk := connection.recv(1 << 16):
                reply += chunk
                connection.settimeout(max(0.01, end - time.monotonic()))
        return reply.decode("utf-8", "replace")

    def _silent(self, why: str) -> Lost:
        return Lost.of(ERRORS.no_answer(str(self.pid), why), code="probe.no-answer")


def of(component: Component) -> Jvm:
    """Return the JVM of a component that has a pid. Raises Unavailable if it has none."""
    if component.pid is None:
        raise Unavailable.of(ERRORS.process_unknown(), code="probe.no-process")
    return Jvm(component.pid, component.start, component.argv)


def name_of(uid: int) -> str:
    """Return a user's name, or the number where the machine knows no name."""
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return ERRORS.user_without_name(str(uid))

"""Process for each watched JVM that reads the MBeans for all probes that need any."""

import os
import select
import subprocess
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from loadrig.base import processes
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.probes_jvm import ProbesJvmReaderErrors
from loadrig.probes._jvm import jdk
from loadrig.probes._jvm.attach import Jvm
from loadrig.probes._jvm.beans import Beans, Question
from loadrig.probes._session import Lost

ERRORS = texts_of(ProbesJvmReaderErrors)

ANSWER_S = 2.4
"""Seconds for a question, all waiting included. A session waits longer for its thread at the end."""

START_S = 30.0
"""Seconds from a reader's start until it has reached the JVM, on a machine that is busy as under load."""

KNOCK_S = 10.0
"""Least seconds between two starts: a JVM that refuses is not to be disturbed, nor its CPU used up."""

_ADDRESS = "com.sun.management.jmxremote.localConnectorAddress="


class ReaderReply(msgspec.Struct, frozen=True):
    """Line of the reader: MBeans by name, or why there are none. kind: "refused" or "lost" of an error."""

    beans: dict[str, dict[str, Any]] = {}
    error: str | None = None
    kind: str = ""


REPLIES = msgspec.json.Decoder(ReaderReply)


class NotYet(Exception):
    """Error while the reader is on its way to the JVM: ask again."""


class _Silent(Lost):
    """Error for an answer that did not come in time."""


@dataclass(frozen=True, slots=True)
class Where:
    """Place at which MBeans are read: in a JVM of this machine, or at a JMX URL.

    password: shown nowhere; `repr` leaves it out.
    """

    jvm: Jvm | None
    url: str = ""
    user: str | None = None
    password: str | None = field(default=None, repr=False)

    @property
    def key(self) -> tuple[object, ...]:
        """Key that is equal for equal places."""
        return (self.jvm.pid if self.jvm else 0, self.url, self.user, self.password)

    @property
    def name(self) -> str:
        """Name for a person."""
        return ERRORS.jvm_of(str(self.jvm.pid)) if self.jvm else self.url


class JvmReader:
    """Process of a reader: started at the first question, again when it was lost, ended by `close`."""

    def __init__(self, where: Where) -> None:
        self._where = where
        self._lock = threading.Lock()
        self._compiling: jdk.Compiling | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._rest = b""
        self._unanswered = 0
        self._is_connected = False
        self._failure: Lost | None = None
        self._started_at = self._answered_at = 0.0
        self._cpu_seen_s = 0.0

    def ask(self, question: Question) -> tuple[Beans, float]:
        """Return MBeans, and the CPU time that the process used since the last question.

        Raises NotYet while the reader is on its way, Lost if the JVM cannot be reached or does not answer.
        """
        end = time.monotonic() + ANSWER_S
        if not self._lock.acquire(timeout=ANSWER_S / 2):
            raise NotYet
        try:
            self._arrive(end)
            self._say(["read", *(word for pair in question for word in pair)])
            beans = self._next_answer(end)
            self._answered_at = time.monotonic()
            return beans, self._cpu()
        except _Silent:
            if time.monotonic() - self._answered_at > START_S:
                self._drop()
            raise
        except Lost as lost:
            self._failure = lost
            self._drop()
            raise
        finally:
            self._lock.release()

    def close(self) -> None:
        """End the process."""
        with self._lock:
            self._drop()

    def _arrive(self, end: float) -> None:
        """Connect to the JVM. Each step goes on where the last question had to leave it."""
        if not self._is_connected:
            self._begin()
            if self._process is None:
                self._start(end)
            if not self._unanswered:
                self._connect(end)
        try:
            while self._unanswered:  # first the answers that did not come in time for earlier questions
                self._next_answer(end)
        except _Silent:
            if not self._is_connected and time.monotonic() - self._started_at < START_S:
                raise NotYet from None
            raise
        self._is_connected = True

    def _begin(self) -> None:
        if self._process is not None or self._compiling is not None:
            return
        if self._failure is not None and time.monotonic() - self._started_at < KNOCK_S:
            raise self._failure
        self._started_at = self._answered_at = time.monotonic()
        self._failure = None
        if self._where.jvm is not None:
            self._where.jvm.check()

    def _start(self, end: float) -> None:
        pid = self._where.jvm.pid if self._where.jvm else None
        if not jdk.is_compiled():
            if self._compiling is None:
                javac = jdk.find(pid, "javac")
                if javac is None:
                    raise jdk.needed("javac")
                self._compiling = jdk.Compiling(javac)
            if not self._compiling.is_over(max(0.0, end - time.monotonic())):
                raise NotYet
        self._compiling = None
        java = jdk.find(pid, "java")
        if java is None:
            raise jdk.needed("java")
        argv = [*self._enter_network(), str(java), *jdk.FLAGS, "-cp", str(jdk.cache()), "JmxReader"]
        self._process = subprocess.Popen(
            argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            start_new_session=True,
        )  # fmt: skip
        self._rest, self._cpu_seen_s = b"", 0.0

    def _enter_network(self) -> list[str]:
        """Return the command that enters the JVM's network: a container has a loopback of its own."""
        if self._where.jvm is None:
            return []
        namespace = f"/proc/{self._where.jvm.pid}/ns/net"
        try:
            if os.readlink(namespace) == os.readlink("/proc/self/ns/net"):
                return []
        except OSError:
            return []
        if os.geteuid() != 0:
            raise Lost.of(ERRORS.own_network(self._where.name), code="probe.no-right")
        return ["nsenter", f"--net={namespace}", "--"]

    def _connect(self, end: float) -> None:
        url = self._where.url or self._local_url(max(0.01, end - time.monotonic()))
        login = [self._where.user, self._where.password or ""] if self._where.user else []
        self._say(["connect", url, *login])

    def _local_url(self, timeout_s: float) -> str:
        """Return the address of the JVM's own connector, which is opened if it is not open yet."""
        jvm = self._where.jvm
        assert jvm is not None  # else there is a URL
        end = time.monotonic() + timeout_s
        for _ in range(2):
            for line in jvm.ask("agentProperties", timeout_s=end - time.monotonic()).splitlines():
                if line.startswith(_ADDRESS):
                    return line.removeprefix(_ADDRESS).replace("\\", "")
            jvm.jcmd("ManagementAgent.start_local", timeout_s=end - time.monotonic())
        raise Lost.of(ERRORS.no_connector(self._where.name), code="probe.refused")

    def _say(self, words: Sequence[str]) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        try:
            self._process.stdin.write("\t".join(words).encode() + b"\n")
            self._process.stdin.flush()
            self._unanswered += 1
        except OSError:
            raise self._gone() from None

    def _next_answer(self, end: float) -> Beans:
        """Return the next answer. Raises Lost if it is an error, or if none comes until `end`."""
        name = self._where.name
        assert self._process is not None
        assert self._process.stdout is not None
        out = self._process.stdout.fileno()
        while b"\n" not in self._rest:
            ready, _, _ = select.select([out], [], [], max(0.0, end - time.monotonic()))
            if not ready:
                raise _Silent.of(ERRORS.silent(name), code="probe.no-answer")
            chunk = os.read(out, 1 << 20)
            if not chunk:
                raise self._gone()
            self._rest += chunk
        line, _, self._rest = self._rest.partition(b"\n")
        self._unanswered -= 1
        reply = REPLIES.decode(line)
        if reply.error is not None:
            if reply.kind == "refused":
                raise Lost.of(ERRORS.refused(name, reply.error), code="probe.refused")
            raise Lost.of(ERRORS.failed(name, reply.error), code="probe.no-answer")
        return reply.beans

    def _gone(self) -> Lost:
        return Lost.of(ERRORS.reader_ended(self._where.name), code="probe.no-answer")

    def _cpu(self) -> float:
        """Return the process's CPU time since the last call, in s."""
        assert self._process is not None
        before, self._cpu_seen_s = self._cpu_seen_s, max(self._cpu_seen_s, processes.cpu_s(self._process.pid))
        return self._cpu_seen_s - before

    def _drop(self) -> None:
        if self._compiling is not None:
            self._compiling.stop()
            self._compiling = None
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None
        self._unanswered, self._is_connected = 0, False


_readers: dict[tuple[object, ...], tuple[JvmReader, int]] = {}
_readers_lock = threading.Lock()


def borrow(where: Where) -> JvmReader:
    """Return the only reader of a JVM; give it back by `give_back`."""
    with _readers_lock:
        reader, users = _readers.get(where.key) or (JvmReader(where), 0)
        _readers[where.key] = reader, users + 1
        return reader


def give_back(where: Where) -> None:
    """Give a reader back. The last user ends its process."""
    with _readers_lock:
        reader, users = _readers.pop(where.key)
        if users > 1:
            _readers[where.key] = reader, users - 1
            return
    reader.close()

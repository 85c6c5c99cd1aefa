"""A probe that reads MBeans: where it finds them, and a session that reads them in a thread of its own."""

import time
from collections.abc import Callable

from loadrig.base.component import Component
from loadrig.base.effects import begun
from loadrig.base.series import Event
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.probes_jvm import ProbesJvmSessionErrors
from loadrig.language.events import SENTENCES, event_words
from loadrig.probes import _secret
from loadrig.probes._aside import Aside, Reading
from loadrig.probes._jvm import attach, reader
from loadrig.probes._jvm.access import MBeanAccess
from loadrig.probes._jvm.beans import Beans, Question
from loadrig.probes._session import Lost, Place

ERRORS = texts_of(ProbesJvmSessionErrors)

Read = Callable[[Beans, int], Reading]
"""Function that makes a reading of the MBeans that were read at an instant."""

_PORT = "-Dcom.sun.management.jmxremote.port="


def where(probe: str, access: MBeanAccess, component: Component, place: Place) -> reader.Where:
    """Return where a probe finds the MBeans of a component.

    Raises Unavailable if the JVM lets nobody in and exposes no JMX, or the password cannot be read.
    """
    password = _secret.secret(probe, access.password_env, access.password_file, place.base)
    if access.at is not None:
        return reader.Where(None, _url(access.at), access.user, password)
    jvm = attach.of(component)
    try:
        if "jvm-attach" not in place.permits:
            raise Lost.of(ERRORS.not_permitted(probe), code="probe.not-permitted")
        jvm.check()
    except Lost as lost:
        port = next((word.removeprefix(_PORT) for word in component.argv if word.startswith(_PORT)), None)
        if lost.code == "probe.no-process" or port is None:
            raise
        return reader.Where(None, _url(f"127.0.0.1:{port}"), access.user, password)
    return reader.Where(jvm)


def _url(address: str) -> str:
    return (
        address if address.startswith("service:jmx:") else f"service:jmx:rmi:///jndi/rmi://{address}/jmxrmi"
    )


def _entered(pid: int) -> Event:
    text = event_words(SENTENCES.jvm_attached, str(pid))
    return begun(time.monotonic_ns(), "jvm", "jvm-attach", "opens a port", text, pid)


class MBeanWatch(Aside):
    """Session of a probe on a JVM. Implements Session.

    source: None where the MBeans cannot be read. question: what is asked each time. read: makes a reading of
    the answer; may raise Lost. every_s: least time between two readings.
    """

    def __init__(
        self, source: reader.Where | None, question: Question, read: Read, every_s: float = 0.0
    ) -> None:
        self._question, self._read_beans = tuple(question), read
        self._where = source
        self._reader = reader.borrow(source) if source is not None else None
        self._reader_cpu_s = 0.0
        super().__init__(self.read, self._leave, every_s, lambda: self._reader_cpu_s)
        if source is not None and source.jvm is not None:
            self._events.append(_entered(source.jvm.pid))

    def ask(self, question: Question) -> Beans:
        """Return MBeans, in the thread that may wait. Raises NotYet and Lost as the reader does."""
        if self._reader is None:
            return {}
        beans, cpu_s = self._reader.ask(question)
        self._reader_cpu_s += cpu_s
        return beans

    def let_go(self) -> None:
        """End the reader's process, as its JVM has ended."""
        if self._reader is not None:
            self._reader.close()

    def read(self, t_ns: int) -> Reading:
        """Take a reading, in the thread that may wait."""
        try:
            beans = self.ask(self._question)
        except reader.NotYet:
            return Reading()
        return self._read_beans(beans, t_ns)

    def _leave(self) -> None:
        if self._where is not None:
            reader.give_back(self._where)

"""Sessions of the probe `jvm` on real JVMs, asked until what a test waits for has come."""

import time
from pathlib import Path

from loadrig.base.units import Seconds
from loadrig.probes import jvm
from loadrig.probes._session import Lost, Place, Session
from tests.conftest import Deadline
from tests.servers import java

ATTACH = frozenset({"jvm-attach"})
ALL = jvm.Options(details_every=Seconds(0.0))
LIMIT = ("memory_limit_bytes", "heap")

SESSIONS: list[Session] = []
"""Sessions that the test at work has attached."""


def attach(server: java.JavaServer, options: jvm.Options | None = None, base: Path = Path()) -> Session:
    session = jvm.attach(options or ALL, server.component(), Place(base=base, permits=ATTACH))
    SESSIONS.append(session)
    return session


def figures(session: Session, deadline: Deadline) -> dict[tuple[str, str], float]:
    """Return the next reading; an answer that comes late is asked for again, as the observer does."""
    reading: dict[tuple[str, str], float] = {}

    def has_come() -> bool:
        try:
            samples = session.sample(time.monotonic_ns())
        except Lost as loss:
            if loss.code != "probe.no-answer":
                raise
            samples = []
        reading.update({(sample.metric, sample.subject): sample.value for sample in samples})
        return bool(reading)

    deadline.wait_for(has_come, "a reading")
    return reading


def fresh(session: Session, deadline: Deadline) -> dict[tuple[str, str], float]:
    """Return a reading, MBeans included, that began after now: the one that was under way is not it."""
    deadline.wait_for(lambda: LIMIT in figures(session, deadline), "the MBeans")
    reading: dict[tuple[str, str], float] = {}

    def is_whole() -> bool:
        reading.update(figures(session, deadline))
        return LIMIT in reading

    deadline.wait_for(is_whole, "the MBeans again")
    return reading


def lost(session: Session, deadline: Deadline) -> Lost:
    losses: list[Lost] = []

    def is_lost() -> bool:
        try:
            session.sample(time.monotonic_ns())
        except Lost as loss:
            losses.append(loss)
        return bool(losses)

    deadline.wait_for(is_lost, "the probe to lose its JVM")
    return losses[0]

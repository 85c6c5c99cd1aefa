"""The probe `socket_stages` on one process, looking as often as it can, and servers for it."""

import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import pytest

from loadrig.base import processes
from loadrig.base.component import Component
from loadrig.base.running import Address
from loadrig.probes import Place, socket_stages
from loadrig.probes._purse import Purse

Means = dict[str, dict[str, float]]
"""Values by group and metric; the group "" is the whole component."""

REQUEST, ANSWER = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", b"HTTP/1.1 204 No Content\r\n\r\n"

STAGES = (
    "opening", "not_accepted", "unread", "in_hand", "sending", "unacknowledged", "connecting", "awaiting",
    "answer_unread", "idle", "closing", "abandoned", "unclear",
)  # fmt: skip

SERVER = """
listener = socket.create_server(("127.0.0.1", 0), backlog=64)
answer = listener.getsockname()[1]
held = []
"""

PURSE = Purse()
"""That of the observer which all probes of a test belong to."""

ACCEPT = "held.append(listener.accept()[0])"


class StagesProbe:
    """The probe of one process, looking as often as it can."""

    def __init__(self, pid: int, port: int | None = None, **options: int) -> None:
        address = Address("127.0.0.1", port) if port is not None else None
        start = processes.start_of(pid)
        component = Component("server", "program", pid=pid, start=start, address=address)
        chosen = socket_stages.Options(looks_per_s=300.0, cpu_share=1.0, **options)
        self.session = socket_stages.attach(chosen, component, Place(purse=PURSE))
        self._t_ns = 0

    def sample(self) -> Means:
        """Return what was seen since the last time."""
        self._t_ns += 1
        means: Means = {}
        for sample in self.session.sample(self._t_ns):
            means.setdefault(sample.subject, {})[sample.metric] = sample.value
        return means

    def look(self) -> Means:
        """Return what looks that began after this call have seen; each group adds up to its sockets."""
        until = time.monotonic() + 60
        looks = 0
        while True:
            time.sleep(0.02)
            means = self.sample()
            # A look that is under way may have seen what was before.
            looks += means[""]["looks"] > 0
            if looks > 2:
                break
            assert time.monotonic() < until, "nobody looks"
        for group, values in means.items():
            if group:
                assert sum(values.get(stage, 0.0) for stage in STAGES) == pytest.approx(values["sockets"])
        return means

    def peers(self) -> set[tuple[str, int]]:
        """Return where the process was seen to hold connections."""
        assert isinstance(self.session, socket_stages.SocketStagesWatch)
        return self.session.peers

    def stages(self, group: str) -> dict[str, float]:
        """Sockets of a group by stage, without stages that are empty."""
        means = self.look().get(group, {})
        return {stage: means[stage] for stage in STAGES if means.get(stage)}


@contextmanager
def probing(pid: int, port: int | None = None, **options: int) -> Iterator[StagesProbe]:
    probe = StagesProbe(pid, port, **options)
    try:
        yield probe
    finally:
        probe.session.detach()


def connected(stack: ExitStack, port: int, count: int = 1) -> list[socket.socket]:
    return [stack.enter_context(socket.create_connection(("127.0.0.1", port))) for _ in range(count)]

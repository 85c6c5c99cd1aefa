"""The host's network interfaces: bytes, packets, and what was lost.

## What it reads

/proc/net/dev, and the speed of each interface in /sys/class/net where it has one.

## How to read it

Bytes a second that stand at one level while load rises are a cap: of the link (`link_bytes` is its
speed), of a shaper, or of the other side. Drops and errors are packets that were lost here; a queue
that overflows drops some under any short burst, so look whether they grow with the load.
Load from the same machine goes over `lo` and has no link: there each byte costs CPU time instead.

Source: Documentation/networking/statistics.rst; proc_pid_net(5).

## Cost

0.05 ms of one core for a sample of two interfaces.
Measured on Linux 6.18, Python 3.11.
"""

from collections.abc import Mapping
from pathlib import Path

from loadrig.base.effects import ServerEffect
from loadrig.base.series import Metric, Sample
from loadrig.probes._watch import Options as Options
from loadrig.probes._watch import Watch, is_host, on_host

EFFECTS: tuple[ServerEffect, ...] = ()

METRICS: Mapping[str, Metric] = {
    "received_bytes": Metric("B", "counter", "Bytes received, per interface.", otel="system.network.io"),
    "received_packets": Metric("1", "counter", "Packets received.", otel="system.network.packet.count"),
    "receive_errors": Metric("1", "counter", "Packets received damaged.", otel="system.network.errors"),
    "receive_drops": Metric(
        "1", "counter", "Packets received and thrown away.", otel="system.network.packet.dropped"
    ),
    "sent_bytes": Metric("B", "counter", "Bytes sent, per interface.", otel="system.network.io"),
    "sent_packets": Metric("1", "counter", "Packets sent.", otel="system.network.packet.count"),
    "send_errors": Metric("1", "counter", "Packets that could not be sent.", otel="system.network.errors"),
    "send_drops": Metric(
        "1", "counter", "Packets thrown away before they were sent.", otel="system.network.packet.dropped"
    ),
    "link_bytes": Metric("B", "gauge", "Bytes a second that the link can carry, where it says so."),
}

# Columns of /proc/net/dev after the name, from 0.
_FIELDS: tuple[tuple[str, int], ...] = (
    ("received_bytes", 0), ("received_packets", 1), ("receive_errors", 2), ("receive_drops", 3),
    ("sent_bytes", 8), ("sent_packets", 9), ("send_errors", 10), ("send_drops", 11),
)  # fmt: skip


def parse_dev(text: str) -> dict[str, dict[str, int]]:
    """Return the metrics of each interface that ever carried a packet, from /proc/net/dev."""
    values = {}
    for line in text.splitlines()[2:]:
        name, _, rest = line.partition(":")
        numbers = rest.split()
        if any(number != "0" for number in numbers):
            values[name.strip()] = {metric: int(numbers[place]) for metric, place in _FIELDS}
    return values


def parse_speed(text: str) -> int | None:
    """Return the bytes a second in /sys/class/net/NAME/speed, which is in Mbit/s; None where not known."""
    words = text.strip()
    return int(words) * 125_000 if words.isdecimal() and int(words) > 0 else None


class NetworkWatch(Watch):
    """Session of the probe."""

    probe = "network"

    def __init__(self, root: Path = Path("/")) -> None:
        super().__init__(root)
        self._links: dict[str, int | None] = {}

    def sample(self, t_ns: int) -> list[Sample]:
        """Read the counters, and once the speed of each interface."""
        figures: dict[tuple[str, str], float] = {}
        for name, values in parse_dev(self.text("proc/net/dev")).items():
            figures |= {(metric, name): value for metric, value in values.items()}
            if name not in self._links:
                self._links[name] = parse_speed(self.text(f"sys/class/net/{name}/speed"))
            if (link := self._links[name]) is not None:
                figures["link_bytes", name] = link
        return self.samples(t_ns, figures)


fits = is_host
attach = on_host("proc/net/dev", NetworkWatch)

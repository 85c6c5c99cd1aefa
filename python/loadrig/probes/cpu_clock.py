"""How fast the host's cores run: their frequency now, and how often heat or power made them slow down.

## What it reads

/sys/devices/system/cpu: scaling_cur_freq (or the MHz in /proc/cpuinfo where there is none) and
thermal_throttle of each core.

## How to read it

A core that runs slower takes more CPU time for the same request: CPU time a request that steps up after
minutes, with the frequency stepping down at the same instant, is the machine and not the server.
A virtual machine mostly shows one constant figure, whatever its host does; its slowing down shows as
steal, or only in the CPU time a request.

## Cost

0.1 ms of one core for a sample on two cores where /proc/cpuinfo has to be read, which is done every ten
seconds; 20 µs a core else.
Measured on Linux 6.18, Python 3.11.
"""

from collections.abc import Mapping
from pathlib import Path

from loadrig.base.component import HOST, Component
from loadrig.base.records import dataclass
from loadrig.base.series import Event, Metric, Sample
from loadrig.probes._session import Place, Session, Unavailable, read

METRICS: Mapping[str, Metric] = {
    "frequency": Metric("1/s", "gauge", "Cycles a second, per core.", otel="system.cpu.frequency"),
    "throttles": Metric("1", "counter", "Times that heat or power slowed a core down."),
}

EVERY_NS = 10_000_000_000
"""The frequency is read so often: it changes slowly, and the kernel may have to ask each core for it."""


@dataclass(frozen=True, slots=True)
class Options:
    """Nothing to choose."""


def parse_mhz(text: str) -> dict[str, float]:
    """Cycles a second of each core, from /proc/cpuinfo of x86; other machines do not say it there."""
    found: dict[str, float] = {}
    core = ""
    for line in text.splitlines():
        name, _, value = line.partition(":")
        match name.strip():
            case "processor":
                core = f"cpu{value.strip()}"
            case "cpu MHz":
                found[core] = float(value) * 1e6
    return found


class Watch:
    """The session: reads below `root`, which is "/" but in tests."""

    def __init__(self, options: Options, root: Path = Path("/")) -> None:
        del options
        self.root = root
        self._due_ns = 0

    def sample(self, t_ns: int) -> list[Sample]:
        """Read every core, now and then."""
        if t_ns < self._due_ns:
            return []
        self._due_ns = t_ns + EVERY_NS
        frequencies, throttles = self._of_cores()
        if not frequencies:
            frequencies = parse_mhz(read(self.root / "proc/cpuinfo") or "")
        found = [Sample(t_ns, "cpu_clock", "frequency", core, value) for core, value in frequencies.items()]
        return found + [Sample(t_ns, "cpu_clock", "throttles", core, n) for core, n in throttles.items()]

    def _of_cores(self) -> tuple[dict[str, float], dict[str, float]]:
        frequencies, throttles = {}, {}
        for folder in sorted((self.root / "sys/devices/system/cpu").glob("cpu[0-9]*")):
            if khz := read(folder / "cpufreq/scaling_cur_freq"):
                frequencies[folder.name] = int(khz) * 1e3
            if times := read(folder / "thermal_throttle/core_throttle_count"):
                throttles[folder.name] = float(times)
        return frequencies, throttles

    def events(self) -> list[Event]:
        """Nothing: throttling is a counter."""
        return []

    def detach(self) -> None:
        """Nothing is held."""


def fits(component: Component) -> bool:
    """The host."""
    return component.kind == HOST


def attach(options: Options, component: Component, place: Place) -> Session:
    """Raises Unavailable where the machine does not say how fast it runs."""
    del component
    watch = Watch(options, place.root)
    if not watch.sample(0):
        raise Unavailable(
            "the machine does not say how fast its cores run", "switch it off: unwatched: [cpu_clock]",
            code="probe.not-readable",
        )  # fmt: skip
    return Watch(options, place.root)

"""What the generator can do at most on this machine, measured once against a server that does nothing.

Check G10 compares a trial's rate with it: a rate near this ceiling says more of the generator than of
the target. `loadrig doctor --calibrate` measures and keeps it; each trial's manifest carries what was
known then, so that a recording can be judged elsewhere.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from loadrig import __version__
from loadrig.base.running import Address
from loadrig.engine.compile import compile_config
from loadrig.engine.process import Generator
from loadrig.plan.load import read
from loadrig.plan.model import Plan
from loadrig.recording.files import write_json
from loadrig.trial.placement import place
from loadrig.trial.surroundings import machine

NS = 1_000_000_000
SETTLE_S = 1.0
MEASURE_S = 3.0
CONNECTIONS = 64
"""As in the published comparisons of generators; fewer leave a fast generator waiting."""

PLAN = """\
loadrig: 1
name: calibration
target: {{external: {{url: "http://127.0.0.1:{port}"}}}}
workload:
  users: {connections}
  requests: [{{get: /}}]
trial:
  warm_up: {{at_least: {settle}s, at_most: {settle}s}}
  measure: {{at_least: {measure}s, at_most: {measure}s}}
"""


@dataclass(frozen=True, slots=True)
class Calibration:
    """The most requests per second of one generator thread, and the machine it holds for."""

    per_second: float
    cpu: str
    cores: int
    loadrig: str

    def holds_here(self) -> bool:
        """Whether it was measured on a machine like this, by this loadrig."""
        facts = machine()
        return (self.cpu, self.cores, self.loadrig) == (facts["cpu"], facts["cores"], __version__)

    def to_json(self) -> dict[str, Any]:
        """As kept on disk and in manifests."""
        return asdict(self)


def place_of_record() -> Path:
    """Where the calibration of this machine is kept."""
    state = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return Path(state) / "loadrig" / "calibration.json"


def known() -> Calibration | None:
    """The calibration of this machine; None where there is none or it is of another machine."""
    try:
        found = Calibration(**json.loads(place_of_record().read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None
    return found if found.holds_here() else None


def calibrate() -> Calibration:
    """Measure for a few seconds and keep what was found.

    Raises VoidError where the generator cannot work or the result cannot be kept.
    """
    placement = place(threads=1, generator=(), target=(), starts_target=True)
    with _null_server(placement.target) as port, tempfile.TemporaryDirectory() as folder:
        text = PLAN.format(port=port, connections=CONNECTIONS, settle=SETTLE_S, measure=MEASURE_S)
        rate = _measured(read(text, "the calibration"), port, placement.generator, Path(folder))
    facts = machine()
    found = Calibration(rate, facts["cpu"], facts["cores"], __version__)
    path = place_of_record()
    path.parent.mkdir(parents=True, exist_ok=True)
    write_json(path, found.to_json())
    return found


def _measured(plan: Plan, port: int, cpus: tuple[int, ...], folder: Path) -> float:
    config = compile_config(plan, Address("127.0.0.1", port), seed=1, cpus=cpus, frame_s=0.25)
    answered = length_ns = 0
    with Generator(config, folder / "engine.log") as generator:
        generator.prepare()
        start_ns = time.monotonic_ns() + NS // 20
        generator.begin(start_ns)
        while (frame := generator.next_frame()) is not None:
            if frame["t_ns"] >= start_ns + int(SETTLE_S * NS) and frame["len_ns"] > NS // 10:
                answered += frame["answered"]
                length_ns += frame["len_ns"]
    return answered / (length_ns / NS) if length_ns else 0.0


@contextmanager
def _null_server(cpus: Sequence[int]) -> Iterator[int]:
    """The server that does nothing, on its own cores; yields its port."""
    with subprocess.Popen(
        [sys.executable, "-m", "loadrig.engine", "--null-server"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            if cpus:
                os.sched_setaffinity(process.pid, cpus)
            yield int(json.loads(process.stdout.readline())["port"])
        finally:
            process.stdin.close()
            try:
                process.wait(timeout=5.0)
            except subprocess.TimeoutExpired:
                process.kill()

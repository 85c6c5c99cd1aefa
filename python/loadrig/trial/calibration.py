"""The ceiling of the generator on this machine, measured once against a server that does nothing.

Check G10 compares a trial's rate with it: a rate near this ceiling says more of the generator than of
the target. At half of it, the honest limit, one generator is compared with two that share its load,
for check G13. `loadrig doctor --calibrate` measures and keeps both; each trial's manifest carries what
was known then, so that a recording can be judged elsewhere.
"""

import json
import os
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from loadrig.base import own_files, state
from loadrig.base.clock import NS
from loadrig.base.errors import VoidError
from loadrig.base.later import Later
from loadrig.base.running import Address
from loadrig.engine.compile import compile_config
from loadrig.engine.process import PROGRAM, Generator
from loadrig.language.choice import texts_of
from loadrig.language.en.trial.running import TrialCalibrationTexts
from loadrig.plan.load import read
from loadrig.trial.placement import place
from loadrig.trial.surroundings import machine

if TYPE_CHECKING:
    from loadrig.trial import split
    from loadrig.trial.split import Config, GeneratorSplit
else:
    split = Later("loadrig.trial.split")  # every trial asks what is known, and few machines know it

TEXTS = texts_of(TrialCalibrationTexts)

SETTLE_S = 1.0
MEASURE_S = 3.0
CONNECTIONS = 64
"""As in the published comparisons of generators; fewer leave a fast generator waiting."""

MOST_BYTES = 64 << 10
"""Largest size of the file of a calibration, in bytes: a longer one was not written by a rig."""

HONEST_SHARE = 0.5
"""Share of the ceiling, 0 to 1, up to which the generator does not become what is measured. Check G10 uses
it."""

PLAN = """\
loadrig: 1
name: calibration
target: {{external: {{url: "http://127.0.0.1:{port}"}}}}
workload:
  {load}
  requests: [{{get: /}}]
  connections: {{most: {connections}}}
trial:
  warm_up: {{at_least: {settle}s, at_most: {settle}s}}
  measure: {{at_least: {measure}s, at_most: {measure}s}}
"""


@dataclass(frozen=True, slots=True)
class Calibration:
    """The most requests per second of one generator thread, and the machine it holds for.

    split: how one generator compared with two at the honest limit; None where that was not measured.
    measured: date of the measurement.
    """

    per_second: float
    cpu: str
    cores: int
    loadrig: str
    split: "GeneratorSplit | None" = None
    measured: str = ""

    @property
    def honest_per_second(self) -> float:
        """Requests per second that one thread can be asked for without check G10 doubting it."""
        return HONEST_SHARE * self.per_second

    def holds_here(self) -> bool:
        """Return whether it was measured on a machine like this, by this version of loadrig."""
        here = machine()
        return (self.cpu, self.cores, self.loadrig) == (here.cpu, here.cores, here.loadrig)

    def to_json(self) -> dict[str, Any]:
        """Return the calibration as it is kept on disk and in manifests."""
        return asdict(self)


def place_of_record() -> Path:
    """Return the path of the file in which the calibration of this machine is kept."""
    return Path(state.folder()) / "calibration.json"


def of_this_machine() -> Calibration | None:
    """Return the calibration of this machine; None where there is none or it is of another machine."""
    try:
        path = place_of_record()
        with own_files.opened(path.parent) as folder:
            record = json.loads(own_files.read(folder, path.name, MOST_BYTES))
        calibration = Calibration(
            **{**record, "split": split.GeneratorSplit(**record["split"]) if record.get("split") else None}
        )
    except (OSError, ValueError, TypeError, AttributeError):
        return None
    return calibration if calibration.holds_here() else None


def calibrate(*, pairs: int | None = None) -> Calibration:
    """Measure for some twenty-five seconds, keep the calibration and return it.

    pairs: loads by one generator and by two, for check G13, by default as many as `split` says; 0 leaves that
    out.
    Raises VoidError where the generator cannot work or the result cannot be kept.
    """
    pairs = split.PAIRS if pairs is None else pairs
    single = place(threads=1, generator=(), target=(), starts_target=True)
    double = place(threads=2, generator=(), target=(), starts_target=True)
    # Where two generators have a core each, the server has what is left for both measurements.
    import tempfile  # here and not at the top: every trial asks what is known, and none for this

    with null_server(double.target) as port, tempfile.TemporaryDirectory() as folder:
        rate = _measured(_closed(port, single.generator), Path(folder))
        compared = None
        if pairs:

            def config_of(per_second: float, seed: int, cpus: tuple[int, ...]) -> "Config":
                return open_load(port, per_second, seed, cpus)

            compared = split.compare(config_of, HONEST_SHARE * rate, double.generator, pairs)
    here = machine()
    calibration = Calibration(
        rate, here.cpu, here.cores, here.loadrig, compared, time.strftime("%Y-%m-%d %H:%M")
    )
    path = place_of_record()
    with own_files.opened(path.parent, make=True) as handle:
        own_files.write(
            handle, path.name, json.dumps(calibration.to_json(), indent=1, allow_nan=False).encode()
        )
    return calibration


def _closed(port: int, cpus: tuple[int, ...]) -> "Config":
    """Return the config of a load of as many requests as one thread can make."""
    text = PLAN.format(
        port=port, load=f"users: {CONNECTIONS}", connections=CONNECTIONS, settle=SETTLE_S, measure=MEASURE_S
    )
    return _compiled(text, port, 1, cpus)


def open_load(port: int, per_second: float, seed: int, cpus: tuple[int, ...]) -> "Config":
    """Return the config of a part of the load that check G13 compares.

    Its requests are evenly spaced, so that chance does not change its rate.
    """
    text = PLAN.format(
        port=port,
        load=f"rate: {{rate: {per_second:.0f}/1s, arrivals: constant}}",
        connections=CONNECTIONS,
        settle=split.SETTLE_S,
        measure=split.MEASURE_S,
    )
    return _compiled(text, port, seed, cpus)


def _compiled(text: str, port: int, seed: int, cpus: tuple[int, ...]) -> "Config":
    plan = read(text, TEXTS.the_calibration)
    return compile_config(plan, Address("127.0.0.1", port), seed=seed, cpus=cpus, frame_s=0.25).plain()


def _measured(config: "Config", folder: Path) -> float:
    answered = length_ns = 0
    with Generator(folder / "engine.log") as generator:
        generator.prepare(config)
        start_ns = time.monotonic_ns() + NS // 20
        generator.begin(start_ns)
        while (frame := generator.next_frame()) is not None:
            if frame.t_ns >= start_ns + int(SETTLE_S * NS) and frame.len_ns > NS // 10:
                answered += frame.answered
                length_ns += frame.len_ns
    if not answered or not length_ns:
        raise VoidError(split.nothing_answered())
    return answered / (length_ns / NS)


@contextmanager
def null_server(cpus: Sequence[int]) -> Iterator[int]:
    """Run the server that does nothing, on its own cores; yield its port."""
    with subprocess.Popen(
        [*PROGRAM, "--null-server"],
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

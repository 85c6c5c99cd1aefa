"""Sabotage of the rate: beyond the generator's ceiling, beyond one core, beyond the server."""

import json
import threading
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from dataclasses import replace
from pathlib import Path

from loadrig.trial import calibration, split
from tests.sabotage import injuries
from tests.sabotage.harness import Sabotage, SabotageOutcome, cores, null_server, plan, run, serving


def _beyond_the_ceiling(folder: Path) -> SabotageOutcome:
    if calibration.of_this_machine() is None:
        calibration.calibrate(pairs=0)
    with null_server() as port:
        return run(plan(port, f"users: {calibration.CONNECTIONS}"), folder)


def _beyond_a_core(folder: Path) -> SabotageOutcome:
    with null_server() as port:
        request = "get: /, expect: {matches: ['^o.*k$']}, extract: {word: {regex: '(o)k'}}"
        return run(plan(port, f"users: {calibration.CONNECTIONS}", request=request), folder)


def _beyond_the_server(folder: Path) -> SabotageOutcome:
    # One at a time, 110 a second at most; what is left over at the end is answered within six seconds. Where
    # others have the cores, some seconds are lost to them: ten of these must be left.
    with serving(delay_s=0.0, hold_s=0.009) as port:
        return run(plan(port, "rate: 150/1s", seconds=15.0, workload=("timeout: 30s",)), folder)


def _hindered(folder: Path) -> SabotageOutcome:
    own = cores()[0]
    with null_server() as port:

        def config_of(per_second: float, seed: int, cpus: tuple[int, ...]) -> split.Config:
            return calibration.open_load(port, per_second, seed, cpus)

        compared = split.compare(config_of, 4_000.0, (own,), pairs=6, make=_hindering)
    rates = calibration.of_this_machine() or calibration.calibrate(pairs=0)
    record = folder / "state" / "loadrig" / "calibration.json"
    record.parent.mkdir(parents=True)
    record.write_text(json.dumps(replace(rates, split=compared).to_json()), encoding="utf-8")
    with serving() as port:
        return run(plan(port, "rate: 300/1s"), folder, XDG_STATE_HOME=str(folder / "state"))


def _hindering(configs: Sequence[split.Config], folder: Path) -> split.GeneratedLoad:
    """Make a load; a generator that is alone is stopped for 10 ms in every 50."""
    over = threading.Event()

    def hurt(pid: int) -> None:
        # It may end between two stops.
        with suppress(ProcessLookupError):
            while not over.wait(0.04):
                injuries.stop_for(pid, 0.010)

    with ExitStack() as stack:

        def begun(pid: int) -> None:
            if len(configs) == 1:
                thread = threading.Thread(target=hurt, args=(pid,))
                thread.start()
                stack.callback(thread.join)
                stack.callback(over.set)

        return split.make(configs, folder, begun, over.set)


SABOTAGES = (
    Sabotage("a rate beyond the calibrated ceiling", "G10", "at most", _beyond_the_ceiling),
    Sabotage("a load that fills the generator's core", "G3", "busiest generator thread", _beyond_a_core),
    Sabotage("a rate beyond what the server can do", "G8", "rate is above", _beyond_the_server),
    Sabotage("one generator hindered, its two halves not", "G13", "differs from two", _hindered),
)

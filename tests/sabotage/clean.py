"""Runs that nobody spoils: none may be called disturbed or void."""

from collections.abc import Callable
from pathlib import Path

from tests.sabotage.harness import SabotageOutcome, command_target, cores, plan, run, serving


def _poisson(folder: Path) -> SabotageOutcome:
    with serving() as port:
        return run(plan(port, "rate: 300/1s"), folder)


def _constant(folder: Path) -> SabotageOutcome:
    with serving() as port:
        return run(plan(port, "rate: {rate: 500/1s, arrivals: constant}"), folder)


def _users(folder: Path) -> SabotageOutcome:
    with serving() as port:
        return run(plan(port, "users: 10", workload=("think: 20ms",)), folder)


def _sessions(folder: Path) -> SabotageOutcome:
    with serving() as port:
        return run(plan(port, "sessions: {rate: 30/1s, requests: 5}"), folder)


def _started(folder: Path) -> SabotageOutcome:
    target = command_target(core=cores()[1], spin_s=0.001)
    return run(plan(target, "rate: 200/1s"), folder)


KINDS: dict[str, Callable[[Path], SabotageOutcome]] = {
    "Poisson arrivals at 300/s": _poisson,
    "even arrivals at 500/s": _constant,
    "ten users who think": _users,
    "thirty sessions a second": _sessions,
    "a server that is started, 200/s": _started,
}

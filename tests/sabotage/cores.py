"""Sabotage of the generator's core: neighbours, quotas, stops, a server beside it."""

import time
from pathlib import Path

from tests.sabotage import injuries
from tests.sabotage.harness import (
    Sabotage,
    SabotageOutcome,
    SabotageRig,
    command_target,
    cores,
    plan,
    run,
    serving,
)


def _busy_neighbour(folder: Path) -> SabotageOutcome:
    own = cores()[0]
    with serving() as port, injuries.neighbour(own), injuries.neighbour(own):
        return run(plan(port, "rate: 1000/1s"), folder)


def _nice_neighbour(folder: Path) -> SabotageOutcome:
    text, own = "users: 8", cores()[0]
    with serving(delay_s=0) as port, injuries.neighbour(own), SabotageRig(plan(port, text), folder) as rig:
        injuries.give_way(rig.generator())
        return rig.end()


def _quota(folder: Path) -> SabotageOutcome:
    with serving() as port, SabotageRig(plan(port, "rate: 300/1s"), folder) as rig:
        with injuries.group("cpu", rig.generator()) as group:
            # A hundredth of a core: one millisecond of each tenth of a second.
            (group / "cpu.cfs_period_us").write_text("100000")
            (group / "cpu.cfs_quota_us").write_text("1000")
            time.sleep(1.5)
        return rig.end()


def _stopped_open(folder: Path) -> SabotageOutcome:
    with serving() as port, SabotageRig(plan(port, "rate: 300/1s"), folder) as rig:
        injuries.stop_for(rig.generator(), 0.3)
        return rig.end()


def _stopped_closed(folder: Path) -> SabotageOutcome:
    with serving() as port, SabotageRig(plan(port, "users: 4"), folder) as rig:
        injuries.stop_for(rig.generator(), 0.3)
        return rig.end()


def _stopped_often(folder: Path) -> SabotageOutcome:
    with serving() as port, SabotageRig(plan(port, "users: 4"), folder) as rig:
        pid = rig.generator()
        for _ in range(10):
            injuries.stop_for(pid, 0.002)
            time.sleep(0.02)
        return rig.end()


def _frozen(folder: Path) -> SabotageOutcome:
    with serving() as port, SabotageRig(plan(port, "users: 4"), folder) as rig:
        with injuries.group("freezer", rig.generator()) as group:
            injuries.freeze_for(group, 0.4)
        return rig.end()


def _late_timers(folder: Path) -> SabotageOutcome:
    load = "rate: {rate: 300/1s, arrivals: constant}"
    with serving() as port, SabotageRig(plan(port, load), folder) as rig:
        injuries.make_timers_late(rig.generator(), 0.020)
        return rig.end()


def _bunched(folder: Path) -> SabotageOutcome:
    with serving() as port, SabotageRig(plan(port, "rate: 500/1s"), folder) as rig:
        injuries.make_timers_late(rig.generator(), 0.050)
        return rig.end()


def _started_beside(folder: Path) -> SabotageOutcome:
    return run(plan(command_target(core=cores()[0], delay_s=0), "users: 8"), folder)


def _found_beside(folder: Path) -> SabotageOutcome:
    with serving(delay_s=0, cpus=[cores()[0]]) as port:
        return run(plan(port, "rate: 2000/1s"), folder)


GRAVE = ("grave",)
SABOTAGES = (
    Sabotage("a busy neighbour on the generator's core", "G4", "waited for a core", _busy_neighbour),
    Sabotage(
        "a generator at nice 19 beside a neighbour",
        "G4",
        "waited for a core",
        _nice_neighbour,
        is_variant=True,
    ),
    Sabotage("a CPU quota on the generator's group", "G4", "quota", _quota),
    Sabotage("a generator stopped for 0.3 s, open load", "G4", "was stopped once", _stopped_open, ("grave",)),
    Sabotage(
        "a generator stopped for 0.3 s, closed load",
        "G4",
        "was stopped once",
        _stopped_closed,
        ("grave",),
        is_variant=True,
    ),
    Sabotage("a generator stopped ten times for 2 ms", "G4", "was stopped", _stopped_often, is_variant=True),
    Sabotage("a generator frozen for 0.4 s, closed load", "G4", "was paused", _frozen),
    Sabotage("timers that wake the generator 20 ms late", "G2", "late", _late_timers, GRAVE),
    Sabotage("arrivals bunched by timers 50 ms late", "G7", "not exponential", _bunched),
    Sabotage("a server started on the generator's core", "G14", "busiest thread", _started_beside),
    Sabotage(
        "a server found on the generator's core", "G14", "busiest thread", _found_beside, is_variant=True
    ),
)

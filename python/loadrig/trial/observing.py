"""The probes of a plan attached to a running target, their samples going to the recording."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from loadrig.base import members, processes
from loadrig.base.component import of_target
from loadrig.base.running import RunningTarget
from loadrig.plan.model import Plan
from loadrig.probes import Observer, Place
from loadrig.recording.writer import TrialWriter

ROOM = "loadrig.probes"


@contextmanager
def observe(plan: Plan, target: RunningTarget, writer: TrialWriter, folder: Path) -> Iterator[Observer]:
    """Watch the target, and what it talks to, while the block runs; what cannot be watched is noted.

    folder: the trial's.
    """
    server = of_target(target, processes.start_of(target.pid) if target.pid else None)

    def keep() -> None:
        writer.manifest_note(metrics=observer.metrics())

    observer = Observer(
        plan.probes,
        [server],
        plan.trial.probe_every,
        writer,
        place=Place(folder=folder, base=Path(plan.path).parent if plan.path else Path()),
        changed=keep,
    )
    with observer:
        yield observer


def environment(plan: Plan, folder: Path) -> dict[str, str]:
    """What the probes of a plan need in the environment of a server that the rig starts.

    Only probes with options of their own need any: the rig changes nothing unless it is asked to.
    """
    found: dict[str, str] = {}
    for chosen in plan.probes:
        prepare: Any = (
            getattr(members.load(ROOM, chosen.member), "prepare", None) if chosen.is_asked else None
        )
        if prepare is not None:
            found.update(prepare(chosen.options, folder))
    return found

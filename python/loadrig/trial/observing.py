"""The probes of a plan attached to a running target, their samples going to the recording."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from loadrig.base import members
from loadrig.base.running import RunningTarget
from loadrig.plan.model import Chosen, Plan
from loadrig.probes._observer import Observer
from loadrig.recording.writer import TrialWriter
from loadrig.trial.spec import Watcher


@contextmanager
def observe(plan: Plan, target: RunningTarget, writer: TrialWriter, watch: Watcher) -> Iterator[Observer]:
    """Watch the target while the block runs; probes that cannot attach are noted, not fatal."""
    chosen = plan.probes or default_probes()
    observer = Observer.attach(chosen, target, every_s=plan.trial.probe_every, sink=writer)
    for note in observer.notes:
        watch.note(note)
    writer.manifest_note(metrics=observer.metrics())
    with observer:
        yield observer


def default_probes() -> tuple[Chosen, ...]:
    """Every probe of the room with its default options: what is watched when a plan names none."""
    return tuple(
        Chosen(name, _defaults(members.load("loadrig.probes", name)))
        for name in members.names("loadrig.probes")
    )


def _defaults(module: Any) -> Any:
    return module.Options()

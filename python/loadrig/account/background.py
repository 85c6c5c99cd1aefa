"""CPU time that belongs to no request: threads of a component that ran on when no request was there.

After a load on a server that ran already the rig looks who uses CPU time: `surroundings` in the manifest.
A thread that ran then also ran for itself under load, and what it used there is no part of any request. Where
the server may still have worked on requests of the load, as after time-outs, nothing is concluded.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from loadrig.account.load import LoadSeries
from loadrig.account.source import AccountSource
from loadrig.base import jvm_threads
from loadrig.base.later import Later
from loadrig.recording.manifest_document import SurroundingsDocument
from loadrig.recording.steps import Floats

if TYPE_CHECKING:
    import numpy as np
else:
    np = Later("numpy")

FEW_FAILED = 0.001
"""Share of the requests that failed, 0 to 1, up to which nothing is left of them: were the server still at
work on all of these, that would be a thousandth of the load's CPU time, less than a look after it can see."""


@dataclass(frozen=True, eq=False)
class Background:
    """Threads of a component that ran for no request, on each step.

    running: cores that they used; runnable: cores that they waited for.
    """

    running: Floats
    runnable: Floats


class BackgroundScene(Protocol):
    """A recording and its series on the steps of the load."""

    recording: AccountSource
    load: LoadSeries

    def subjects(self, component: str, probe: str, metric: str) -> dict[str, Floats]:
        """Return all subjects of a metric on the steps."""


def background_of(scene: BackgroundScene, name: str) -> Background | None:
    """Return what a component's threads did for no request; None where none ran without one.

    A thread that also answers requests is taken to run for none no more than it did when there were none.
    """
    threads = _idle_threads(scene.recording.manifest.surroundings, name)
    if not threads or not _all_answered(scene.recording):
        return None
    running = np.zeros(scene.load.seconds.size)
    runnable = np.zeros(running.size)
    busy = _by_tid(scene.subjects(name, "thread_states", "thread_cpu_s"))
    delays = _by_tid(scene.subjects(name, "thread_states", "thread_run_delay_s"))
    for tid, cores in threads.items():
        # The busiest threads are read under load too; any other thread is taken to run as much under load as
        # after it.
        used = (
            np.where(np.isfinite(busy[tid]), busy[tid], cores)
            if tid in busy
            else np.full(running.size, cores)
        )
        own = np.minimum(used, cores)
        running = running + own
        if tid in delays:
            runnable = runnable + np.nan_to_num(delays[tid]) * own / np.maximum(used, 1e-9)
    return Background(running, runnable)


def _by_tid(by_subject: Mapping[str, Floats]) -> dict[int, Floats]:
    """Return values by thread, of subjects such as "4711 gunicorn"."""
    return {int(subject.split(" ", 1)[0]): values for subject, values in by_subject.items()}


def _idle_threads(surroundings: SurroundingsDocument | None, name: str) -> dict[int, float]:
    """Return the cores used by each thread of a component that ran after the load."""
    if surroundings is None or surroundings.when != "after":
        return {}
    return {
        thread.tid: thread.cores
        for program in surroundings.programs
        if program.component == name
        for thread in program.threads
        if not jvm_threads.is_of_the_runtime(thread.name)
    }


def _all_answered(recording: AccountSource) -> bool:
    """Return whether next to every request of the load was answered, so that the server had no work left."""
    frames = recording.frames
    if not frames or frames[-1].in_flight:
        return False
    failed = sum(frame.failed for frame in frames)
    return failed <= FEW_FAILED * sum(frame.answered + frame.failed for frame in frames)

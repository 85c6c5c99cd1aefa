"""CPU of a component, less of it, by stopping its processes for moments: where there is no right to a quota.

## What it changes

Its processes are stopped (SIGSTOP) as soon as they have used what they are allowed, and go on (SIGCONT) as
soon as they have earned more: of a busy one 2 ms in every 10 ms.
One that uses less than it is allowed is not stopped.
Only those processes are stopped that use CPU: a master that watches its workers is let be, as is a shell.
Those that are born while it is changed are held from the next change on.

## What it needs

The right to send it signals: the same user, or root.
Linux 5.3 or newer, where a process can be named for good.
Cores of its own, or a quota.
Programs that take a call of the kernel again when it is interrupted (EINTR), as almost all do: a wait for
sockets (`epoll_wait`) ends with that when a process goes on.

## What it proves and refutes

As the CPU quota: throughput that follows proves that this CPU is the limit, throughput that stays refutes it.

## How it is undone

They go on.
The program that stops them does so as soon as the rig has ended, however it ended; a lease names them before
the first is stopped.

## Cost

Of a component at its limit a fifth of its CPU is taken.
The parent of a process hears each time that a child was stopped (SIGCHLD), unless it does not want to.
The program that stops them takes 2.5 % of a core while it is changed, else nothing.
A busy loop that was to have 0.8 of a core had 0.795 to 0.8.
Measured on Linux 6.18, 6 times 4 s.
"""

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from loadrig.base import cgroups, processes
from loadrig.base.changes import STOPPED
from loadrig.base.component import Component
from loadrig.base.effects import ServerEffect
from loadrig.base.unavailable import Unavailable
from loadrig.interventions import Lever, Scene, Setter, Step, _capacity
from loadrig.interventions._change import ReversibleChange
from loadrig.interventions._companion import Companion
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.interventions import InterventionsStoppedErrors
from loadrig.language.en.interventions import InterventionsStoppedTexts

TEXTS = texts_of(InterventionsStoppedTexts)
ERRORS = texts_of(InterventionsStoppedErrors)

EFFECTS: tuple[ServerEffect, ...] = (
    ServerEffect("pauses", TEXTS.busy_processes_component, "prove"),
    ServerEffect("sends a signal", TEXTS.sigstop_sigcont, "prove"),
)

NAME = TEXTS.name
CHANGE = "cpu"
IS_LIVE = True
ORDER = 1
"""Place among the members that change the CPU: after the quota, which no program notices."""

LOOK_S = 0.1
"""Time in which the processes that use CPU are found before the first change, in seconds."""

IDLE_SHARE = 0.01
"""Share of the CPU use of all processes of a component below which a process need not be stopped."""


def able(lever: Lever, scene: Scene) -> Step:
    """Return a step to less CPU, without a control group. Raises Unavailable."""
    component, pid = _capacity.here(lever, scene)
    pids = _capacity.own_tree(component, scene)
    _refuse_foreign(component, pids)
    quota = _quota(component, pid, scene)
    cores = _capacity.capacity(component, scene, pids, quota)
    used = scene.used.get(component.name)
    ratio = _capacity.ratio_of_less(cores if used is None else used, cores)
    title = _capacity.title(component, cores, ratio)
    most = max(cores, _capacity.at_once(component, scene, pids))
    return Step(
        lever, title, ratio, lambda: _held(component, scene, ratio * cores, most, title),
        _capacity.cost(ratio, used, cores),
    )  # fmt: skip


def _refuse_foreign(component: Component, pids: Sequence[int]) -> None:
    for pid in pids:
        try:
            os.kill(pid, 0)
            os.close(os.pidfd_open(pid))
        except ProcessLookupError:
            continue
        except PermissionError:
            wording = ERRORS.foreign_process(component.name, str(pid))
            raise Unavailable.of(wording, code="prove.no-right") from None
        except OSError as error:
            wording = ERRORS.no_pidfd(str(error.strerror))
            raise Unavailable.of(wording, code="prove.no-right") from None


def _quota(component: Component, pid: int, scene: Scene) -> float | None:
    """Return the tightest quota that a component is under. Raises Unavailable where others use it up, too."""
    group = cgroups.group_for(cgroups.of(pid), "cpu")
    if group is None:
        return None
    tightest = _capacity.tightest(group.controller, cgroups.upwards(*group, cgroups.mounts()))
    if tightest is None:
        return None
    _capacity.refuse_shared(component, scene, *tightest)
    return tightest[0]


@contextmanager
def _held(component: Component, scene: Scene, cores: float, most: float, title: str) -> Iterator[Setter]:
    with ReversibleChange(title) as change, Companion("_stopper.py") as stopper:
        used = _Used()
        used.busy(_capacity.own_tree(component, scene))
        time.sleep(LOOK_S)

        def switch(is_changed: bool) -> None:
            if not is_changed:
                stopper.tell()
                return
            stoppable = change.will_stop(used.busy(_capacity.own_tree(component, scene)))
            stopper.tell(pids=stoppable, cores=cores, most=most)

        yield switch


class _Used:
    """CPU use of processes since they were last asked about."""

    def __init__(self) -> None:
        self._used_s: dict[int, float] = {}

    def busy(self, pids: Sequence[int]) -> list[int]:
        """Return the processes that used CPU that counts, without those that somebody else has stopped."""
        used_s = {pid: processes.cpu_s(pid) for pid in pids}
        new_s = {pid: used_s[pid] - self._used_s.get(pid, 0.0) for pid in pids}
        self._used_s = used_s
        least_s = IDLE_SHARE * sum(new_s.values())
        return [pid for pid in pids if new_s[pid] > least_s and not _is_stopped(pid)]


def _is_stopped(pid: int) -> bool:
    stat = processes.stat(pid)
    return stat is not None and stat.state == STOPPED

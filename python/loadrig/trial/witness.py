"""Observations of the generator from outside while it works, kept in the trial's manifest.

The generator testifies about itself in its frames; of some things it cannot know: that it was stopped, that
its control group was out of CPU time, that the hypervisor took its core, that the server's busiest thread ran
beside it, that somebody else loads the server, that somebody set the clock. The witness looks a few times a
second, whether frames come or not.
"""

import os
import time
from collections.abc import Sequence
from typing import Any, Self

from loadrig.base.clock import NS
from loadrig.base.running import RunningTarget
from loadrig.language.choice import texts_of
from loadrig.language.en.trial.endings import TrialWitnessTexts
from loadrig.trial import others
from loadrig.trial.companions import LOOKS_ENOUGH, Companions, ServerProcesses, tasks_of, to_json
from loadrig.trial.stops import Stops
from loadrig.trial.taken_time import TakenTime

TEXTS = texts_of(TrialWitnessTexts)

LOOK_AT_FIRST_NS, LOOK_EVERY_NS = NS // 4, NS // 2
"""Time between looks, in nanoseconds: until there are enough to judge a short load by, and from then on."""

COST_SHARE, COST_SHARE_LATER = 0.005, 0.001
"""Shares of one core, 0 to 1, that looks at the server's threads may cost: after a long look the next one
waits. The second share holds once there were as many looks as a judgement takes, which a short load has only
with the greater share."""


class Witness:
    """Follower of a generator. Made by a trial before it starts, given its pid, asked at the end."""

    def __init__(self, target: RunningTarget, cpus: Sequence[int], threads: int) -> None:
        self._target = target
        self._generators: tuple[int, ...] = ()
        self._hosts: tuple[str, ...] = ()
        self._is_following = False
        self._taken_time = TakenTime(tuple(cpus) or tuple(sorted(os.sched_getaffinity(0))), threads)
        self._stops: list[Stops] = []
        self._server: ServerProcesses | None = None
        self._companions = Companions()
        self._wall_ns = _wall_less_monotonic_ns()
        self._due_ns = 0
        self._companions_due_ns = 0
        self._others: others.Others | str = TEXTS.nobody_looked

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for stops in self._stops:
            stops.join()

    def follow(self, pids: Sequence[int], hosts: Sequence[str] = ()) -> None:
        """Follow the generator, this child of ours; in a fleet again where another takes a lost one's place.

        pids: of a fleet more than one, of which the first is followed, or none where all are elsewhere.
        hosts: addresses of the machines where they are then.
        """
        first_before = self._generators[:1]
        if self._is_following and (tuple(pids), tuple(hosts)) == (self._generators, self._hosts):
            return
        self._generators, self._hosts = tuple(pids), tuple(hosts)
        if self._generators[:1] != first_before and pids:
            self._stops.append(Stops.of(pids[0]))
        if self._is_following:
            if not isinstance(self._others, str):
                self._others.add_ours(pids, hosts)
            return
        self._is_following = True
        if self._target.pid is not None:
            self._server = ServerProcesses(self._target.pid, self._target.cgroup, (*pids, os.getpid()))
        self._others = others.watched(self._target.address, self._target.pid, pids, self._server_pids, hosts)
        self.look(time.monotonic_ns())

    def _server_pids(self) -> list[int]:
        return self._server.now(time.monotonic_ns()) if self._server is not None else []

    def look(self, t_ns: int, *, at_last: bool = False) -> None:
        """Read everything, if a look is due. at_last: the load is over, so that a look is due."""
        if t_ns < self._due_ns and not at_last:
            return
        is_enough = self._taken_time.looks > LOOKS_ENOUGH
        self._due_ns = t_ns + (LOOK_EVERY_NS if is_enough else LOOK_AT_FIRST_NS)
        if self._generators:
            self._taken_time.look(self._generators[0], t_ns)
        if self._server is not None and (t_ns >= self._companions_due_ns or at_last):
            began_ns = time.thread_time_ns()
            server = tasks_of(pid for pid in self._server.now(t_ns) if pid not in self._generators)
            self._companions.add(t_ns, tasks_of(self._generators), server)
            share = COST_SHARE if self._companions.looks <= LOOKS_ENOUGH else COST_SHARE_LATER
            self._companions_due_ns = t_ns + int((time.thread_time_ns() - began_ns) / share)
        if not isinstance(self._others, str):
            self._others.look(t_ns, at_last=at_last)

    def facts(self, from_ns: int, to_ns: int) -> dict[str, Any]:
        """Return what was seen, for the manifest. from_ns, to_ns: the measured window.

        Cores in common are judged over the whole load: threads do not move because a warm-up ends.
        """
        spans = [stops.between(from_ns, to_ns) for stops in self._stops]
        stops, stopped_ns = sum(count for count, _ in spans), sum(length_ns for _, length_ns in spans)
        length_ns = max(1, to_ns - from_ns)
        throttled_share, group = self._taken_time.throttled(from_ns, to_ns)
        return {
            "stops": stops,
            "stopped_share": stopped_ns / length_ns,
            "throttled_share": throttled_share,
            "throttled_group": group,
            "stolen_share": self._taken_time.stolen(from_ns, to_ns),
            "clock_step_s": (_wall_less_monotonic_ns() - self._wall_ns) / NS,
            "watched_s": self._taken_time.watched_s,
            "shared_core": self._shared_core(),
            "others": {"unknown": self._others} if isinstance(self._others, str) else self._others.to_json(),
        }

    def _shared_core(self) -> dict[str, Any]:
        if self._target.pid is None:
            return to_json(TEXTS.server_process_not)
        return to_json(self._companions.shared())


def _wall_less_monotonic_ns() -> int:
    """Return wall time less monotonic time, in nanoseconds.

    It changes only when somebody sets the clock, or slowly by NTP.
    """
    before_ns = time.monotonic_ns()
    wall_ns = time.time_ns()
    return wall_ns - (before_ns + time.monotonic_ns()) // 2

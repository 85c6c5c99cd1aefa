"""States of the threads of a program: run, wait for a core, for a lock, for a peer, for the disk.

## What it reads

/proc/PID/task/TID of every thread of the program's processes. Of all of them schedstat (time run, time
waited for a core), every time. In bursts of two seconds, some 50 times a second at random instants, syscall;
for a thread that reads, writes, connects or accepts also where its descriptor leads (/proc/PID/fd), and for a
socket who is at the other end, by netlink (sock_diag). For a thread that polls one descriptor, which one (8
bytes of /proc/PID/mem). Where system calls may not be read, the function of the kernel in which the thread
waits (wchan); where that may not be read either, the state letter of stat. A note says what is missing.

## How to read it

`threads` is the mean number of threads in each state over a burst; the states add up to all threads.
`state:running` and `state:runnable` (waits for a core, or for the quota of its group) are exact, by the
kernel's own count; the looks divide the rest. `state:futex` waits for a lock or for work, and in Python for
the interpreter; `state:lock` for a lock that another process has (flock, fcntl, semop); `state:reading` for
bytes of a peer, `state:polling` for any of several: an event loop with nothing to do. `state:disk` waits for
a file; `state:sleeping` until a time; `state:other` for a child or a signal; `state:unseen` for something
that may not be seen.
`waits` divides reading, writing, connecting, accepting and disk by peer: `reading out:10.0.0.5:6379` is
threads that wait for an answer of that destination, `reading in:8000` for a request on a connection that port
8000 has accepted (the names of `tcp_sockets`); `udp:ADDRESS:PORT`, `pipe`, `file`, `eventfd`, `tty` are what
they say. A poll of a single socket, by which clients wait with a time-out, is such a wait too.
By Little's law the mean number over the answers a second is the time that a request spends there, as far as
the threads are at work for requests.
`group_threads` are the same means by group: threads whose names differ in their last number only
(`http-nio-8080-exec-#`). `group_cpu_s` and `group_run_delay_s` count what each group has run and has waited
for a core; `thread_cpu_s` and `thread_run_delay_s` the same of single threads that ran a tenth of a core or
more, also of one that never touches a request: the event `busiest_threads` tells what else they did.
Of a thread that is born and ends between two readings only the looks tell. The last moments of a thread that
has ended are not counted. A lock of the kernel in a system call counts as `other`. Bursts are taken every
`every` seconds, and at once when a thread or all cores of the program become nearly full, or its threads
begin to wait for cores.

## Cost

7 µs of one core for a thread that is looked at, 8 µs for one that is counted. All of it, for all watched
programs together, is 0.2 to 0.8 % of a core: its part of the 2 % that all of loadrig beside the generator may
use, as much as the rest leaves. With more threads there are fewer looks in a burst, ten at least, and longer
times from one burst to the next; the intervals of the account become wider by it. A first burst is paid in
advance (`python -m bench threads`).
Measured on Linux 6.18, Python 3.11.
"""

import math
import os
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from loadrig._native import ThreadBurst, ThreadCounts, Threads
from loadrig.base.component import Component
from loadrig.base.effects import ServerEffect
from loadrig.base.series import Event, Metric, Sample
from loadrig.base.shape import option
from loadrig.base.units import Seconds
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.probes_kernel import ProbesThreadStatesErrors
from loadrig.language.events import SENTENCES, event_words
from loadrig.probes._aside import Aside, Reading
from loadrig.probes._purse import Purse
from loadrig.probes._rights import may_trace
from loadrig.probes._session import Place, Session, Unavailable
from loadrig.probes._thread_fullness import ThreadFullness
from loadrig.probes._watch import Watch, ended, is_program, process_of

ERRORS = texts_of(ProbesThreadStatesErrors)

EFFECTS: tuple[ServerEffect, ...] = ()

METRICS: Mapping[str, Metric] = {
    "threads": Metric("1", "gauge", "Mean number of threads in a state over a burst of looks."),
    "waits": Metric("1", "gauge", "Mean number of threads that wait for a peer over a burst, by state."),
    "group_threads": Metric("1", "gauge", "Mean number of threads over a burst, by state and group."),
    "looks": Metric("1", "counter", "Looks at the threads, since attached."),
    "looked_s": Metric("s", "counter", "Time in which there were looks, since attached."),
    "alive": Metric("1", "gauge", "Threads of a group."),
    "group_cpu_s": Metric("s", "counter", "CPU time of the threads of a group, since attached."),
    "group_run_delay_s": Metric(
        "s", "counter", "Time that the threads of a group could run and waited for a core, since attached."
    ),
    "thread_cpu_s": Metric("s", "counter", "CPU time of a busy thread, since attached."),
    "thread_run_delay_s": Metric(
        "s", "counter", "Time that a busy thread could run and waited for a core, since attached."
    ),
}

EVENTS: Mapping[str, str] = {
    "busiest_threads": "The threads that ran most in a burst of looks, and what else they did.",
    "note": "What cannot be seen, and why.",
}

WEIGHT, LEAST_SHARE, MOST_SHARE = 2.0, 0.002, 0.008
"""Weight of this sensor, for all watched programs together, among all sensors, and its bounds as shares
of a core. With the least some 75 threads are counted each second, and more of them less often."""

COUNTS_PART = 0.3
"""Share of the sensor's CPU time for counting every thread; the rest is for bursts."""

ADVANCE_S = 0.01
"""CPU seconds lent to the first burst, so that it shows something of a run of a few seconds."""

ASKED_ADVANCE_S = 0.01
"""CPU seconds lent beyond that to bursts that begin because something is nearly full."""

MOST_SAVED_S = 0.1
"""CPU seconds saved for a burst, at most: a twentieth of a core for two seconds slows even a program on a
single core by less than the noise of that time."""

TOP_SHARE = 0.1
"""Share of a burst that a thread must have run to be reported, as for `thread_cpu_s`."""

MOST = 20_000
"""Threads of a program that are read, at most: so many take a sixth of a second to count."""

_LOCK = threading.Lock()
_WATCHES: set["ThreadStatesWatch"] = set()
"""Programs whose threads are watched now: they share the budget."""

_FORBIDDEN = ("calls", "places", "sockets")
"""Gaps that a right would close."""


@dataclass(frozen=True, slots=True)
class Options:
    """Options of the probe: how often and how closely threads are looked at."""

    every: Seconds = option(
        "Seconds from one burst of looks to the next at least; longer where looking costs more.",
        default=Seconds(5),
        low=2,
    )
    burst: Seconds = option("Seconds that a burst takes.", default=Seconds(2), low=0.1, high=60)
    looks_per_s: float = option(
        "Looks a second within a burst at most; fewer where there are many threads.",
        default=50.0, low=1, high=1000,
    )  # fmt: skip
    groups: int = option(
        "Groups of threads that are told apart; the rest is `others`.", default=16, low=1, high=200
    )
    peers: int = option(
        "Peers of threads that wait that are told apart; the rest is `others`.", default=32, low=1, high=500
    )
    busiest: int = option("Threads that are told by their own names at a time.", default=10, low=0, high=100)


class Savings:
    """CPU time that bursts at a program may use: it grows with time, and an advance is lent at first.

    It grows by an equal part, for each program watched at the moment, of what all bursts may use.
    """

    def __init__(self) -> None:
        self._left_s = 0.0
        self._filled_ns: int | None = None

    def left_s(self, t_ns: int, share: float) -> float:
        """Return the CPU seconds left at an instant; below zero after a burst that cost more than was left.

        share: of a core, what bursts at all programs may use since the call before.
        """
        part = 1 / max(1, len(_WATCHES))
        if self._filled_ns is None:
            self._left_s = ADVANCE_S * part
        else:
            # The time saved during a pause is limited, so that it is not spent at once.
            filled_s = self._left_s + share * part * (t_ns - self._filled_ns) / 1e9
            self._left_s = min(filled_s, MOST_SAVED_S)
        self._filled_ns = t_ns
        return self._left_s

    def spend(self, cpu_s: float) -> None:
        """Subtract the CPU seconds of a burst."""
        self._left_s -= cpu_s


class BurstSamples:
    """Samples of bursts, with the sums over all bursts so far."""

    def __init__(self) -> None:
        self._looks, self._looked_s = 0, 0.0
        self._subjects: set[tuple[str, str]] = set()

    def of(self, t_ns: int, burst: ThreadBurst) -> list[Sample]:
        """Return the samples of one more burst."""
        self._looks += burst.looks
        self._looked_s += burst.seconds
        means = {("waits", f"{state} {peer}"): mean for (state, peer), mean in burst.peers.items()}
        means |= {
            ("group_threads", f"{state} {group}"): mean for (state, group), mean in burst.groups.items()
        }
        # A state that no thread has any more is zero, not unknown.
        means = dict.fromkeys(self._subjects - means.keys(), 0.0) | means
        self._subjects = set(means)
        return [
            _sample(t_ns, "looks", "", self._looks), _sample(t_ns, "looked_s", "", self._looked_s),
            *(_sample(t_ns, "threads", f"state:{state}", mean) for state, mean in burst.states.items()),
            *(_sample(t_ns, metric, subject, mean) for (metric, subject), mean in means.items()),
        ]  # fmt: skip


class ThreadStatesWatch(Watch):
    """Session of a program. Counts in the observer's thread, looks in a thread of its own.

    start: of its root in ticks since boot; None for the process that has the pid now. group: folder of the
    rig's group, if any. cores: how many the program may use. root: "/" but in tests, where nothing is looked
    at. purse: CPU time that all sensors share; None for a budget of its own.
    """

    probe = "thread_states"

    def __init__(
        self,
        options: Options,
        pid: int,
        group: Path | None = None,
        root: Path = Path("/"),
        start: int | None = None,
        cores: float = 1.0,
        purse: Purse | None = None,
    ) -> None:
        super().__init__(root)
        self._purse = purse or Purse()
        self._part = self._purse.part("thread_states", WEIGHT, LEAST_SHARE, MOST_SHARE)
        self._options, self._pid, self._cores = options, pid, cores
        self._threads = Threads(
            pid, start, group, root / "proc", options.groups, options.peers, options.busiest, MOST
        )
        self._aside = Aside(self._burst) if root == Path("/") else None
        self._wanted = ""
        self._burst_due_ns = self._count_due_ns = 0
        self._savings = Savings()
        self._fullness = ThreadFullness(self._cores)
        self._shown = BurstSamples()
        with _LOCK:
            _WATCHES.add(self)

    def turn_to(self, root: Path) -> None:
        """Read below another root from now on: for tests."""
        self.root = root
        self._threads.turn_to(root / "proc")

    @property
    def cpu_s(self) -> float:
        """CPU seconds of looking."""
        return self._aside.cpu_s if self._aside is not None else 0.0

    def sample(self, t_ns: int) -> list[Sample]:
        """Count the threads, and return their samples and those of the last burst.

        Raises Lost when the program has ended.
        """
        samples: list[Sample] = []
        if t_ns >= self._count_due_ns:
            before = time.thread_time()
            try:
                counts = self._threads.count(t_ns)
            except ProcessLookupError:
                raise ended(self._pid) from None
            samples = self._count_samples(t_ns, counts)
            self._wanted = self._fullness.take(t_ns, counts) or self._wanted
            used_s = time.thread_time() - before
            self._purse.spend(self._part, used_s)
            share = COUNTS_PART * self._purse.share(self._part) / max(1, len(_WATCHES))
            self._count_due_ns = t_ns + int(used_s / share * 1e9)
        if self._aside is not None:
            samples += self._aside.sample(t_ns)
            self._events += self._aside.events()
        return samples

    def _count_samples(self, t_ns: int, counts: ThreadCounts) -> list[Sample]:
        samples = []
        for group, (threads, cpu_s, delay_s) in counts.groups.items():
            samples.append(_sample(t_ns, "alive", group, threads))
            samples.append(_sample(t_ns, "group_cpu_s", group, cpu_s))
            if counts.is_exact:
                samples.append(_sample(t_ns, "group_run_delay_s", group, delay_s))
        for _, tid, name, cpu_s, delay_s in counts.busiest:
            samples.append(_sample(t_ns, "thread_cpu_s", f"{tid} {name}", cpu_s))
            if counts.is_exact:
                samples.append(_sample(t_ns, "thread_run_delay_s", f"{tid} {name}", delay_s))
        if counts.left_out:
            self.note_once(t_ns, ERRORS.threads_left_out(str(counts.left_out)), key="left_out")
        return samples

    def _burst(self, t_ns: int) -> Reading:
        """Take a burst of looks if it is time, in a thread of its own."""
        wanted, self._wanted = self._wanted, ""
        share = (1 - COUNTS_PART) * self._purse.share(self._part)
        left_s = self._savings.left_s(t_ns, share) + (ASKED_ADVANCE_S if wanted else 0.0)
        if left_s <= 0 or (t_ns < self._burst_due_ns and not wanted):
            return Reading()
        options = self._options
        self._burst_due_ns = t_ns + int(options.every * 1e9)
        try:
            burst = self._threads.burst(options.looks_per_s, options.burst, left_s, t_ns)
        except ProcessLookupError:
            return Reading()  # the count reports it
        self._savings.spend(burst.cpu_s)
        self._purse.spend(self._part, burst.cpu_s)
        return self._burst_reading(t_ns, burst, wanted or "regular")

    def _burst_reading(self, t_ns: int, burst: ThreadBurst, why: str) -> Reading:
        if not burst.looks:
            return Reading()
        events = [*self._missing(t_ns, burst), *_busiest(t_ns, burst, why)]
        return Reading(self._shown.of(t_ns, burst), events)

    def _missing(self, t_ns: int, burst: ThreadBurst) -> list[Event]:
        """Return notes on what could not be seen, each once."""
        notes = []
        for gap, pid in burst.gaps:
            if gap in self._noted:
                continue
            self._noted.add(gap)
            text = ERRORS.gaps[gap].format(pid)
            facts = {"code": "probe.no-right", "mend": ERRORS.as_root}
            if gap in ("calls", "places"):
                try:
                    may_trace(pid, ERRORS.system_calls, self.root)
                except Unavailable as missing:
                    text, facts["mend"] = ERRORS.with_reason(text, missing.reason), missing.mend
            notes.append(Event(t_ns, "note", self.probe, text, facts if gap in _FORBIDDEN else {}))
        return notes

    def detach(self) -> None:
        """End the burst under way and its thread, and close what is open."""
        with _LOCK:
            _WATCHES.discard(self)
        self._threads.stop()
        if self._aside is not None:
            self._aside.detach()
        self._threads.close()


def _sample(t_ns: int, metric: str, subject: str, value: float) -> Sample:
    return Sample(t_ns, "thread_states", metric, subject, value)


def _busiest(t_ns: int, burst: ThreadBurst, why: str) -> list[Event]:
    """Return the event of the busiest threads; none where no thread ran much."""
    busy = [
        {"pid": pid, "tid": tid, "name": name, "states": {state: round(n, 4) for state, n in states.items()}}
        for pid, tid, name, states in burst.busy
        if states.get("running", 0.0) >= TOP_SHARE
    ]
    if not busy:
        return []
    _, tid, name, states = burst.busy[0]
    share = f"{states['running']:.0%}"
    text = (
        event_words(SENTENCES.busiest_of_threads, str(tid), name, share, len(busy))
        if len(busy) > 1
        else event_words(SENTENCES.busiest_thread, str(tid), name, share)
    )
    facts = {"duration_s": burst.seconds, "looks": burst.looks, "why": why, "threads": busy}
    return [Event.of(t_ns, "busiest_threads", f"tid:{tid}", text, facts)]


fits = is_program


def attach(options: Options, component: Component, place: Place) -> Session:
    """Attach the probe. Raises Unavailable if its process is not known or is gone."""
    pid = process_of(component)
    cores = _cores_of(component, pid)
    return ThreadStatesWatch(options, pid, component.cgroup, place.root, component.start, cores, place.purse)


def _cores_of(component: Component, pid: int) -> float:
    """Return how many cores a program may use. Of one that was just found only its process is known."""
    try:
        allowed = len(os.sched_getaffinity(pid))
    except OSError:
        allowed = os.cpu_count() or 1
    return min(component.limits.get("cores", math.inf), float(allowed))

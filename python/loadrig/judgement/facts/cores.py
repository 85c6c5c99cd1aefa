"""Users of the cores that a program may run on: itself, other programs of the case, the rig, strangers."""

import math
from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from loadrig.base.units import show_cores, show_number, show_share
from loadrig.judgement.constants import FAIR_SHARE, FULL
from loadrig.judgement.evidence import CLEAR, FormulaSource, Sign
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.observed import machine
from loadrig.judgement.facts.tier import Tier
from loadrig.judgement.facts.timeline import Track
from loadrig.language.choice import texts_of
from loadrig.language.en.judgement.facts import JudgementFactsCoresTexts
from loadrig.recording.steps import Floats

TEXTS = texts_of(JudgementFactsCoresTexts)

IN_PROGRAMS = ("user_s", "nice_s", "system_s")
IN_INTERRUPTS = ("irq_s", "softirq_s")
"""States of interrupts. Their time is mostly the network's, which the load itself causes, so no program is
charged with it."""

WATCHING = 0.05
"""Cores that the rig itself takes on a machine where it watches. Source: `python -m bench`, probe costs."""

CORES_ROOM_SHARE = 0.15
"""Share of the cores that a program may use, 0 to 1, that must be free. With less, requests queue for a core
(5 of 6 of their time, M/M/1)."""

MOST_NAMED = 3
"""Number of strangers that are named: the rest seldom matters, and a line has no room for it."""

A_REQUEST_S = 200e-6
"""CPU time in seconds that a request costs the generator at most, a connection for each included; used where
the generator did not report its own. 28 µs at 36,000/s to 320 µs at 90/s, where most of it is waking up, were
seen. An upper bound is needed, as strangers are accused of the rest."""


@dataclass(frozen=True, eq=False)
class Use:
    """Use of some cores in the measured part, in cores. cores: their numbers.

    busy: used by programs; interrupts: used by no program in particular; stolen: used by other virtual
    machines. ours: most of busy that programs of the case used, the program in question too; rig: most that
    the rig and its generator used. unseen: programs of this machine whose use is not known. sharers: programs
    whose use is known. strangers: programs outside the case that were seen there, with the cores that they
    used, most first. met: cores in use, stolen ones too, as requests met them: each instant counts as often
    as requests were in flight then.
    """

    cores: tuple[int, ...]
    busy: float
    interrupts: float
    stolen: float
    ours: float
    rig: float
    unseen: tuple[str, ...]
    sharers: tuple[Tier, ...]
    strangers: tuple[tuple[str, float], ...] = ()
    met: float = 0.0

    @property
    def foreign(self) -> float:
        """Cores that programs outside the case used, at least; NaN where that is not known.

        What was seen of them counts, as far as nobody else was charged with it; of the rest all that the
        rig cannot have used itself.
        """
        rest = self.busy - self.ours
        return max(0.0, rest - self.rig, self.strangers_use) if math.isfinite(rest) else math.nan

    @property
    def strangers_use(self) -> float:
        """Cores that programs outside the case were seen to use, as far as nobody else is charged with it."""
        return min(max(0.0, self.busy - self.ours), sum(cores for _, cores in self.strangers))

    @property
    def formula(self) -> str:
        """Arithmetic of `foreign`, as text."""
        text = TEXTS.cores_busy_ours(f"{self.busy:.2f}", f"{self.ours:.2f}", f"{self.rig:.2f}")
        programs = ", ".join(f"{name} {cores:.2f}" for name, cores in self.strangers[:MOST_NAMED])
        return TEXTS.seen_there(text, programs) if programs else text

    @property
    def wanted(self) -> float:
        """Cores that threads of the sharers used or waited for; infinite where their waits were not read.

        However many want one at the same moment, there are no more cores than these.
        """
        if any(sharer.track("process.run_delay_s", "tree") is None for sharer in self.sharers):
            return math.inf
        each = [_wanted_by_step(sharer) for sharer in self.sharers]
        return float(np.minimum(sum(each, np.zeros(1)), len(self.cores)).mean()) if each else 0.0

    @property
    def waited(self) -> float:
        """Threads of the sharers that waited for a core, on average; 0 where that was not read."""
        delays = (sharer.track("process.run_delay_s", "tree") for sharer in self.sharers)
        return sum(delay.mean for delay in delays if delay is not None)

    @property
    def most_gain(self) -> float:
        """Times as fast as now that the sharers' threads would run at most if none ever waited for a core.

        However much of the cores others use, that is all that they cost. Infinite where waits were not read.
        """
        has_waits = self.ours > 0 and self.waited > 0 and math.isfinite(self.wanted)
        return 1 + self.waited / self.ours if has_waits else math.inf

    @property
    def yielded(self) -> float:
        """Cores that programs outside the case used, and gave up whenever a thread of the case wanted to run.

        Others may fill cores that the case hardly asks for: the scheduler gives it one at once, and what its
        threads waited is all that the others took from it.
        """
        if not self.foreign > 0 or self.wanted >= FAIR_SHARE * len(self.cores):
            return 0.0
        waited = self.wanted - sum(sharer.cpu.mean for sharer in self.sharers if sharer.cpu is not None)
        return max(0.0, self.foreign - waited)

    @property
    def full_share(self) -> float:
        """Share of these cores that was in use or stolen, 0 to 1."""
        return min(1.0, (self.busy + self.interrupts + self.stolen) / len(self.cores))


def _wanted_by_step(tier: Tier) -> Floats:
    """Return the cores that a program used or waited for in each step of the measured part."""
    delay, cpu = tier.track("process.run_delay_s", "tree"), tier.cpu
    assert delay is not None
    assert cpu is not None  # it is a sharer
    return np.nan_to_num((cpu.values + delay.values)[cpu.is_inside])


def are_wanted_in_bursts(case: Case, use: Use) -> bool:
    """Return whether programs want all of these cores whenever requests of an open load wait."""
    return case.load.is_open and wanted_share(case, use) >= FULL


def wanted_share(case: Case, use: Use) -> float:
    """Return the share of these cores that programs use or wait for while requests are in flight, 0 to 1.

    Each instant counts as often as requests were in flight then. 0 where the waits were not read.
    """
    in_flight = case.load.in_flight[case.is_inside]
    if not use.sharers or math.isinf(use.wanted) or not in_flight.sum() > 0:
        return 0.0
    each = sum((_wanted_by_step(sharer) for sharer in use.sharers), np.zeros(in_flight.size))
    return float(np.average(np.minimum(each, len(use.cores)), weights=in_flight)) / len(use.cores)


def most_ready(tier: Tier, cores: float) -> float:
    """Return how many requests of a program wait for its cores at most; infinite where that is not known.

    A program that wants them for a share u of the time has u / (1 - u) there, as in M/M/1; of a load of so
    many users not more, by the arrival theorem. Source: Lazowska et al. 1984, ch. 6.
    """
    if tier.cpu is None or tier.track("process.run_delay_s", "tree") is None:
        return math.inf
    share = float(np.minimum(1.0, _wanted_by_step(tier) / cores).mean())
    return share / (1 - share) if share < FULL else math.inf


def others_of(case: Case, use: Use) -> float:
    """Return the cores that others used, by programs that were watched throughout; 0 where nobody knows.

    What a program used before it was watched looks like a stranger's, but for strangers that were seen.
    """
    components = (case.account_of(tier.name) for tier in use.sharers)
    are_whole = not any("partly_seen" in component.flags for component in components if component is not None)
    others = use.foreign if are_whole else use.strangers_use
    return others if math.isfinite(others) else 0.0


def busy_cores(case: Case, tier: Tier) -> float:
    """Return how many of a program's cores are in use; NaN where that was not read.

    All programs count, but for what those outside the case gave up whenever it wanted to run.
    """
    busy = 0.0
    is_read = False
    host = machine(tier)
    for core in tier.cpus or range(case.cores):
        for state in (*IN_PROGRAMS, *IN_INTERRUPTS):
            track = host.track(f"system_cpu.{state}", f"cpu{core}")
            if track is not None:
                is_read = True
                busy += track.mean
    use = use_of(case, tier)
    return busy - (use.yielded if use is not None else 0.0) if is_read else math.nan


def free_share(case: Case, tier: Tier) -> float:
    """Return the share of a program's cores that nobody used; NaN where its CPU time was not read."""
    if tier.cpu is None or not tier.cores:
        return math.nan
    own = 1 - tier.cpu.mean / tier.cores
    busy = busy_cores(case, tier)
    return min(own, 1 - busy / tier.places) if math.isfinite(busy) else own


def has_room(case: Case, tier: Tier) -> Sign:
    """Return the sign that CPU time is not what is short."""
    free = free_share(case, tier)
    if math.isnan(free):
        return Sign(None, TEXTS.cpu_time_not(tier.name), FormulaSource(TEXTS.no_process_cpu))
    assert tier.cpu is not None
    own = TEXTS.used_may_use(show_number(tier.cpu.mean), show_cores(tier.cores))
    if free >= CORES_ROOM_SHARE:
        return Sign(True, own, tier.cpu.source, CLEAR)
    return Sign(False, TEXTS.cores_busy_time(show_share(1 - max(free, 0.0))), tier.cpu.source)


def fullest_core(host: Tier) -> Track | None:
    """Return the idle time of a machine's fullest core, a share of the time; None where none was read."""
    idle = (host.track("system_cpu.idle_s", f"cpu{core}") for core in range(host.case.cores))
    return min((track for track in idle if track is not None), key=lambda track: track.mean, default=None)


def use_of(case: Case, tier: Tier) -> Use | None:
    """Return the use of the cores that a program may run on; None where the machine's use was not read."""
    host = case.tiers.get(tier.host)
    if host is None or host.track("system_cpu.user_s", f"cpu{(tier.cpus or (0,))[0]}") is None:
        return None
    every = host.parts("system_cpu.user_s")
    cores = tier.cpus or tuple(sorted(int(name.removeprefix("cpu")) for name in every))

    def sum_of(states: tuple[str, ...]) -> Floats:
        return _in_states(host, cores, states)

    around = [program for program in case.programs if program.host == tier.host and program.may_run_on(cores)]
    sharers = tuple(program for program in around if program.cpu is not None)
    return Use(
        cores,
        _mean(case, sum_of(IN_PROGRAMS)),
        _mean(case, sum_of(IN_INTERRUPTS)),
        _mean(case, sum_of(("steal_s",))),
        sum(sharer.cpu.mean for sharer in sharers if sharer.cpu is not None),
        _rig(case, tier, cores),
        tuple(program.name for program in around if program.cpu is None and _is_local(program)),
        sharers,
        _strangers(case, host, cores),
        _mean(case, sum_of((*IN_PROGRAMS, *IN_INTERRUPTS, "steal_s")), case.load.in_flight),
    )


def others_by_step(case: Case, use: Use) -> Floats:
    """Return the cores that programs outside the case used in each step."""
    busy = _in_states(machine(case.server), use.cores, IN_PROGRAMS)
    return busy - sum((sharer.cpu.values for sharer in use.sharers if sharer.cpu is not None), np.zeros(1))


def _in_states(host: Tier, cores: Collection[int], states: Collection[str]) -> Floats:
    """Return how many of some cores of a machine were in these states, in each step."""
    total = np.zeros(host.case.is_inside.size)
    for core in cores:
        for state in states:
            track = host.track(f"system_cpu.{state}", f"cpu{core}")
            if track is not None:
                total += track.values
    return total


def _strangers(case: Case, host: Tier, cores: Collection[int]) -> tuple[tuple[str, float], ...]:
    """Return the programs outside the case that ran on some cores, with the cores that they used."""
    used: defaultdict[str, float] = defaultdict(float)
    for subject, track in host.parts("neighbours.cpu_s").items():
        core, _, program = subject.partition(":")
        if core in {f"cpu{number}" for number in cores}:
            # What was seen late in the measured part had hardly run before.
            used[program] += track.grew / case.measured_s
    return tuple(sorted(used.items(), key=lambda item: -item[1]))


def _mean(case: Case, values: Floats, weights: "Floats | None" = None) -> float:
    good = case.is_inside & np.isfinite(values)
    if weights is not None and weights[good].sum() > 0:
        return float(np.average(values[good], weights=weights[good]))
    return float(values[good].mean()) if good.any() else math.nan


def _is_local(tier: Tier) -> bool:
    return tier.pid is not None or tier.address.startswith(("127.", "[::1]", "localhost", "/"))


def _rig(case: Case, tier: Tier, cores: Collection[int]) -> float:
    if "/" in tier.name:
        return WATCHING  # the generator is on another machine
    if case.generator_cpus and not set(case.generator_cpus) & set(cores):
        return WATCHING
    load = case.load
    if load.generator_cpu is not None:
        return min(float(len(cores)), WATCHING + load.mean(load.generator_cpu))
    return min(float(len(cores)), WATCHING + A_REQUEST_S * load.ended_rps)

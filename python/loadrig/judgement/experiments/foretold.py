"""Moves that each claim foretells of a change: by the network of queues that is fitted to the account.

A claim says that one resource is the limit. Under it, the network has that resource at its limit and all
others with room, and what a change does to this network is what the claim foretells. A change that spares
what the resource is held for, such as another collector, has no place in the network: of it the gain is
foretold that the cause's own law gives.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from loadrig.base.component import HOST
from loadrig.interventions import Lever
from loadrig.interventions._capacity import LESS
from loadrig.judgement.constants import FULL
from loadrig.judgement.declarations import about_of
from loadrig.judgement.experiments.credence import STRAY, UNMOVED, Foretold
from loadrig.judgement.experiments.outcome import Measure
from loadrig.judgement.experiments.suspects import Suspect, levers_of, proof_by
from loadrig.judgement.experiments.trial_gains import MOVED
from loadrig.judgement.facts import overload
from loadrig.judgement.facts.read import case_of
from loadrig.judgement.gains import predicted
from loadrig.judgement.limits.bottlenecks import Judgement, judgement_of
from loadrig.judgement.limits.ceilings import Ceiling
from loadrig.judgement.limits.kinds import Resource
from loadrig.judgement.limits.model import USERS
from loadrig.judgement.limits.network import Change, Network
from loadrig.judgement.weigh import weighed
from loadrig.recording.reader import Recording

CPU = ("cores", "quota", "interpreter", "thread")
KINDS: Mapping[str, tuple[str, ...]] = {
    "cpu": CPU, "connecting": CPU, "lock": ("lock",), "workers": ("slots", "places"),
    "pool": ("connections", "places"), "door": ("backlog",),
}  # fmt: skip
"""Kinds of resource in the account, by the resource that a cause is about."""

DELAY_SHARE = 0.15
"""Share of the mean response time that a dependency is delayed by, so that the effect can be seen."""

STEPS: Mapping[str, float] = {"cpu": LESS, "cores": LESS, "delay": 1 / (1 + DELAY_SHARE)}
"""Usual ratio of the capacity, changed over unchanged, by the kind of a lever that is pulled while load
runs."""

USUAL_GAIN = 2.0
"""Gain of a mend, as a ratio, where nothing foretells how much it brings: twice as many workers or
connections serve twice as many requests where they are the limit."""

MAYBE = 0.5
"""Chance that a foretold move shows, where a cause does not need it to: another limit may lie right behind,
or the knob may be of something else."""


@dataclass(frozen=True, slots=True)
class Forecast:
    """Forecast of what levers move, by the suspect who is right.

    judgement: resources and network of the diagnosed trial; None where it has no account. behind: names of
    what the server talks to. ceilings: as in a diagnosis. good_rps: answered well a second.
    """

    measure: Measure
    behind: Sequence[str]
    judgement: Judgement | None
    ceilings: Sequence[Ceiling] = ()
    good_rps: float = 0.0

    def of(self, suspect: Suspect, lever: Lever, ratio: float | None) -> Foretold:
        """Return what a suspect foretells of a lever.

        ratio: capacity with the change over capacity without it; None where the change is none of capacity,
        and for the usual step of a lever that is pulled while load runs.
        """
        ratio = ratio or STEPS.get(lever.change)
        proofs = levers_of(suspect, self.behind)
        meant = proof_by(proofs, lever)
        if self.measure in ("dips", "growth"):
            move = math.log(MOVED[self.measure]) if meant else 0.0
        elif meant or lever.change in STEPS:
            move = self._in_network(suspect, lever, ratio)
        else:
            move = 0.0
        if meant is None and not move and ratio and self._is_full_beside(suspect, lever):
            move = math.log(ratio)
        if meant is None:
            return Foretold(move, MAYBE) if move else UNMOVED
        if abs(move) < STRAY:
            move = self._by_law(suspect, lever, ratio)
        # Any of several knobs may be the one that limits, so that none of them is needed.
        is_only_way = sum(proof is meant for proof in proofs.values()) == 1
        return Foretold(move, 1.0 if is_only_way and meant.must_move(self.measure) else MAYBE)

    def _is_full_beside(self, suspect: Suspect, lever: Lever) -> bool:
        """Return whether a lever is on cores that are full, of which the claim says nothing.

        What a server said or counted may be so beside full cores: requests that it turns away use them, too.
        """
        if self.judgement is None or lever.change not in ("cpu", "cores"):
            return False
        if about_of(suspect.cause).is_of_resource:
            return False
        return any(
            resource.kind in CPU
            and resource.share >= FULL
            and (lever.component == HOST or resource.is_used_by(lever.component))
            for resource in self.judgement.resources
        )

    def _in_network(self, suspect: Suspect, lever: Lever, ratio: float | None) -> float:
        """Return the logarithm of the gain where the suspect's resource is the limit; 0 without one."""
        about = about_of(suspect.cause)
        if self.judgement is None or ratio is None:
            return 0.0
        kinds = about.full or KINDS.get(about.resource, ())
        own = [
            resource
            for resource in self.judgement.resources
            if resource.kind in kinds and resource.is_used_by(suspect.component)
        ]
        limit = _with_limit(self.judgement.network, own)
        widened = [cap for cap in limit.caps if cap.name != USERS]
        if not limit.stations and not widened:
            return 0.0
        change = Change()
        if lever.change == "delay":
            change = Change(delay_s=limit.caps[0].inside / limit.rps * (1 / ratio - 1))
        elif lever.change != "knob" or about.way == "size":
            pulled = {
                resource.name
                for resource in own
                if lever.change != "cpu" or resource.is_used_by(lever.component)
            }
            change = Change(
                numbers={each.name: ratio * each.number for each in limit.stations if each.name in pulled},
                sizes={cap.name: ratio * cap.size for cap in widened if lever.change == "knob"},
            )
        return math.log(limit.throughput(change) / limit.throughput())

    def _by_law(self, suspect: Suspect, lever: Lever, ratio: float | None) -> float:
        """Return the logarithm of the gain by the law that a cause declares, or by the usual one."""
        if lever.change in STEPS:
            return math.log(ratio or 1.0)
        if lever.change == "precedence":
            return math.log(ratio or USUAL_GAIN)
        foretold = predicted(suspect.accusation, self.ceilings, self.good_rps, ratio)
        return math.log(foretold[0] if foretold is not None and foretold[0] > 1 + STRAY else USUAL_GAIN)


def judgement_in(recording: Recording) -> Judgement | None:
    """Return resources and network of a trial, where its load was at its limit.

    None where the trial has no account, or nothing was answered.
    """
    case = case_of(overload.at_limit(recording) or recording)
    if case is None or case.account is None or case.account.requests_per_s <= 0:
        return None
    return judgement_of(case, weighed(case, only_rig=False)[0])


def _with_limit(network: Network, resources: Sequence[Resource]) -> Network:
    """Return the network of a claim: these resources are as full as a limit is, and all others have room."""
    names = {resource.name for resource in resources}
    stations = [
        replace(station, demand_s=max(station.demand_s, FULL * station.number / network.rps))
        for station in (*network.stations, *network.bounds)
        if station.name in names
    ]
    # What the others would have taken of a request's time is a delay, for which nobody queues.
    caps = [
        replace(cap, most_delay_s=math.inf) for cap in network.caps if cap.name == USERS or cap.name in names
    ]
    return Network(network.rps, tuple(stations), tuple(caps))

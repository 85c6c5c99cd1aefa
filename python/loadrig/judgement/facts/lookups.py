"""Look-ups of a cache: those that found their key, and those that did not, for want of room or of time."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from loadrig.judgement.constants import FEWEST_STEPS
from loadrig.judgement.facts.tier import Tier
from loadrig.judgement.facts.timeline import Track
from loadrig.recording.steps import Bools, Floats

FEWEST_MISSES = 5.0
"""Look-ups a second that miss, below which a cache spares nobody much."""

EVICTED_SHARE = 0.1
"""Keys evicted for each look-up that missed, from which on there is too little room for what is asked for."""

MISSES_MORE = 0.25
"""Rise of the share of misses in a storm: of four look-ups one goes behind the cache that did not before."""

HERD = 2.0
"""Times that a key is stored for each time that it expires, from which on several compute it side by side:
half of what they compute is for nobody."""

FEWEST_IN_HERDS = 20.0
"""Look-ups that miss, below which chance may bring a few of them together. What is computed side by side
takes long, so that there need not be many of them a second."""

IN_BURSTS = 2.0
"""Highest rate of misses within a second over their mean, from which on they come in bursts: evenly spread
ones vary by half."""

STORING = ("set", "setex", "psetex", "setnx")
"""Commands of redis that store what was computed."""

COUNTERS: Mapping[str, tuple[str, str]] = {
    "redis": ("redis.evicted_keys", "redis.expired_keys"),
    "memcached": ("memcached.evictions", "memcached.misses_expired"),
}
"""Counters of keys evicted and of keys expired, by kind of the cache."""

STORM = 0.95
"""Quantile of the share of look-ups that miss, 0 to 1, by which storms are told from chance."""


@dataclass(frozen=True, slots=True)
class Lookups:
    """Look-ups of a cache: those that found their key, and those that missed; keys evicted and expired.

    missed_peak: highest rate of misses within each second; None where it was not read. stored: keys stored a
    second; grown: by how many a second the keys became more.
    """

    hits: Track
    misses: Track
    evicted: Track | None
    expired: Track | None
    missed_peak: Track | None = None
    stored: float = 0.0
    grown: float = 0.0

    @property
    def times_computed(self) -> float:
        """Times that a key is computed for each time that it expires; 1 where it is once, or not known.

        Who misses a key stores it, so that keys are stored more often than they go only where several miss
        one before the first of them has stored it: they come together, in a burst.
        """
        if self.expired is None or self.missed_peak is None or self.misses.grew < FEWEST_IN_HERDS:
            return 1.0
        gone = self.expired.mean + (self.evicted.mean if self.evicted is not None else 0.0)
        is_bursting = self.missed_peak.mean >= IN_BURSTS * self.misses.mean
        if not is_bursting or not gone > 0:
            return 1.0
        return max(1.0, min(self.stored, self.misses.mean) / (gone + max(0.0, self.grown)))

    @property
    def is_herd(self) -> bool:
        """Whether many compute the same key side by side."""
        return self.times_computed >= HERD

    @property
    def spared_share(self) -> float:
        """Share of the misses that need not be, 0 to 1.

        More room spares those for which a key was evicted, and one request that refills a key those of all
        others that wait for it.
        """
        missed = self.misses.mean
        by_room = min(1.0, self.evicted.mean / missed) if self.evicted is not None and missed > 0 else 0.0
        return max(by_room, 1 - 1 / self.times_computed) if self.is_herd else by_room

    @property
    def lacks_room(self) -> bool:
        """Whether keys are evicted that are asked for again, often enough to matter."""
        is_known = np.isfinite(self.usual_miss_share)
        evicted = self.evicted.mean if self.evicted is not None else 0.0
        is_often = self.misses.mean >= FEWEST_MISSES and evicted >= EVICTED_SHARE * self.misses.mean
        return bool(is_known) and is_often

    @property
    def miss_shares(self) -> Floats:
        """Share of the look-ups that missed in each step of the measured part; NaN where there were none."""
        looked = self.hits.values + self.misses.values
        good = self.misses.is_inside & np.isfinite(looked) & (looked > 0)
        shares = np.full(looked.shape, np.nan)
        if good.sum() >= FEWEST_STEPS:
            shares[good] = self.misses.values[good] / looked[good]
        return shares

    @property
    def usual_miss_share(self) -> float:
        """Median of the share of the look-ups that missed; NaN where too few steps have any."""
        shares = self.miss_shares
        return float(np.median(shares[np.isfinite(shares)])) if np.isfinite(shares).any() else np.nan

    @property
    def is_stormy(self) -> Bools:
        """Whether far more look-ups missed in a step than usual: bool[n]; never where misses come evenly."""
        shares, least = self.miss_shares, self.usual_miss_share + MISSES_MORE
        good = np.isfinite(shares)
        if not good.any() or float(np.quantile(shares[good], STORM)) < least:
            return np.zeros(shares.shape, dtype=bool)
        return np.nan_to_num(shares) >= least

    @property
    def is_calm(self) -> Bools:
        """Whether a step has look-ups, and no more of them missed than usual: bool[n]."""
        return np.isfinite(self.miss_shares) & ~self.is_stormy

    @property
    def is_filling(self) -> bool:
        """Whether most look-ups missed in the first steps, and few in the last two thirds: it was filled."""
        stormy = self.is_stormy[np.isfinite(self.miss_shares)]
        return bool(stormy[0]) and not stormy[stormy.size // 3 :].any()

    def in_storms(self, values: Floats) -> tuple[float, float]:
        """Return the means of a value of each step where far more look-ups miss than usual, and elsewhere."""
        return float(np.nanmean(values[self.is_stormy])), float(np.nanmean(values[self.is_calm]))

    @property
    def expired_in_storms(self) -> Track | None:
        """Keys that expire, where far more do so while far more look-ups miss; None elsewhere."""
        stormy, calm = (0.0, 0.0) if self.expired is None else self.in_storms(self.expired.values)
        return self.expired if stormy > 3 * calm + 1 else None


def lookups_of(tier: Tier) -> Lookups | None:
    """Return the look-ups of a cache; None where they were not read."""
    hits, misses = tier.track(f"{tier.kind}.hits"), tier.track(f"{tier.kind}.misses")
    if tier.kind not in COUNTERS or hits is None or misses is None:
        return None
    evicted, expired = COUNTERS[tier.kind]
    calls = tier.parts("redis.command_calls")
    stores = [track for name, track in calls.items() if name.rpartition(":")[2] in STORING]
    if (sets := tier.track("memcached.sets")) is not None:
        stores.append(sets)
    stored = sum(track.mean for track in stores)
    levels = tier.parts("redis.keys").values()
    grown = sum(track.grew for track in levels) / tier.case.measured_s
    peak = tier.track(f"{tier.kind}.misses_peak_per_s")
    return Lookups(hits, misses, tier.track(evicted), tier.track(expired), peak, stored, grown)

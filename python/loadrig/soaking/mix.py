"""Mix of the load: how much of a change of response time comes from a change of what was asked for.

When requests that take long become a larger share of the load, the mean of all requests grows, though each
route is as fast as before. So a change of the mean time is taken apart: into the part of other shares, and
the part of the same requests taking longer. Source: Kitagawa 1955, J. Am. Stat. Assoc. 50, 1168-1194 (the
parts of a change of a rate).
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from loadrig.base.units import show_duration, show_share
from loadrig.stats.arrays import Floats

LEAST_SHIFT = 0.02
"""Share of the load that must have changed its route: a smaller share is the noise of small counts."""

MOST_OF_CHANGE = 0.5
"""Share of the change of the mean time from which on the change is attributed to the mix."""


@dataclass(frozen=True, slots=True)
class MixChange:
    """The load of the last third of a run against the load of the first.

    shift: share of the load that would have to change its route (total variation distance). change: change of
    the mean time of all requests, in seconds. of_mix, of_routes: its parts by the mix and by the routes,
    which add up to it. shares: share of each route, first and last.
    """

    shift: float
    change: float
    of_mix: float
    of_routes: float
    shares: Mapping[str, tuple[float, float]]

    @property
    def is_changed(self) -> bool:
        """Return whether the load was another one at the end."""
        return self.shift >= LEAST_SHIFT

    @property
    def explains(self) -> bool:
        """Return whether the change of the mean time comes from the mix."""
        return self.is_changed and self.change != 0 and self.of_mix / self.change >= MOST_OF_CHANGE

    @property
    def text(self) -> str:
        """Return the change of the mix as one sentence."""
        if not self.is_changed:
            return "the same was asked for throughout"
        route = max(self.shares, key=lambda name: abs(self.shares[name][1] - self.shares[name][0]))
        first, last = self.shares[route]
        shares = f"{show_share(first)} of it at first and {show_share(last)} at last"
        text = f"another load at the end: {route} was {shares}"
        if self.explains:
            text += (
                f"; by that alone a mean request takes {show_duration(abs(self.of_mix))}"
                f" {'longer' if self.of_mix > 0 else 'less'}, of {show_duration(abs(self.change))} in all"
            )
        return text


def mix(counts: Mapping[str, Floats], means_s: Mapping[str, Floats]) -> MixChange | None:
    """Return the mix of the load and what it changes; None for no answers, or fewer than three steps.

    counts: answers of each route, step by step. means_s: mean time of each route in each step, in seconds,
    nan where it had no answer.
    """
    n = min((values.size for values in counts.values()), default=0)
    third = n // 3
    if third < 1:
        return None
    table = np.array([[counts[name][:third].sum(), counts[name][-third:].sum()] for name in counts])
    totals = table.sum(axis=0)
    if np.any(totals <= 0):
        return None
    shares = table / totals
    times = np.array([_means(counts[name], means_s[name], third) for name in counts])
    # A route without answers in one third is taken to have the mean time of its other third.
    times = np.where(np.isnan(times), times[:, ::-1], times)
    times = np.nan_to_num(times)
    of_mix = float(((shares[:, 1] - shares[:, 0]) * times.mean(axis=1)).sum())
    of_routes = float((shares.mean(axis=1) * (times[:, 1] - times[:, 0])).sum())
    return MixChange(
        shift=float(np.abs(shares[:, 1] - shares[:, 0]).sum() / 2 - _by_chance(table, totals)),
        change=of_mix + of_routes,
        of_mix=of_mix,
        of_routes=of_routes,
        shares={name: (float(row[0]), float(row[1])) for name, row in zip(counts, shares, strict=True)},
    )


def _by_chance(table: Floats, totals: Floats) -> float:
    """Return the shift that such counts show without any change, from the mean deviation of each share."""
    pooled = table.sum(axis=1) / totals.sum()
    error = np.sqrt(pooled * (1 - pooled) * (1 / totals).sum())
    return float(np.sqrt(2 / np.pi) * error.sum() / 2)


def _means(counts: Floats, means_s: Floats, third: int) -> tuple[float, float]:
    means = []
    for part in (slice(0, third), slice(-third, None)):
        weight = np.where(np.isfinite(means_s[part]), counts[part], 0.0)
        total = float(weight.sum())
        means.append(
            float((weight * np.nan_to_num(means_s[part])).sum() / total) if total > 0 else float("nan")
        )
    return means[0], means[1]

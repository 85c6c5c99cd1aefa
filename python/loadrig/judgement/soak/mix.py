"""Mix of the load: how much of a change of response time comes from a change of what was asked for.

When requests that take long become a larger share of the load, the mean of all requests grows, though each
route is as fast as before. So a change of the mean time is taken apart: into the part of other shares, and
the part of the same requests taking longer. Source: Kitagawa 1955, J. Am. Stat. Assoc. 50, 1168-1194 (the
parts of a change of a rate).
"""

from collections.abc import Mapping

import numpy as np
from msgspec import structs

from loadrig.base.units import show_duration, show_share
from loadrig.judgement.constants import MOSTLY
from loadrig.judgement.soak.document import ShiftedMix
from loadrig.language.choice import texts_of
from loadrig.language.en.judgement.soak import JudgementSoakMixTexts
from loadrig.stats.arrays import Floats

TEXTS = texts_of(JudgementSoakMixTexts)

LEAST_SHIFT = 0.02
"""Share of the load that must have changed its route: a smaller share is the noise of small counts."""


def is_changed(load: ShiftedMix) -> bool:
    """Return whether the load was another one at the end."""
    return load.shift >= LEAST_SHIFT


def explains(load: ShiftedMix) -> bool:
    """Return whether the change of the mean time comes from the mix."""
    return is_changed(load) and load.change_s != 0 and load.of_mix_s / load.change_s >= MOSTLY


def mix(counts: Mapping[str, Floats], means_s: Mapping[str, Floats]) -> ShiftedMix | None:
    """Return the mix of the last third of a run against the first, and what it changes.

    None for no answers, or fewer than three steps. counts: answers of each route, step by step. means_s: mean
    time of each route in each step, in seconds, nan where it had no answer.
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
    of_mix_s = float(((shares[:, 1] - shares[:, 0]) * times.mean(axis=1)).sum())
    of_routes_s = float((shares.mean(axis=1) * (times[:, 1] - times[:, 0])).sum())
    shift = float(np.abs(shares[:, 1] - shares[:, 0]).sum() / 2 - _by_chance(table, totals))
    by_route = {name: (float(row[0]), float(row[1])) for name, row in zip(counts, shares, strict=True)}
    load = ShiftedMix("", shift, of_mix_s + of_routes_s, of_mix_s, of_routes_s, by_route)
    return structs.replace(load, text=_text(load))


def _text(load: ShiftedMix) -> str:
    """Return the change of the mix as one sentence."""
    if not is_changed(load):
        return TEXTS.same_asked_throughout
    route, (first, last) = max(load.shares.items(), key=lambda entry: abs(entry[1][1] - entry[1][0]))
    shares = TEXTS.first_last(show_share(first), show_share(last))
    text = TEXTS.another_load_end(route, shares)
    if explains(load):
        text += TEXTS.alone_mean_request(
            show_duration(abs(load.of_mix_s)), load.of_mix_s > 0, show_duration(abs(load.change_s))
        )
    return text


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

"""Shares of CPU time by class of work, each with its interval."""

from collections.abc import Mapping, Sequence

from loadrig.profilers._classes import Folded, fold, table
from loadrig.profilers._cpu_document import ClassTime, NamedTime
from loadrig.profilers._recorded import KeptProfile

MOST_NAMES = 5
"""Names that are reported within a class, at most: a reader takes in no more."""


def classes_of(profile: KeptProfile) -> tuple[ClassTime, ...]:
    """Return the classes of a profile, most time first; empty where its files cannot be read.

    The interval is Wilson's of the samples, as many as they are worth: samples resemble their neighbours, so
    where the bursts differ more than chance lets them, fewer are counted (Pearson's overdispersion, over all
    classes). Source: McCullagh & Nelder, Generalized Linear Models, 2nd ed. 1989, 4.5.
    """
    folded = profile.folded
    if folded is None or not folded.total_ns:
        return ()
    time_ns, samples = folded.by_class(folded.time_ns), folded.by_class(folded.samples)
    worth = sum(samples.values()) / overdispersion([_counts(part) for part in profile.bursts])
    shares = []
    for work, spent_ns in time_ns.items():
        share = spent_ns / folded.total_ns
        named = [(name, part_ns) for name, part_ns in _names(folded, work) if name]
        names = tuple(NamedTime(name, part_ns / folded.total_ns) for name, part_ns in named[:MOST_NAMES])
        shares.append(
            ClassTime(work, table().classes[work], share, _interval(share, worth), samples[work], names)
        )
    return tuple(sorted(shares, key=lambda row: (-row.share, row.work)))


def overdispersion(bursts: Sequence[Mapping[str, int]]) -> float:
    """Return how much more bursts differ than samples drawn independently would: 1 or more; 1 for one burst.

    bursts: samples of each burst by class.
    """
    filled = [burst for burst in bursts if sum(burst.values()) > 0]
    classes = {name for burst in filled for name, count in burst.items() if count}
    if len(filled) < 2 or len(classes) < 2:
        return 1.0
    whole = sum(sum(burst.values()) for burst in filled)
    squares = 0.0
    for name in classes:
        share = sum(burst.get(name, 0) for burst in filled) / whole
        for burst in filled:
            expected = sum(burst.values()) * share
            squares += (burst.get(name, 0) - expected) ** 2 / expected
    return max(1.0, squares / ((len(filled) - 1) * (len(classes) - 1)))


def _counts(part: KeptProfile) -> dict[str, int]:
    profile = part.own_profile
    if profile is None:
        return {}
    folded = fold(profile, part.own)
    return folded.by_class(folded.samples)


def _interval(share: float, worth: float) -> tuple[float, float]:
    # With scipy it takes a second to import, and a trial's start needs none of it.
    from loadrig.stats.intervals import wilson_share

    whole = max(1, round(worth))
    interval = wilson_share(min(whole, round(share * whole)), whole)
    return min(interval.low, share), max(interval.high, share)


def _names(folded: Folded, work: str) -> list[tuple[str, int]]:
    names = [(entry.name, spent_ns) for entry, spent_ns in folded.time_ns.items() if entry.work == work]
    return sorted(names, key=lambda pair: (-pair[1], pair[0]))

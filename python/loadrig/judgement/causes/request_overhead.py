"""Compression, serialisation, TLS or logging takes much of the CPU that a request costs.

## Signature

The CPU is what limits, and a tenth or more of the samples under load lie in functions of one such family, not
in the program's own work.

## Data

A profile taken under load (`profile: at saturation`); of Python also the looks at who holds the interpreter
lock; the CPU time of a request.

## Deciding test

`--prove` sends the same load with `Accept-Encoding: identity`, in turns, or lowers the knob of compression;
of TLS it keeps connections in place of a handshake a request; of logging it lowers that knob. CPU time a
request falls as the profile says. The CPU must limit at all: a fifth less of it moves throughput. For
encoders there is no knob: a person sends an answer that is encoded beforehand.

## Guard

Where the CPU is not what limits it costs nobody anything. A profile of a few dozen samples says little. Of
what a service is about (one that makes JSON of a table) the remedy is to make less of it.

## Fix

A lower level or a least size for compression, or leave it to the proxy; a faster encoder, smaller answers;
keep-alive and resumed sessions; asynchronous or less logging.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from loadrig.base.units import show_duration, show_number, show_share
from loadrig.judgement.about import About
from loadrig.judgement.constants import FULL_SHARE
from loadrig.judgement.evidence import (
    CLEAR,
    SLIGHT,
    STRONG,
    EventSource,
    Evidence,
    Hypothesis,
    ProfileSource,
    Sign,
    Source,
)
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.dependencies import fullness
from loadrig.judgement.facts.families import family_of_python, shares
from loadrig.judgement.facts.tier import Tier
from loadrig.judgement.gains import Law
from loadrig.judgement.proofs import Proof
from loadrig.profilers import KeptProfile

TITLE = "work around the request takes much of its CPU time"
HARMS = frozenset({"short", "failing", "queueing", "saturated", "tail", "missed"})
ABOUT = About("cpu", "use")

PROOFS = (
    Proof("load", ("identity",), of=("compression",)),
    # A level lower may spare hardly anything.
    Proof("knob", ("compression",), "less", is_needed=False, of=("compression",)),
    # Kept connections spare more than handshakes, and the records are ciphered all the same.
    Proof("load", ("keep_alive",), is_needed=False, is_own=False, of=("TLS",)),
    # The knob may be of another log than the one that costs.
    Proof("knob", ("logging",), "less", is_needed=False, of=("logging",)),
    Proof("cpu", is_own=False),
)

UNSEEN_IN = {"compression": frozenset({"host_cpu", "cpu_quota"})}
"""Causes, by kind of overhead, that look the same without a profile: only an experiment tells them apart."""

GAIN = Law("share", "CPU")

LEAST_FAMILY_SHARE = 0.10
"""Share of the samples in the family, 0 to 1. Below it the gain is lost in the noise of one trial."""

LARGE_SHARE = 0.25
"""Share of the samples, 0 to 1, from which on the family fills the CPU rather than being one cost among
others."""

MOST_SHARE = 0.5
"""Share of the samples, 0 to 1, from which on the family takes more than all else together."""

OWN_CPU_SHARE = 0.7
"""Share of its cores that the program uses itself, 0 to 1. Below it others use more, and are what is
wrong."""

FEWEST_SAMPLES = 50
"""Number of samples. With fewer, a share of a quarter has an interval of ± 12 % (binomial, 95 %)."""

_MENDS = {
    "compression": "compress less: a lower level, only above some kB, or leave it to the proxy",
    "serialisation": "a faster encoder, fewer fields, or answers that are kept encoded",
    "TLS": "keep connections alive and resume sessions, or end TLS at a proxy",
    "logging": "log less on the way of a request (a higher level), or asynchronously",
}
_TESTS = {
    "compression": "the same load with Accept-Encoding: identity",
    "serialisation": "the same load on an answer that is encoded beforehand",
    "TLS": "the same load with keep-alive, or without TLS",
    "logging": "the same load with a higher log level",
}


@dataclass(frozen=True, slots=True)
class _Seen:
    """Share of a program's CPU time that a family takes. own_share: that of its own code; 0 where unknown."""

    family: str
    share: float
    own_share: float
    samples: int
    source: Source
    extra: tuple[Evidence, ...] = ()
    is_profile: bool = True


def examine(case: Case) -> Iterator[Hypothesis]:
    """Yield one hypothesis for each program whose CPU time a profile or looks at the lock have shown."""
    for tier in case.programs:
        seen = _seen_in_profile(case, tier) or _seen_in_looks(case, tier)
        if seen is not None and tier.cpu is not None:
            yield _hypothesis(case, tier, seen)


def _seen_in_profile(case: Case, tier: Tier) -> _Seen | None:
    """Return the largest family of the profile under high load."""
    for kept in case.profiles:
        if kept.component != tier.name or kept.load != "high" or kept.summary is None:
            continue
        by_family = shares(kept)
        hidden = _hidden_share(tier, kept)
        # Shares are of all CPU time that was used, so time that the profile missed lowers them.
        by_family = {family: share * (1 - hidden) for family, share in by_family.items()}
        extra: tuple[Evidence, ...] = ()
        source = ProfileSource(tier.name, f"profiles/{kept.path.name}")
        if hidden >= LEAST_FAMILY_SHARE and "compression" in by_family:
            text = (
                f"{show_share(hidden)} of its CPU time ran without the interpreter lock, as compression does,"
                " and was not seen"
            )
            extra = (Evidence(text, source, SLIGHT),)
            by_family["compression"] += hidden
        if not by_family:
            return None
        family = max(by_family, key=lambda name: by_family[name])
        own = kept.summary.shares.get("own", 0.0) * (1 - hidden)
        return _Seen(family, by_family[family], own, kept.summary.samples, source, extra)
    return None


def _hidden_share(tier: Tier, kept: KeptProfile) -> float:
    """Return the share of CPython's user time that ran without the lock, and a profile of holders missed."""
    user, cpu = tier.track("process.cpu_user_s", "tree"), tier.cpu
    profile = kept.profile
    if (
        kept.sees_all
        or kept.own.runtime != "cpython"
        or not kept.used_cores
        or user is None
        or cpu is None
        or profile is None
    ):
        return 0.0
    used_s = kept.used_cores * kept.duration_s
    user_s = used_s * min(1.0, user.mean / cpu.mean) if cpu.mean else 0.0
    return max(0.0, (user_s - profile.time_ns / 1e9) / used_s) if used_s > 0 else 0.0


def _seen_in_looks(case: Case, tier: Tier) -> _Seen | None:
    """Return the largest family by who held Python's interpreter lock, where no profile was taken."""
    events = case.events_of("gil_top", component=tier.name)
    sums: dict[str, float] = {}
    looks = 0
    for event in events:
        looks += int(event.facts.get("looks") or 0)
        for frame in event.facts.get("frames") or ():
            family = family_of_python(str(frame["frame"]))
            if family is not None:
                sums[family] = sums.get(family, 0.0) + float(frame["share"]) / len(events)
    if not sums:
        return None
    family = max(sums, key=lambda name: sums[name])
    return _Seen(family, sums[family], 0.0, looks, EventSource(tier.name, "gil_top", len(events)), (), False)


def _hypothesis(case: Case, tier: Tier, seen: _Seen) -> Hypothesis:
    assert tier.cpu is not None
    cpu_s = tier.cpu.mean / case.load.ended_rps if case.load.ended_rps else 0.0
    without = show_duration(cpu_s * (1 - seen.share))
    text = f"{seen.family} took {show_share(seen.share)} of its CPU time, in {seen.samples} samples"
    return Hypothesis(
        component=tier.name,
        signs=(
            Sign(seen.share >= LEAST_FAMILY_SHARE, text, seen.source, _weight(seen)),
            _limits(case, tier),
        ),
        more=seen.extra,
        against=tuple(_against(seen)),
        effect=f"{seen.family} takes {show_share(seen.share)} of the {show_duration(cpu_s)} of CPU time of a"
        f" request; without it: {without}",
        mend=_MENDS[seen.family],
        decides=f"{_TESTS[seen.family]}: CPU time a request falls to {without}",
        bound=min(1.0, seen.share),
        bound_text=f"{show_share(seen.share)} of the CPU time is all that could be saved",
        detail=seen.family,
    )


def _weight(seen: _Seen) -> float:
    """Return the weight of a share: looks at the lock are few, and see only the innermost function."""
    rank = (seen.share >= LEAST_FAMILY_SHARE) + (seen.share >= LARGE_SHARE) + (seen.share >= MOST_SHARE)
    weights = (0.0, SLIGHT, STRONG, STRONG + CLEAR) if seen.is_profile else (0.0, SLIGHT, CLEAR, STRONG)
    return weights[rank]


def _limits(case: Case, tier: Tier) -> Sign:
    """Return the sign that CPU is short and used by itself: all its cores, or its interpreter's one."""
    assert tier.cpu is not None
    busiest = tier.busiest.mean if tier.runtime in ("cpython", "node") and tier.busiest is not None else 0.0
    full, own = min(1.0, max(fullness(case, tier), busiest)), min(1.0, max(tier.cpu_share, busiest))
    text = f"the CPU that it can use was {show_share(full)} used, {show_share(own)} by itself"
    return Sign(full >= FULL_SHARE and own >= OWN_CPU_SHARE, text, tier.cpu.source, SLIGHT)


def _against(seen: _Seen) -> Iterator[Evidence]:
    if seen.own_share > seen.share:
        text = f"the program's own code takes more: {show_share(seen.own_share)}"
        yield Evidence(text, seen.source, CLEAR)
    if seen.samples < FEWEST_SAMPLES:
        text = f"{show_number(seen.samples)} samples are few: the share may be off by a tenth"
        yield Evidence(text, seen.source, SLIGHT)

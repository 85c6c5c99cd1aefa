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
from loadrig.findings.about import About
from loadrig.findings.case import Case
from loadrig.findings.causes._dependencies import FULL_SHARE, fullness
from loadrig.findings.causes._families import family_of_python, shares
from loadrig.findings.evidence import (
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
from loadrig.findings.gains import Law
from loadrig.findings.proofs import Proof
from loadrig.findings.tier import Tier
from loadrig.profilers import Kept

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
"""Without a profile this kind of it looks like those, and only an experiment tells."""

GAIN = Law("share", "CPU")

LEAST_SHARE = 0.10
"""Of the samples: below it the gain is lost in the noise of one trial."""

LARGE_SHARE = 0.25
"""From which on it is what fills the CPU rather than one cost among others."""

MOST_SHARE = 0.5
"""From which on it takes more than all else together, whatever else is wrong."""

OWN_SHARE = 0.7
"""Of the cores that it may use, used by itself: where others use more, they are what is wrong."""

FEWEST_SAMPLES = 50
"""With fewer a share of a quarter has an interval of ± 12 % (binomial, 95 %)."""

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
    """How much of a program's CPU time a family takes. own_share: of its own code; 0 where unknown."""

    family: str
    share: float
    own_share: float
    samples: int
    source: Source
    extra: tuple[Evidence, ...] = ()
    is_profile: bool = True


def examine(case: Case) -> Iterator[Hypothesis]:
    """One hypothesis for each program of which somebody has looked where its CPU time goes."""
    for tier in case.programs:
        seen = _of_profile(case, tier) or _of_looks(case, tier)
        if seen is not None and tier.cpu is not None:
            yield _of(case, tier, seen)


def _of_profile(case: Case, tier: Tier) -> _Seen | None:
    """The largest family of the profile under high load."""
    for kept in case.profiles:
        if kept.component != tier.name or kept.load != "high" or kept.summary is None:
            continue
        found = shares(kept)
        hidden = _hidden_share(tier, kept)
        # What the profile has not seen is no one's: shares are of the CPU time that was used.
        found = {family: share * (1 - hidden) for family, share in found.items()}
        extra: tuple[Evidence, ...] = ()
        source = ProfileSource(tier.name, f"profiles/{kept.path.name}")
        if hidden >= LEAST_SHARE and "compression" in found:
            text = (
                f"{show_share(hidden)} of its CPU time ran without the interpreter lock, as compression does,"
                " and was not seen"
            )
            extra = (Evidence(text, source, SLIGHT),)
            found["compression"] += hidden
        if not found:
            return None
        family = max(found, key=lambda one: found[one])
        own = kept.summary.shares.get("own", 0.0) * (1 - hidden)
        return _Seen(family, found[family], own, kept.summary.samples, source, extra)
    return None


def _hidden_share(tier: Tier, kept: Kept) -> float:
    """Of CPython's user time, what ran without the lock while a profile of those who hold it was taken."""
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


def _of_looks(case: Case, tier: Tier) -> _Seen | None:
    """By who held the interpreter lock of a Python program, where no profile was taken."""
    said = case.events_of("gil_top", component=tier.name)
    found: dict[str, float] = {}
    looks = 0
    for event in said:
        looks += int(event.facts.get("looks") or 0)
        for frame in event.facts.get("frames") or ():
            family = family_of_python(str(frame["frame"]))
            if family is not None:
                found[family] = found.get(family, 0.0) + float(frame["share"]) / len(said)
    if not found:
        return None
    family = max(found, key=lambda one: found[one])
    return _Seen(family, found[family], 0.0, looks, EventSource(tier.name, "gil_top", len(said)), (), False)


def _of(case: Case, tier: Tier, seen: _Seen) -> Hypothesis:
    assert tier.cpu is not None
    each = tier.cpu.mean / case.load.ended_rps if case.load.ended_rps else 0.0
    without = show_duration(each * (1 - seen.share))
    text = f"{seen.family} took {show_share(seen.share)} of its CPU time, in {seen.samples} samples"
    return Hypothesis(
        component=tier.name,
        signs=(
            Sign(seen.share >= LEAST_SHARE, text, seen.source, _weight(seen)),
            _limits(case, tier),
        ),
        more=seen.extra,
        against=tuple(_against(seen)),
        effect=f"{seen.family} takes {show_share(seen.share)} of the {show_duration(each)} of CPU time of a"
        f" request; without it: {without}",
        mend=_MENDS[seen.family],
        decides=f"{_TESTS[seen.family]}: CPU time a request falls to {without}",
        bound=min(1.0, seen.share),
        bound_text=f"{show_share(seen.share)} of the CPU time is all that could be saved",
        detail=seen.family,
    )


def _weight(seen: _Seen) -> float:
    """Of the share that was seen: looks at the lock are few, and see the innermost function only."""
    rank = (seen.share >= LEAST_SHARE) + (seen.share >= LARGE_SHARE) + (seen.share >= MOST_SHARE)
    weights = (0.0, SLIGHT, STRONG, STRONG + CLEAR) if seen.is_profile else (0.0, SLIGHT, CLEAR, STRONG)
    return weights[rank]


def _limits(case: Case, tier: Tier) -> Sign:
    """Whether CPU is short, and itself who uses it: all its cores, or the one of its interpreter."""
    assert tier.cpu is not None
    one = tier.busiest.mean if tier.runtime in ("cpython", "node") and tier.busiest is not None else 0.0
    full, own = min(1.0, max(fullness(case, tier), one)), min(1.0, max(tier.cpu_share, one))
    text = f"the CPU that it can use was {show_share(full)} used, {show_share(own)} by itself"
    return Sign(full >= FULL_SHARE and own >= OWN_SHARE, text, tier.cpu.source, SLIGHT)


def _against(seen: _Seen) -> Iterator[Evidence]:
    if seen.own_share > seen.share:
        text = f"the program's own code takes more: {show_share(seen.own_share)}"
        yield Evidence(text, seen.source, CLEAR)
    if seen.samples < FEWEST_SAMPLES:
        text = f"{show_number(seen.samples)} samples are few: the share may be off by a tenth"
        yield Evidence(text, seen.source, SLIGHT)

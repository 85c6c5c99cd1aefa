"""The server was not yet warm: code not compiled, connections and caches not yet made.

## Signature

A request takes more CPU time, or more time, in the beginning than later at the same load; then it settles.
What goes wrong goes wrong in that beginning.

## Data

CPU time a request and latency step by step; compilation and loading of classes of a JVM; how long the
program has run.

## Deciding test

The same load once more without a restart: the slow beginning is gone. Each trial of `--prove` starts the
server anew, or warms it up; so it shows nothing of this.

## Guard

A load that falls or a queue that is worked off changes latency as well. A server that gives up on requests
seems to do them for less. The first second or two of any run are of no account, and so is a tail that comes
of them alone. A cost that goes on falling to the end of the run has not settled, and the run was too short.

## Fix

Send some load before it counts (warm-up), make connections and load data at the start, keep what was
compiled (class data sharing, preload_app).
"""

import math
from collections.abc import Iterator

import numpy as np

from loadrig.base.units import show_duration, show_number, show_share
from loadrig.judgement.about import About
from loadrig.judgement.evidence import CLEAR, SLIGHT, STRONG, Evidence, Hypothesis, LoadSource, Sign
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.track import Track
from loadrig.judgement.harms import drift
from loadrig.recording.steps import Floats

TITLE = "the server was not yet warm"
HARMS = frozenset({"drift", "missed", "failing"})
ABOUT = About("lifetime", "signs")

NO_PROOF = "it is over by the time of an experiment; run the same load twice without a restart in between"

COLD_DEARER = 1.5
"""CPU time of a request in the beginning over that after it, from which on the server was cold: the noise of
a step is a tenth."""

SLOWER = 2.0
"""Latency of the first seconds over the later, from which on a user notices a cold start."""

SAME_LOAD = 1.3
"""Requests due a second, the greater of both parts over the smaller. Above it the load has changed, too."""

WELL_SHARE = 0.02
"""Share of the requests that fail after the beginning, 0 to 1. Above it the server was not cold but
overloaded."""

YOUNG_S = 120.0
"""Age of a process in seconds below which it may still be warming up: a JVM compiles for a minute or two."""

COMPILING = 3.0
"""Time of compiling a second in the beginning over that after it, from which on compiling explains it."""


def examine(case: Case) -> Iterator[Hypothesis]:
    """Yield one hypothesis for the server, where its requests cost more at first."""
    dear, slow = drift.beginning_of(drift.cpu_a_request(case)), drift.beginning_of(drift.latency(case))
    is_dear = dear is not None and dear.ratio >= COLD_DEARER
    first = dear if is_dear and dear is not None else slow
    if first is None or (not is_dear and first.ratio < SLOWER):
        return
    yield _hypothesis(case, first, slow, is_dear=is_dear)


def _hypothesis(
    case: Case, first: drift.Beginning, slow: drift.Beginning | None, *, is_dear: bool
) -> Hypothesis:
    head = _head(case, first.steps)
    length = show_duration(float(case.seconds[head].sum()))
    cpu = case.server.cpu
    share = _harm_in(case, head, slow)
    more, load = list(_runtime_evidence(case, head)), case.load
    if slow is not None and slow.ratio >= SLOWER and is_dear:
        text = f"latency fell from {show_duration(slow.head)} to {show_duration(slow.level)}"
        more.append(Evidence(text, LoadSource("latency_ms"), CLEAR))
    what = "CPU time" if is_dear else "time"
    cost = f"{show_duration(first.head)} of {what} in the first {length}, {show_duration(first.level)} later"
    source = cpu.source if cpu is not None and is_dear else LoadSource("latency_ms")
    asked = load.offered if load.is_open else load.users
    before, after = _mean(asked, head), _mean(asked, case.is_inside & ~head)
    most, least = max(before, after), min(before, after)
    rest = case.is_inside & ~head
    failed = float((load.failed * load.seconds)[rest].sum())
    ended = failed + float((load.ok * load.seconds)[rest].sum())
    failed_share = failed / ended if ended else 0.0
    goes_on = "queueing" in case.harms or ("short" in case.harms and share < 0.5)
    long_enough = first.steps >= drift.LEAST_BEGINNING_SHARE * case.is_inside.sum()
    return Hypothesis(
        component="server",
        signs=(
            Sign(True, f"a request took {cost}", source, STRONG if is_dear else CLEAR),
            Sign(
                most <= SAME_LOAD * least,
                f"the load was {show_number(before)} at first and {show_number(after)} later",
                LoadSource("load.offered_rps"),
                SLIGHT,
            ),
            Sign(
                bool(long_enough),
                f"that lasted {length} of {show_duration(case.measured_s)}",
                LoadSource("load.duration_s"),
                0.0,
            ),
            Sign(
                failed_share <= WELL_SHARE and not goes_on,
                f"after that {show_share(failed_share)} of the requests failed"
                + (", and they piled up" if goes_on else ""),
                LoadSource("load.failed"),
                SLIGHT,
            ),
        ),
        more=tuple(more),
        effect=f"a request took {cost}",
        mend="send some load before it counts (load: {warm_up: 30s}), and make connections and load data at"
        " the start",
        decides="the same load once more without a restart: the slow beginning is gone",
        bound=share,
        bound_text=f"{show_share(share)} of what went wrong did so in the first {length}",
    )


def _head(case: Case, steps: int) -> "np.ndarray[tuple[int], np.dtype[np.bool_]]":
    """Return which steps are the first of the measured part."""
    head = np.zeros(case.is_inside.size, dtype=bool)
    head[np.flatnonzero(case.is_inside)[:steps]] = True
    return head


def _mean(values: Floats, steps: "np.ndarray[tuple[int], np.dtype[np.bool_]]") -> float:
    return float(values[steps].mean()) if steps.any() else 0.0


def _harm_in(
    case: Case, head: "np.ndarray[tuple[int], np.dtype[np.bool_]]", slow: drift.Beginning | None
) -> float:
    """Return the share of what is wrong that lies in the beginning."""
    load, harms = case.load, case.harms
    if "failing" in harms or "short" in harms:
        lost: Floats = load.failed + (np.maximum(0.0, load.offered - load.ok) if load.is_open else 0.0)
        total = float(lost[case.is_inside].sum())
        return float(lost[head].sum()) / total if total else 0.0
    if load.latency_by_step is None or slow is None:
        return 1.0 if "drift" in harms else 0.0
    p99 = load.latency_by_step(0.99)
    rest = p99[case.is_inside & ~head]
    known = rest[np.isfinite(rest)]
    peak = float(np.nanmax(p99[head], initial=0.0))
    return max(0.0, 1 - float(np.median(known)) / peak) if known.size and peak > 0 else 0.0


def _runtime_evidence(case: Case, head: "np.ndarray[tuple[int], np.dtype[np.bool_]]") -> Iterator[Evidence]:
    server = case.server
    for name, text in (
        ("jvm.compilation_s", "its compiler worked {} times as much as later"),
        ("jvm.classes_loaded", "it loaded {} times as many classes as later"),
    ):
        track = server.track(name)
        if track is not None and (times := _times(case, track, head)) >= COMPILING:
            yield Evidence(text.format(show_number(min(times, 1000.0))), track.source, CLEAR)
    up = server.track("jvm.uptime_s")
    if up is not None and up.least < YOUNG_S:
        yield Evidence(f"it was {show_duration(up.least)} old when this began", up.source, SLIGHT)
    elif server.is_ours:
        yield Evidence("it was started for this trial", LoadSource("load.duration_s"), SLIGHT)


def _times(case: Case, track: Track, head: "np.ndarray[tuple[int], np.dtype[np.bool_]]") -> float:
    known = np.isfinite(track.values)
    before, after = _mean(track.values, head & known), _mean(track.values, case.is_inside & ~head & known)
    return before / after if after > 0 else (math.inf if before > 0 else 1.0)

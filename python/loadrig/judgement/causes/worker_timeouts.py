"""Gunicorn kills workers that are silent for longer than its `timeout`, with the requests that they serve.

## Signature

Workers end by a time-out ("WORKER TIMEOUT" in the log), and the requests that they had in hand fail with
them: connections reset, or 502 from a proxy.

## Data

Gunicorn's log and the births and deaths of its workers (event `worker_died`, reason `timed_out`), failures
of requests at these times.

## Deciding test

`--prove` raises `--timeout`, in turns, where that is a knob: the kills stop, and latency shows how long the
slow call really takes.

## Guard

Workers that the kernel killed for lack of memory, or that were recycled (`max_requests`), ended for another
reason. Where the CPU is used up, or a dependency is, the slow calls are its symptom, and so are the kills.

## Fix

Make the slow call faster, or bound it (a time-out of its own, shorter than gunicorn's); move it out of the
request; threads (`-k gthread`) keep a worker's heart beating while a request waits.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from loadrig.base.series import Event
from loadrig.base.units import show_number, show_share
from loadrig.judgement.about import About
from loadrig.judgement.evidence import (
    CLEAR,
    SLIGHT,
    STRONG,
    EventSource,
    Evidence,
    Hypothesis,
    Sign,
)
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.tier import Tier
from loadrig.judgement.own_words import OwnWords
from loadrig.judgement.proofs import Proof

TITLE = "gunicorn kills workers that are silent for too long"
HARMS = frozenset({"short", "failing", "queueing", "saturated", "tail", "missed", "dips"})
ABOUT = About("lifetime", "fact")

OWN_WORDS = (OwnWords("workers", ("timed_out",)),)

PROOFS = (Proof("knob", ("timeout",), is_needed=False),)
"""Experiments. The knob is not needed: clients may give the slow call up before it is answered."""

BEFORE_S, AFTER_TIMEOUT_S = 2.0, 2.0
"""Seconds before and after a kill in which failures count as its consequence: a death is dated to half a
second, and its client notices at once."""

GUNICORN_TIMEOUT_S = 30.0
"""Seconds of silence after which gunicorn kills a worker unless told otherwise. Source: docs.gunicorn.org,
timeout."""


def examine(case: Case) -> Iterator[Hypothesis]:
    """Yield one hypothesis for each gunicorn whose workers died by a time-out, or for no known reason."""
    for tier in case.of_kind("gunicorn"):
        died = case.events_of("worker_died", component=tier.name)
        timed_out = [event for event in died if event.facts.get("reason") == "timed_out"]
        unknown = [event for event in died if event.facts.get("reason") in (None, "unknown")]
        if timed_out or unknown:
            yield _hypothesis(case, tier, timed_out, unknown)


def _hypothesis(case: Case, tier: Tier, timed_out: Sequence[Event], unknown: Sequence[Event]) -> Hypothesis:
    after_s = tier.number("--timeout", "-t") or GUNICORN_TIMEOUT_S
    killed = timed_out or unknown
    count = len(killed)
    near = _failed_near(case, killed)
    failed = case.load.total(case.load.failed)
    source = EventSource(tier.name, "worker_died", count)
    if timed_out:
        text = f"{count} workers were killed after {show_number(after_s)} s of silence"
        sign = Sign(True, text, source, STRONG)
    else:
        text = (
            f"{count} workers ended and gunicorn's log, which says why, was not seen (--error-logfile FILE)"
        )
        sign = Sign(None, text, source, 0.0)
    more = []
    if failed and near > 0:
        text = (
            f"{show_share(min(1.0, near / failed))} of the failures came within two seconds of such a death"
        )
        more.append(Evidence(text, case.load.source("load.failed"), CLEAR if near >= count / 2 else SLIGHT))
    bound = min(1.0, near / failed) if failed else None
    return Hypothesis(
        component=tier.name,
        signs=(sign,),
        more=tuple(more),
        effect=f"{count} workers killed, {show_number(near)} requests failed near it,"
        f" {show_number(case.load.ok_rps)}/s answered",
        mend="find the call that takes so long (py-spy dump of a worker that is stuck) and bound it, or raise"
        f" --timeout above {show_number(after_s)}",
        decides="the same load with --timeout 0: the kills stop, and latency shows how long the calls take",
        bound=bound if set(case.harms) <= {"failing"} else None,
        bound_text=f"{show_number(near)} of {show_number(failed)} failures" if failed else "",
    )


def _failed_near(case: Case, deaths: Sequence[Event]) -> float:
    """Return the number of requests that failed in the steps around deaths."""
    starts, ends = case.edges_ns[:-1], case.edges_ns[1:]
    near = np.zeros(starts.size, dtype=bool)
    for event in deaths:
        near |= (ends > event.t_ns - BEFORE_S * 1e9) & (starts < event.t_ns + AFTER_TIMEOUT_S * 1e9)
    return float((case.load.failed * case.seconds)[near & case.is_inside].sum())

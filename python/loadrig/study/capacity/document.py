"""The answer of a search as a document: what a study's result holds of it."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from loadrig.base.estimate import Estimate
from loadrig.recording.reader import Recording
from loadrig.study.capacity.experiment import Replayed
from loadrig.study.capacity.probe import DoneProbe

SHOWN = (0.5, 0.95, 0.99)
"""Quantiles of the good answers' response times at each level."""


def document(recording: Recording, replayed: Replayed) -> dict[str, Any]:
    """Every number finite or null. rps or users: the capacity, by the load's model; interval: of it.

    probes: each with response times in seconds by quantile, and its stretch in seconds since the load began.
    """
    answer = replayed.search.answer()
    capacity = answer.capacity
    key = "users" if answer.unit == "users" else "rps"
    return {
        key: capacity.value if capacity else None,
        "interval": [capacity.low, capacity.high] if capacity else None,
        "unit": answer.unit,
        "why_ended": answer.why,
        "at_least": answer.at_least,
        "at_most": answer.at_most,
        "binding": answer.binding,
        "confirmed": asdict(answer.confirmed),
        "saturation": _estimate(answer.saturation),
        "knee": finite(asdict(answer.knee)) if answer.knee else None,
        "usl": finite(asdict(answer.usl)) if answer.usl else None,
        "beyond": finite(asdict(answer.beyond)) if answer.beyond else None,
        "nearest": finite(asdict(answer.nearest)) if answer.nearest else None,
        "needed": answer.needed,
        "seconds": answer.took_s,
        "probes": [{**_probe(one), **_measured(recording, replayed.window(one))} for one in answer.probes],
        "warnings": list(answer.warnings),
    }


def _estimate(found: Estimate | None) -> dict[str, Any] | None:
    return (
        None
        if found is None
        else {"value": found.value, "interval": [found.low, found.high], "unit": found.unit}
    )


def _probe(one: DoneProbe) -> dict[str, Any]:
    window = one.window
    return {
        "kind": one.kind, "level": one.level, "at_s": one.at_s, "settled_s": one.settled_s,
        "seconds": window.seconds, "throughput": window.throughput, "response_s": finite(window.response_s),
        "in_flight": window.in_flight, "failed": window.failed, "ended": window.done, "verdict": one.verdict,
        "leans": one.leans, "sure": one.sure, "diverged": one.diverged, "why": one.why,
        "goals": [finite(asdict(goal)) for goal in one.goals],
    }  # fmt: skip


def _measured(recording: Recording, window: tuple[int, int] | None) -> dict[str, Any]:
    if window is None:
        return {"from_s": None, "to_s": None, "response": {}}
    # As a window it begins where the frame before it ended.
    histogram = recording.histogram(outcome="ok", from_ns=window[0], to_ns=window[1])
    start_ns = int(recording.manifest["start_ns"])
    response = {f"p{share * 100:g}": histogram.quantile_ns(share) / 1e9 for share in SHOWN}
    return {
        "from_s": (window[0] - start_ns) / 1e9,
        "to_s": (window[1] - start_ns) / 1e9,
        "response": response if histogram.count else {},
    }


def finite(value: Any) -> Any:
    """The same with null for what JSON cannot say."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {name: finite(one) for name, one in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [finite(one) for one in value]
    return value

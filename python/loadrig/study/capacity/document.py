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
    """Return the answer of a search as a document, every number finite or null.

    rps or users: the capacity, by the load's model; interval: of the capacity.

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
        "probes": [
            {**_probe(probe), **_measured(recording, replayed.window(probe))} for probe in answer.probes
        ],
        "warnings": list(answer.warnings),
    }


def _estimate(estimate: Estimate | None) -> dict[str, Any] | None:
    return (
        None
        if estimate is None
        else {"value": estimate.value, "interval": [estimate.low, estimate.high], "unit": estimate.unit}
    )


def _probe(probe: DoneProbe) -> dict[str, Any]:
    window = probe.window
    return {
        "kind": probe.kind, "level": probe.level, "at_s": probe.at_s, "settled_s": probe.settled_s,
        "seconds": window.seconds, "throughput": window.throughput, "response_s": finite(window.response_s),
        "in_flight": window.in_flight, "failed": window.failed, "ended": window.done,
        "verdict": probe.verdict, "leans": probe.leans, "sure": probe.sure, "diverged": probe.diverged,
        "why": probe.why,
        "goals": [finite(asdict(goal)) for goal in probe.goals],
    }  # fmt: skip


def _measured(recording: Recording, window: tuple[int, int] | None) -> dict[str, Any]:
    if window is None:
        return {"from_s": None, "to_s": None, "response": {}}
    # A histogram's window begins where the frame before the probe's first frame ended.
    histogram = recording.histogram(outcome="ok", from_ns=window[0], to_ns=window[1])
    start_ns = int(recording.manifest["start_ns"])
    response = {f"p{share * 100:g}": histogram.quantile_ns(share) / 1e9 for share in SHOWN}
    return {
        "from_s": (window[0] - start_ns) / 1e9,
        "to_s": (window[1] - start_ns) / 1e9,
        "response": response if histogram.count else {},
    }


def finite(value: Any) -> Any:
    """Return a value with null for what JSON cannot say."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {name: finite(item) for name, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [finite(item) for item in value]
    return value

"""A trial that nothing disturbed, as the checks see it; tests spoil one thing of it at a time."""

from collections import Counter
from typing import Any

import numpy as np

from loadrig._native import Histogram
from loadrig.recording.manifest_document import OthersDocument, SharedCore, WitnessDocument
from loadrig.trial.evidence import ValidityEvidence
from loadrig.trial.split import GeneratorSplit


def of_values(*pairs: tuple[int, int]) -> Histogram:
    histogram = Histogram()
    for value_ns, count in pairs:
        histogram.record(value_ns, count)
    return histogram


def healthy() -> ValidityEvidence:
    """Return a clean open-loop minute: 100/s, 20 ms, an idle generator."""
    random = np.random.default_rng(7)
    return ValidityEvidence(
        model="rate",
        keep_alive=True,
        is_plain=True,
        has_websockets=False,
        open_most=5,
        seconds=60.0,
        due=6_000,
        sent=6_000,
        unsent=0,
        no_connection=0,
        capped=0,
        opened=5,
        answered=6_000,
        completed=6_000,
        outcomes=Counter(ok=6_000),
        lag=of_values((20_000, 6_000)),
        wait=of_values((1_000, 6_000)),
        response=of_values((20_000_000, 6_000)),
        second_busy=np.full(60, 0.05),
        second_in_flight=random.normal(2.0, 0.1, 60),
        second_p50_ms=random.normal(20.0, 0.1, 60),
        run_delay_share=0.001,
        ports_used=5,
        ports_range=28_000,
        fds=20,
        fds_limit=100_000,
        gaps_s=random.exponential(0.01, 3_000),
        planned_levels=(100.0,),
        spacing="poisson",
        little=(120.0, 120.1),
        checks_body=True,
        most_per_second=10_000.0,
        split=agreeing(),
        threads=1,
        unforeseen={},
        empty_routes=(),
        witness=witness(),
        core_work_s=random.normal(20e-6, 0.4e-6, 60),
        others=OthersDocument(looks=60),
        frame_s=1.0,
        stood_still_s=0.002,
    )


def agreeing(**other: Any) -> GeneratorSplit:
    """Return one generator and two that agree to half a per cent, each on a core of its own."""
    facts: dict[str, Any] = {
        "per_second": 5_000.0, "pairs": 8, "rate": 0.001, "rate_low": -0.004, "rate_high": 0.005,
        "p99": 0.01, "p99_low": -0.02, "p99_high": 0.015, "p99_s": 0.001, "has_cores": True,
    }  # fmt: skip
    return GeneratorSplit(**{**facts, **other})


def witness(**other: Any) -> WitnessDocument:
    """Return what was seen of a generator that nothing held up."""
    nothing = {
        "clock_step_s": 0.001, "watched_s": 60.0,
        "shared_core": SharedCore(core=1, thread="python", pid=7, how="held", looks=200),
    }  # fmt: skip
    return WitnessDocument(**{**nothing, **other})

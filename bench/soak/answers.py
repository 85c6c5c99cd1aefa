"""Answers of the soak's own code to all simulated soaks: rows that the tables are made of."""

from typing import Any

import numpy as np

from bench.soak import courses, dips
from bench.soak.memory import BENEATH, HEALTHY, RECYCLED, drawn
from loadrig.judgement.facts.slopes import OF_MEMORY, Slopes, slopes
from loadrig.judgement.soak.forecast import GrowthLimit
from loadrig.judgement.soak.mix import explains
from loadrig.soaking.stop import Stakes, Stopping

Row = dict[str, Any]

A_REQUEST = 1_000.0
"""Bytes that leak with each request."""

HEALTHY_GOAL = 60
MORE_BESIDE = 3.0
"""Times what leaks by which something else grows, in the soaks that are looked at without a goal."""

FIRST_SEED = 10_000
"""The method was made on seeds below it."""


def leaks(seeds: int, beside: float | None = None, a_request: float = A_REQUEST) -> list[Row]:
    """Leaking servers. beside: what else grows at most, over what leaks; None for the benchmark's own."""
    rows = []
    for law in BENEATH:
        for seed in range(FIRST_SEED, FIRST_SEED + seeds):
            course_set = drawn(law, seed, leak=a_request, **({} if beside is None else {"beside": beside}))
            growth = slopes(course_set.readings, course_set.served)
            rows.append({"law": law, "seed": seed, "leak": a_request, **_said(growth)})
    return rows


def healthy(count: int) -> list[Row]:
    """Servers that leak nothing: laws in turn, so many in all."""
    laws, rows = [*HEALTHY, *RECYCLED], []
    for number in range(count):
        law, seed = laws[number % len(laws)], FIRST_SEED + number // len(laws)
        healthy_set = drawn(law, seed)
        rows.append(
            {
                "law": law,
                "seed": seed,
                "leak": 0.0,
                **_said(slopes(healthy_set.readings, healthy_set.served)),
            }
        )
    return rows


def _said(growth: Slopes) -> Row:
    size = growth.a_request
    return {
        "word": growth.word,
        "value": None if size is None else size.value,
        "low": None if size is None else size.low,
        "high": None if size is None else size.high,
        "lives": growth.lives,
    }


def early(seeds: int) -> list[Row]:
    """Soaks of 600,000 requests that may end early: when they do, and whether what they say then is right."""
    rows = []
    for law, leak in (("steady", 0.0), ("cache", 0.0), ("steady", A_REQUEST), ("cache", A_REQUEST)):
        for seed in range(FIRST_SEED, FIRST_SEED + seeds):
            whole = drawn(law, seed, leak=leak, requests=600_000)
            stopping = Stopping(
                {"": Stakes(a_request=100.0, limit=GrowthLimit(1e12, "made up"))},
                first_s=60.0,
                length_s=whole.seconds,
            )
            ended, word, size = 1.0, "open", None
            look_s = 60.0
            while look_s < whole.seconds:
                part = drawn(law, seed, leak=leak, requests=600_000, share=look_s / whole.seconds)
                level = slopes(part.readings, part.served, OF_MEMORY)
                decision = stopping.look(look_s, {"memory": level}, float(part.served.requests[-1]))
                if decision.is_over:
                    ended, standing = look_s / whole.seconds, decision.levels["memory"]
                    word, size = standing.word, standing.size
                    break
                look_s *= 1.5
            wrong = word == ("leaks" if leak == 0 else "harmless")
            held = size is not None and size.low <= leak <= size.high
            rows.append(
                {
                    "law": law,
                    "seed": seed,
                    "leak": leak,
                    "ended": ended,
                    "word": word,
                    "wrong": wrong,
                    "held": held,
                }
            )
    return rows


def dipping(count: int) -> list[Row]:
    """Cases with dips of a known cause, the causes in turn."""
    rows = []
    for number in range(count):
        cause, seed = dips.CAUSES[number % len(dips.CAUSES)], FIRST_SEED + number // len(dips.CAUSES)
        rows.append({"cause": cause, "seed": seed, "said": dips.named(dips.drawn(cause, seed))})
    return rows


def dip_free(count: int) -> list[Row]:
    """Cases without dips, with all streams there."""
    return [
        {"seed": seed, "said": dips.named(dips.drawn("", seed, 300 if seed % 2 else 900))}
        for seed in range(FIRST_SEED, FIRST_SEED + count)
    ]


def drifting(seeds: int) -> list[Row]:
    """Courses that drift, or do not, and loads whose mix changes."""
    rows = []
    for law in courses.LAWS:
        for seed in range(FIRST_SEED, FIRST_SEED + seeds):
            course_set = courses.drawn(law, seed)
            reports, of_mix = courses.drift_reports(course_set)
            own = [each for each in reports if each.route == course_set.route and each.measure == "latency"]
            rows.append(
                {
                    "law": law, "seed": seed,
                    "false": len([e for e in reports if e.route != course_set.route]),
                    "found": bool(own), "word": own[0].verdict if own else "",
                    "held": bool(own) and (own[0].low or 0.0) <= course_set.change <= (own[0].high or np.inf),
                    "off_s": abs(own[0].at_s - course_set.at_s) if own and own[0].at_s is not None else None,
                    "mix": of_mix is not None and explains(of_mix),
                }
            )  # fmt: skip
    return rows

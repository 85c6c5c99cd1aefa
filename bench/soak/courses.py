"""Latency by route that drifts by a known amount, or not; and a load whose mix changes under steady routes.

Laws, a step a minute, 120 to 240 of them; ten routes of 5 to 200 ms, each with noise of 2 to 8 % that keeps
up to 70 % of what it was before:

    steady   nothing changes
    step     one route takes 10 to 40 % more from one instant between 20 and 80 % of the time on
    slope    one route takes 10 to 40 % more at the end, and evenly more until then
    mix      one slow route grows from 5 to 25 % of the load; no route becomes slower
"""

from dataclasses import dataclass

import numpy as np

from loadrig.judgement.soak.document import DriftDocument, ShiftedMix
from loadrig.judgement.soak.drift import RouteCourse, drifts
from loadrig.judgement.soak.mix import mix
from loadrig.stats.arrays import Floats

ROUTES = 10
LAWS = ("steady", "step", "slope", "mix")


@dataclass(frozen=True, eq=False)
class DrawnCourses:
    """One soak. route, at_s: which drifts and from when, by its law; change: ratio of after to before."""

    law: str
    seed: int
    courses: tuple[RouteCourse, ...]
    counts: dict[str, Floats]
    means_s: dict[str, Floats]
    route: str = ""
    at_s: float = float("nan")
    change: float = 1.0


def drawn(law: str, seed: int) -> DrawnCourses:
    """Return one soak of a law."""
    rng = np.random.default_rng([seed, *law.encode()])
    n = int(rng.integers(120, 241))
    t_s: Floats = np.arange(1, n + 1, dtype=np.float64) * 60.0
    names = [f"/route-{number}" for number in range(ROUTES)]
    usual = np.sort(np.exp(rng.uniform(np.log(0.005), np.log(0.2), ROUTES)))
    change, place = 1 + float(rng.uniform(0.1, 0.4)), int(n * rng.uniform(0.2, 0.8))
    bad = int(rng.integers(ROUTES))
    counts, means, courses = {}, {}, []
    for number, name in enumerate(names):
        values = usual[number] * np.exp(_noise(rng, n, rng.uniform(0.02, 0.08), rng.uniform(0, 0.7)))
        if number == bad and law == "step":
            values[place:] *= change
        if number == bad and law == "slope":
            values *= 1 + (change - 1) * np.arange(n) / n
        share = np.full(n, 1 / ROUTES)
        if law == "mix":
            slow = np.linspace(0.05, 0.25, n)
            share = slow if number == ROUTES - 1 else (1 - slow) / (ROUTES - 1)
        counts[name] = rng.poisson(6_000 * share).astype(float)
        means[name] = values * 1.2
        courses.append(RouteCourse(name, "latency", t_s, values))
        courses.append(RouteCourse(name, "tail", t_s, values * 3 * np.exp(_noise(rng, n, 0.05, 0.3))))
    has = law in ("step", "slope")
    return DrawnCourses(
        law, seed, tuple(courses), counts, means,
        names[bad] if has else "",
        float(t_s[place]) if law == "step" else float("nan"),
        change if has else 1.0,
    )  # fmt: skip


def _noise(rng: np.random.Generator, n: int, sd: float, keeps: float) -> Floats:
    new, steps = rng.normal(0, sd * np.sqrt(1 - keeps**2), n), np.zeros(n)
    for step in range(n):
        steps[step] = new[step] + (keeps * steps[step - 1] if step else 0.0)
    return steps


def drift_reports(course_set: DrawnCourses) -> tuple[list[DriftDocument], ShiftedMix | None]:
    """Return what drifted, by our own word, and of the mix."""
    drifted = [trend for trend in drifts(course_set.courses) if trend.verdict != "steady"]
    return drifted, mix(course_set.counts, course_set.means_s)

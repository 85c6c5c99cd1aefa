"""Findings and results as a proof meets them, for tests."""

from typing import Any

from loadrig.base.documents import plain, typed
from loadrig.interventions import Lever
from loadrig.judgement.document import ClearedDocument, EvidenceDocument, FindingDocument
from loadrig.judgement.evidence import FormulaSource
from loadrig.judgement.experiments.outcome import Measure
from loadrig.judgement.experiments.results import Gain, Measurement, Result
from loadrig.stats.elasticity import Elasticity, Standing

FORMULA = FormulaSource("1 + 1 = 2")


def finding(cause: str, component: str, weight: float = 3.0, **more: Any) -> FindingDocument:
    """Return a finding as it stands in a trial's result."""
    facts = {
        "cause": cause, "component": component, "verdict": "likely", "title": f"{cause} it is",
        "effect": "it is slow", "evidence": (EvidenceDocument("seen", 2.0, FORMULA),), "against": (),
        "mend": "mend it", "decides": "an experiment", "weight": weight, "detail": "", "missing": (),
        "symptoms": (), "rivals": (), "bound": None, "gain": None, **more,
    }  # fmt: skip
    return typed(FindingDocument, plain(facts), "examples")


def cleared(cause: str, component: str, weight: float = 0.0) -> ClearedDocument:
    """Return a cleared cause as it stands in a trial's diagnosis."""
    return ClearedDocument(cause, component, "its sign is not there", weight, FORMULA)


def result(
    lever: Lever, standing: Standing, *, measure: Measure = "throughput", ratio: float | None = 0.8,
    gain: float = 0.8, is_mend: bool = False, spread: float = 0.03,
) -> Result:  # fmt: skip
    """Return what came of an experiment of three blocks. spread: half of the interval, as a share."""
    elasticity = None
    if ratio is not None:
        value = {"limits": 0.95, "cleared": 0.02, "shares": 0.3, "unsure": 0.4}[standing]
        elasticity = Elasticity(value, value - 0.05, value + 0.05)
    parts = tuple(
        Measurement(
            1, 10.0 * block + 5 * is_changed, 2.0, block, is_changed, 100.0 * (gain if is_changed else 1)
        )
        for block in range(3)
        for is_changed in (False, True)
    )
    return Result(
        lever, f"{lever.change} {lever.component}{lever.what}", measure, ratio, elasticity,
        Gain(gain, (1 - spread) * gain, (1 + spread) * gain), standing, "a fifth less", parts, is_mend,
        {"workers": 4} if is_mend else None,
    )  # fmt: skip

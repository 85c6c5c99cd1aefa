"""Chances of findings, by how often findings like them were right."""

from typing import Any

import pytest

from loadrig.judgement.chance import COEFFICIENTS, GREATEST_LEAD, TERMS, chance_of, terms_of
from loadrig.judgement.diagnose import diagnose
from loadrig.judgement.document import FindingDocument, findings_of
from loadrig.testing.cases import ACase
from tests.judgement.experiments.examples import finding


def of_first(*more: FindingDocument, **traits: Any) -> float:
    return chance_of([finding("pool_too_small", "server", **traits), *more], 0)


def test_a_finding_is_the_surer_the_more_speaks_for_it() -> None:
    rival = finding("gil", "server", gain=1.5)
    assert of_first(gain=1.5) > of_first(gain=1.5, verdict="possible")
    assert of_first(rival, gain=3.0) > of_first(rival, gain=1.5)
    both = [finding("pool_too_small", "server", gain=1.5), rival]
    assert chance_of(both, 0) > chance_of(both, 1)


def test_a_lead_beyond_what_any_mend_pays_says_no_more() -> None:
    rival = finding("gil", "server", gain=1.5)
    assert of_first(rival, gain=GREATEST_LEAD * 1.5) == of_first(rival, gain=100.0)


def test_each_term_has_its_coefficient() -> None:
    assert len(TERMS) == len(COEFFICIENTS) == len(terms_of([finding("gil", "server")], 0))


def test_a_diagnosis_tells_the_chance_of_its_roots() -> None:
    case = ACase(seconds=20, users=10, ok=50.0, latency_s=0.2)
    case.tier("server", kind="gunicorn", runtime="cpython", cpus=(1,), workers=4)
    case.counter("server", "process.cpu_s", "tree", 0.98).host_cpu([0.2, 1.0])
    findings = findings_of(diagnose(case.build()))
    assert [each.chance for each in findings] == [
        pytest.approx(chance_of(findings, place), abs=0.005) for place in range(len(findings))
    ]

"""The mend, verified against what was expected of it."""

from typing import Any

from loadrig.interventions import Lever
from loadrig.judgement.experiments.conclusions import conclusion_of
from loadrig.judgement.experiments.suspects import suspects_in
from loadrig.proving.document import TriedMend
from loadrig.proving.fix import fix_of
from tests.judgement.experiments.examples import finding, result

WORKERS = Lever("knob", "server", "workers")


def fixed(gain: float, **more: Any) -> TriedMend | None:
    suspected = finding("too_few_workers", "server", **more)
    mended = result(WORKERS, "limits", ratio=2.0, gain=gain, is_mend=True)
    conclusion = conclusion_of(suspects_in([suspected], [])[0], [mended], [])
    return fix_of(suspected, conclusion, (), "throughput", "again")


def test_a_mend_that_gains_what_was_expected_is_verified() -> None:
    fix = fixed(1.95)
    assert fix is not None
    assert fix.is_verified is True
    assert fix.setting == {"workers": 4}
    assert fix.pairs == ((100.0, 195.0),) * 3


def test_a_mend_that_gains_a_third_of_it_is_not() -> None:
    fix = fixed(1.3)
    assert fix is not None
    assert fix.predicted is not None
    assert fix.is_verified is False


def test_of_a_server_that_answered_next_to_nothing_no_gain_is_foretold() -> None:
    suspected = finding("dependency_port_exhaustion", "redis", bound=0.9994)
    mended = result(Lever("knob", "server", "pool"), "limits", gain=838.0, is_mend=True)
    conclusion = conclusion_of(suspects_in([suspected], [])[0], [mended], [])
    fix = fix_of(suspected, conclusion, (), "throughput", "again")
    assert fix is not None
    assert fix.predicted is None
    assert fix.is_verified is True


def test_a_test_that_nobody_would_leave_so_is_no_mend() -> None:
    suspected = finding("database_cpu", "mariadb")
    cut = result(Lever("cpu", "mariadb"), "limits", gain=0.8)
    conclusion = conclusion_of(suspects_in([suspected], [])[0], [cut], ["mariadb"])
    assert fix_of(suspected, conclusion, (), "throughput", "again") is None

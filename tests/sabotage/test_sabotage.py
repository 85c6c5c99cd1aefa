"""Every sabotage is caught for the right reason, and clean runs are not flagged.

How often, on many runs, says `scripts/trust.py`; here each is done once.
"""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.lengths import length
from tests.sabotage import clocks, cores, rates
from tests.sabotage.catalogue import SABOTAGES
from tests.sabotage.clean import KINDS
from tests.sabotage.harness import SECONDS, Impossible, Sabotage, SabotageOutcome

pytestmark = pytest.mark.integration


def needs_a_core(sabotage: Sabotage) -> bool:
    """Return whether a neighbour can hide or prevent what is done: a taken core is only taken more."""
    adds_to = sabotage.check == "G8" or sabotage.words == "waited for a core"
    return (sabotage in cores.SABOTAGES or sabotage in rates.SABOTAGES) and not adds_to


def marks_of(sabotage: Sabotage) -> list[pytest.MarkDecorator]:
    # Theirs is the whole core of the generator, or the moment at which it is woken.
    marks = [pytest.mark.quiet] if needs_a_core(sabotage) else []
    # G13: calibrations with many comparisons; what is decided of them: tests/trial/test_checks.py.
    return [*marks, pytest.mark.nightly] if sabotage.is_variant or sabotage.check == "G13" else marks


KINDS_BY_DAY = ("Poisson arrivals at 300/s", "thirty sessions a second", "a server that is started, 200/s")
"""Clean runs of a short run; users and even arrivals are run clean by many tests of integration."""

Commit = Callable[[Callable[[Path], SabotageOutcome], Path], SabotageOutcome]


@pytest.fixture(scope="module")
def committed() -> Commit:
    """Commits a sabotage and returns its outcome: at most once, for all tests that look at it."""
    outcomes: dict[Callable[[Path], SabotageOutcome], SabotageOutcome] = {}

    def outcome_of(commit: Callable[[Path], SabotageOutcome], folder: Path) -> SabotageOutcome:
        if commit not in outcomes:
            try:
                outcomes[commit] = commit(folder)
            except Impossible as missing:
                pytest.skip(f"this sabotage needs {missing}")
        return outcomes[commit]

    return outcome_of


@pytest.mark.parametrize(
    "sabotage",
    [pytest.param(sabotage, id=sabotage.name, marks=marks_of(sabotage)) for sabotage in SABOTAGES],
)
def test_a_sabotage_is_caught_for_the_right_reason(
    sabotage: Sabotage, committed: Commit, tmp_path: Path
) -> None:
    outcome = committed(sabotage.commit, tmp_path)
    assert sabotage.is_caught_by(outcome), str(outcome)


def test_every_check_has_its_sabotage_and_what_is_left_out_in_short_runs_has_another() -> None:
    assert {f"G{n}" for n in range(1, 15)} <= {sabotage.check for sabotage in SABOTAGES}
    always = {sabotage.check for sabotage in SABOTAGES if not sabotage.is_variant}
    assert always == {sabotage.check for sabotage in SABOTAGES}


@pytest.mark.parametrize("seconds", length(["forward"], ["forward", "back"]))
def test_no_figure_depends_on_the_wall_clock(seconds: str, committed: Commit, tmp_path: Path) -> None:
    set_clock = clocks.set_forward if seconds == "forward" else clocks.set_back
    outcome = committed(set_clock, tmp_path)
    assert outcome.result is not None, str(outcome)
    assert SECONDS - 0.1 < outcome.result["load"]["seconds"] < SECONDS + 1
    # Poisson arrivals at 300 a second: six standard deviations.
    expected = 300 * SECONDS
    assert abs(outcome.result["load"]["requests"] - expected) < 6 * expected**0.5 + 30
    assert outcome.result["outcomes"] == {"ok": outcome.result["outcomes"]["ok"]}
    assert outcome.result["latency_ms"]["response"]["max"] < 60_000


@pytest.mark.parametrize("kind", length(KINDS_BY_DAY, tuple(KINDS)))
def test_a_clean_run_is_judged_by_every_check_that_can_be(
    kind: str, committed: Commit, tmp_path: Path
) -> None:
    # Whether it is flagged depends on what else runs on the machine; what it is judged by does not.
    outcome = committed(KINDS[kind], tmp_path)
    assert outcome.result is not None, str(outcome)
    assert outcome.result["outcomes"]["ok"] > 0
    assert {reason["check"] for reason in outcome.reasons} <= {"G2", "G3", "G4", "G7"}, str(outcome)
    assert "G14" not in outcome.result["validity"]["not_checked"]

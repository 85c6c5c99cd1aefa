"""Failures under theft are repeated, others are not; what could not be tested is skipped by name."""

from collections.abc import Callable

import pytest

from tests.stolen import QUIET_WITHIN_S, REASON, Repeats, Watch, stolen_s, wait_for_quiet

pytest_plugins = ["pytester"]

FAILS_TWICE = """
    import pytest
    tries = []

    @pytest.fixture
    def fresh():
        return []

    @pytest.mark.integration
    def test_real(fresh):
        fresh.append(1)
        tries.append(1)
        assert fresh == [1]
        assert len(tries) > 2

    def test_after():
        pass
"""


def watches(*shares: float) -> Callable[[], Watch]:
    """The shares that were stolen while each try ran: two seconds, of two cores."""
    left = iter(shares)

    def watch() -> Watch:
        share = next(left)
        quiet, other = {"cpu0": 5.0, "cpu1": 1.0}, {"cpu0": 5.0, "cpu1": 1.0 + 2.0 * share}
        read = iter([quiet, other])
        seconds = iter([10.0, 12.0])
        return Watch(lambda: next(read), lambda: next(seconds))

    return watch


def outcomes(pytester: pytest.Pytester, text: str, *shares: float) -> tuple[dict[str, int], str]:
    pytester.makepyfile(text)
    pytester.makeini("[pytest]\nmarkers =\n    integration: real\n")
    waited: list[int] = []
    plugin = Repeats(watches(*shares), lambda: waited.append(1))
    ran = pytester.inline_run("-rs", plugins=[plugin])
    passed, skipped, failed = ran.listoutcomes()
    counts = {"passed": passed, "skipped": skipped, "failed": failed, "waited": waited}
    said = " ".join(str(one.longrepr) for one in skipped)
    return {name: len(some) for name, some in counts.items()}, said


def test_a_failure_under_theft_is_repeated_until_it_passes(pytester: pytest.Pytester) -> None:
    found, _ = outcomes(pytester, FAILS_TWICE, 0.2, 0.03, 0.2)
    assert found == {"passed": 2, "skipped": 0, "failed": 0, "waited": 2}


def test_a_failure_that_nothing_disturbed_stands(pytester: pytest.Pytester) -> None:
    found, _ = outcomes(pytester, FAILS_TWICE, 0.2, 0.019)
    assert found == {"passed": 1, "skipped": 0, "failed": 1, "waited": 1}


def test_what_was_stolen_from_in_every_try_is_skipped_by_name(pytester: pytest.Pytester) -> None:
    found, said = outcomes(pytester, FAILS_TWICE.replace("> 2", "> 9"), 0.2, 0.2, 0.2)
    assert found == {"passed": 1, "skipped": 1, "failed": 0, "waited": 2}
    assert REASON in said


def test_a_test_without_servers_is_never_repeated(pytester: pytest.Pytester) -> None:
    found, _ = outcomes(pytester, FAILS_TWICE.replace("@pytest.mark.integration", ""))
    assert found == {"passed": 1, "skipped": 0, "failed": 1, "waited": 0}


def test_a_pause_ends_with_the_theft_or_after_its_time() -> None:
    seconds: list[float] = []
    wait_for_quiet(watches(0.5, 0.1, 0.01), seconds.append)
    assert len(seconds) == 3
    wait_for_quiet(watches(*[0.5] * 100), seconds.append)
    assert len(seconds) == 3 + int(QUIET_WITHIN_S)


def test_this_machine_says_what_was_stolen_from_each_core() -> None:
    assert stolen_s()
    assert all(seconds >= 0 for seconds in stolen_s().values())
    assert Watch().share >= 0

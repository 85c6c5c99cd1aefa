"""Shares of the routes, and both sides at the same shares; shifts of quantiles from recordings."""

from pathlib import Path

import pytest

from loadrig.comparing.document import ComparisonDocument
from loadrig.comparing.judged import compare
from loadrig.comparing.mix import mix, standardised
from loadrig.comparing.pairing import pairing
from loadrig.comparing.read import read_side
from loadrig.comparing.shifts import shifts
from loadrig.comparing.yardsticks import asked
from tests.comparing import fabricated
from tests.wording import holding


@pytest.fixture(scope="module")
def moved(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Return two runs with recordings: the same routes, of which B is asked more for the slow one."""
    folder = tmp_path_factory.mktemp("moved")
    return (
        fabricated.recorded(folder / "a", shares=(0.75, 0.25), seed=1),
        fabricated.recorded(folder / "b", shares=(0.5, 0.5), seed=2),
    )


def comparison_of(a: Path, b: Path) -> ComparisonDocument:
    sides = read_side(str(a)), read_side(str(b))
    return compare(*sides, asked(*sides))


def test_shares_that_differ_by_lot_are_the_same_mix(tmp_path: Path) -> None:
    a = read_side(str(fabricated.recorded(tmp_path / "a", seed=1, rate=40, seconds=12)))
    b = read_side(str(fabricated.recorded(tmp_path / "b", seed=2, rate=40, seconds=12)))
    mixture = mix(a, b)
    assert not mixture.differs
    assert sum(share.a for share in mixture.shares) == pytest.approx(1)


def test_a_route_that_is_asked_for_more_moves_all_routes_together_and_no_route(
    moved: tuple[Path, Path],
) -> None:
    comparison = comparison_of(*moved)
    assert comparison.mix.differs
    rows = {(row.measure, row.route, row.standardised): row for row in comparison.compared}
    plain, same = rows["p50", None, False].effect, rows["p50", None, True].effect
    assert plain is not None
    assert same is not None
    assert plain > 1.4  # half of the requests are slow now
    assert same == pytest.approx(1, abs=0.1)
    for route in ("search", "order"):
        single = rows["p50", route, False].effect
        assert single is not None
        assert single == pytest.approx(1, abs=0.12)
    assert len(holding(comparison.warnings, "(order: 2")) == 1


def test_where_the_mix_differs_the_same_mix_decides(moved: tuple[Path, Path]) -> None:
    comparison = comparison_of(*moved)
    assert [(row.measure, row.standardised) for row in comparison.compared if row.decides] == [
        ("p95", True),
        ("errors", False),
    ]


def test_a_standardised_quantile_at_a_runs_own_mix_is_its_quantile(moved: tuple[Path, Path]) -> None:
    side = read_side(str(moved[0]))
    trial = side.usable[0]
    total = sum(trial.counts.values())
    weights = {route: n / total for route, n in trial.counts.items()}
    for by in asked(side, side, ("p50", "p99")).deciding:
        assert standardised(trial, by, weights) == pytest.approx(trial.value(by.name), rel=0.02)


def test_a_standardised_share_is_the_weighted_mean_of_the_routes(tmp_path: Path) -> None:
    side = read_side(str(fabricated.single(tmp_path / "a", failed=0.01)))
    (by,) = asked(side, side, ("errors",)).deciding
    trial = side.usable[0]
    share = standardised(trial, by, {"search": 0.5, "order": 0.5})
    routes = [trial.value("errors", route) or 0.0 for route in ("search", "order")]
    assert share == pytest.approx(sum(routes) / 2)
    assert standardised(trial, by, {"search": 0.5, "nowhere": 0.5}) is None


def test_without_recordings_there_is_no_standardised_quantile_and_no_shift(tmp_path: Path) -> None:
    a = fabricated.single(tmp_path / "a", routes={"search": (0.75, 0.05), "order": (0.25, 0.12)})
    b = fabricated.single(tmp_path / "b", routes={"search": (0.5, 0.05), "order": (0.5, 0.12)}, day=1)
    for folder in (a, b):
        (folder / "trials" / "0001" / "manifest.json").unlink()
    comparison = comparison_of(a, b)
    assert comparison.mix.differs
    assert {row.standardised for row in comparison.compared} == {False}
    assert comparison.shift == ()


def test_every_quantile_of_a_route_that_became_slower_by_a_fifth_moves_by_a_fifth(tmp_path: Path) -> None:
    a = read_side(str(fabricated.recorded(tmp_path / "a", seed=1)))
    b = read_side(str(fabricated.recorded(tmp_path / "b", seed=2, slow=1.2)))
    by_route = {shift.route: shift for shift in shifts(a, b, pairing(a, b))}
    assert set(by_route) == {None, "search", "order"}
    assert all(shift.within_runs_only for shift in by_route.values())
    for point in by_route["search"].points[:9]:
        assert point.effect == pytest.approx(1.2, rel=0.08)
        assert point.interval[0] < 1.2 * 1.05
        assert point.interval[1] > 1.2 * 0.95

"""Promises of every measure, whoever wrote it. Members are found, not listed."""

import inspect
import math
import shutil
import types
from pathlib import Path

import pytest

from loadrig.base import members
from loadrig.base.estimate import Estimate
from loadrig.recording.reader import Recording
from loadrig.testing.synthetic import Route, write_recording

ROOM = "loadrig.measures"
NAMES = members.names(ROOM)
HEADINGS = ["What it is", "Unit", "How it is computed", "Interval", "When it misleads"]
UNITS = {"s", "1/s", "1", "B", "cores"}


def module(name: str) -> types.ModuleType:
    return members.load(ROOM, name)


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> Recording:
    """Return a recording in which every measure has something to look at."""
    routes = (
        Route("search", outcomes={"http_5xx": 0.03, "timeout": 0.02}),
        Route("order", 0.3, median_s=0.05),
        Route("token", 0.05, "login", median_s=0.3),
    )
    folder = tmp_path_factory.mktemp("full") / "0001"
    return write_recording(folder, (150.0,) * 25, routes=routes, session_s=2.0, unsent_share=0.01)


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Recording:
    """Return a recording in which the load never began."""
    return write_recording(
        tmp_path_factory.mktemp("bare") / "0001", (0.0,) * 3, warm_up_frames=0, server=None
    )


@pytest.mark.parametrize("constant", ["UNIT", "BETTER", "EQUAL_WITHIN"])
@pytest.mark.parametrize("name", NAMES)
def test_what_a_study_judges_by_is_read_from_its_file(name: str, constant: str) -> None:
    assert members.constant(ROOM, name, constant) == getattr(module(name), constant, None)


def check(estimate: Estimate, unit: str) -> None:
    assert estimate.unit == unit
    assert math.isfinite(estimate.value)
    assert estimate.value >= 0
    assert estimate.n > 0
    assert estimate.of
    assert (estimate.low is None) == (estimate.high is None)
    if estimate.low is not None and estimate.high is not None:
        assert 0 <= estimate.low <= estimate.value <= estimate.high < math.inf
    for warning in estimate.warnings:
        assert warning == warning.strip() != ""
        assert not warning.endswith(".")


def test_the_room_has_the_measures_that_goals_speak_of() -> None:
    assert set(NAMES) >= {
        "throughput", "offered", "p50", "p90", "p95", "p99", "p99.9", "mean", "max", "service_p50",
        "service_p95", "service_p99", "failed_p95", "sessions_p95", "errors", "memory", "server_cpu",
        "cpu_per_request",
    }  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_it_says_its_unit_and_which_way_is_better(name: str) -> None:
    measure = module(name)
    assert measure.UNIT in UNITS
    assert measure.BETTER in ("lower", "higher")
    assert 0 < measure.EQUAL_WITHIN <= 0.2


@pytest.mark.parametrize("name", NAMES)
def test_its_page_has_every_heading_in_order(name: str) -> None:
    page = inspect.getdoc(module(name)) or ""
    assert [line[3:] for line in page.splitlines() if line.startswith("## ")] == HEADINGS
    assert page.splitlines()[0].rstrip(").").strip()
    for part in page.split("## ")[1:]:
        assert part.partition("\n")[2].strip(), f"nothing under {part.splitlines()[0]}"


@pytest.mark.parametrize("name", NAMES)
def test_it_is_asked_in_the_agreed_way(name: str) -> None:
    parameters = inspect.signature(module(name).estimate).parameters
    assert list(parameters) == ["recording", "route"]
    assert parameters["route"].kind is inspect.Parameter.KEYWORD_ONLY
    assert parameters["route"].default is None


@pytest.mark.parametrize("name", NAMES)
def test_it_answers_where_it_can(name: str, full: Recording) -> None:
    estimate = module(name).estimate(full)
    assert estimate is not None
    check(estimate, module(name).UNIT)


@pytest.mark.parametrize("route", ["search", "order", "token"])
@pytest.mark.parametrize("name", NAMES)
def test_it_answers_for_one_route_or_says_that_it_cannot(name: str, route: str, full: Recording) -> None:
    estimate = module(name).estimate(full, route=route)
    if estimate is not None:
        check(estimate, module(name).UNIT)


@pytest.mark.parametrize("name", NAMES)
def test_it_says_nothing_of_a_route_that_was_never_asked_for(name: str, full: Recording) -> None:
    assert module(name).estimate(full, route="nowhere") is None


@pytest.mark.parametrize("name", NAMES)
def test_it_says_nothing_of_a_load_that_never_began(name: str, bare: Recording) -> None:
    assert module(name).estimate(bare) is None


@pytest.mark.parametrize("name", NAMES)
def test_it_is_a_pure_function_of_the_folder(name: str, full: Recording, tmp_path: Path) -> None:
    """Invariant: measures rerun offline give the same answer, from a copy of the folder too."""
    shutil.copytree(full.path, tmp_path / "copy")
    measure = module(name)
    assert measure.estimate(full) == measure.estimate(Recording.open(full.path))
    assert measure.estimate(full) == measure.estimate(Recording.open(tmp_path / "copy"))


@pytest.mark.parametrize("name", NAMES)
def test_what_was_asked_before_does_not_matter(name: str, full: Recording) -> None:
    fresh = Recording.open(full.path)
    measure = module(name)
    for other in reversed(NAMES):
        module(other).estimate(fresh, route="order")
        module(other).estimate(fresh)
    assert measure.estimate(fresh) == measure.estimate(Recording.open(full.path))


@pytest.mark.parametrize("name", NAMES)
def test_it_looks_at_the_measured_window_only(name: str, tmp_path: Path) -> None:
    """Whatever the warm-up was like, the figures are those of the window."""
    rates, calm = (80.0,) * 12, (1.0,) * 12
    stormy = (50.0,) * 4 + (1.0,) * 8
    options = {"warm_up_frames": 4, "session_s": 1.0, "routes": (Route(outcomes={"reset": 0.1}),)}
    before = write_recording(tmp_path / "1", rates, calm, **options)  # type: ignore[arg-type]
    after = write_recording(tmp_path / "2", rates, stormy, **options)  # type: ignore[arg-type]
    assert before.histogram() != after.histogram()
    first, other = (module(name).estimate(recording) for recording in (before, after))
    # The two were begun at other instants: CPU time is read off between frames to rounding.
    assert first.value == pytest.approx(other.value, rel=1e-9)
    assert (first.n, first.low is None) == (other.n, other.low is None)

"""Promises of every profiler, whoever wrote it. Members are found, not listed."""

import dataclasses
import os
import re
import threading
import types
from pathlib import Path

import pytest

from loadrig.base import members, processes
from loadrig.base.component import SERVER, THIS_HOST, Component
from loadrig.base.shape import Declaration
from loadrig.base.unavailable import Unavailable
from loadrig.profilers import Shot

ROOM = "loadrig.profilers"
NAMES = members.names(ROOM)
HEADINGS = ("## What it reads", "## How to read it", "## Cost")
RUNTIMES = ("cpython", "jvm", "go", "node", "native")


def module(name: str) -> types.ModuleType:
    return members.load(ROOM, name)


def gone() -> Component:
    """Return a process that was here a moment ago, of a kind that every profiler would take."""
    pid = os.spawnvp(os.P_NOWAIT, "true", ["true"])
    os.waitpid(pid, 0)
    return Component(SERVER, "program", pid=pid, start=1)


def shot(folder: Path) -> Shot:
    return Shot(1.0, folder, threading.Event())


def held() -> tuple[int, int, int]:
    family = processes.tree(os.getpid(), processes.table())
    return len(os.listdir("/proc/self/fd")), threading.active_count(), len(family)


def test_the_room_has_a_profiler_for_every_runtime() -> None:
    assert {"py_spy", "async_profiler", "go_pprof", "node_inspector", "perf"} <= set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_its_page_has_all_headings_in_order_and_a_measured_cost(name: str) -> None:
    doc = module(name).__doc__ or ""
    places = [doc.find(heading) for heading in HEADINGS]
    assert -1 not in places
    assert places == sorted(places)
    assert re.search(r"\d (?:s|ms|%) .*\bMeasured on\b", doc[places[-1] :], re.DOTALL)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("runtime", [*RUNTIMES, ""])
def test_what_its_file_says_of_where_it_fits_is_true(name: str, runtime: str) -> None:
    component = Component(SERVER, "program", pid=os.getpid(), runtime=runtime)
    if not members.may_fit(ROOM, name, component):
        assert not module(name).fits(component)


@pytest.mark.parametrize("name", NAMES)
def test_its_options_all_have_defaults_and_are_explained(name: str) -> None:
    options = module(name).Options
    assert options.__dataclass_params__.frozen
    options()
    for field in dataclasses.fields(options):
        assert field.metadata[Declaration].doc.endswith("."), field.name


@pytest.mark.parametrize("name", NAMES)
def test_it_has_a_name_for_people_and_a_rank(name: str) -> None:
    assert module(name).NAME
    assert 1 <= module(name).RANK <= 9


@pytest.mark.parametrize("name", NAMES)
def test_it_fits_some_runtime_and_never_the_host(name: str) -> None:
    fits = module(name).fits
    assert any(fits(Component(SERVER, "program", runtime=runtime, pid=1)) for runtime in RUNTIMES)
    assert not fits(THIS_HOST)


@pytest.mark.parametrize("name", NAMES)
def test_a_component_that_is_gone_is_told_and_nothing_is_left(name: str, tmp_path: Path) -> None:
    component = gone()

    def ask() -> Unavailable:
        with pytest.raises(Unavailable) as raised:
            module(name).take(module(name).Options(), component, shot(tmp_path))
        return raised.value

    missing = ask()  # what is imported once and for all is imported now
    before = held()
    ask()
    assert held() == before
    assert missing.reason
    assert missing.mend
    assert (Path(members.__file__).parents[1] / "explain" / f"{missing.code}.md").exists()


@pytest.mark.parametrize("name", NAMES)
def test_it_knows_nothing_of_the_rooms_above_it(name: str) -> None:
    source = Path(str(module(name).__file__)).read_text()
    imported = set(re.findall(r"^(?:from|import) loadrig\.(\w+)", source, re.MULTILINE))
    assert imported <= {"base", "language", "plan", "recording", "stats", "discovery", "profilers"}

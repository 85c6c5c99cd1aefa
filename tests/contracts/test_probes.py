"""What every probe promises, whoever wrote it. Members are found, not listed."""

import dataclasses
import os
import re
import threading
import types
from pathlib import Path

import pytest

from loadrig.base import members, processes
from loadrig.base.running import Address, RunningTarget
from loadrig.base.series import Sample
from loadrig.probes import Unavailable

ROOM = "loadrig.probes"
NAMES = members.names(ROOM)
HEADINGS = ("## What it reads", "## How to read it", "## Cost")
UNITS = {"s", "B", "1", "cores", "1/s", "pages"}

SELF = RunningTarget(Address("127.0.0.1", 1), pid=os.getpid())
NOBODY = RunningTarget(Address("192.0.2.1", 80))


def module(name: str) -> types.ModuleType:
    return members.load(ROOM, name)


def by_series(samples: list[Sample]) -> dict[tuple[str, str], float]:
    found = {(one.metric, one.subject): one.value for one in samples}
    assert len(found) == len(samples), "two samples of one series at one instant"
    return found


def test_the_room_has_the_members_that_the_guide_speaks_of() -> None:
    assert {"process", "system_cpu", "memory", "tcp_sockets", "cgroup"} <= set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_its_page_has_all_headings_in_order_and_a_measured_cost(name: str) -> None:
    doc = module(name).__doc__ or ""
    places = [doc.find(heading) for heading in HEADINGS]
    assert -1 not in places
    assert places == sorted(places)
    assert re.search(r"\d (?:ms|µs) .*\bMeasured on\b", doc[places[-1] :], re.DOTALL)


@pytest.mark.parametrize("name", NAMES)
def test_its_options_all_have_defaults_and_are_explained(name: str) -> None:
    options = module(name).Options
    assert options.__dataclass_params__.frozen
    options()
    for field in dataclasses.fields(options):
        assert field.metadata["doc"].endswith("."), field.name


@pytest.mark.parametrize("name", NAMES)
def test_each_metric_has_a_unit_a_kind_and_a_meaning(name: str) -> None:
    for metric, described in module(name).METRICS.items():
        assert described.unit in UNITS, metric
        assert described.kind in ("gauge", "counter"), metric
        assert described.doc.endswith("."), metric
        if described.unit == "s":
            assert metric.endswith("_s"), metric
        if described.unit == "B":
            assert metric.endswith("_bytes"), metric


@pytest.mark.parametrize("name", NAMES)
def test_samples_bear_its_name_the_instant_and_a_declared_metric(name: str) -> None:
    session = attach(name)
    samples = session.sample(123)
    session.detach()
    assert samples
    assert {(one.probe, one.t_ns) for one in samples} == {(name, 123)}
    assert {one.metric for one in samples} <= module(name).METRICS.keys()
    assert all(isinstance(one.value, int | float) for one in samples)


@pytest.mark.parametrize("name", NAMES)
def test_its_counters_never_fall(name: str) -> None:
    session = attach(name)
    before = by_series(session.sample(0))
    after = by_series(session.sample(10**9))
    session.detach()
    for (metric, subject), value in before.items():
        if module(name).METRICS[metric].kind == "counter":
            assert after.get((metric, subject), value) >= value, (metric, subject)


@pytest.mark.parametrize("name", NAMES)
def test_detaching_leaves_no_descriptor_thread_or_process(name: str) -> None:
    attach(name).detach()  # what is imported or opened once and for all is open now
    before = held()
    session = attach(name)
    for n in range(5):
        session.sample(n * 10**9)
        session.events()
    session.detach()
    assert held() == before


def held() -> tuple[int, int, int]:
    family = processes.tree(os.getpid(), processes.table())
    return len(os.listdir("/proc/self/fd")), threading.active_count(), len(family)


@pytest.mark.parametrize("name", NAMES)
def test_a_server_that_cannot_be_seen_is_no_error(name: str) -> None:
    missing: Unavailable | None = None
    try:
        module(name).attach(module(name).Options(), NOBODY).detach()
    except Unavailable as raised:
        missing = raised
    if missing is not None:
        assert missing.reason
        assert missing.mend
        assert (Path(members.__file__).parents[1] / "explain" / f"{missing.code}.md").exists()


def attach(name: str) -> "types.SimpleNamespace":
    try:
        session: types.SimpleNamespace = module(name).attach(module(name).Options(), SELF)
    except Unavailable as missing:
        pytest.skip(f"{name}: {missing.reason}")
    return session


@pytest.mark.parametrize("name", NAMES)
def test_it_knows_nothing_of_the_rooms_above_it(name: str) -> None:
    source = Path(str(module(name).__file__)).read_text()
    imported = set(re.findall(r"^(?:from|import) loadrig\.(\w+)", source, re.MULTILINE))
    assert imported <= {"base", "plan", "recording", "stats", "probes"}

"""Promises of every probe, whoever wrote it. Members are found, not listed."""

import dataclasses
import inspect
import os
import re
import threading
import time
import types
from pathlib import Path

import pytest

from loadrig.base import members, processes
from loadrig.base.component import SERVER, THIS_HOST, Component
from loadrig.base.running import Address
from loadrig.base.series import Sample
from loadrig.base.shape import Declaration
from loadrig.probes import Lost, Place, Unavailable

ROOM = "loadrig.probes"
NAMES = members.names(ROOM)
HEADINGS = ("## What it reads", "## How to read it", "## Cost")
UNITS = {"s", "B", "1", "cores", "1/s", "pages"}

SELF = Component(
    SERVER, "program", "cpython", pid=os.getpid(), start=processes.start_of(os.getpid()),
    address=Address("127.0.0.1", 1),
)  # fmt: skip
PLACE = Place(components=lambda: (THIS_HOST, SELF))
# Nobody listens on port 1.
NOBODIES = [
    Component("elsewhere", kind, runtime, address=Address("127.0.0.1", 1))
    for kind, runtime in [
        ("host", ""), ("program", ""), ("program", "cpython"), ("program", "jvm"), ("program", "go"),
        ("program", "node"), ("gunicorn", "cpython"), ("tomcat", "jvm"), ("nginx", "native"),
        ("redis", "native"), ("mariadb", "native"), ("mysql", "native"), ("postgresql", "native"),
    ]
]  # fmt: skip


def here(name: str) -> Component | None:
    """Return what a probe can be attached to in the process that runs the tests."""
    return next(
        (component for component in (SELF, THIS_HOST) if members.load(ROOM, name).fits(component)), None
    )


def is_at_home(name: str) -> bool:
    """Return whether a probe has something to read of this process or its host, and reads it at once."""
    component, probe = here(name), members.load(ROOM, name)
    if component is None:
        return False
    try:
        session = probe.attach(probe.Options(), component, PLACE)
    except Unavailable:
        return False
    try:
        return bool(session.sample(0))
    except Lost:
        return False
    finally:
        session.detach()


AT_HOME = [name for name in NAMES if is_at_home(name)]
"""Probes that need no program but this one; the others are tested beside the real ones that they watch."""


def module(name: str) -> types.ModuleType:
    return members.load(ROOM, name)


def by_series(samples: list[Sample]) -> dict[tuple[str, str], float]:
    values = {(sample.metric, sample.subject): sample.value for sample in samples}
    assert len(values) == len(samples), "two samples of one series at one instant"
    return values


@pytest.mark.parametrize("name", NAMES)
def test_what_its_file_says_of_where_it_fits_is_true(name: str) -> None:
    only = members.constant(ROOM, name, "ONLY")
    assert only == getattr(module(name), "ONLY", None)
    for component in (SELF, THIS_HOST, *NOBODIES):
        if any(getattr(component, fact) not in values for fact, values in (only or {}).items()):
            assert not module(name).fits(component)


def test_the_room_has_the_members_that_the_guide_speaks_of() -> None:
    assert {"process", "system_cpu", "memory", "disks", "network", "tcp_sockets", "cgroup"} <= set(AT_HOME)
    assert {"python", "gunicorn", "jvm", "gc_log", "tomcat", "hikari", "go", "node", "prometheus"} <= set(
        NAMES
    )
    assert {"redis", "mariadb", "postgresql", "nginx", "access_log"} <= set(NAMES)


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
        assert field.metadata[Declaration].doc.endswith("."), field.name


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


@pytest.mark.parametrize("name", AT_HOME)
def test_samples_bear_its_name_the_instant_and_a_declared_metric(name: str) -> None:
    session = attach(name)
    samples = session.sample(123)
    session.detach()
    assert samples
    assert {(sample.probe, sample.t_ns) for sample in samples} == {(name, 123)}
    assert {sample.metric for sample in samples} <= module(name).METRICS.keys()
    assert all(isinstance(sample.value, int | float) for sample in samples)


@pytest.mark.parametrize("name", AT_HOME)
def test_its_counters_never_fall(name: str) -> None:
    session = attach(name)
    before = by_series(session.sample(0))
    after = by_series(session.sample(10**9))
    session.detach()
    for (metric, subject), value in before.items():
        if module(name).METRICS[metric].kind == "counter":
            assert after.get((metric, subject), value) >= value, (metric, subject)


@pytest.mark.parametrize("name", AT_HOME)
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
@pytest.mark.parametrize("nobody", NOBODIES, ids=lambda component: f"{component.kind}-{component.runtime}")
def test_what_cannot_be_seen_is_no_error(name: str, nobody: Component) -> None:
    probe = module(name)
    if not probe.fits(nobody) or nobody.kind == "host":
        return
    before = held()
    missing: Unavailable | None = None
    try:
        session = probe.attach(probe.Options(), nobody, PLACE)
    except Unavailable as raised:
        missing = raised
    else:
        try:
            deadline = time.monotonic() + 60
            while not (samples := session.sample(0)) and time.monotonic() < deadline:
                time.sleep(0.01)
            assert not samples, "it saw something where nobody is"
        except Lost as raised:
            missing = raised
        finally:
            session.detach()
    assert missing is not None, "it neither sees anything nor says why"
    assert missing.reason
    assert missing.mend
    assert (Path(members.__file__).parents[1] / "explain" / f"{missing.code}.md").exists()
    assert held()[1:] == before[1:]


def attach(name: str) -> "types.SimpleNamespace":
    component = here(name)
    assert component is not None
    session: types.SimpleNamespace = module(name).attach(module(name).Options(), component, PLACE)
    return session


@pytest.mark.parametrize("name", NAMES)
def test_its_events_are_explained_and_it_says_what_it_fits(name: str) -> None:
    for kind, meaning in getattr(module(name), "EVENTS", {}).items():
        assert re.fullmatch(r"[a-z_]+", kind)
        assert meaning.endswith("."), kind
    assert list(inspect.signature(module(name).attach).parameters) == ["options", "component", "place"]
    assert list(inspect.signature(module(name).fits).parameters) == ["component"]
    if hasattr(module(name), "prepare"):
        assert module(name).prepare(module(name).Options(), Path("/nowhere")) == {}, "it was not asked to"


@pytest.mark.parametrize("name", NAMES)
def test_it_knows_nothing_of_the_rooms_above_it(name: str) -> None:
    source = Path(str(module(name).__file__)).read_text()
    imported = set(re.findall(r"^(?:from|import) loadrig\.(\w+)", source, re.MULTILINE))
    assert imported <= {"base", "language", "plan", "recording", "stats", "discovery", "probes", "_native"}

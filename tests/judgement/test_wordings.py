"""Words of a cause on its own full resource, and which of several causes that is."""

import math

import pytest

from loadrig.judgement.causes import cpu_quota, pool_too_small, too_few_workers, worker_class
from loadrig.judgement.facts.case import Case
from loadrig.judgement.limits.bottlenecks import too_small
from loadrig.judgement.limits.kinds import Kind, Resource
from loadrig.testing.cases import ACase


def sync(workers: int, *, cpu: float = 0.05) -> Case:
    """Return a gunicorn with sync workers on one core."""
    case = ACase(seconds=20, users=20.0, ok=30.0, in_flight=20.0)
    settings = {"--workers": str(workers), "--worker-class": "sync"}
    case.tier("server", kind="gunicorn", runtime="cpython", cpus=(1,), workers=workers, settings=settings)
    return case.counter("server", "process.cpu_s", "tree", cpu).build()


@pytest.mark.parametrize(
    ("workers", "cpu", "cause"),
    [(2, 0.05, "too_few_workers"), (6, 0.05, "worker_class"), (6, 2.5, "too_few_workers")],
)
def test_only_sync_workers_in_the_advised_number_that_wait_are_of_the_wrong_class(
    workers: int, cpu: float, cause: str
) -> None:
    slots = Resource("slots", "server", float(workers), float(workers), True, 10.0)
    assert too_small(sync(workers, cpu=cpu), slots) == cause


@pytest.mark.parametrize(
    ("kind", "resource", "cause"),
    [
        ("mariadb", "cores", "database_cpu"), ("memcached", "thread", "cache_bottleneck"),
        ("program", "cores", "host_cpu"), ("mariadb", "quota", "cpu_quota"),
        ("program", "interpreter", "gil"), ("program", "connections", "pool_too_small"),
    ],
)  # fmt: skip
def test_the_kind_of_a_component_and_of_its_resource_name_the_cause(
    kind: str, resource: Kind, cause: str
) -> None:
    case = ACase(seconds=20, users=20.0, ok=30.0).tier("part", kind=kind).build()
    assert too_small(case, Resource(resource, "part", 1.0, 1.0, True)) == cause


def test_workers_are_told_with_what_to_type_for_more() -> None:
    case = sync(2)
    wording = too_few_workers.wording(case, case.server, Resource("slots", "server", 2.0, 2.0, True, 18.0))
    assert "--workers=4" in wording.mend
    assert "18" in wording.effect


def test_the_class_of_workers_is_told_with_the_cpu_that_they_use() -> None:
    case = sync(6, cpu=0.3)
    wording = worker_class.wording(case, case.server, Resource("slots", "server", 6.0, 6.0, True, 14.0))
    assert "5 %" in wording.effect


def test_a_pool_of_an_open_load_needs_the_root_of_staffing_more() -> None:
    case = ACase(seconds=20, rate=100.0, ok=80.0, latency_s=0.3).tier("server").tier("db", kind="mariadb")
    built = case.build()
    pool = Resource("connections", "server", 8.0, 8.0, True, 20.0, "db")
    wording = pool_too_small.wording(built, built.server, pool)
    wanted = math.ceil(10 + 2 * math.sqrt(10))  # 100/s, each held for 8 / 80 s
    assert f"about {wanted} connections" in wording.mend
    assert wording.detail == "connections: db"


def test_a_quota_is_told_with_what_the_load_needs() -> None:
    case = ACase(seconds=20, rate=100.0, ok=50.0, failed={"timeout": 2.0}, latency_s=0.5)
    case.tier("server", cpus=(1,), limits={"cores": 0.5}).counter("server", "process.cpu_s", "tree", 0.5)
    built = case.build()
    wording = cpu_quota.wording(built, built.server, Resource("quota", "server", 0.5, 0.5, True))
    assert "--cpus 1;" in wording.mend

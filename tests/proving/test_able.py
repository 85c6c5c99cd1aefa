"""Tests of what can be changed here, and what may be touched at all."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import redis
from syrupy.assertion import SnapshotAssertion

from loadrig.base import processes
from loadrig.base.component import SERVER, Component
from loadrig.interventions import Lever, Scene
from loadrig.interventions._proxy import Proxy
from loadrig.interventions.dependency_delay import Inserted
from loadrig.plan.load import read
from loadrig.proving import able
from loadrig.proving.able import Permission
from tests.judgement.experiments.examples import result
from tests.servers.redis import started_redis

PLAN = """\
loadrig: 1
target: {external: "http://127.0.0.1:1"}
workload: {users: 1, requests: [{get: /}]}
"""
NOBODY = Permission(frozenset())


@contextmanager
def sleeper() -> Iterator[int]:
    """Yield a process that the rig of this test has started."""
    process = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    try:
        yield process.pid
    finally:
        process.kill()
        process.wait()


def component(name: str, pid: int | None, **more: object) -> Component:
    return Component(name, "program", pid=pid, start=processes.start_of(pid) if pid else None, **more)  # type: ignore[arg-type]


def test_what_the_rig_did_not_start_is_left_alone() -> None:
    with sleeper() as pid:
        refusal = NOBODY.refusal(component("mariadb", pid))
        assert refusal is not None
        assert refusal.code == "prove.not-allowed"
        assert "allow: [mariadb]" in refusal.mend


@pytest.mark.parametrize("names", [{"mariadb"}, {"all"}])
def test_what_is_allowed_by_name_may_be_touched(names: set[str]) -> None:
    with sleeper() as pid:
        assert Permission(frozenset(), frozenset(names)).refusal(component("mariadb", pid)) is None


def test_what_descends_from_what_the_rig_started_may_be_touched() -> None:
    with sleeper() as pid:
        assert Permission(frozenset({os.getpid()})).refusal(component("worker", pid)) is None
        assert Permission(frozenset({pid})).refusal(component("worker", pid)) is None


def test_what_a_target_has_started_is_ours() -> None:
    with sleeper() as pid:
        assert NOBODY.refusal(component(SERVER, pid, is_ours=True)) is None


def test_a_lever_that_may_not_be_pulled_is_skipped_and_says_how_it_might() -> None:
    with sleeper() as pid:
        scene = Scene((component("mariadb", pid),), {"mariadb": 0.5})
        steps, skipped = able.steps([Lever("cpu", "mariadb")], scene, NOBODY, {}, 0.01, 6)
        assert steps == []
        assert [skip.code for skip in skipped] == ["prove.not-allowed"]


def test_the_cores_are_shared_by_all_who_use_them_and_all_must_be_allowed() -> None:
    with sleeper() as pid, sleeper() as other:
        ours, foreign = component(SERVER, pid, is_ours=True), component("mariadb", other)
        scene = Scene((ours, foreign), {SERVER: 0.5, "mariadb": 0.3})
        _, skipped = able.steps([Lever("cores", "host")], scene, NOBODY, {}, 0.01, 6)
        assert [skip.code for skip in skipped] == ["prove.not-allowed"]


def test_a_component_that_has_gone_is_said() -> None:
    scene = Scene((), {})
    _, skipped = able.steps([Lever("cpu", "redis")], scene, NOBODY, {}, 0.01, 6)
    assert [skip.code for skip in skipped] == ["prove.not-here"]


def test_a_dependency_without_a_proxy_cannot_be_delayed() -> None:
    _, skipped = able.steps([Lever("delay", "redis")], Scene((), {}), NOBODY, {}, 0.01, 6)
    assert [skip.code for skip in skipped] == ["prove.no-proxy"]


POOLS = """\
loadrig: 1
target:
  command:
    argv: ./server --port {port}
    knob_flags: {redis_pool: {env: R, low: 1}, db_pool: {env: D, low: 1}}
knobs: {redis_pool: 4, db_pool: 8}
workload: {users: 1, requests: [{get: /}]}
"""


@pytest.mark.parametrize(
    ("subjects", "title"),
    [
        ({"redis"}, "redis_pool: 4 to 8"),
        ({"postgresql"}, "db_pool: 8 to 16"),
        ({"feed"}, "redis_pool: 4 to 8"),
    ],
)
def test_of_several_pools_the_one_is_tried_that_is_called_after_the_dependency(
    tmp_path: Path, subjects: set[str], title: str
) -> None:
    plan = read(POOLS, str(tmp_path / "plan.yaml"))
    every = able.variants(Lever("knob", SERVER, "pool"), plan, plan.base_setting)
    assert [variant.title for variant in able.nearest(every, subjects)] == [title]
    assert able.nearest([], subjects) == []


@pytest.mark.integration
def test_a_delay_says_how_often_a_request_goes_there_and_back(
    tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    plan = read(PLAN, str(tmp_path / "plan.yaml"))
    with started_redis(tmp_path) as server, Proxy("127.0.0.1", server.port, tmp_path / "log") as proxy:
        with redis.Redis(port=proxy.port, single_connection_client=True) as client:
            for _ in range(600):
                client.get("one")
        inserted = {"redis": Inserted(plan, {}, "redis", proxy)}
        slower = result(Lever("delay", "redis"), "limits")
        tried = able.counted(slower, inserted, 200)
        # Three each, and a few with which the client says who it is.
        trips = re.search(r"\b3(\.0\d)?\b", tried.says.removeprefix(slower.says))
        assert trips is not None
        assert tried.says.replace(trips[0], "3") == snapshot
        assert able.counted(slower, inserted, 20) == slower
        other = result(Lever("cpu", "redis"), "limits")
        assert able.counted(other, inserted, 200) == other
    assert able.counted(slower, inserted, 200) == slower, "a proxy that has ended is no error"

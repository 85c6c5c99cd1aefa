"""Real servers that are made to dip, and what is said of their soaks."""

import os
import time
from pathlib import Path

import pytest
import redis
from syrupy.assertion import SnapshotAssertion

from bench.costs import Failed
from bench.diagnosis import services
from bench.diagnosis.injections import BASES
from bench.diagnosis.start import DIALS, RunningStack, StackWish
from bench.modes import soak_live
from bench.soak import live
from loadrig.base import cgroups
from tests.servers._daemon import running
from tests.servers.redis import started_redis


def test_each_case_is_a_wish_of_its_stack_and_none_has_the_cause_of_another() -> None:
    assert len(live.CASES) == 6
    for case in live.CASES.values():
        wish = StackWish(case.stack, **{**BASES[case.stack], **case.wish})
        assert set(wish.dials) <= set(DIALS[case.stack])
    causes = [(case.kinds, case.component) for case in live.CASES.values()]
    assert len(set(causes)) == len(causes)


def test_a_cache_is_emptied_and_held_up(tmp_path: Path) -> None:
    with started_redis(tmp_path) as server, redis.Redis(port=server.port) as client:
        stack = RunningStack(0, {}, ports={"redis": server.port})
        client.set("item:1", "lamp")
        began = time.monotonic()
        live._hold(stack, 0.05)
        assert time.monotonic() - began >= 0.05
        # On a machine that stands still for a moment other commands may be slow, too.
        (held,) = [slow for slow in client.slowlog_get() if slow["command"].startswith(b"EVAL")]
        assert held["duration"] >= 50_000
        assert client.get("item:1") == b"lamp"
        live._empty(stack, 1.0)
        assert client.get("item:1") is None


def test_a_job_takes_of_what_the_server_may_use(tmp_path: Path) -> None:
    try:
        with (
            services.group(0.2, None) as prefix,
            running([*prefix, "sleep", "60"], tmp_path / "log", lambda: True) as server,
        ):
            end = time.monotonic() + 60
            while Path(f"/proc/{server.pid}/comm").read_text() != "sleep\n" and time.monotonic() < end:
                time.sleep(0.01)
            group = cgroups.of(server.pid)["cpu"]
            assert group != cgroups.of(os.getpid())["cpu"]
            throttled = 0
            # Where neighbours have the cores a job may get less of them than its quota.
            while not throttled and time.monotonic() < end:
                live._job(RunningStack(0, {"server": server.pid}), 0.5)
                counts = dict(line.split() for line in (group / "cpu.stat").read_text().splitlines())
                throttled = int(counts["nr_throttled"])
            assert throttled > 0
    except Failed as refused:
        pytest.skip(f"control groups with a quota (v1, as root): {refused}")


def test_something_is_done_again_and_again_until_the_block_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "PERIOD_S", 0.02)
    done: list[float] = []
    with live._done(lambda _, seconds: done.append(seconds), RunningStack(0, {})):
        end = time.monotonic() + 60
        while len(done) < 3 and time.monotonic() < end:
            time.sleep(0.01)
    often = len(done)
    assert often >= 3
    time.sleep(0.1)
    assert len(done) == often


def test_the_table_has_a_line_a_soak_and_counts_the_right_ones(snapshot: SnapshotAssertion) -> None:
    right = {
        "case": "tokens", "round": 0, "kind": "logins", "component": "load", "dips": 8, "depth": 0.31,
        "period_s": 13.0, "lost": 0.02, "said": "100 % of the dips", "next": [],
    }  # fmt: skip
    rows = [
        {"case": "collections", "round": 0, "failed": "the soak did not end"},
        {"case": "an emptied cache", "round": 0, "kind": "", "component": "", "said": "no dips"},
        {**right, "case": "a script in redis", "kind": "steal", "component": "host", "period_s": None},
        right,
    ]
    table, goal = soak_live.tables({"rows": rows})
    assert (table, goal) == snapshot

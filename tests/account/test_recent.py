"""The account of the last seconds: the same as of a recording, from what came so far and no more."""

from typing import Any

import pytest

from loadrig.account.recent import KEPT_S, LAST_S, Recent
from loadrig.base.component import HOST, SERVER
from loadrig.base.series import Sample
from loadrig.recording.frame import Frame
from loadrig.testing.engine_frames import engine_config, engine_frame, row

NS = 1_000_000_000
IN, REDIS = "in:8000", "out:127.0.0.1:6379"

FACTS = {
    "metrics": {"process.cpu_s": {"unit": "s", "kind": "counter"}},
    "map": {
        "components": [
            {"name": HOST, "kind": "host"},
            {"name": SERVER, "kind": "gunicorn", "address": "127.0.0.1:8000", "cpus": [0, 1]},
            {"name": "redis", "kind": "redis", "address": "127.0.0.1:6379"},
        ],
        "edges": [{"source": SERVER, "to": "redis", "address": "127.0.0.1:6379"}],
    },
}


def begun() -> Recent:
    recent = Recent(engine_config(["/"], "users", 20.0), {"load": {"model": "users"}})
    recent.know(FACTS)
    return recent


def second(recent: Recent, n: int, unread: float = 10.0, **more: Any) -> None:
    """Record a second of 100 answers and 20 requests in flight, of which some wait for a worker."""
    in_hand = 20.0 - unread
    stages = {"unread": unread, "in_hand": in_hand, "sockets": 20.0}
    at_ns = int((n + 0.3) * NS)
    samples = [Sample(at_ns, "socket_stages", "looks", "", 40.0)]
    samples += [Sample(at_ns, "socket_stages", stage, IN, value) for stage, value in stages.items()]
    samples += [Sample(at_ns, "socket_stages", stage, REDIS, 3.0) for stage in ("awaiting", "sockets")]
    samples += [Sample(at_ns, "process", "cpu_s", "tree", 0.8 * n)]
    recent.hear(samples, SERVER)
    frame = {"in_flight_s": 20.0, "planned": 20.0, **more}
    recent.see(Frame.live(engine_frame(n, n * NS, NS, [row("ok", [0.2] * 100)], **frame)))


def lines(recent: Recent) -> dict[tuple[str, str], float]:
    server = recent.account()
    assert server is not None
    return {(line.state, line.of): round(line.ms) for line in server.lines if line.ms >= 1}


def test_the_lines_of_the_last_seconds_add_up_to_the_response_time() -> None:
    recent = begun()
    for n in range(8):
        second(recent, n)
    server = recent.account()
    assert server is not None
    assert server.total_ms == pytest.approx(200.0)
    assert lines(recent) == {
        ("unread", ""): 100, ("awaiting", "redis"): 30, ("running", ""): 8, ("inside", ""): 62,
    }  # fmt: skip


def test_what_is_longer_ago_is_forgotten() -> None:
    recent = begun()
    for n in range(20):
        second(recent, n, unread=2.0)
    for n in range(20, 20 + int(LAST_S) + 3):
        second(recent, n, unread=16.0)
    assert lines(recent)["unread", ""] == 160
    by_name = recent.series()
    assert max(series.t_ns.size for series in by_name.values()) <= KEPT_S + 1
    assert len(recent.frames) <= LAST_S + 1


def test_a_subject_that_is_gone_is_dropped() -> None:
    recent = begun()
    recent.hear([Sample(0, "thread_states", "thread_cpu_s", "7 worker", 1.0)], SERVER)
    for n in range(30):
        second(recent, n)
    assert not [key for key in recent.series() if key.subject == "7 worker"]


def test_probes_that_no_account_reads_cost_nothing() -> None:
    recent = begun()
    recent.hear([Sample(0, "postgresql", "waits", "lock", 1.0)], "db")
    assert recent.series() == {}


def test_before_anything_ended_there_is_no_account() -> None:
    recent = begun()
    assert recent.account() is None
    second(recent, 0)
    quiet = Recent(engine_config(["/"], "users", 1.0), {})
    quiet.see(Frame.live(engine_frame(0, 0, NS, [])))
    assert quiet.account() is None

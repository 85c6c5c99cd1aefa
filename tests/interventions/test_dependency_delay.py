"""A server that is led through a proxy to its redis, and a way that gets longer."""

import json
import os
import signal
import socket
import sys
import time
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from loadrig.base import processes
from loadrig.base.errors import VoidError
from loadrig.base.running import Address
from loadrig.base.unavailable import Unavailable
from loadrig.interventions import Lever, Scene
from loadrig.interventions.dependency_delay import Inserted, able, insert, step
from loadrig.plan.load import read
from loadrig.plan.model import Plan
from loadrig.plan.secrets import revealed
from loadrig.target import command, gunicorn
from tests.conftest import Deadline
from tests.servers.redis import started_redis

pytestmark = pytest.mark.integration

DELAY_S = 0.005
PATIENCE_S = 20.0

ROUND_TRIPS = 3

APP = """\
import os, redis
store = redis.Redis.from_url(os.environ["STORE"])

def app(environ, start_response):
    if environ["PATH_INFO"] != "/":
        for number in range(3):
            store.get(f"item:{number}")
    start_response("200 OK", [("Content-Length", "2")])
    return [b"ok"]
"""

SERVER = """\
import sys
from wsgiref.simple_server import make_server
from shop import app
make_server("127.0.0.1", int(sys.argv[1]), app).serve_forever()
"""


def plan_of(target: str, folder: Path) -> Plan:
    load = "workload:\n  users: 1\n  requests:\n    - get: /\n"
    return read(f"loadrig: 1\ntarget:\n  {target}\n{load}", str(folder / "plan.yaml"))


def command_plan(folder: Path, argv: str = "./server", env: Mapping[str, str] | None = None) -> Plan:
    return plan_of(f"command: {json.dumps({'argv': argv, 'env': env or {}, 'address': 8000})}", folder)


@contextmanager
def inserted(plan: Plan, folder: Path, host: str = "127.0.0.1", port: int = 6379) -> Iterator[Inserted]:
    with insert(plan, {}, "redis", host, port, folder / "proxy.log") as insertion:
        yield insertion


def get_s(address: Address, path: str = "/items") -> float:
    """Return how long a page takes."""
    began = time.monotonic()
    with urllib.request.urlopen(f"{address.url}{path}", timeout=PATIENCE_S) as answer:
        assert answer.read() == b"ok"
    return time.monotonic() - began


@pytest.mark.parametrize("member", [command, gunicorn])
def test_a_server_goes_through_the_proxy_and_each_of_its_round_trips_gets_longer(
    member: ModuleType, tmp_path: Path
) -> None:
    (tmp_path / "shop.py").write_text(APP, encoding="utf-8")
    (tmp_path / "server.py").write_text(SERVER, encoding="utf-8")
    with started_redis(tmp_path) as server:
        env = f'env: {{STORE: "redis://localhost:{server.port}/0"}}'
        if member is command:
            plan = plan_of(
                f"command: {{argv: [{sys.executable}, server.py, '{{port}}'], ready: /, {env}}}", tmp_path
            )
        else:
            plan = plan_of(f'gunicorn: {{app: "shop:app", {env}}}', tmp_path)
        with insert(plan, {}, "redis", "127.0.0.1", server.port, tmp_path / "proxy.log") as insertion:
            assert insertion.named == ("env STORE",)
            options = insertion.plan.target.options
            assert options.env == {"STORE": f"redis://localhost:{insertion.proxy.port}/0"}
            with member.start(options, insertion.setting, tmp_path / "run", tmp_path) as running:
                address = running.target.address
                assert not insertion.is_used(), "nothing was asked of redis yet"
                get_s(address)
                assert insertion.is_used()
                with step(insertion, DELAY_S).held() as change:
                    before = insertion.proxy.counters()
                    get_s(address)
                    between = insertion.proxy.counters()
                    assert between.round_trips - before.round_trips == ROUND_TRIPS
                    assert between.delayed == before.delayed, "held, but not changed"
                    change(True)
                    assert get_s(address) >= ROUND_TRIPS * DELAY_S
                    delayed = insertion.proxy.counters().delayed
                    assert delayed - before.delayed == ROUND_TRIPS
                    change(False)
                    get_s(address)
                    assert insertion.proxy.counters().delayed == delayed
                    change(True)
                get_s(address)
                assert insertion.proxy.counters().delayed == delayed, "it was left, and so undone"


def test_a_step_says_what_it_does_and_is_no_capacity(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    with inserted(command_plan(tmp_path, "./server --redis 6379"), tmp_path) as insertion:
        delay_step = step(insertion, 0.002)
    assert delay_step.lever == Lever("delay", "redis")
    assert delay_step.ratio is None
    assert (delay_step.title, delay_step.cost) == snapshot


def test_a_proxy_that_dies_is_said_where_it_is_told_to_change(tmp_path: Path, deadline: Deadline) -> None:
    with (
        inserted(command_plan(tmp_path, "./server --redis 6379"), tmp_path) as insertion,
        step(insertion, DELAY_S).held() as change,
    ):
        os.kill(insertion.proxy.pid, signal.SIGKILL)
        deadline.wait_for(
            lambda: (stat := processes.stat(insertion.proxy.pid)) is None or stat.state == "Z", "its end"
        )
        with pytest.raises(VoidError) as caught:
            change(True)
        assert caught.value.problems[0].code == "prove.proxy-broken"


def texts(plan: Plan) -> list[str]:
    # As the server is given them: a password is left out of the plan that is kept.
    options: Any = revealed(plan.target.options, plan)
    return [*getattr(options, "argv", ()), *getattr(options, "args", ()), *options.env.values()]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("6379", "PORT"),
        ("127.0.0.1:6379", "127.0.0.1:PORT"),
        ("localhost:6379", "localhost:PORT"),
        ("redis:6379", "redis:PORT"),
        ("redis://host:6379/0", "redis://host:PORT/0"),
        ("redis://:secret@127.0.0.1:6379/0", "redis://:secret@127.0.0.1:PORT/0"),
        ("redis://me:6379@127.0.0.1:6379/0", "redis://me:6379@127.0.0.1:PORT/0"),
        ("tcp(127.0.0.1:6379)/shop?timeout=16379", "tcp(127.0.0.1:PORT)/shop?timeout=16379"),
        ('{"port": 6379, "other": 63790}', '{"port": PORT, "other": 63790}'),
        ("./server -p6379 --redis-port=6379", "./server -pPORT --redis-port=PORT"),
        ("10.0.0.9:6379,127.0.0.1:6379", "10.0.0.9:6379,127.0.0.1:PORT"),
    ],
)
def test_the_port_is_told_anew_wherever_it_is_named(before: str, after: str, tmp_path: Path) -> None:
    plan = command_plan(tmp_path, "./server --port 8000", {"STORE": before, "OTHER": "6378"})
    with inserted(plan, tmp_path) as insertion:
        assert insertion.named == ("env STORE",)
        assert texts(insertion.plan) == [
            "./server --port 8000",
            after.replace("PORT", str(insertion.proxy.port)),
            "6378",
        ]
    with inserted(command_plan(tmp_path, f"./server {before}"), tmp_path) as insertion:
        assert insertion.named == ("argv",)
        assert texts(insertion.plan) == [f"./server {after}".replace("PORT", str(insertion.proxy.port))]
    assert texts(plan)[1] == before, "the plan itself is as it was"


@pytest.mark.parametrize("target", ["gunicorn", "uvicorn"])
def test_arguments_of_python_servers_are_told_too(target: str, tmp_path: Path) -> None:
    plan = plan_of(
        f'{target}: {{app: "shop:app", args: ["--raw-env", "REDIS=127.0.0.1:6379"], env: {{P: "6379"}}}}',
        tmp_path,
    )
    with inserted(plan, tmp_path) as insertion:
        assert insertion.named == ("args", "env P")
        assert texts(insertion.plan) == [
            "--raw-env",
            f"REDIS=127.0.0.1:{insertion.proxy.port}",
            str(insertion.proxy.port),
        ]


def test_two_dependencies_have_a_proxy_each(tmp_path: Path) -> None:
    plan = command_plan(tmp_path, "./server", {"REDIS_PORT": "6379", "DB": "mysql://127.0.0.1:3306/shop"})
    with (
        insert(plan, {}, "redis", "127.0.0.1", 6379, tmp_path / "redis.log") as first,
        insert(first.plan, {}, "mariadb", "127.0.0.1", 3306, tmp_path / "mariadb.log") as second,
    ):
        assert second.plan.target.options.env == {
            "REDIS_PORT": str(first.proxy.port),
            "DB": f"mysql://127.0.0.1:{second.proxy.port}/shop",
        }


def test_of_another_machine_host_and_port_are_told_together(tmp_path: Path) -> None:
    env = {
        "STORE": "redis://10.0.0.9:6379/0", "OTHER": "redis://10.0.0.8:6379/0", "LIMIT": "6379",
        "CACHE_HOST": "10.0.0.9", "CACHE_PORT": "6379", "DB_HOST": "10.0.0.9", "DB_PORT": "3306",
    }  # fmt: skip
    # Nothing is sent there: nobody connects to the proxy.
    with inserted(command_plan(tmp_path, env=env), tmp_path, host="10.0.0.9") as insertion:
        port = str(insertion.proxy.port)
        assert insertion.named == ("env STORE", "env CACHE_HOST", "env CACHE_PORT")
        assert insertion.plan.target.options.env == env | {
            "STORE": f"redis://127.0.0.1:{port}/0", "CACHE_HOST": "127.0.0.1", "CACHE_PORT": port,
        }  # fmt: skip


@pytest.mark.parametrize(
    ("env", "host"),
    [
        ({}, "127.0.0.1"),
        ({"REDIS_PORT": "63790", "VERSION": "1.6379", "ID": "a6379", "OTHER": "10.0.0.9:6379"}, "127.0.0.1"),
        ({"REDIS_PORT": "6379"}, "10.0.0.9"),
    ],
)
def test_a_port_that_is_named_nowhere_is_said(
    env: Mapping[str, str], host: str, tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    with pytest.raises(Unavailable) as caught, inserted(command_plan(tmp_path, env=env), tmp_path, host):
        pass
    assert caught.value.code == "prove.no-proxy"
    assert f"REDIS_ADDRESS: '{host}:6379'" in caught.value.mend
    assert caught.value.reason == snapshot


def test_a_server_that_the_rig_did_not_start_is_left_alone(
    tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    plan = plan_of("external: http://127.0.0.1:6379", tmp_path)
    with pytest.raises(Unavailable) as caught, inserted(plan, tmp_path):
        pass
    assert caught.value.code == "prove.no-proxy"
    assert caught.value.reason == snapshot


@pytest.mark.parametrize(("host", "port"), [("/run/redis.sock", 0), ("unix:redis.sock", 6379), ("@redis", 0)])
def test_a_unix_socket_is_said_to_be_one(
    host: str, port: int, tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    plan = command_plan(tmp_path, env={"REDIS_PORT": "6379"})
    with pytest.raises(Unavailable) as caught, inserted(plan, tmp_path, host, port):
        pass
    assert caught.value.code == "prove.no-proxy"
    assert caught.value.reason == snapshot


def test_a_server_that_runs_already_cannot_be_led_through_one(snapshot: SnapshotAssertion) -> None:
    with pytest.raises(Unavailable) as caught:
        able(Lever("delay", "redis"), Scene((), {}))
    assert caught.value.code == "prove.no-proxy"
    assert "prove: {through: {redis: '127.0.0.1:PORT'}}" in caught.value.mend
    assert caught.value.reason == snapshot


def test_a_dependency_that_is_down_is_down_for_the_server_too(tmp_path: Path, free_port: int) -> None:
    port = str(free_port)
    with inserted(command_plan(tmp_path, env={"PORT": port}), tmp_path, port=free_port) as insertion:
        # Its connection is made and broken at once, perhaps before it has seen that it was made.
        with (
            pytest.raises(ConnectionError),
            socket.create_connection(("127.0.0.1", insertion.proxy.port), timeout=PATIENCE_S) as client,
        ):
            client.recv(1)
        assert insertion.proxy.counters().refused == 1

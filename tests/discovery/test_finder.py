"""The finder on real servers: what a tree talks to is found, named and counted; its clients are not."""

import contextlib
import http.client
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from loadrig.base import processes, sockets
from loadrig.base.component import SERVER
from loadrig.base.documents import plain
from loadrig.base.running import Address
from loadrig.discovery import ComponentFinder, MapEdge, describe_server, discover, document_of, find_server
from loadrig.discovery.map import ServiceMap
from loadrig.discovery.text import lines
from tests.conftest import Deadline
from tests.servers._daemon import Daemon, free_port, listens, program, running
from tests.servers.mariadb import started_mariadb
from tests.servers.postgres import started_postgres
from tests.servers.redis import started_redis

pytestmark = pytest.mark.integration

SHOP = """\
import os
import redis
from flask import Flask

port = int(os.environ["REDIS_PORT"])
pool = redis.ConnectionPool(host="127.0.0.1", port=port)
app = Flask(__name__)

@app.get("/pooled")
def pooled():
    return str(redis.Redis(connection_pool=pool).incr("n"))

@app.get("/fresh")
def fresh():
    client = redis.Redis(port=port)
    try:
        return str(client.blpop("nothing", timeout=0.05))
    finally:
        client.close()

async def answer(scope, receive, send):
    global connection
    if scope["type"] == "http":
        import asyncio
        connection = await asyncio.open_connection("127.0.0.1", port)
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"ok"})
"""

# Listens at its first argument, and connects once to each of the others, PORT or HOST:PORT.
TALKER = """\
import socket, sys
own = socket.create_server(("127.0.0.1", int(sys.argv[1])))
places = (place.rpartition(":") for place in sys.argv[2:])
connections = [socket.create_connection((host or "127.0.0.1", int(port))) for host, _, port in places]
while True:
    connections.append(own.accept()[0])
"""


@contextlib.contextmanager
def gunicorn(folder: Path, redis_port: int, *options: str, bind: str | None = None) -> Iterator[Daemon]:
    pytest.importorskip("gunicorn", reason="gunicorn is not installed: pip install gunicorn")
    (folder / "shop.py").write_text(SHOP)
    port, log = free_port(), folder / "gunicorn.log"
    unix = Path(bind.removeprefix("unix:")) if bind else None
    argv = [
        sys.executable,
        "-m",
        "gunicorn",
        "shop:app",
        "-b",
        bind or f"127.0.0.1:{port}",
        "--no-control-socket",
    ]
    environment = {"REDIS_PORT": str(redis_port)}
    up = (lambda: unix.exists()) if unix else (lambda: listens(port))
    with running([*argv, *options], log, up, folder=folder, environment=environment) as process:
        yield Daemon(process, port, folder, log, unix)


@contextlib.contextmanager
def talker(folder: Path, *to: int) -> Iterator[Daemon]:
    """Yield a program that keeps one connection open to each of these ports."""
    port = free_port()
    script = folder / "talker.py"
    script.write_text(TALKER)
    log = folder / f"talker-{port}.log"
    argv = [sys.executable, str(script), str(port), *map(str, to)]
    with running(argv, log, lambda: listens(port), folder=folder) as process:
        yield Daemon(process, port, folder, log)


@contextlib.contextmanager
def asking(port: int, path: str, connections: int = 1) -> Iterator[None]:
    """Ask again and again over kept connections, until the block ends."""
    over = threading.Event()

    def ask() -> None:
        client = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        while not over.is_set():
            client.request("GET", path)
            client.getresponse().read()
        client.close()

    threads = [threading.Thread(target=ask) for _ in range(connections)]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        over.set()
        for thread in threads:
            thread.join()


def server_at(port: int) -> ComponentFinder:
    return ComponentFinder(find_server(f"http://127.0.0.1:{port}/", None))


def edge(service_map: ServiceMap, source: str, to: str) -> MapEdge:
    (wanted,) = (each for each in service_map.edges if (each.source, each.to) == (source, to))
    return wanted


def test_a_gunicorn_with_a_pool_keeps_its_connections_to_redis(tmp_path: Path, deadline: Deadline) -> None:
    with (
        started_redis(tmp_path) as redis,
        gunicorn(tmp_path, redis.port, "-w", "2", "--threads", "2") as shop,
    ):
        finder = server_at(shop.port)
        assert finder.server.pid == shop.pid
        assert finder.server.kind == "gunicorn"
        assert finder.look() == []
        with asking(shop.port, "/pooled", connections=4):
            deadline.wait_for(lambda: "redis" in [each.name for each in finder.look()], "redis to be found")
            for _ in range(3):
                assert finder.look() == []  # known, and so not new
        service_map = finder.map()
    _, found_redis = service_map.components
    assert (found_redis.kind, found_redis.pid, found_redis.runtime) == ("redis", redis.pid, "native")
    assert found_redis.address == Address("127.0.0.1", redis.port, "tcp")
    assert [(each.source, each.to) for each in service_map.edges] == [("server", "redis")]
    to_redis = edge(service_map, "server", "redis")
    assert 1 <= to_redis.connections <= 4
    assert to_redis.different <= 4
    assert to_redis.looks >= 4


def test_short_connections_are_found_by_many_looks_and_are_many(tmp_path: Path, deadline: Deadline) -> None:
    with started_redis(tmp_path) as redis, gunicorn(tmp_path, redis.port, "--threads", "4") as shop:
        finder = server_at(shop.port)
        with asking(shop.port, "/fresh", connections=4):
            deadline.wait_for(
                lambda: finder.look() is not None and any(each.different > 8 for each in finder.map().edges),
                "nine different connections to be seen",
            )
        to_redis = edge(finder.map(), "server", "redis")
    assert to_redis.connections <= 4 < to_redis.different


def test_clients_of_the_server_are_not_what_it_talks_to(tmp_path: Path) -> None:
    with talker(tmp_path) as server, talker(tmp_path, server.port, server.port) as client:
        finder = server_at(server.port)
        assert finder.look() == []
        assert finder.map().edges == ()
        # Seen from the client it is the other way round.
        finder = server_at(client.port)
        assert [component.name for component in finder.look()] == ["talker"]
        assert edge(finder.map(), "server", "talker").connections == 2
        assert finder.map().component("talker").pid == server.pid


def test_what_dependencies_talk_to_is_followed_to_the_third_step(tmp_path: Path) -> None:
    with contextlib.ExitStack() as stack:
        chain = [stack.enter_context(talker(tmp_path))]
        for _ in range(4):
            chain.append(stack.enter_context(talker(tmp_path, chain[-1].port)))
        server, first, second, third, fourth = reversed(chain)
        finder = server_at(server.port)
        new = finder.look()
        assert [component.pid for component in new] == [first.pid, second.pid, third.pid]
        assert fourth.pid not in {component.pid for component in finder.map().components}
        names = ["server", *(component.name for component in new)]
        assert [(each.source, each.to) for each in finder.map().edges] == list(pairwise(names))
        assert names[1:] == ["talker", f"talker:{second.port}", f"talker:{third.port}"]


def test_two_of_a_kind_are_told_apart_by_their_ports_and_keep_their_names(tmp_path: Path) -> None:
    with started_redis(tmp_path) as some_redis, contextlib.ExitStack() as stack:
        (tmp_path / "two").mkdir()
        other_redis = stack.enter_context(started_redis(tmp_path / "two"))
        with talker(tmp_path, some_redis.port, other_redis.port) as server:
            finder = server_at(server.port)
            first, second = sorted((some_redis, other_redis), key=lambda each: each.port)
            assert {each.name: each.pid for each in finder.look()} == {
                "redis": first.pid,
                f"redis:{second.port}": second.pid,
            }
            assert finder.look() == []
            assert [each.name for each in finder.map().components] == [
                "server",
                "redis",
                f"redis:{second.port}",
            ]


def test_a_dependency_that_is_started_again_keeps_its_name(tmp_path: Path, deadline: Deadline) -> None:
    port = free_port()
    with contextlib.ExitStack() as stack:
        first = stack.enter_context(started_redis(tmp_path, port=port))
        server = stack.enter_context(talker(tmp_path, port))
        finder = server_at(server.port)
        finder.look()
        first.process.send_signal(signal.SIGKILL)
        first.process.wait()
        assert finder.look() == []
        again = stack.enter_context(started_redis(tmp_path, port=port))
        deadline.wait_for(
            lambda: finder.look() or finder.map().component("redis").pid == again.pid, "it to be found"
        )
        assert finder.map().component("redis").pid == again.pid
        assert len(finder.map().components) == 2


def test_a_hint_finds_what_no_look_has_seen(tmp_path: Path) -> None:
    with started_redis(tmp_path) as redis, talker(tmp_path) as server:
        finder = server_at(server.port)
        finder.hint("nobody that is known", "127.0.0.1", redis.port)
        assert finder.look() == []
        finder.hint(SERVER, "127.0.0.1", redis.port)
        assert [component.kind for component in finder.look()] == ["redis"]
        finder.hint(SERVER, "127.0.0.1", redis.port)
        assert finder.look() == []
        to_redis = edge(finder.map(), "server", "redis")
    assert (to_redis.connections, to_redis.looks) == (0, 0)


def test_a_hint_adds_nothing_to_what_looks_have_counted(tmp_path: Path) -> None:
    with started_redis(tmp_path) as redis, talker(tmp_path, redis.port) as server:
        (finder := server_at(server.port)).look()
        finder.hint(SERVER, "127.0.0.1", redis.port)
        finder.hint("redis", "192.0.2.77", 5432)
        assert [component.kind for component in finder.look()] == ["postgresql"]
        counted = {each.to: each.connections for each in finder.map().edges}
    assert counted == {"redis": 1, "postgresql": 0}


def test_what_runs_elsewhere_is_told_by_its_port(tmp_path: Path) -> None:
    with talker(tmp_path) as server:
        finder = server_at(server.port)
        for host, port in ((77, 5432), (77, 6379), (78, 6379), (77, 4711)):
            finder.hint(SERVER, f"192.0.2.{host}", port)
        by_name = {component.name: component for component in finder.look()}
    assert {component.kind for component in by_name.values()} == {"postgresql", "redis", "program"}
    assert {"postgresql", "redis", "redis:6379", "192.0.2.77:4711"} == by_name.keys()
    assert all(component.pid is None and component.notes for component in by_name.values())


def test_mariadb_and_postgres_are_found_by_their_processes_at_any_port(tmp_path: Path) -> None:
    with (
        started_mariadb(tmp_path) as mariadb,
        started_postgres(tmp_path) as postgres,
        talker(tmp_path, mariadb.port, postgres.port, postgres.port) as server,
    ):
        finder = server_at(server.port)
        by_name = {component.name: component for component in finder.look()}
        edges = {each.to: each.connections for each in finder.map().edges}
    assert {name: component.pid for name, component in by_name.items()} == {
        "mariadb": mariadb.pid,
        "postgresql": postgres.pid,
    }
    assert edges == {"mariadb": 1, "postgresql": 2}


def test_an_nginx_is_followed_to_its_gunicorn_and_from_there_to_redis(
    tmp_path: Path, deadline: Deadline
) -> None:
    nginx = program("nginx", "apt-get install nginx")
    with (
        started_redis(tmp_path) as redis,
        gunicorn(tmp_path, redis.port, "--keep-alive", "60", "--threads", "4") as shop,
    ):
        port = free_port()
        with running(
            nginx_argv(nginx, tmp_path, port, f"http://127.0.0.1:{shop.port}"),
            tmp_path / "nginx.log",
            lambda: listens(port),
        ) as process:
            # It listens before it has its worker.
            deadline.wait_for(lambda: len(processes.tree(process.pid, processes.table())) == 2, "its worker")
            with asking(port, "/pooled"):
                finder = server_at(port)
                deadline.wait_for(
                    lambda: finder.look() is not None and len(finder.map().components) == 3, "all three"
                )
            service_map = finder.map()
    assert [(component.name, component.kind) for component in service_map.components] == [
        ("server", "nginx"),
        ("gunicorn", "gunicorn"),
        ("redis", "redis"),
    ]
    assert service_map.components[0].pid == process.pid
    assert service_map.components[0].workers == 1
    edges = [(each.source, each.to) for each in service_map.edges]
    assert edges == [("server", "gunicorn"), ("gunicorn", "redis")]
    assert service_map.components[1].pid == shop.pid


def nginx_argv(nginx: str, folder: Path, port: int, upstream: str) -> list[str]:
    temporary = "".join(
        f"{kind}_temp_path {folder}/{kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    (folder / "nginx.conf").write_text(
        f"daemon off; worker_processes 1; pid {folder}/nginx.pid; error_log {folder}/nginx.err;"
        f"events {{}} http {{ access_log off; {temporary}"
        f"upstream shop {{ server {upstream.removeprefix('http://')}; keepalive 4; }}"
        f"server {{ listen 127.0.0.1:{port}; location / {{ proxy_pass http://shop; proxy_http_version 1.1;"
        ' proxy_set_header Connection ""; } } }'
    )
    return [nginx, "-c", str(folder / "nginx.conf"), "-e", f"{folder}/nginx.err"]


def test_a_unix_socket_that_the_settings_name_is_followed(tmp_path: Path) -> None:
    nginx = program("nginx", "apt-get install nginx")
    with (
        started_redis(tmp_path) as redis,
        gunicorn(tmp_path, redis.port, bind=f"unix:{tmp_path}/shop.sock") as shop,
    ):
        port = free_port()
        argv = nginx_argv(nginx, tmp_path, port, f"unix:{shop.unix}")
        with running(argv, tmp_path / "nginx.log", lambda: listens(port)):
            finder = server_at(port)
            (component,) = finder.look()
            to_gunicorn = edge(finder.map(), "server", "gunicorn")
        assert (component.name, component.pid) == ("gunicorn", shop.pid)
        assert to_gunicorn.address.unix == str(shop.unix)
        assert find_server(str(shop.unix), None).pid == shop.pid


def test_an_uvicorn_is_known_and_its_connections_are_those_of_its_workers(
    tmp_path: Path, deadline: Deadline
) -> None:
    pytest.importorskip("uvicorn", reason="uvicorn is not installed: pip install uvicorn")
    (tmp_path / "shop.py").write_text(SHOP)
    port = free_port()
    argv = [sys.executable, "-m", "uvicorn", "shop:answer", "--port", str(port), "--workers", "2"]
    with started_redis(tmp_path) as redis:
        environment = {"REDIS_PORT": str(redis.port)}
        with running(
            argv, tmp_path / "uvicorn.log", lambda: listens(port), folder=tmp_path, environment=environment
        ) as process:
            with asking(port, "/"):
                finder = server_at(port)
                deadline.wait_for(
                    lambda: finder.look() is not None and len(finder.map().components) == 2, "redis"
                )
            service_map = finder.map()
    assert (service_map.components[0].kind, service_map.components[0].pid) == ("uvicorn", process.pid)
    assert service_map.components[0].workers >= 2
    assert service_map.components[1].kind == "redis"


@contextlib.contextmanager
def two_networks() -> Iterator[tuple[list[str], list[str]]]:
    """Yield what runs a command in each of two cabled network namespaces, 10.231.0.1 and 10.231.0.2."""
    unshare, nsenter = (program(name, "apt-get install util-linux") for name in ("unshare", "nsenter"))
    ip = program("ip", "apt-get install iproute2")
    with contextlib.ExitStack() as stack:
        holders = []
        for _ in range(2):
            holder = stack.enter_context(
                subprocess.Popen([unshare, "-n", "sh", "-c", "echo; exec sleep 120"], stdout=subprocess.PIPE)
            )
            stack.callback(holder.kill)
            assert holder.stdout is not None
            if not holder.stdout.readline():
                pytest.skip("a network namespace cannot be made here: run as root")
            holders.append(holder.pid)
        enter = [[nsenter, "-t", str(pid), "-n"] for pid in holders]
        cable = [
            ip, "link", "add", "cable", "type", "veth", "peer", "name", "cable", "netns", str(holders[1]),
        ]  # fmt: skip
        if subprocess.run([*enter[0], *cable], capture_output=True, check=False).returncode:
            pytest.skip("no cable can be laid between network namespaces here: the kernel has no veth")
        for number, into in enumerate(enter, start=1):
            for words in (
                f"address add 10.231.0.{number}/30 dev cable", "link set cable up", "link set lo up",
            ):  # fmt: skip
                subprocess.run([*into, ip, *words.split()], check=True)
        yield enter[0], enter[1]


def test_a_dependency_in_another_network_of_this_machine_is_found_by_its_process(
    tmp_path: Path, deadline: Deadline
) -> None:
    redis = program("redis-server", "apt-get install redis-server")
    (tmp_path / "talker.py").write_text(TALKER)
    options = ["--port", "6380", "--save", "", "--protected-mode", "no", "--bind", "0.0.0.0"]
    with two_networks() as (here, there), contextlib.ExitStack() as stack:

        def started(argv: list[str], name: str) -> int:
            log = tmp_path / f"{name}.log"
            process = stack.enter_context(running(argv, log, lambda: True, folder=tmp_path))
            return process.pid  # nsenter becomes what it starts

        database = started([*there, redis, *options], "redis")
        deadline.wait_for(lambda: listens_apart(database, 6380), "redis to listen")
        shop = started([*here, sys.executable, "talker.py", "8000", "10.231.0.2:6380"], "talker")
        deadline.wait_for(lambda: listens_apart(shop, 8000), "the server to listen")
        finder = ComponentFinder(find_server(None, shop))
        assert finder.server.address == Address("127.0.0.1", 8000)
        deadline.wait_for(finder.look, "redis to be found")
        component = finder.map().component("redis")
        assert (component.pid, component.address) == (database, Address("10.231.0.2", 6380, "tcp"))


def listens_apart(pid: int, port: int) -> bool:
    """Return whether somebody listens at a port in the network of a process, once that is not ours."""
    apart = Path(f"/proc/{pid}/ns/net").readlink() != Path("/proc/self/ns/net").readlink()
    return apart and any(listener.port == port for listener in sockets.listeners(Path(f"/proc/{pid}")))


def test_a_worker_leads_to_its_master_and_a_target_is_filled_in(tmp_path: Path, deadline: Deadline) -> None:
    with gunicorn(tmp_path, 1, "-w", "2") as shop:
        deadline.wait_for(lambda: len(processes.tree(shop.pid, processes.table())) == 3, "its workers")
        table = processes.table()
        worker = processes.tree(shop.pid, table)[1]
        server = find_server(None, worker)
        assert (server.pid, server.address) == (shop.pid, Address("127.0.0.1", shop.port))
        target = find_server(None, shop.pid)
        bare = replace(
            target, kind="program", runtime="", version="", settings={}, log=tmp_path / "x.log", is_ours=True
        )
        filled = describe_server(bare)
    assert (filled.kind, filled.runtime, filled.pid) == ("gunicorn", "cpython", shop.pid)
    assert (filled.log, filled.is_ours, filled.address) == (tmp_path / "x.log", True, bare.address)
    gone = describe_server(bare)
    assert gone == bare  # it has ended: what was known stays


def test_the_map_is_told_in_lines_and_as_plain_data(tmp_path: Path) -> None:
    with contextlib.ExitStack() as stack:
        ends = [stack.enter_context(talker(tmp_path)) for _ in range(4)]
        server = stack.enter_context(talker(tmp_path, *(end.port for end in ends), ends[0].port))
        service_map = discover(f":{server.port}", look_for_s=0)
    data = plain(document_of(service_map))
    names = [component.name for component in service_map.components]
    assert [component["name"] for component in data["components"]] == names
    assert {(each["source"], each["to"]) for each in data["edges"]} == {("server", to) for to in names[1:]}
    assert data["components"][0]["address"] == f"127.0.0.1:{server.port}"
    in_lines = lines(service_map)
    assert max(map(len, in_lines)) <= 80
    assert sum(line.lstrip().startswith("-> ") for line in in_lines) == 4


def test_a_look_changes_nothing_and_sends_nothing(tmp_path: Path) -> None:
    # A listener that would see any byte and any connection.
    with (
        socket.create_server(("127.0.0.1", 0)) as listener,
        talker(tmp_path, listener.getsockname()[1]) as server,
        listener.accept()[0] as accepted,
    ):
        finder = server_at(server.port)
        finder.look()
        finder.look()
        accepted.setblocking(False)
        listener.setblocking(False)
        with pytest.raises(BlockingIOError):
            accepted.recv(1)
        with pytest.raises(BlockingIOError):
            listener.accept()

"""`loadrig discover`: the map as text, as JSON and as a plan; and what cannot be looked into."""

import json
import os
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from loadrig.base.exits import Exit
from loadrig.cli.__main__ import main
from loadrig.plan.load import read
from tests.servers._daemon import Daemon, free_port, listens, listens_at, running
from tests.servers.redis import started_redis
from tests.wording import codes, holding

pytestmark = pytest.mark.integration

# Keeps two connections to the port of its first argument and listens at its second, a port or a path.
SHOP = """\
import socket, sys
connections = [socket.create_connection(("127.0.0.1", int(sys.argv[1]))) for _ in range(2)]
if sys.argv[2].isdecimal():
    own = socket.create_server(("127.0.0.1", int(sys.argv[2])))
else:
    own = socket.socket(socket.AF_UNIX)
    own.bind(sys.argv[2])
    own.listen()
while True:
    connections.append(own.accept()[0])
"""


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Daemon, Daemon]]:
    """Yield a server that talks to a redis, and that redis."""
    folder = tmp_path_factory.mktemp("shop")
    (folder / "shop.py").write_text(SHOP)
    with started_redis(folder, password="tell-nobody") as redis:
        port = free_port()
        argv = [sys.executable, "shop.py", str(redis.port), str(port), "--api-key=tell-nobody"]
        environment = {"REDIS_URL": "redis://:tell-nobody@127.0.0.1/0", "API_SECRET": "tell-nobody"}
        log = folder / "shop.log"
        with running(argv, log, lambda: listens(port), folder=folder, environment=environment) as process:
            yield Daemon(process, port, folder, log), redis


def test_the_map_names_the_server_and_what_it_talks_to(
    shop: tuple[Daemon, Daemon], capsys: pytest.CaptureFixture[str]
) -> None:
    server, redis = shop
    assert main(["discover", f"http://127.0.0.1:{server.port}/cart", "--for", "50ms"]) == Exit.FINE
    printed = capsys.readouterr().out
    (line,) = holding(printed.splitlines(), "server: ", f"pid {server.pid}")
    assert f"CPython {sys.version.split()[0]}" in line
    assert f"-> redis: redis {version_of(redis)}, pid {redis.pid}" in printed
    assert f"127.0.0.1:{redis.port}, 2 connections" in printed
    assert "REDIS_URL=redis://***@127.0.0.1/0" in printed
    assert "tell-nobody" not in printed
    assert max(map(len, printed.splitlines())) <= 80


def version_of(redis: Daemon) -> str:
    """Return the version that a redis says itself."""
    with socket.create_connection(("127.0.0.1", redis.port)) as connection:
        connection.sendall(f"AUTH {redis.password}\r\nINFO server\r\n".encode())
        reply = b""
        while b"redis_mode" not in reply:
            reply += connection.recv(4096)
    version = re.search(rb"redis_version:(\S+)", reply)
    assert version is not None
    return version[1].decode()


@pytest.mark.parametrize("way", ["port", "pid"])
def test_the_same_for_machines(
    way: str, shop: tuple[Daemon, Daemon], capsys: pytest.CaptureFixture[str]
) -> None:
    server, redis = shop
    words = [f":{server.port}"] if way == "port" else ["--pid", str(server.pid)]
    assert main(["discover", *words, "--for", "0s", "--json"]) == Exit.FINE
    text = capsys.readouterr().out
    document = json.loads(text)
    assert document["schema"] == "loadrig.discover/1"
    assert [(component["name"], component["pid"]) for component in document["components"]] == [
        ("server", server.pid),
        ("redis", redis.pid),
    ]
    assert [(edge["source"], edge["to"], edge["connections"]) for edge in document["edges"]] == [
        ("server", "redis", 2)
    ]
    assert document["components"][0]["argv"][-1] == "--api-key=***"
    assert "tell-nobody" not in text


def test_the_plan_is_one_that_check_takes(
    shop: tuple[Daemon, Daemon], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    url = f"http://127.0.0.1:{shop[0].port}"
    assert main(["discover", f"{url}/cart?x=1", "--for", "0s", "--as-plan"]) == Exit.FINE
    text = capsys.readouterr().out
    (tmp_path / "plan.yaml").write_text(text)
    plan = read(text, str(tmp_path / "plan.yaml"))
    assert plan.target.options.url == url
    assert [request.path for request in plan.workload.requests] == ["/cart?x=1"]
    assert "#   - redis: {password_env: REDIS_PASSWORD}" in text
    assert "tell-nobody" not in text
    assert main(["check", str(tmp_path / "plan.yaml")]) == Exit.FINE


def test_a_server_on_a_unix_socket_becomes_a_plan_too(
    shop: tuple[Daemon, Daemon], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "shop.py").write_text(SHOP)
    path = tmp_path / "shop.sock"
    argv = [sys.executable, "shop.py", str(shop[1].port), str(path), "a\nline: [", "\x1b[31m#"]
    with running(argv, tmp_path / "log", lambda: listens_at(path), folder=tmp_path) as process:
        assert main(["discover", str(path), "--for", "0s", "--as-plan"]) == Exit.FINE
        text = capsys.readouterr().out
        assert main(["discover", "--pid", str(process.pid), "--for", "0s"]) == Exit.FINE
    assert "\x1b" not in text + capsys.readouterr().out
    assert read(text, str(tmp_path / "plan.yaml")).target.options.unix == str(path)


@pytest.mark.parametrize(
    ("words", "code", "exit_code"),
    [
        (["http://198.51.100.7/"], "discover.elsewhere", Exit.PLAN_WRONG),
        (["--pid", "4194304"], "target.no-process", Exit.TARGET_FAILED),
        (["http://"], "plan.url", Exit.PLAN_WRONG),
        (["http://127.0.0.1:99999/"], "plan.url", Exit.PLAN_WRONG),
        ([], "cli.wrong-argument", Exit.PLAN_WRONG),
        ([":8000", "--for", "soon"], "plan.wrong-unit", Exit.PLAN_WRONG),
    ],
)
def test_a_mistake_is_told_with_its_mend(
    words: list[str], code: str, exit_code: Exit, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["discover", *words]) == exit_code
    printed = capsys.readouterr().err
    assert codes(printed) == [code]
    assert "mend:" in printed


def test_where_nothing_listens_that_is_said(free_port: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["discover", f":{free_port}"]) == Exit.TARGET_FAILED
    err = capsys.readouterr().err
    assert codes(err) == ["target.not-listening"]
    assert f"http://127.0.0.1:{free_port}" in err


# Once as root: what it imports then may be closed to others, where the interpreter is root's.
AS_NOBODY = """\
import contextlib, io, os, pwd, sys
from loadrig.cli import discover
from loadrig.cli._parser import Parser
parser = Parser("discover", discover.HELP)
discover.configure(parser)
ways = [parser.parse_args([*words, "--for", "0s"]) for words in (["--pid", sys.argv[1]], [":" + sys.argv[2]])]
with contextlib.redirect_stdout(io.StringIO()):
    discover.run(ways[0])
os.setgroups([])
os.setgid(65534)
os.setuid(65534)
for arguments in ways:
    discover.run(arguments)
"""


def test_another_users_server_is_told_in_part_with_what_would_show_the_rest(
    shop: tuple[Daemon, Daemon],
) -> None:
    if os.getuid() != 0:
        pytest.skip("only root can become another user")
    server, _ = shop
    words = [sys.executable, "-c", AS_NOBODY, str(server.pid), str(server.port)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    printed = " ".join(done.stdout.split())
    assert f"sudo loadrig discover --pid {server.pid} " in printed
    assert f"pid {server.pid}" in printed
    assert "user root" in printed
    assert str(server.port) in printed

"""Sysctls as knobs, in a real network namespace: set while the server runs, put back, never the machine's.

A queue of a listening socket is as long as net.core.somaxconn lets it be when `listen` is called, and the
kernel tells of a running server how long it is: so what is read is what the server got, not what was written.
"""

import json
import os
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest

from loadrig.base import leases, networks
from loadrig.base.errors import TargetError
from loadrig.target import command
from loadrig.target._knobs import FreeKnob
from tests.integration.started import base, nothing_left, problem_of, wait_until
from tests.probes import namespaces
from tests.servers._daemon import program

__all__ = ["base", "nothing_left"]  # fixtures

pytestmark = [pytest.mark.integration, pytest.mark.timeout(60)]

QUEUE, FIN = "net.core.somaxconn", "net.ipv4.tcp_fin_timeout"

SERVER = """\
import http.server, json, socket, struct, sys
from pathlib import Path
class Server(http.server.ThreadingHTTPServer):
    request_queue_size = 500
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        # Of a socket that listens, tcpi_sacked is the length of its queue. Source: tcp_get_info() of Linux.
        (queue,) = struct.unpack_from("I", server.socket.getsockopt(socket.SOL_TCP, socket.TCP_INFO, 32), 28)
        fin = int(Path("/proc/sys/net/ipv4/tcp_fin_timeout").read_text())
        body = json.dumps({"queue": queue, "fin": fin}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
server = Server(("127.0.0.1", int(sys.argv[1])), Handler)
server.serve_forever()
"""

RIG = """\
import json, sys
from pathlib import Path
from loadrig.target import command
from loadrig.target._knobs import FreeKnob
from tests.integration.started import get
base = Path(sys.argv[1])
setting = json.loads(sys.argv[2])
knobs = {name: FreeKnob(sysctl=name, low=1, high=9999) for name in setting}
options = command.Options((sys.executable, "server.py", "{port}"), knob_flags=knobs)
with command.start(options, setting, base / "run", base) as running:
    print(json.dumps(get(running.target.address)), flush=True)
    input()
    print(json.dumps(running.stop().left), flush=True)
"""


def sysctl(name: str) -> str:
    return (Path("/proc/sys") / name.replace(".", "/")).read_text(encoding="ascii").strip()


def inside(space: int, name: str) -> str:
    """Return what a sysctl says in the namespace of a process."""
    return networks.within(Path(f"/proc/{space}/ns/net"), lambda: sysctl(name))


def put(space: int, name: str, value: int) -> None:
    path = Path("/proc/sys") / name.replace(".", "/")
    networks.within(Path(f"/proc/{space}/ns/net"), lambda: path.write_text(str(value), encoding="ascii"))


@pytest.fixture
def space() -> Iterator[int]:
    """Yield a process in a network namespace of its own; then the machine's sysctls are as they were."""
    program("nsenter", "apt-get install util-linux")
    before = {name: sysctl(name) for name in (QUEUE, FIN)}
    with namespaces.program("") as pid:
        # Other than the machine's, so that a value written into the wrong namespace is seen.
        put(pid, QUEUE, 300)
        put(pid, FIN, 33)
        yield pid
    assert {name: sysctl(name) for name in (QUEUE, FIN)} == before


def entered(space: int, *words: str, base: Path) -> "subprocess.Popen[str]":
    """Start a program in the namespace of a process."""
    root = Path(__file__).parents[2]
    return subprocess.Popen(
        ["nsenter", "-t", str(space), "-n", *words],
        cwd=base, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONPATH": str(root)},
    )  # fmt: skip


def rig(space: int, base: Path, setting: dict[str, int]) -> "subprocess.Popen[str]":
    (base / "server.py").write_text(SERVER)
    (base / "rig.py").write_text(textwrap.dedent(RIG))
    return entered(space, sys.executable, "rig.py", str(base), json.dumps(setting), base=base)


def reply_of(process: "subprocess.Popen[str]") -> object:
    assert process.stdout is not None
    return json.loads(process.stdout.readline())


def killed_rig(space: int, base: Path, setting: dict[str, int]) -> object:
    """Kill a rig that has started a server in the namespace. Return what the server said."""
    with rig(space, base, setting) as process:
        answer = reply_of(process)
        process.kill()
    return answer


def doctor(base: Path, space: int | None = None, command: tuple[str, ...] = ("doctor", "--clean")) -> str:
    words = [sys.executable, "-m", "loadrig.cli", *command]
    into = ["nsenter", "-t", str(space), "-n"] if space is not None else []
    done = subprocess.run(
        [*into, *words], cwd=base, capture_output=True, text=True, timeout=50, check=False
    )  # fmt: skip
    return done.stdout + done.stderr


def test_a_server_runs_with_the_sysctls_of_its_setting_and_they_are_put_back(base: Path, space: int) -> None:
    with rig(space, base, {QUEUE: 17, FIN: 44}) as process:
        assert reply_of(process) == {"queue": 17, "fin": 44}
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
        assert reply_of(process) == []
    assert process.returncode == 0
    assert (inside(space, QUEUE), inside(space, FIN)) == ("300", "33")


def test_without_them_the_server_gets_what_the_namespace_says(base: Path, space: int) -> None:
    with rig(space, base, {}) as process:
        assert reply_of(process) == {"queue": 300, "fin": 33}
        process.communicate("\n")


def test_a_value_that_the_kernel_does_not_take_leaves_none_of_the_others_behind(
    base: Path, space: int
) -> None:
    with rig(space, base, {FIN: 44, QUEUE: -1}) as process:
        assert process.stdout is not None
        assert process.stdout.read() == ""
    assert process.returncode != 0
    assert (inside(space, QUEUE), inside(space, FIN)) == ("300", "33")


@pytest.mark.parametrize("where", ["there", "the machine's namespace"])
def test_doctor_puts_back_what_a_killed_rig_had_set_wherever_it_runs(
    base: Path, space: int, where: str
) -> None:
    assert killed_rig(space, base, {QUEUE: 17, FIN: 44}) == {"queue": 17, "fin": 44}
    assert (inside(space, QUEUE), inside(space, FIN)) == ("17", "44")
    machine = (sysctl(QUEUE), sysctl(FIN))
    cleaned = doctor(base, space if where == "there" else None)
    assert "somaxconn is 300" in cleaned
    assert (inside(space, QUEUE), inside(space, FIN)) == ("300", "33")
    assert (sysctl(QUEUE), sysctl(FIN)) == machine


def test_the_next_command_puts_it_back_in_that_namespace_too(base: Path, space: int) -> None:
    killed_rig(space, base, {QUEUE: 17})
    machine = sysctl(QUEUE)
    doctor(base, None, ("check", "none"))
    assert inside(space, QUEUE) == "300"
    assert sysctl(QUEUE) == machine
    doctor(base)


def test_what_somebody_has_set_since_is_left_as_it_is(base: Path, space: int) -> None:
    killed_rig(space, base, {QUEUE: 17, FIN: 44})
    put(space, QUEUE, 999)
    assert "somaxconn is 999" in doctor(base)
    assert (inside(space, QUEUE), inside(space, FIN)) == ("999", "33")


def test_what_went_with_its_namespace_is_not_written_anywhere(base: Path) -> None:
    program("nsenter", "apt-get install util-linux")
    machine = sysctl(QUEUE)
    with namespaces.program("") as pid:
        number = networks.within(Path(f"/proc/{pid}/ns/net"), networks.own)
        assert number is not None
        put(pid, QUEUE, 300)
        killed_rig(pid, base, {QUEUE: 17})
    wait_until(lambda: networks.place_of(number) is None)
    doctor(base)
    assert sysctl(QUEUE) == machine


def test_the_machines_own_namespace_is_refused_and_nothing_is_started(base: Path) -> None:
    if not networks.is_of_machine():
        pytest.skip("the tests run in a network namespace of their own")
    before = sysctl(FIN)
    options = command.Options(
        (sys.executable, "server.py", "{port}"), knob_flags={"fin": FreeKnob(sysctl=FIN, low=1, high=99)}
    )
    with pytest.raises(TargetError) as refused:
        command.start(options, {"fin": 44}, base / "run", base)
    assert problem_of(refused).code == "target.sysctl"
    assert sysctl(FIN) == before
    assert leases.listed() == []

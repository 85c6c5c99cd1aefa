"""A host across a real network and a real sshd: two network namespaces, joined by a cable of their own."""

import contextlib
import os
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from loadrig.base import processes
from loadrig.base.series import Event
from loadrig.probes._remote import link as _link
from loadrig.probes._remote import talk as _talk
from loadrig.probes._remote.rig import RemoteObserver
from tests.conftest import Deadline
from tests.probes.elsewhere import SampleKeeper, asked

pytestmark = pytest.mark.integration

PYTHON = sys.executable
HERE, THERE = "10.231.7.1", "10.231.7.2"
SSH_PORT, WEB_PORT = 2222, 8000
EVERY_S = 0.1

CONFIG = """\
Port {port}
ListenAddress {address}
HostKey {folder}/host_key
AuthorizedKeysFile {folder}/key.pub
PidFile none
UsePAM no
StrictModes no
PasswordAuthentication no
KbdInteractiveAuthentication no
PermitRootLogin prohibit-password
"""

SERVER = """\
import http.server, sys
class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"ok")
    def log_message(self, *arguments):
        pass
http.server.ThreadingHTTPServer((sys.argv[1], int(sys.argv[2])), Handler).serve_forever()
"""


@dataclass(frozen=True)
class SshHosts:
    """Two hosts in one machine: the rig's network, and the one of a server with a real sshd."""

    rig: str
    far: str
    folder: Path
    server: "subprocess.Popen[bytes]"

    @property
    def ssh(self) -> str:
        """The command of a plan's `via`, run in the network of the rig."""
        known_hosts = f"-o UserKnownHostsFile={self.folder}/known"
        return (
            f"ip netns exec {self.rig} ssh -F none -i {self.folder}/key -p {SSH_PORT} {known_hosts} {THERE}"
        )

    @contextlib.contextmanager
    def connections(self, n: int) -> "Iterator[subprocess.Popen[bytes]]":
        """Hold so many open connections from the rig's network to the server, each after one request."""
        program = (
            "import socket, sys\n"
            f"held = [socket.create_connection(({THERE!r}, {WEB_PORT})) for _ in range({n})]\n"
            "for one in held:\n"
            "    one.sendall(b'GET / HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n')\n"
            "    assert b' 200 ' in one.recv(4096)\n"
            "print('open', flush=True)\n"
            "sys.stdin.read()\n"
        )
        with subprocess.Popen(
            ["ip", "netns", "exec", self.rig, PYTHON, "-c", program],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        ) as client:
            assert client.stdout is not None
            assert client.stdin is not None
            assert client.stdout.readline() == b"open\n"
            try:
                yield client
            finally:
                client.stdin.close()


def _run(*words: str) -> None:
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{shlex.join(words)}: {done.stderr}"


@contextlib.contextmanager
def _started(*words: str) -> "Iterator[subprocess.Popen[bytes]]":
    process = subprocess.Popen(
        words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, start_new_session=True
    )
    try:
        yield process
    finally:
        # With what it has started: sshd has a process for each connection.
        for pid in processes.tree(process.pid, processes.table()):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        process.wait()


@contextlib.contextmanager
def _networks() -> Iterator[tuple[str, str]]:
    """Lay a cable between two network namespaces; both are removed afterwards."""
    tag = f"loadrig{os.getpid()}"
    rig, far = f"{tag}a", f"{tag}b"
    with contextlib.ExitStack() as stack:
        for name in (rig, far):
            _run("ip", "netns", "add", name)
            stack.callback(_run, "ip", "netns", "delete", name)
        _run(
            "ip", "link", "add", "cable", "netns", rig, "type", "veth", "peer", "name", "cable", "netns", far
        )
        for name, address in ((rig, HERE), (far, THERE)):
            _run("ip", "-n", name, "address", "add", f"{address}/24", "dev", "cable")
            _run("ip", "-n", name, "link", "set", "cable", "up")
            _run("ip", "-n", name, "link", "set", "lo", "up")
        yield rig, far


def _may_make_networks() -> bool:
    name = f"loadrig{os.getpid()}try"
    if subprocess.run(["ip", "netns", "add", name], capture_output=True, check=False).returncode:
        return False
    _run("ip", "netns", "delete", name)
    return True


@contextlib.contextmanager
def _privilege_separation() -> Iterator[None]:
    """Make the folder that sshd wants to be there, where the system has not."""
    folder = Path("/run/sshd")
    if folder.exists():
        yield
        return
    folder.mkdir(mode=0o755)
    try:
        yield
    finally:
        folder.rmdir()


@pytest.fixture(scope="module")
def hosts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SshHosts]:
    sshd = shutil.which("sshd", path=f"{os.environ['PATH']}:/usr/sbin")
    for program, package in (("ip", "iproute2"), ("ssh", "openssh-client"), ("ssh-keygen", "openssh-client")):
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed: apt-get install {package}")
    if sshd is None:
        pytest.skip("sshd is not installed: apt-get install openssh-server")
    if os.geteuid() != 0 or not _may_make_networks():
        pytest.skip("this user may not make network namespaces: run the tests as root")
    folder = tmp_path_factory.mktemp("far")
    for key in ("host_key", "key"):
        _run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(folder / key))
    config = CONFIG.format(port=SSH_PORT, address=THERE, folder=folder)
    (folder / "sshd_config").write_text(config, encoding="utf-8")
    host_key = (folder / "host_key.pub").read_text(encoding="utf-8")
    (folder / "known").write_text(f"[{THERE}]:{SSH_PORT} {host_key}", encoding="utf-8")
    (folder / "server.py").write_text(SERVER, encoding="utf-8")
    with contextlib.ExitStack() as stack:
        stack.enter_context(_privilege_separation())
        rig, far = stack.enter_context(_networks())
        inside = ("ip", "netns", "exec", far)
        stack.enter_context(_started(*inside, sshd, "-D", "-e", "-f", str(folder / "sshd_config")))
        program = str(folder / "server.py")
        server = stack.enter_context(_started(*inside, PYTHON, program, THERE, str(WEB_PORT)))
        wait = Deadline()
        for port in (SSH_PORT, WEB_PORT):
            wait.wait_for(lambda port=port: _answers(rig, port), f"port {port} of the far host")  # type: ignore[misc]
        yield SshHosts(rig, far, folder, server)


def _answers(rig: str, port: int) -> bool:
    program = f"import socket; socket.create_connection(({THERE!r}, {port}), timeout=1)"
    words = ["ip", "netns", "exec", rig, PYTHON, "-S", "-c", program]
    return subprocess.run(words, capture_output=True, check=False).returncode == 0


def observed(hosts: SshHosts, sink: SampleKeeper, retry_s: float = 60.0, **how: Any) -> RemoteObserver:
    how = {"via": hosts.ssh, "python": PYTHON, "only": ("process", "system_cpu", "tcp_sockets"), **how}
    return RemoteObserver(asked(**how), EVERY_S, sink, retry_s=retry_s)


def until(deadline: Deadline, sink: SampleKeeper, component: str, metric: str, n: int = 1) -> None:
    deadline.wait_for(lambda: len(sink.of(component, metric)) >= n, f"{n} samples of {metric} of {component}")


def refused(hosts: SshHosts, deadline: Deadline, **how: Any) -> Event:
    """Return what is said about a host that cannot be observed."""
    sink = SampleKeeper()
    with observed(hosts, sink, **how):
        deadline.wait_for(lambda: sink.events("note"), "a word on why there is no observer")
    (note,) = sink.events("note")
    return note


# --- what is seen -------------------------------------------------------------------------------------


def test_processes_and_sockets_of_the_far_host_are_seen(hosts: SshHosts, deadline: Deadline) -> None:
    sink = SampleKeeper()
    with observed(hosts, sink, port=WEB_PORT) as observer, hosts.connections(7):

        def are_seen() -> bool:
            opened = sink.of("web1/host", "tcp_sockets.established")
            return any(sample.value == 7 and sample.subject.endswith(f":{WEB_PORT}") for sample in opened)

        deadline.wait_for(are_seen, "the seven connections at the server's end")
        until(deadline, sink, "web1/server", "process.threads", 3)
    assert sink.of("web1/server", "process.cpu_s", f"pid:{hosts.server.pid}")
    assert max(sample.value for sample in sink.of("web1/server", "process.threads", "tree")) >= 7
    assert {component.name for component in observer.components} >= {"web1/host", "web1/server"}
    facts = observer.facts()
    assert facts.offset_ms is not None
    assert facts.residual_ms is not None
    assert abs(facts.offset_ms) <= facts.residual_ms < 100
    assert facts.n >= 28


def test_after_the_end_no_observer_is_left_there(hosts: SshHosts, deadline: Deadline) -> None:
    sink = SampleKeeper()
    with observed(hosts, sink) as observer:
        until(deadline, sink, "web1/host", "system_cpu.user_s")
        pid = observer.far_pid
        assert pid is not None
        start = processes.start_of(pid)
    assert start is not None
    deadline.wait_for(lambda: not processes.is_alive(pid, start), "the end of the observer there")
    assert sink.events("gap") == []


# --- what goes wrong ----------------------------------------------------------------------------------


def test_a_killed_ssh_is_a_gap_and_the_host_is_seen_again(hosts: SshHosts, deadline: Deadline) -> None:
    sink = SampleKeeper()
    with observed(hosts, sink, retry_s=0.3, port=WEB_PORT):
        until(deadline, sink, "web1/server", "process.threads", 3)
        everyone = processes.table()
        (ssh,) = [pid for pid in processes.tree(os.getpid(), everyone) if everyone[pid].name == "ssh"]
        os.kill(ssh, signal.SIGKILL)
        deadline.wait_for(lambda: sink.events("gap_over"), "the host to be observed again")
        count = len(sink.of("web1/server", "process.threads"))
        until(deadline, sink, "web1/server", "process.threads", count + 3)
    (gap,) = sink.events("gap")
    assert gap.component == "web1/host"
    assert gap.facts["code"] == "probe.no-answer"


def test_a_cut_cable_is_a_gap_and_the_run_ends_well(
    hosts: SshHosts, deadline: Deadline, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_talk, "SILENT_S", 3.0)  # more than a busy machine is silent
    monkeypatch.setattr(_link, "END_S", 0.2)
    sink = SampleKeeper()
    with observed(hosts, sink) as observer:
        until(deadline, sink, "web1/host", "system_cpu.user_s", 3)
        pid = observer.far_pid
        _run("ip", "-n", hosts.rig, "link", "set", "cable", "down")
        try:
            deadline.wait_for(lambda: sink.events("gap"), "the gap")
        finally:
            _run("ip", "-n", hosts.rig, "link", "set", "cable", "up")
    (gap,) = sink.events("gap")
    assert gap.facts["code"] == "probe.no-answer"
    assert pid is not None
    deadline.wait_for(
        lambda: processes.start_of(pid) is None, "the observer there to end with its connection"
    )


def test_a_killed_rig_leaves_no_observer_there(hosts: SshHosts, deadline: Deadline) -> None:
    program = (
        "import sys, time\n"
        "from loadrig.probes._remote.rig import RemoteObserver\n"
        "from tests.probes.elsewhere import SampleKeeper, asked\n"
        f"observer = RemoteObserver(asked({hosts.ssh!r}, python=sys.executable), 0.05, SampleKeeper())\n"
        "observer.start()\n"
        "while observer.facts().offset_ms is None:\n"
        "    time.sleep(0.01)\n"
        "print(observer.far_pid, flush=True)\n"
        "time.sleep(60)\n"
    )
    with subprocess.Popen([PYTHON, "-c", program], stdout=subprocess.PIPE) as rig:
        assert rig.stdout is not None
        pid = int(rig.stdout.readline())
        start = processes.start_of(pid)
        assert start is not None
        rig.kill()
    deadline.wait_for(lambda: not processes.is_alive(pid, start), "the end of the observer there")


def test_a_far_host_without_that_python_is_told(hosts: SshHosts, deadline: Deadline) -> None:
    note = refused(hosts, deadline, python="/opt/nowhere/python")
    assert note.facts["code"] == "probe.no-tool"
    assert "/opt/nowhere/python" in note.text


def test_a_far_python_without_loadrig_is_told(hosts: SshHosts, deadline: Deadline) -> None:
    note = refused(hosts, deadline, python=f"{PYTHON} -I -S")
    assert note.facts["code"] == "probe.no-tool"
    assert f"{PYTHON} -I -S" in note.text


def test_who_is_not_let_in_is_told(hosts: SshHosts, deadline: Deadline, tmp_path: Path) -> None:
    _run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(tmp_path / "key"))
    via = hosts.ssh.replace(f"{hosts.folder}/key ", f"{tmp_path}/key -o IdentitiesOnly=yes ")
    note = refused(hosts, deadline, via=via)
    assert note.facts["code"] == "probe.refused"
    assert "Permission denied (publickey)" in note.text


def test_a_host_with_another_key_is_not_spoken_to(
    hosts: SshHosts, deadline: Deadline, tmp_path: Path
) -> None:
    note = refused(hosts, deadline, via=hosts.ssh.replace(f"{hosts.folder}/known", f"{tmp_path}/known"))
    assert note.facts["code"] == "probe.refused"
    assert "Permission denied" not in note.text


def test_a_host_that_listens_nowhere_is_told(hosts: SshHosts, deadline: Deadline) -> None:
    note = refused(hosts, deadline, via=hosts.ssh.replace(f"-p {SSH_PORT}", "-p 2223"))
    assert note.facts["code"] == "probe.no-answer"
    assert "Connection refused" in note.text

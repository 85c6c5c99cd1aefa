"""Weight of the rig itself on a machine: memory of all its processes, and what a result imports."""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

MOST_BYTES = 100_000_000
"""Proportional set size of all processes of `loadrig attack` together, at its peak."""

LOOK_S = 0.05

LIBRARIES = {"scipy.stats", "scipy.optimize", "scipy.signal", "scipy.linalg", "scipy.ndimage"}
"""From 6 to 46 MB each; numpy and scipy.special are what a result needs."""

OF_OTHERS = {
    "loadrig.probes.go", "loadrig.probes.jvm", "loadrig.probes.mariadb", "loadrig.probes.postgresql",
    "loadrig.probes.redis", "hiredis", "loadrig.base.leases",
}  # fmt: skip
"""Probes of what is not there, and what they alone import."""

ASKED_BY_READINGS = {"check_gaps", "coincidence", "memory", "shares", "trend"}
"""Modules that ask a library about readings that chance would seldom make, which a busy machine may do."""

AT_ITS_END = """
import json, sys
from loadrig.cli.__main__ import main

class Witness:
    asked_by = {}

    def find_spec(self, name, *_):
        frame, module = sys._getframe(1), ""
        while frame is not None and not module:
            within = frame.f_globals.get("__name__", "")
            module = within if within.startswith("loadrig.") else ""
            is_own = frame.f_code.co_name != "<module>"
            frame = frame.f_back
        self.asked_by.setdefault(name, module.rpartition(".")[2] if is_own else module)

sys.meta_path.insert(0, Witness())
code = main(sys.argv[1:])
print(json.dumps({name: Witness.asked_by.get(name, "") for name in sys.modules}), file=sys.stderr)
"""
"""Runs a command and says, at its end, what was imported, and which function's module of ours asked for it;
with its room where the module asks for it when it is imported itself."""


class QuietTarget(BaseHTTPRequestHandler):
    """Answers every request, and says nothing of it."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"ok")

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def url() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), QuietTarget) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}/"
        finally:
            server.shutdown()
            thread.join()


def tree(pid: int) -> list[int]:
    """Return a process and all below it."""
    pids = [pid]
    try:
        for task in os.listdir(f"/proc/{pid}/task"):
            children = Path(f"/proc/{pid}/task/{task}/children").read_text(encoding="ascii").split()
            pids += [below for child in children for below in tree(int(child))]
    except OSError:  # it has ended
        pass
    return pids


def pss_bytes(pid: int) -> int:
    """Return the proportional set size of a process; 0 once it has ended."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii").splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:"))


@pytest.mark.integration
def test_all_processes_of_an_attack_take_less_than_100_mb_together(url: str, tmp_path: Path) -> None:
    attack = subprocess.Popen(
        [sys.executable, "-m", "loadrig.cli", "attack", url, "-c", "2", "-z", "1s"],
        cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    looks = []
    while attack.poll() is None:
        looks.append(sum(map(pss_bytes, tree(attack.pid))))
        try:
            attack.wait(LOOK_S)
        except subprocess.TimeoutExpired:
            continue
    assert (tmp_path / "runs").is_dir()
    assert 20_000_000 < max(looks) < MOST_BYTES


@pytest.mark.integration
def test_the_result_of_an_attack_imports_no_library_that_it_does_not_use(url: str, tmp_path: Path) -> None:
    done = subprocess.run(
        # Long enough for steps to which ceilings are fitted.
        [sys.executable, "-c", AT_ITS_END, "attack", url, "-c", "2", "-z", "1200ms"],
        cwd=tmp_path, capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    asked_by = json.loads(done.stderr.splitlines()[-1])
    assert {"loadrig.report.html", "loadrig.probes.process"} <= asked_by.keys()
    assert {asked_by[library] for library in LIBRARIES & asked_by.keys()} <= ASKED_BY_READINGS
    assert asked_by.keys() & OF_OTHERS == set()

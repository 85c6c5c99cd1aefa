"""A study on two nodes of this machine, with real servers: side by side, and with a kill of each side."""

import itertools
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from loadrig.base import processes
from loadrig.base.exits import Exit
from tests.conftest import Deadline
from tests.integration.lost import started
from tests.integration.program import loadrig
from tests.integration.started import nothing_left
from tests.lengths import length

__all__ = ["nothing_left"]  # fixtures

pytestmark = [
    pytest.mark.integration,
    pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="two nodes need two cores"),
]

SERVER = """\
import http.server, os, sys
def leads_to(fd):
    try: return os.readlink(f"/proc/self/fd/{fd}")
    except OSError: return ""
held = [link for fd in os.listdir("/proc/self/fd") if "ledger" in (link := leads_to(fd))]
with open("seen", "a") as file:
    file.write(f"{sys.argv[1]} {sorted(os.sched_getaffinity(0))} {held}\\n")
class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"ok")
    def log_message(self, *words): pass
http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
"""

PLAN = """\
loadrig: 1
target:
  command:
    argv: "{python} server.py {{port}}"
    knob_flags: {{level: {{flag: "{{}}", words: [low, high]}}}}
workload: {{rate: 40, requests: [{{get: /}}]}}
knobs: {{level: [low, high]}}
trial: {{warm_up: 0s, measure: 1s, seed: 7}}
study: {{find: grid, blocks: 2, by: p95}}
nodes: {{cpus: {cpus}}}
"""

TOLD = (Exit.FINE, Exit.VOID, Exit.UNDECIDED)
"""Exit codes of a study on a noisy machine."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with a server and a plan for two nodes of a core each."""
    (tmp_path / "server.py").write_text(SERVER)
    cpus = json.dumps([str(core) for core in sorted(os.sched_getaffinity(0))[:2]])
    (tmp_path / "plan.yaml").write_text(PLAN.format(python=sys.executable, cpus=cpus))
    return tmp_path


def rows(folder: Path, kind: str = "trial") -> list[dict[str, Any]]:
    lines = (folder / "out" / "ledger.jsonl").read_text(encoding="utf-8").splitlines()
    return [row for row in map(json.loads, lines) if row["kind"] == kind]


def manifests(folder: Path) -> list[dict[str, Any]]:
    paths = sorted((folder / "out" / "trials").glob("[0-9][0-9][0-9][0-9]/manifest.json"))
    return [json.loads(path.read_text(encoding="utf-8")) for path in paths]


def all_ran_once(folder: Path) -> bool:
    """Return whether every block has each setting once, and the base twice."""
    ran = sorted((row["block"], row["setting"]["level"], row["repeat"]) for row in rows(folder))
    wanted = [("high", 0), ("low", 0), ("low", 1)]
    return ran == [(block, *run) for block in range(2) for run in wanted]


def nodes_of(rig: int) -> list[int]:
    """Return the processes of a driver's nodes, in the order of their start."""
    below = processes.tree(rig, processes.table())
    return [pid for pid in sorted(below) if "loadrig.study.node_process" in processes.command_line(pid)]


def loaded(folder: Path, index: int) -> bool:
    """Return whether some load of a trial is on the disk."""
    frames = folder / "out" / "trials" / f"{index:04d}" / "frames.jsonl"
    return frames.is_file() and frames.read_bytes().count(b"\n") >= 2


def test_two_nodes_run_trials_at_the_same_time_on_cores_and_ports_of_their_own(folder: Path) -> None:
    ended = loadrig("run", "plan.yaml", "--out", "out", cwd=folder)
    assert ended.code in TOLD, ended.err
    assert all_ran_once(folder)
    lines = [line.split(" ", 1) for line in (folder / "seen").read_text().splitlines()]
    assert len({cores for _, cores in lines}) == 2
    assert all(cores.endswith("] []") for _, cores in lines)
    ran = manifests(folder)
    assert {manifest["node"] for manifest in ran} == {"node1", "node2"}
    spans = [
        (manifest["measured"]["from_ns"], manifest["measured"]["to_ns"], manifest["node"]) for manifest in ran
    ]
    pairs = list(itertools.combinations(spans, 2))
    assert any(a[2] != b[2] and a[0] < b[1] and b[0] < a[1] for a, b in pairs)
    assert not any(a[2] == b[2] and a[0] < b[1] and b[0] < a[1] for a, b in pairs)
    result = json.loads((folder / "out" / "result.json").read_text(encoding="utf-8"))
    assert [node["name"] for node in result["nodes"]["nodes"]] == ["node1", "node2"]
    assert loadrig("verify", "out", cwd=folder).code == Exit.FINE
    # The other way round is refused before anything is loaded.
    (folder / "plan.yaml").write_text((folder / "plan.yaml").read_text().partition("nodes:")[0])
    ended = loadrig("run", "plan.yaml", "--out", "out", "--resume", cwd=folder)
    assert ended.code == Exit.PLAN_WRONG
    assert "nodes.other" in ended.err


def test_a_node_that_is_killed_costs_its_open_trial_alone(folder: Path, deadline: Deadline) -> None:
    with started(
        ["run", "plan.yaml", "--out", "out"], folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    ) as rig:
        deadline.wait_for(lambda: loaded(folder, 2), "the second node's load")
        node = nodes_of(rig.pid)[1]
        os.kill(node, signal.SIGKILL)
        _, err = rig.communicate(timeout=deadline.left_s)
    assert rig.returncode in TOLD, err.decode()
    (loss,) = rows(folder, "lost")
    assert (loss["node"], loss["index"]) == ("node2", 2)
    assert all_ran_once(folder)
    assert {row["node"] for row in rows(folder)} == {"node1"}
    assert (folder / "out" / "trials" / "0002-broken-1").is_dir()
    loadrig("doctor", "--clean", cwd=folder)


@pytest.mark.nightly
@pytest.mark.parametrize("how", length([signal.SIGKILL], [signal.SIGKILL, signal.SIGINT]))
def test_a_killed_driver_leaves_no_load_and_the_study_goes_on(
    folder: Path, deadline: Deadline, how: signal.Signals
) -> None:
    with started(
        ["run", "plan.yaml", "--out", "out"], folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as rig:
        deadline.wait_for(lambda: loaded(folder, 3), "the third trial's load")
        nodes = nodes_of(rig.pid)
        assert len(nodes) == 2
        os.kill(rig.pid, how)
    before = rows(folder)
    deadline.wait_for(lambda: not any(map(processes.start_of, nodes)), "the nodes' end")
    loadrig("doctor", "--clean", cwd=folder)
    ended = loadrig("run", "out", "--resume", cwd=folder)
    assert ended.code in TOLD, ended.err
    after = rows(folder)
    assert after[: len(before)] == before
    assert all_ran_once(folder)
    assert {row["node"] for row in after} == {"node1", "node2"}


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (('cpus: ["0", "1"]', "count: 64"), "nodes.too-few-cores"),
        (("find: grid, blocks: 2, by: p95", "find: soak"), "nodes.no-blocks"),
        (("seed: 7", "seed: 7, cpus: [0]"), "nodes.shared"),
    ],
)
def test_what_nodes_cannot_do_is_refused_before_any_load(
    folder: Path, change: tuple[str, str], code: str
) -> None:
    cpus = json.dumps([str(core) for core in sorted(os.sched_getaffinity(0))[:2]])
    plan = (folder / "plan.yaml").read_text().replace(cpus, '["0", "1"]')
    assert change[0] in plan
    (folder / "plan.yaml").write_text(plan.replace(*change))
    ended = loadrig("run", "plan.yaml", "--out", "out", cwd=folder)
    assert ended.code == Exit.PLAN_WRONG, ended.err
    assert code in ended.err
    assert not (folder / "out" / "trials").exists()

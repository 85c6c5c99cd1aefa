"""A study on hosts of Ray, with real servers: raylets with addresses of their own, one of which is killed."""

import itertools
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from loadrig.base.exits import Exit
from tests.integration.ray_cluster import HEAD
from tests.integration.recorded_runs import recorded_run
from tests.integration.test_nodes_live import TOLD, all_ran_once, manifests, rows

pytest.importorskip("ray", reason="Ray is not installed: pip install 'loadrig[fleet]'")

pytestmark = [
    # A cluster of Ray takes a core to start, and most of a minute to notice a lost host.
    pytest.mark.nightly,
    pytest.mark.integration,
    pytest.mark.slow,
    pytest.mark.skipif(os.geteuid() != 0, reason="namespaces take root: run the tests by sudo"),
    pytest.mark.skipif(shutil.which("unshare") is None, reason="unshare is not installed"),
    pytest.mark.skipif(shutil.which("ip") is None, reason="ip is not installed: apt-get install iproute2"),
]

SERVER = """\
import http.server, os, sys
class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"ok")
    def log_message(self, *words): pass
print(os.getcwd(), [name for name in os.environ if name.startswith(("RAY_", "OMP_"))], flush=True)
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
trial: {{warm_up: 0s, measure: {measure}, seed: 7}}
study: {{find: grid, blocks: 2, by: p95}}
nodes: {{ray: "{head}", unguarded: true, files: [server.py]}}
"""

LOADRIG = f"{sys.executable} -m loadrig.cli"

UNTIL_LOADED = "until pgrep -f [s]erver.py >/dev/null; do sleep 0.2; done; sleep 2"
"""Order that waits until servers run on the nodes, and some of the load has been made."""

ENDS_WITHIN_S = 240.0
"""Longest time of an order beside a cluster, in seconds: four times what it takes where nothing else runs."""

Json = dict[str, Any]


@pytest.fixture
def folder() -> Iterator[Path]:
    """Return a folder with a server and a plan; its path is short, as Ray has sockets in it."""
    path = Path(tempfile.mkdtemp(prefix="rn-", dir="/tmp"))
    (path / "server.py").write_text(SERVER)
    write_plan(path)
    yield path
    shutil.rmtree(path)


def write_plan(folder: Path, measure: str = "1s", more: str = "") -> None:
    text = PLAN.format(python=sys.executable, head=HEAD, measure=measure)
    (folder / "plan.yaml").write_text(text.replace("files:", f"{more}files:"))


def beside_raylets(folder: Path, order: str, cores: str = "2,2") -> tuple[int, str]:
    """Run an order beside a cluster; return its exit code and what it wrote."""
    ended = subprocess.run(
        ["unshare", "--net", "--pid", "--fork", "--kill-child", "--mount-proc",
         sys.executable, "-m", "tests.integration.ray_cluster", str(folder), cores, order],
        capture_output=True, text=True, timeout=ENDS_WITHIN_S, check=False,
        env={**os.environ, "XDG_STATE_HOME": str(folder / "state"), "NO_COLOR": "1"},
    )  # fmt: skip
    return ended.returncode, ended.stdout + ended.stderr


def test_blocks_run_on_two_hosts_at_once_and_their_folders_come_back(folder: Path) -> None:
    code, text = beside_raylets(folder, f"{LOADRIG} run plan.yaml --out out && {LOADRIG} verify out")
    assert code in TOLD, text
    assert all_ran_once(folder)
    ran = manifests(folder)
    assert {manifest["node"] for manifest in ran} == {"127.0.0.2", "127.0.0.3"}
    assert all(len({m["node"] for m in ran if m["block"] == block}) == 1 for block in range(2))
    spans = [(m["measured"]["from_ns"], m["measured"]["to_ns"], m["node"]) for m in ran]
    pairs = list(itertools.combinations(spans, 2))
    assert any(a[2] != b[2] and a[0] < b[1] and b[0] < a[1] for a, b in pairs)
    # Its server ran in a folder of the node's own, without variables of Ray.
    log = (folder / "out" / "trials" / "0001" / "target.log").read_text(encoding="utf-8")
    place, _, names = log.splitlines()[0].partition(" ")
    assert names == "[]"
    assert not Path(place).exists()
    result: Json = json.loads((folder / "out" / "result.json").read_text(encoding="utf-8"))
    assert [node["name"] for node in result["nodes"]["nodes"]] == ["127.0.0.2", "127.0.0.3"]


def test_a_raylet_that_is_killed_costs_its_open_trial_alone(folder: Path) -> None:
    write_plan(folder, measure="4s")
    kill = f"{UNTIL_LOADED}; kill -9 $(cat raylet-3)"
    code, text = beside_raylets(folder, f"{LOADRIG} run plan.yaml --out out & {kill}; wait $!")
    assert code in TOLD, text
    (loss,) = rows(folder, "lost")
    assert loss["node"] == "127.0.0.3"
    assert all_ran_once(folder)
    again = [row for row in rows(folder) if row["index"] == loss["index"]]
    assert [row["node"] for row in again] == ["127.0.0.2"]
    assert {row["node"] for row in rows(folder)} <= {"127.0.0.2", "127.0.0.3"}


def test_a_killed_driver_leaves_no_load_and_the_study_goes_on(folder: Path) -> None:
    write_plan(folder, measure="4s")
    gone = "until ! pgrep -f [s]erver.py >/dev/null; do sleep 0.2; done; cp out/ledger.jsonl before"
    order = (
        f"{LOADRIG} run plan.yaml --out out & {UNTIL_LOADED}; sleep 5; kill -9 $!; {gone}; "
        f"{LOADRIG} doctor --clean || true; {LOADRIG} run out --resume"
    )
    code, text = beside_raylets(folder, order)
    assert code in TOLD, text
    before = (folder / "before").read_text(encoding="utf-8")
    assert (folder / "out" / "ledger.jsonl").read_text(encoding="utf-8").startswith(before)
    assert all_ran_once(folder)
    assert len({row["index"] for row in rows(folder)}) == len(rows(folder))


def test_a_tuning_on_two_hosts_goes_on_after_its_driver_was_killed(folder: Path) -> None:
    path = folder / "plan.yaml"
    tune = "{find: tune, objective: p95, search: 1, short: 1s, long: 1s}"
    path.write_text(path.read_text(encoding="utf-8").replace("{find: grid, blocks: 2, by: p95}", tune))
    gone = "until ! pgrep -f [s]erver.py >/dev/null; do sleep 0.2; done; cp out/ledger.jsonl before"
    order = (
        f"{LOADRIG} run plan.yaml --out out & {UNTIL_LOADED}; sleep 5; kill -9 $!; {gone}; "
        f"{LOADRIG} doctor --clean || true; {LOADRIG} run out --resume && {LOADRIG} verify out"
    )
    code, text = beside_raylets(folder, order)
    assert code in TOLD, text
    before = (folder / "before").read_text(encoding="utf-8")
    assert before
    assert (folder / "out" / "ledger.jsonl").read_text(encoding="utf-8").startswith(before)
    ran = rows(folder)
    assert {row["node"] for row in ran} == {"127.0.0.2", "127.0.0.3"}
    # Each block has its base on its own node, and the last six decide.
    for block in {row["block"] for row in ran}:
        inside = [row for row in ran if row["block"] == block]
        assert len({row["node"] for row in inside}) == 1
        assert "low" in {row["setting"]["level"] for row in inside}
    places = [(row["block"], row["setting"]["level"], row["repeat"]) for row in ran]
    assert len(set(places)) == len(places)
    result: Json = json.loads((folder / "out" / "result.json").read_text(encoding="utf-8"))
    assert result["tuning"]["stages"][-1]["name"] == "confirm", text


def test_soaks_of_several_settings_run_on_two_hosts_at_once_and_each_has_its_answer(folder: Path) -> None:
    path = folder / "plan.yaml"
    soak = "{find: soak, for: 10s, matrix: true}"
    path.write_text(path.read_text(encoding="utf-8").replace("{find: grid, blocks: 2, by: p95}", soak))
    code, text = beside_raylets(folder, f"{LOADRIG} run plan.yaml --out out && {LOADRIG} verify out")
    assert code in TOLD, text
    ran = manifests(folder)
    assert {manifest["node"] for manifest in ran} == {"127.0.0.2", "127.0.0.3"}
    (a, b) = [(m["measured"]["from_ns"], m["measured"]["to_ns"]) for m in ran]
    assert a[0] < b[1]
    assert b[0] < a[1]
    result: Json = json.loads((folder / "out" / "result.json").read_text(encoding="utf-8"))
    assert [(answer["setting_id"], bool(answer["headline"])) for answer in result["soaks"]] == [
        (0, True), (1, True),
    ]  # fmt: skip


def test_a_proof_is_made_on_two_hosts_and_its_trials_come_back(folder: Path) -> None:
    recorded_run("few-threads", folder)
    path = folder / "plan.yaml"
    nodes = f'nodes: {{ray: "{HEAD}", unguarded: true, files: [waiting.py]}}\n'
    (folder / "nodes.yaml").write_text(path.read_text(encoding="utf-8") + nodes)
    code, text = beside_raylets(
        folder, f"{LOADRIG} diagnose run --prove --budget 45s --plan nodes.yaml && {LOADRIG} verify run"
    )
    assert code in TOLD, text
    proof: Json = json.loads((folder / "run" / "proof" / "proof.json").read_text(encoding="utf-8"))
    trials = sorted((folder / "run" / "proof" / "trials").iterdir())
    ran: list[Json] = [json.loads((trial / "manifest.json").read_text(encoding="utf-8")) for trial in trials]
    assert {manifest["node"] for manifest in ran} == {"127.0.0.2", "127.0.0.3"}
    # Each block has its base on the node that tried the change.
    blocks = {manifest["block"] for manifest in ran}
    assert all(len({m["node"] for m in ran if m["block"] == block}) == 1 for block in blocks)
    assert "threads: 2 to 8" in [experiment["title"] for experiment in proof["experiments"]], text


@pytest.mark.parametrize(
    ("cores", "more", "code"),
    [
        ("2,2", "", "fleet.other-version"),
        ("2,1", "", "fleet.too-few-hosts"),
        ("2", "count: 1, cpus: ['0'], ", "nodes.other-place"),
    ],
)
def test_a_cluster_without_room_is_refused_before_any_load(
    folder: Path, cores: str, more: str, code: str
) -> None:
    write_plan(folder, more=more)
    if code == "fleet.other-version":
        other = folder / "other-3" / "loadrig-0.0.9.dist-info"
        other.mkdir(parents=True)
        (other / "METADATA").write_text("Metadata-Version: 2.1\nName: loadrig\nVersion: 0.0.9\n")
    exit_code, text = beside_raylets(folder, f"{LOADRIG} run plan.yaml --out out", cores)
    assert exit_code == Exit.PLAN_WRONG, text
    assert code in text
    assert not list(folder.glob("out/trials/*"))


def test_hosts_that_others_may_use_are_refused_by_name_where_the_plan_does_not_allow_it(folder: Path) -> None:
    path = folder / "plan.yaml"
    path.write_text(path.read_text(encoding="utf-8").replace("unguarded: true, ", ""))
    exit_code, text = beside_raylets(folder, f"{LOADRIG} run plan.yaml --out out")
    assert exit_code == Exit.PLAN_WRONG, text
    assert "fleet.open-head" in text
    (line,) = [line for line in text.splitlines() if HEAD in line and "127.0.0.2" in line]
    assert "127.0.0.3" in line
    assert not list(folder.glob("out/trials/*"))

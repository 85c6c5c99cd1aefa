"""Nodes of Ray without Ray: trials sent back from processes beside us, lost ones, and what is refused."""

import base64
import io
import os
import signal
import sys
import tarfile
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from loadrig.base import leases
from loadrig.base.errors import Interrupted, PlanError, TargetError
from loadrig.base.units import Count, Seconds
from loadrig.fleet._ray_actor import NODE
from loadrig.fleet.hosts import ClockReading, News, Seat
from loadrig.fleet.local import LocalHosts
from loadrig.fleet.ray_hosts import GENERATORS, HostProgram
from loadrig.fleet.reach import ServerWay
from loadrig.plan.fleet_rules import FleetRules
from loadrig.plan.load import load
from loadrig.plan.model import Plan
from loadrig.plan.node_rules import NodeRules
from loadrig.recording import manifest
from loadrig.recording.layout import RunFolder, TrialFolder
from loadrig.study import node_cargo, node_places, ray_nodes
from loadrig.study.ray_nodes import RayNodes
from loadrig.study.strategies import grid
from loadrig.study.study_node import LostNode
from loadrig.trial.spec import TrialSpec
from tests.conftest import Deadline

PLAN = """\
loadrig: 1
target:
  command:
    argv: "PYTHON WORDS"
    knob_flags: {level: {flag: "{}", words: [low, high]}}
workload: {rate: 40, requests: [{get: /}]}
knobs: {level: [low, high]}
trial: {warm_up: 0s, measure: 1s, seed: 7}
study: {find: grid, blocks: 2, by: p95}
nodes: {ray: auto}
"""

SERVER = "import os; print(os.getcwd(), os.listdir()); raise SystemExit(3)"
"""Server that dies at once, and says in its log where it was started, with what."""


WORKING_SERVER = """\
import http.server, pathlib, sys
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()
        pathlib.Path("asked").touch()
    def log_message(self, *words): pass
http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
"""
"""Server that answers, and leaves a file in its folder once it was asked."""


@dataclass
class NodesBeside:
    """Hosts whose nodes are processes of this machine, as those of a fleet without Ray."""

    log: Path
    hosts: LocalHosts = field(init=False)

    def __post_init__(self) -> None:
        self.hosts = LocalHosts(self.log)

    def __enter__(self) -> "NodesBeside":
        self.hosts.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self.hosts.__exit__(*error)

    def start(self, count: int) -> Sequence[Seat]:
        return [replace(seat, host="10.0.0.5") for seat in self.hosts.start(count)]

    def reach(self, addresses: Sequence[str]) -> Mapping[int, ServerWay]:
        return self.hosts.reach(addresses)

    def send(self, index: int, line: bytes) -> None:
        self.hosts.send(index, line)

    def hear(self, within_s: float) -> Sequence[News]:
        return self.hosts.hear(within_s)

    def clock(self, index: int) -> ClockReading:
        return self.hosts.clock(index)

    def last_words(self, index: int) -> tuple[str, ...]:
        return self.hosts.last_words(index)

    def replace(self, index: int) -> Seat:
        return self.hosts.replace(index)

    def stop(self, index: int) -> None:
        self.hosts.stop(index)


@pytest.fixture
def beside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> NodesBeside:
    """Return hosts whose programs are nodes in place of generators."""
    start = "import sys; from loadrig.study.node_process import main; sys.exit(main())"
    monkeypatch.setattr("loadrig.fleet.local.PROGRAM", [sys.executable, "-P", "-c", start])
    return NodesBeside(tmp_path / "ray.log")


def plan_in(
    folder: Path, words: str = "server.py {port}", *, program: str = sys.executable, **rules: Any
) -> Plan:
    folder.mkdir(exist_ok=True)
    (folder / "server.py").write_text(SERVER)
    text = PLAN.replace("PYTHON", program).replace("WORDS", words)
    (folder / "plan.yaml").write_text(text)
    plan = load(folder / "plan.yaml")
    return replace(plan, nodes=NodeRules(**{"count": Count(2), "ray": "auto", **rules}))


def run_of(folder: Path) -> RunFolder:
    run = RunFolder(folder / "out")
    run.create(None)
    return run


def spec_of(plan: Plan, index: int = 1) -> TrialSpec:
    return TrialSpec(plan, {"level": "low"}, seed=7, index=index, is_base=True, node="10.0.0.5")


def test_a_trial_s_folder_comes_back_from_a_node_whatever_became_of_it(
    tmp_path: Path, beside: NodesBeside
) -> None:
    plan = plan_in(tmp_path / "plan", files=("server.py",))
    run = run_of(tmp_path)
    (run.trials / "0002-arriving").mkdir()  # of a driver that was killed meanwhile
    run.trial(2).path.mkdir()
    with RayNodes(plan, run, tmp_path / "log", 0, beside) as nodes:
        assert [node.name for node in nodes] == ["10.0.0.5", "10.0.0.5 (2)"]
        for node, index in zip(nodes, (1, 2), strict=True):
            with pytest.raises(TargetError) as died:
                node.run(spec_of(plan, index))
            assert died.value.problems[0].code.startswith("target.")
    for index in (1, 2):
        folder = run.trial(index)
        assert folder.is_sealed
        place, _, names = folder.target_log.read_text(encoding="utf-8").strip().partition(" ")
        # It had a folder of its own, with the files that are named and nothing else, which is gone.
        assert names == "['server.py']"
        assert place != str(tmp_path / "plan")
        assert not Path(place).exists()
        # Who goes on with the study finds the plan's files where they are here.
        assert manifest.read(folder).plan_path == str(tmp_path / "plan" / "plan.yaml")
    assert sorted(path.name for path in run.trials.iterdir()) == ["0001", "0002", "0002-broken-1"]


def test_a_node_that_dies_is_lost_and_the_other_goes_on(tmp_path: Path, beside: NodesBeside) -> None:
    plan = plan_in(tmp_path / "plan")
    run = run_of(tmp_path)
    with RayNodes(plan, run, tmp_path / "log", 0, beside) as nodes:
        os.kill(beside.hosts._processes[0].pid, signal.SIGKILL)
        with pytest.raises(LostNode):
            nodes[0].run(spec_of(plan))
        assert not run.trial(1).path.exists()
        with pytest.raises(TargetError):
            nodes[1].run(spec_of(plan))
        # Without `files` it runs where the plan is.
        log = run.trial(1).target_log.read_text(encoding="utf-8")
        assert log.startswith(str(tmp_path / "plan"))
    # What a killed node has left on its host is there for `loadrig doctor --clean`.
    (lease,) = leases.stale()
    leases.undo(lease)


@pytest.mark.integration
def test_a_node_that_is_stopped_ends_its_trial_as_by_hand_and_sends_what_there_is(
    tmp_path: Path, beside: NodesBeside, deadline: Deadline
) -> None:
    plan = plan_in(tmp_path / "plan")
    (tmp_path / "plan" / "server.py").write_text(WORKING_SERVER)
    plan = replace(
        plan, trial=replace(plan.trial, measure=replace(plan.trial.measure, at_most=Seconds(60.0)))
    )
    run = run_of(tmp_path)
    with RayNodes(plan, run, tmp_path / "log", 0, beside) as nodes, ThreadPoolExecutor(1) as pool:
        trial = pool.submit(nodes[0].run, spec_of(plan))
        deadline.wait_for((tmp_path / "plan" / "asked").exists, "the first request")
        nodes[0].stop()
        with pytest.raises(Interrupted):
            trial.result(deadline.left_s)
    assert run.trial(1).is_sealed


def test_a_host_without_the_plan_s_folder_is_refused(tmp_path: Path, beside: NodesBeside) -> None:
    plan = replace(plan_in(tmp_path / "plan"), path=str(tmp_path / "elsewhere" / "plan.yaml"))
    with (
        pytest.raises(PlanError) as refused,
        RayNodes(plan, run_of(tmp_path), tmp_path / "log", 0, beside),
    ):
        pass
    assert refused.value.problems[0].code == "nodes.no-folder"


@pytest.mark.parametrize("name", ["absent.py", "../plan/server.py", "/etc/hostname"])
def test_files_that_are_not_in_the_plan_s_folder_are_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(PlanError) as refused:
        ray_nodes.files_of(plan_in(tmp_path / "plan", files=(name,)))
    assert refused.value.problems[0].code == "nodes.files"


@pytest.mark.parametrize(
    ("words", "rules", "code"),
    [
        ("server.py {port}", {}, ""),
        ("server.py {port}", {"files": ("server.py",)}, ""),
        ("server.py {port}", {"cpus": ("0", "1")}, "nodes.other-place"),
        ("server.py {port}", {"ray": None, "files": ("server.py",)}, "nodes.other-place"),
        # A host has ports of its own; processes of one machine share them.
        ("server.py 8000", {}, ""),
    ],
)
def test_a_plan_s_nodes_are_checked_before_anything_is_started(
    tmp_path: Path, words: str, rules: Mapping[str, Any], code: str
) -> None:
    plan = plan_in(tmp_path / "plan", words, **rules)
    strategy = grid.strategy(plan, grid.Options())
    if not code:
        node_places.check_plan(plan, strategy)
        return
    with pytest.raises(PlanError) as refused:
        node_places.check_plan(plan, strategy)
    assert refused.value.problems[0].code == code


def test_a_head_without_a_guard_is_joined_where_the_plan_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[FleetRules] = []

    def hosts(rules: FleetRules, *_: object) -> None:
        asked.append(rules)

    monkeypatch.setattr(ray_nodes, "RayHosts", hosts)
    for unguarded in (False, True):
        RayNodes(
            plan_in(tmp_path / "plan", unguarded=unguarded), run_of(tmp_path / str(unguarded)), tmp_path, 0
        )
    assert [rules.unguarded for rules in asked] == [False, True]


@pytest.mark.parametrize("program", [GENERATORS, HostProgram(NODE, "nodes", is_apart=True)])
def test_a_refused_cluster_is_mended_by_the_key_that_asked_for_it(program: HostProgram) -> None:
    assert f"{program.key}: {{unguarded: true}}" in program.wording("fleet.open-head")("10.0.0.5:1").mend
    assert f"{program.key}.ray" in program.wording("fleet.no-head")("10.0.0.5:1", "it is gone").mend


def packed_as(member: tarfile.TarInfo) -> io.BytesIO:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as tar:
        tar.addfile(member)
    return packed


@pytest.mark.parametrize(("name", "kind"), [("../out", tarfile.REGTYPE), ("link", tarfile.SYMTYPE)])
def test_nothing_of_a_trial_that_comes_lands_outside_of_its_folder(
    tmp_path: Path, name: str, kind: bytes
) -> None:
    member = tarfile.TarInfo(name)
    member.type, member.linkname = kind, "/etc/hostname"
    folder = TrialFolder(tmp_path / "trials" / "0001")
    with pytest.raises(tarfile.TarError):
        node_cargo.keep_trial(packed_as(member), folder)
    assert not folder.path.exists()
    assert not (tmp_path / "trials" / "out").exists()


def test_a_folder_is_the_same_after_its_way(tmp_path: Path) -> None:
    folder = tmp_path / "here"
    (folder / "files").mkdir(parents=True)
    (folder / "files" / "a.conf").write_bytes(os.urandom(200_000))
    (folder / "manifest.json").write_text("{}")
    (folder / "manifest.json").chmod(0o400)
    parts = list(node_cargo.parts_of(folder))
    assert len(parts) > 3
    packed = io.BytesIO(b"".join(map(base64.b64decode, parts)))
    there = TrialFolder(tmp_path / "trials" / "0001")
    node_cargo.keep_trial(packed, there)
    assert (there.path / "files" / "a.conf").read_bytes() == (folder / "files" / "a.conf").read_bytes()
    assert (there.path / "manifest.json").stat().st_mode & 0o777 == 0o400

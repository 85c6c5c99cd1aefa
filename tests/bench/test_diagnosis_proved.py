"""The suite with proofs: knobs that give nothing away, the launcher, the answer of a proof and its tables."""

import json
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from bench.diagnosis import again, decoys, injections, knobs, single, suite
from bench.diagnosis.answers import proved
from bench.diagnosis.start import DIALS, LAUNCHER, RunningStack
from bench.modes import diagnosis
from loadrig.interventions.knob_step import does
from loadrig.plan.load import read
from tests.bench.test_diagnosis import CAUSES, needs_a_network_and_node, scored

ROOT = Path(__file__).parents[2]


def settled(case: suite.FaultCase, change: injections.Change) -> knobs.Settled:
    wish = suite._wish(case, change)
    return knobs.settled(case.stack, wish["options"], {**DIALS[case.stack], **wish["dials"]}, wish["cores"])


def test_every_case_of_a_stack_declares_the_same_knobs() -> None:
    for case in suite.cases():
        names = [knob.name for knob in settled(case, case.change).knobs]
        assert names == [knob.name for knob in knobs.KNOBS[case.stack]], case.name


def test_every_value_of_every_case_is_one_that_a_plan_allows() -> None:
    for case in suite.cases():
        settled_case = settled(case, case.change)
        target = {"argv": ["./store", "--port", "{port}"], "knob_flags": knobs.flags(settled_case.knobs)}
        running = RunningStack(
            8000, {}, target={"command": target}, knobs=settled_case.setting, allow=("redis",)
        )
        spec = {
            "wish": suite._wish(case, case.change), "load": suite._resolved(case.load, 100.0), "seconds": 10,
            "goals": [], "by_rig": True, "budget_s": 180.0,
        }  # fmt: skip
        plan = read(json.dumps(single.plan(spec, running)), "plan.yaml")
        assert dict(plan.base_setting) == dict(settled_case.setting), case.name
        assert plan.prove is not None
        assert not plan.prove.after_run
        assert plan.prove.allow == ("redis",)


def test_a_plan_of_a_sick_server_has_no_label() -> None:
    names = {knob.name for own in knobs.KNOBS.values() for knob in own}
    for case in suite.cases():
        settled_case = settled(case, case.change)
        read_ = json.dumps([knobs.flags(settled_case.knobs), settled_case.setting, settled_case.options])
        assert not [cause for cause in CAUSES - names if cause in read_], case.name


@pytest.mark.parametrize(
    ("name", "mends"),
    [
        ("gunicorn-too_few_workers-strong", ("threads",)),
        ("gunicorn-dependency_port_exhaustion-mild", ("redis_pool",)),
        ("gunicorn-missing_index-strong", ("index",)),
        ("jvm-gc_pressure-mild", ("heap",)),
        ("jvm-database_cpu-strong", ()),
        ("go-request_overhead-mild", ("compression",)),
        ("uvicorn-connection_churn-mild", ("redis_pool",)),
        ("node-leak-strong", ()),
    ],
)
def test_a_fault_that_lies_in_a_knob_is_mended_by_it(name: str, mends: tuple[str, ...]) -> None:
    (case,) = (each for each in suite.cases() if each.name == name)
    assert suite.mends(case) == mends


def test_a_proof_knows_by_its_name_what_each_knob_does() -> None:
    roles = {
        "threads": "threads", "workers": "workers", "db_pool": "pool", "redis_pool": "pool",
        "pool_size": "pool", "heap": "heap", "max_old_space_size": "heap", "gogc": "gc", "index": "index",
        "compression": "compression", "max_requests_jitter": "jitter", "backlog": "backlog",
        "worker_class": "class", "timeout": "timeout", "max_threads": "threads",
    }  # fmt: skip
    for name, role in roles.items():
        assert does(name, role), name


def test_what_is_partly_kept_gets_a_word_of_its_own() -> None:
    (case,) = suite.cases("uvicorn-connection_churn-mild")
    settled_case = settled(case, case.change)
    (knob,) = (each for each in settled_case.knobs if each.name == "redis_pool")
    assert knob.words == {"on": 0.0, "some": 0.4, "off": 1.0}
    assert settled_case.setting["redis_pool"] == "some"


SERVER = """
import json, os, socket, sys
with socket.create_server(("127.0.0.1", int(sys.argv[1]))) as listener:
    print(json.dumps({"pid": os.getpid(), "argv": sys.argv[1:], "variable": os.environ["STORE"]}), flush=True)
    listener.accept()
"""


def recipe(folder: Path, **more: Any) -> Path:
    path = folder / "start.json"
    channels: dict[str, Any] = {
        "port": {"dial": "port"}, "redis": {"dial": "redis_port"}, "workers": {"word": "--workers={}"},
        "pool": {"dial": "redis_renewed", "words": {"on": 0.0, "off": 1.0}}, "index": {"before": True},
    }  # fmt: skip
    content = {
        "argv": [sys.executable, "-c", SERVER, "{port}", "{options}"], "dials": {"rounds": 7, "port": 0},
        "settings": str(folder / "settings"), "style": "json", "env": {"STORE": "here"}, "told": channels,
        "before": {"index": {"code": ["touch", str(folder / "indexed")]}}, "pids": str(folder / "pids.json"),
        **more,
    }  # fmt: skip
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def answered(port: int) -> None:
    """Connect, which ends the server."""
    end = time.monotonic() + 20
    while True:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
        except OSError:
            assert time.monotonic() < end
            time.sleep(0.02)
        else:
            return


def start(path: Path, *words: str) -> "subprocess.Popen[str]":
    argv = [sys.executable, "-I", "-S", str(LAUNCHER), str(path), *words]
    return subprocess.Popen(argv, stdout=subprocess.PIPE, text=True)


def test_the_launcher_becomes_the_server_and_tells_it_its_knobs(tmp_path: Path) -> None:
    port = free_port()
    words = ["--port", str(port), "--redis", "127.0.0.1:6400", "--workers", "4", "--pool", "off"]
    with start(recipe(tmp_path), *words, "--index", "code") as process:
        answered(port)
        reply = json.loads(process.communicate(timeout=20)[0])
    assert reply == {"pid": process.pid, "argv": [str(port), "--workers=4"], "variable": "here"}
    assert json.loads((tmp_path / "settings").read_text()) == {
        "rounds": 7, "port": port, "redis_port": 6400, "redis_renewed": 1.0,
    }  # fmt: skip
    assert json.loads((tmp_path / "pids.json").read_text()) == {"server": process.pid}
    assert (tmp_path / "indexed").exists()


def test_a_jvms_numbers_are_properties(tmp_path: Path) -> None:
    port = free_port()
    with start(recipe(tmp_path, style="properties"), "--port", str(port)) as process:
        answered(port)
        process.communicate(timeout=20)
    assert (tmp_path / "settings").read_text() == f"rounds=7\nport={port}\n"


def test_what_stands_in_front_becomes_the_root_and_the_server_is_no_child_of_it(tmp_path: Path) -> None:
    port = free_port()
    front = [sys.executable, "-c", "import os; print(os.getpid(), flush=True); input()"]
    path = recipe(tmp_path, front=front, upstream=port, pids=str(tmp_path / "both.json"))
    argv = [sys.executable, "-I", "-S", str(LAUNCHER), str(path), "--port", "8000"]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        lines = [process.stdout.readline() for _ in range(2)]
        pids = json.loads((tmp_path / "both.json").read_text())
        process.communicate("\n", timeout=20)
    behind, own = sorted(lines, key=len, reverse=True)
    assert int(own) == pids["server"] == process.pid
    assert json.loads(behind)["argv"] == [str(port)]
    assert json.loads(behind)["pid"] == pids["upstream"] != process.pid


def test_connections_wait_where_the_server_will_be() -> None:
    port = free_port()
    with decoys.stand_in(port), socket.create_connection(("127.0.0.1", port)) as client:
        client.sendall(b"GET / HTTP/1.1\r\n\r\n")
        assert client.recv(100).startswith(b"HTTP/1.1 200")
    with socket.create_server(("127.0.0.1", port)):
        pass


def finding(cause: str, verdict: str = "likely") -> dict[str, Any]:
    return {"cause": cause, "component": "server", "verdict": verdict, "weight": 2.0}


LABELS = (injections.Label("leak"),)


def test_the_answer_of_a_proof_stands_for_that_of_watching(tmp_path: Path) -> None:
    watched = [finding("host_cpu"), finding("leak")]
    assert proved(tmp_path, {"pids": {}}, watched, LABELS, None, {}) is None
    facts = {"proof": {"code": 0, "errors": "", "took_s": 1.2}}
    answer = proved(tmp_path, facts, watched, LABELS, None, {})
    assert answer is not None
    assert (answer.place, answer.ended, answer.took_s, answer.is_named) == (2, "nothing_to_prove", 0.0, False)
    document = {
        "findings": [finding("leak", "named")], "took_s": 61.5, "ended": "sure",
        "fix": {"title": "f", "gain": {"value": 1.9}, "predicted": 2.0, "is_verified": True, "pairs": []},
        "experiments": [{"title": "half the rate", "standing": "limits"}],
    }  # fmt: skip
    (tmp_path / "proof").mkdir()
    (tmp_path / "proof" / "proof.json").write_text(json.dumps(document))
    answer = proved(tmp_path, facts, watched, LABELS, injections.Label("gil"), {})
    assert answer is not None
    assert answer.is_named
    written = answer.to_json()
    assert (written["place"], written["second_place"], written["took_s"], written["accused"]) == (
        1,
        None,
        61.5,
        ["leak"],
    )
    assert written["fix"] == {"title": "f", "gain": 1.9, "predicted": 2.0, "is_verified": True}
    assert written["tried"] == ["half the rate: limits"]


def test_a_proof_that_failed_is_told_with_its_error(tmp_path: Path) -> None:
    facts = {"proof": {"code": 2, "errors": "no such program", "took_s": 3.0}}
    answer = proved(tmp_path, facts, [finding("leak")], LABELS, None, {})
    assert answer is not None
    assert (answer.ended, answer.took_s, answer.place) == ("failed: no such program", 3.0, 1)


def row(kind: str, watched: int | None, place: int | None, **more: Any) -> dict[str, Any]:
    proved_part: dict[str, Any] = {
        "place": place, "second_place": None, "part": True, "is_named": place == 1, "said": [],
        "accused": [], "suspected": [], "abstained": False, "ended": "sure", "took_s": 80.0, "fix": None,
    }  # fmt: skip
    proof = {**proved_part, **more.pop("proved", {})}
    return {**scored(kind, watched), "proved": proof, "mends": more.pop("mends", []), **more}


def test_the_tables_set_the_proof_beside_watching(snapshot: SnapshotAssertion) -> None:
    fix = {"title": "pool: 8 to 16", "gain": 1.2, "predicted": 2.0, "is_verified": False}
    rows = [
        row("strong", 2, 1, mends=["pool"], proved={"fix": {**fix, "is_verified": True}}),
        row("mild", 1, 1, case="go-weak", mends=["pool"], proved={"fix": fix}),
        row("mild", 1, 2, case="go-worse", proved={"ended": "budget", "took_s": 190.0}),
        row("healthy", None, None, cause="healthy", proved={"ended": "nothing_to_prove", "took_s": 0.0}),
    ]
    text = "\n".join(diagnosis.tables(diagnosis.summarise({"rows": rows})))
    assert text == snapshot


@needs_a_network_and_node
@pytest.mark.integration
@pytest.mark.nightly
def test_the_rig_starts_a_healthy_server_and_has_nothing_to_prove(tmp_path: Path) -> None:
    words = ["diagnosis", "--prove", "--quick", "--only", "healthy-node-30%-own"]
    words += ["--ledger", str(tmp_path / "kept"), "--results", str(tmp_path / "results")]
    argv = [sys.executable, "-m", "bench", *words]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=120, check=False, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    (path,) = (tmp_path / "results").glob("*.json")
    section = json.loads(path.read_text(encoding="utf-8"))["diagnosis"]
    assert "--prove" in section["command"]
    (row_of_rig,) = section["rows"]
    assert row_of_rig["proved"]["ended"] == "nothing_to_prove"
    assert row_of_rig["proved"]["accused"] == []
    lines = (tmp_path / "kept" / "ledger.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["kind"] for line in lines] == ["twin", "case"]


def test_what_was_run_again_counts_for_all_of_its_kind(snapshot: SnapshotAssertion) -> None:
    first: list[dict[str, Any]] = [{"case": f"case-{n}", "place": 1 if n < 8 else None} for n in range(10)]
    answers = [{"cause": "host_cpu", "component": "server"}]
    rows: list[dict[str, Any]] = [
        {"case": "case-8", "then": None, "now": 1, "said": answers, "took_s": 60.0},
        {"case": "case-9", "then": None, "now": None, "said": answers, "took_s": 60.0},
        *({"case": f"case-{n}", "then": 1, "now": 1, "said": answers, "took_s": 60.0} for n in range(4)),
    ]
    text = again.text_of(rows, first)
    # One of two and eight of eight, the eight known from four: 5 of 10 at least, says Wilson.
    assert text == snapshot(name="all of what was wrong")
    # Where not all that were wrong were run again nothing is said of all.
    assert again.text_of(rows[1:], first) == snapshot(name="not all of it")

"""The suite of injected faults: its catalogue, what is hidden from the diagnosis, how answers are scored."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from syrupy.assertion import SnapshotAssertion

from bench.diagnosis import baselines, decoys, injections, single, suite
from bench.diagnosis.answers import placed
from bench.diagnosis.judged import BASELINES, worse
from bench.diagnosis.ledger import BenchLedger
from bench.diagnosis.start import DIALS, RunningStack, StackWish
from bench.modes import diagnosis
from loadrig.base import members
from loadrig.judgement.declarations import ROOM
from loadrig.testing.cases import ACase

ROOT = Path(__file__).parents[2]
CAUSES = set(members.names(ROOM))


def test_there_are_enough_faults_stacks_and_healthy_runs() -> None:
    assert len(injections.FAULTS) >= 24
    assert {fault.stack for fault in injections.FAULTS} == set(DIALS)
    assert len(injections.HEALTHY) == 30
    cases = suite.cases()
    assert len({case.name for case in cases}) == len(cases)
    assert sum(bool(case.labels) for case in cases) == 2 * len(injections.FAULTS) + len(injections.PAIRS)


def test_every_label_is_a_cause_and_every_decoy_and_dial_exists() -> None:
    for case in suite.cases():
        assert {label.cause for label in case.labels} <= CAUSES, case.name
        assert set(case.decoys) <= set(decoys.ALL)
        for change in (case.base, case.change):
            assert set(change.get("dials", {})) <= set(DIALS[case.stack]), case.name


def test_nothing_that_the_diagnosis_reads_speaks_of_an_illness() -> None:
    running = RunningStack(8000, {"server": 1}, target={"external": "http://127.0.0.1:8000"})
    for case in suite.cases():
        spec = {
            "load": suite._resolved(case.load, 100.0), "seconds": 10, "goals": [],
        }  # fmt: skip
        wish = suite._wish(case, case.change)
        plan = single.plan(spec, running)
        read = json.dumps([plan["workload"], plan["name"], wish["options"], wish["dials"]])
        assert not [cause for cause in CAUSES if cause in read], case.name


def test_a_twin_differs_by_the_fault_alone() -> None:
    for case in suite.cases("gunicorn-gil-*"):
        sick, well = suite._wish(case, case.change), suite._wish(case, {})
        assert sick["dials"] == well["dials"]
        assert sick["cores"] == well["cores"] == (0, 1)
        assert sick["options"] != well["options"]


def test_a_wish_takes_its_numbers_from_plain_data() -> None:
    (case,) = suite.cases("jvm-cpu_quota-strong")
    assert StackWish(**json.loads(json.dumps(suite._wish(case, case.change)))).quota == 0.3


@pytest.mark.parametrize(
    ("sick", "is_worse"),
    [
        ({}, False),
        ({"ok_rps": 94.0}, True),
        ({"failed_share": 0.02}, True),
        ({"p95_ms": 29.0}, False),
        ({"p95_ms": 40.0}, True),
    ],
)
def test_a_fault_counts_only_where_the_server_is_worse_than_its_twin(
    sick: dict[str, float], is_worse: bool
) -> None:
    twin = {"ok_rps": 100.0, "offered_rps": 100.0, "failed_share": 0.0, "p95_ms": 20.0}
    assert worse({**twin, **sick, "twin": twin})[0] is is_worse
    # A twin that works off what its cold start has left answers more than it is asked.
    assert worse({**twin, **sick, "twin": {**twin, "ok_rps": 112.0}})[0] is is_worse


def test_the_right_cause_has_its_place_and_its_part() -> None:
    findings = [{"cause": "host_cpu", "component": "server"}, {"cause": "row_lock", "component": "mariadb-2"}]
    labels = [injections.Label("row_lock", ("mariadb",))]
    assert placed(findings, labels, {"mariadb": "mariadb-2"}) == (2, True)
    assert placed(findings, labels, {"mariadb": "mariadb"}) == (2, False)
    assert placed(findings[:1], labels, {}) == (None, False)


def test_the_fullest_resource_is_the_first_baselines_answer() -> None:
    case = ACase(seconds=20).tier("server", cpus=[1]).tier("db", kind="mariadb", cpus=[1])
    case.counter("server", "process.cpu_s", "tree", 0.5).counter("db", "process.cpu_s", "tree", 0.9)
    answer = baselines.highest_utilisation(case.build())
    assert (answer.cause, answer.component) == ("database_cpu", "db")
    case = ACase(seconds=20).tier("server", cpus=[1])
    case.counter("server", "process.cpu_s", "tree", 0.5)
    assert baselines.highest_utilisation(case.build()).cause == "healthy"


def test_what_moves_with_throughput_is_the_second_baselines_answer() -> None:
    dips = np.where(np.arange(30) % 10 < 2, 50.0, 100.0)
    case = ACase(seconds=30, ok=dips).tier("server", cpus=[1])
    case.gauge("server", "tomcat.threads_busy", "", np.random.default_rng(1).uniform(1, 9, 30))
    case.counter("server", "gc_log.pause_s", "young", (100 - dips) / 1000)
    answer = baselines.largest_correlation(case.build())
    assert (answer.cause, answer.component) == ("gc_pressure", "server")
    assert answer.value > 0.99
    assert baselines.largest_correlation(ACase(seconds=30).tier("server").build()).cause == "healthy"


def test_the_ledger_goes_on_where_it_stopped(tmp_path: Path) -> None:
    BenchLedger(tmp_path).add({"key": "a", "n": 1})
    again = BenchLedger(tmp_path)
    again.add({"key": "b", "n": 2})
    again.add({"key": "a", "n": 3})
    assert {key: row["n"] for key, row in BenchLedger(tmp_path).rows.items()} == {"a": 3, "b": 2}


def scored(kind: str, place: int | None, accused: tuple[str, ...] = (), **more: Any) -> dict[str, Any]:
    guesses = {name: ["healthy", "", 0.0] for name in BASELINES}
    return {
        "case": f"go-{kind}", "stack": "go", "kind": kind, "cause": "leak", "is_valid": True, "why": "",
        "harms": [], "said": [], "place": place, "second_place": None, "part": True,
        "accused": list(accused), "suspected": list(accused), "abstained": False, "load_s": 15.0,
        "analysis_s": 0.2, "guesses": guesses, "guessed": [], **more,
    }  # fmt: skip


def test_the_tables_count_what_is_valid_and_name_what_was_wrong(snapshot: SnapshotAssertion) -> None:
    rows = [scored("strong", 1), scored("mild", 3), scored("mild", 1, is_valid=False, why="no worse")]
    rows += [scored("healthy", None, cause="healthy"), scored("healthy", None, ("leak",), cause="healthy")]
    text = "\n".join(diagnosis.tables(diagnosis.summarise({"rows": rows})))
    assert text == snapshot


def needs_a_network_and_node(test: Callable[..., None]) -> Callable[..., None]:
    """Skip by name where a run of the suite on Node cannot be made."""
    for mark in (
        pytest.mark.integration,
        pytest.mark.skipif(
            os.geteuid() != 0 or not shutil.which("unshare"),
            reason="a network of its own needs root and unshare",
        ),
        pytest.mark.skipif(not {0, 1} <= os.sched_getaffinity(0), reason="it needs cores 0 and 1"),
        pytest.mark.skipif(
            not shutil.which("node") or not shutil.which("redis-server"),
            reason="apt install nodejs redis-server",
        ),
    ):
        test = mark(test)
    return test


@needs_a_network_and_node
@pytest.mark.nightly
def test_a_healthy_run_is_made_judged_and_not_repeated(tmp_path: Path) -> None:
    words = ["diagnosis", "--quick", "--only", "healthy-node-30%-own", "--ledger", str(tmp_path / "kept")]
    argv = [sys.executable, "-m", "bench", *words, "--results", str(tmp_path / "results")]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=100, check=False, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    (path,) = (tmp_path / "results").glob("*.json")
    (row,) = json.loads(path.read_text(encoding="utf-8"))["diagnosis"]["rows"]
    assert (row["case"], row["kind"]) == ("healthy-node-30%-own", "healthy")
    lines = (tmp_path / "kept" / "ledger.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["kind"] for line in lines] == ["twin", "case"]

"""The benchmarks run and write what they measured. How fast anything was is not looked at here."""

import hashlib
import importlib
import json
import math
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from bench import peers, results
from bench.__main__ import ON_REQUEST, ORDER
from tests.lengths import length

ROOT = Path(__file__).parents[2]
SEARCHED = f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin"


def needs(*programs: str) -> pytest.MarkDecorator:
    missing = [name for name in programs if not shutil.which(name, path=SEARCHED)]
    packages = {"cc": "gcc"}
    install = " ".join(packages.get(name, name) for name in missing)
    return pytest.mark.skipif(
        bool(missing), reason=f"no {', '.join(missing)} on this machine: apt install {install}"
    )


needs_servers = needs("nginx", "cc", "openssl")
needs_two_cores = pytest.mark.skipif(
    not {0, 1} <= os.sched_getaffinity(0), reason="the benchmarks need cores 0 and 1, one for each side"
)


def run(*words: str, path: str | None = None) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "bench", *words],
        capture_output=True,
        text=True,
        timeout=110,
        check=False,
        cwd=ROOT,
        env={**os.environ, **({"PATH": path} if path is not None else {})},
    )


def measured(folder: Path, mode: str, *words: str) -> dict[str, Any]:
    """Run quickly with our tools only; return all that was measured, which the summary names by digest."""
    done = run(mode, *words, "--quick", "--results", str(folder))
    assert done.returncode == 0, done.stderr
    assert f"## {mode}" in done.stdout
    (path,) = folder.glob("*.json")
    document = json.loads(path.read_text(encoding="utf-8"))
    assert document["machine"]["cores"] >= 2
    summary = document[mode]
    content = results.raw_path(mode, summary["raw"]["sha256"], folder).read_bytes()
    assert hashlib.sha256(content).hexdigest() == summary["raw"]["sha256"]
    section: dict[str, Any] = json.loads(content)
    assert summary["raw"]["rows"] == len(section["rows"])
    module = importlib.import_module(f"bench.modes.{mode}")
    if mode != "account":  # its summary has verdicts instead of the lines that they are of
        assert module.tables(summary) == module.tables(section), "the tables need what the summary lacks"
    return section


def good(rows: list[dict[str, Any]], tool: str) -> dict[str, Any]:
    """Return the one row of a tool, which must have worked."""
    (row,) = [row for row in rows if row["tool"] == tool]
    assert "failed" not in row, row
    return row


@needs_servers
@needs("wrk")
@needs_two_cores
@pytest.mark.integration
# Ten to twenty seconds of both cores for a benchmark that no other test rests on.
@pytest.mark.nightly
def test_the_generator_is_compared_with_wrk_and_the_limit_client(tmp_path: Path) -> None:
    rows = measured(tmp_path, "closed", "--tools=loadrig,wrk,limit")["rows"]
    for tool in ("loadrig", "wrk", "limit", "limit + histogram"):
        row = good(rows, tool)
        assert row["requests"] > 0
        assert row["cpu_s"] > 0
        assert row["peak_bytes"] > 0
    assert good(rows, "loadrig")["own_cpu_s"] <= good(rows, "loadrig")["cpu_s"]


@needs_servers
@needs_two_cores
@pytest.mark.integration
# Sixteen seconds for three loads that the engine's own tests make as well.
@pytest.mark.nightly
@pytest.mark.parametrize("mode", ["scenario", "tls", "h2"])
def test_each_other_closed_load_runs(mode: str, tmp_path: Path) -> None:
    rows = measured(tmp_path, mode, "--tools=loadrig,limit")["rows"]
    assert good(rows, "loadrig")["requests"] > 0


@needs_servers
@needs_two_cores
@pytest.mark.integration
def test_a_fixed_rate_is_kept_to_the_request(tmp_path: Path) -> None:
    rows = measured(tmp_path, "open", "--tools=loadrig")["rows"]
    assert {row["rate"]: row["requests"] for row in rows} == {rate: rate for rate in (1_000, 5_000, 10_000)}


@pytest.mark.nightly
@needs_servers
@needs_two_cores
@pytest.mark.integration
def test_the_stall_is_seen_from_the_due_time_and_hidden_from_the_sending(tmp_path: Path) -> None:
    words = ("honest", "--tools=loadrig", "--seconds=2")
    rows = measured(tmp_path, *words)["rows"]
    row = next(row for row in rows if row["connections"] == 16)
    assert row["server"]["stalls"] >= 1
    # One request in ten was due in the stall; with 16 connections 184 of them had to wait for one. How long
    # the 16 took that were on the way depends on who else had the cores, and so has no limit here.
    assert row["latency_ms"]["p95"] > 50
    assert row["latency_ms"]["p95"] > row["service_ms"]["p95"]


@needs_servers
@needs_two_cores
@pytest.mark.integration
# Twenty seconds of a core for a quick run; memory and start of an attack are tested beside the attack itself.
@pytest.mark.nightly
def test_the_rigs_own_weight_is_measured_beside_the_generator_alone(tmp_path: Path) -> None:
    rows = measured(tmp_path, "weight")["rows"]
    assert good(rows, "generator alone")["requests"] > 0
    attack = good(rows, "loadrig attack")
    assert attack["requests"] > 0
    assert 0 <= attack["around_share"] < 1  # in steps of 10 ms, of a second
    assert attack["own_cpu_s"] > 0
    assert "process" in attack["observer"]["probes"]
    memory = good(rows, "its memory")
    assert memory["peak_bytes"] >= memory["loading_bytes"] > 20_000_000
    assert good(rows, "first request")["ms"] > good(rows, "python -I -S -c pass")["ms"] > 0
    assert good(rows, "loadrig --help")["ms"] > 0


@needs_servers
@needs_two_cores
@pytest.mark.integration
# Ten seconds of a core for a quick run; that of an attack is measured with the rig's own weight, above.
@pytest.mark.nightly
def test_memory_is_measured_for_few_and_many_connections_and_the_program_around(tmp_path: Path) -> None:
    section = measured(tmp_path, "memory", "--seconds=3")
    assert good(section["rows"], f"{section['many']:,} connections")["peak_bytes"] > 0
    attack = good(section["rows"], "loadrig attack")
    assert attack["parent_bytes"] > attack["engine_bytes"] > 0


# Eight seconds for two loads that the engine's own tests make as well.
@pytest.mark.nightly
@needs_servers
@needs_two_cores
@pytest.mark.integration
def test_one_and_two_threads_are_measured(tmp_path: Path) -> None:
    rows = measured(tmp_path, "scaling")["rows"]
    assert [row for row in rows if "failed" in row] == []
    assert len(rows) >= 4


# Nine seconds for a benchmark that no other test rests on.
@pytest.mark.nightly
@needs_servers
@needs_two_cores
@pytest.mark.integration
def test_the_first_request_of_a_typed_command_is_seen(tmp_path: Path) -> None:
    row = good(measured(tmp_path, "cold", "--tools=loadrig")["rows"], "loadrig attack")
    assert 0 < row["first_request_ms"] < 1e3 * row["wall_s"] + 1_000
    assert row["start_ms"] > 0


@needs_servers
@needs("valgrind")
@needs_two_cores
@pytest.mark.integration
@pytest.mark.slow
# Valgrind runs the generator forty times slower: ten seconds of a core, however few the requests are.
@pytest.mark.nightly
def test_instructions_for_a_request_are_counted(tmp_path: Path) -> None:
    # Each kind takes four seconds to start under valgrind, twice.
    kinds = length(("closed", "tls"), ("closed", "scenario", "tls", "h2"))
    section = measured(tmp_path, "instructions", f"--tools={','.join(kinds)}")
    counts = {row["tool"]: good(section["rows"], row["tool"])["instructions"] for row in section["rows"]}
    assert sorted(counts) == sorted(kinds)
    assert 0 < counts["closed"] < counts["tls"]
    assert counts["closed"] < counts.get("scenario", math.inf)


@needs_servers
@needs("wrk")
@needs_two_cores
@pytest.mark.integration
# Ten to twenty seconds of both cores for a benchmark that no other test rests on.
@pytest.mark.nightly
def test_the_probes_cost_is_measured(tmp_path: Path) -> None:
    rows = measured(tmp_path, "probe_cost")["rows"]
    assert {(row["tool"], row["sockets"]) for row in rows} == {
        (tool, sockets) for tool in ("alone", "watched") for sockets in ("1,000 sockets", "50,000 sockets")
    }
    for row in rows:
        assert row["per_second"] > 0
        if row["tool"] == "watched":
            assert 0 < row["observer_cpu_s"] <= row["cpu_s"] < row["seconds"]
            assert {"process", "system_cpu", "tcp_sockets"} <= row["probes"].keys()


# Six seconds for a benchmark that no other test rests on.
@pytest.mark.nightly
@needs_two_cores
@pytest.mark.integration
@pytest.mark.skipif(os.geteuid() != 0, reason="a network namespace can only be made by root")
def test_a_look_at_many_sockets_is_measured_by_netlink_and_by_text(tmp_path: Path) -> None:
    rows = measured(tmp_path, "sockets")["rows"]
    assert {(row["tool"], row["sockets"]) for row in rows} == {
        (way, count) for way in ("netlink", "netlink, tcp_info", "text") for count in (0, 1000)
    }
    assert all(len(row["ms"]) == 3 for row in rows)


# Eight seconds for a benchmark that no other test rests on.
@pytest.mark.nightly
@needs_two_cores
@pytest.mark.integration
@pytest.mark.skipif(os.geteuid() != 0, reason="a network namespace can only be made by root")
def test_looks_at_socket_stages_are_measured_with_and_without_a_budget(tmp_path: Path) -> None:
    rows = measured(tmp_path, "stages")["rows"]
    assert {(row["tool"], row["watched"]) for row in rows} == {
        (tool, watched) for tool in ("in the budget", "50 a second") for watched in (1000.0,)
    }
    assert all(0 < row["cpu_s"] < row["seconds"] and row["looks"] > 0 for row in rows)


# Fourteen seconds of CPU for a benchmark that no other test rests on.
@pytest.mark.nightly
@needs_servers
@needs("go")
@needs_two_cores
@pytest.mark.integration
def test_an_account_is_laid_beside_the_book_of_a_server_of_known_truth(tmp_path: Path) -> None:
    (row,) = measured(tmp_path, "account")["rows"]
    assert "failed" not in row, row
    assert row["name"] == "threads-cpu-low"
    assert row["requests"] > 0
    assert row["lines"]["running"]["truth"] >= 5.0
    assert row["lines"]["awaiting"]["truth"] >= 3.0
    assert sum(line["account"] for line in row["lines"].values()) > 0


@pytest.mark.nightly
@needs_servers
@needs_two_cores
@pytest.mark.integration
def test_a_peer_that_is_absent_is_named_and_left_out(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    # A PATH with the two programs that are needed, and no peer.
    programs = tmp_path / "programs"
    programs.mkdir()
    for name in ("nginx", "cc", "openssl", "ld", "as"):
        if program := shutil.which(name, path=SEARCHED):
            (programs / name).symlink_to(program)
    done = run(
        "closed", "--quick", "--tools=loadrig,oha", "--results", str(tmp_path / "out"), path=str(programs)
    )
    if shutil.which("oha", path="/usr/sbin:/usr/local/sbin"):
        pytest.skip("oha is in a folder that is always searched")
    assert done.returncode == 0, done.stderr
    assert [line for line in done.stderr.splitlines() if "oha" in line] == snapshot


@needs_servers
@needs_two_cores
@pytest.mark.integration
# Ten seconds of both cores for a benchmark that no other test rests on.
@pytest.mark.nightly
def test_a_fleet_of_ours_reports_all_that_was_asked_for_and_what_a_loss_cost(tmp_path: Path) -> None:
    section = measured(tmp_path, "fleet_peers", "--tools=loadrig")
    whole, killed = section["rows"]
    assert (whole["is_killed"], killed["is_killed"]) == (False, True)
    assert whole["sent"] == section["rate"] * section["seconds"]
    assert whole["p99_ms"] > 0
    assert 0 < killed["sent"] <= whole["sent"]


def test_a_mode_that_is_unknown_is_refused_by_name() -> None:
    done = run("closd")
    assert done.returncode == 2
    assert "'closd'" in done.stderr


def test_every_mode_is_run_by_default_or_where_it_is_named() -> None:
    files = {path.stem for path in (ROOT / "bench" / "modes").glob("[!_]*.py")}
    assert sorted((*ORDER, *ON_REQUEST)) == sorted(files)


def test_every_peer_says_how_it_is_installed() -> None:
    text = (ROOT / "bench" / "README.md").read_text(encoding="utf-8")
    ours = {"loadrig", "limit"}
    for program in {peer.program for peer in peers.PEERS} - ours:
        assert peers.PACKAGES[program].split(" ", 1)[1].split("@")[0] in text, program

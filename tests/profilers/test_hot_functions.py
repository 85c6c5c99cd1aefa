"""Every profiler on a real program: the function that burns the CPU is the biggest frame of its own code."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from loadrig.base.component import Component
from loadrig.profilers import (
    Capture,
    Summary,
    async_profiler,
    decoded,
    encoded,
    go_pprof,
    node_inspector,
    own_of,
    perf,
    py_spy,
    summary,
)
from tests.profilers import programs
from tests.servers import go, java, node

pytestmark = pytest.mark.integration

FEWEST_SAMPLES = 5
"""Samples that a profile of a busy program has at least: on a crowded core it runs for a part of the time."""

MOST = 0.5
"""Share of the time that the hot function has alone: more than everything else together. How much more the
server's own accepting, reading and switching leaves differs from machine to machine."""


def checked(component: Component, raw: Capture, folder: Path) -> Summary:
    """Check that a profile kept as pprof reads back to the same, and that Go's tool reads it too."""
    content = raw.pprof or encoded(raw.profile)
    assert decoded(content).stacks == raw.profile.stacks
    assert raw.began_ns < raw.ended_ns
    profile_summary = summary(decoded(content), own_of(component, raw.pid or 0))
    assert sum(profile_summary.shares.values()) == pytest.approx(1)
    assert profile_summary.samples >= FEWEST_SAMPLES
    (folder / "kept.pb.gz").write_bytes(content)
    tool = shutil.which("go", path=f"{os.environ['PATH']}:/usr/local/go/bin")
    if tool is not None:
        top = by_go(tool, folder / "kept.pb.gz")
        assert top.endswith(profile_summary.functions[0].name)
    return profile_summary


def by_go(tool: str, file: Path) -> str:
    """Return the function that `go tool pprof -top` names first."""
    argv = [tool, "tool", "pprof", "-top", "-nodecount=5", "-symbolize=none", str(file)]
    lines = subprocess.run(argv, capture_output=True, text=True, check=True).stdout.splitlines()
    heading = next(number for number, line in enumerate(lines) if "flat%" in line)
    return lines[heading + 1].split(None, 5)[5].removesuffix(" (inline)")


def test_py_spy_names_the_hot_function_of_a_python(tmp_path: Path) -> None:
    with programs.busy_python(tmp_path) as component:
        raw = py_spy.take(py_spy.Options(), component, programs.shot(tmp_path))
        profile_summary = checked(component, raw, tmp_path)
    hot = profile_summary.own(1)[0]
    assert (hot.name, os.path.basename(hot.file)) == ("hot", "shop.py")
    assert hot.self_share > MOST
    assert hot.line in (7, 8)
    assert {stack.thread for stack in raw.profile.stacks} >= {"worker-1"}
    assert next(use for use in profile_summary.functions if use.name == "Thread.run").origin == "runtime"
    assert raw.cpu_s is not None
    assert raw.cpu_s > 0


def test_py_spy_counts_waiting_threads_when_asked(tmp_path: Path) -> None:
    with programs.busy_python(tmp_path) as component:
        raw = py_spy.take(py_spy.Options(threads="all"), component, programs.shot(tmp_path))
    assert raw.profile.kind == "wall"
    time_of = dict.fromkeys(("MainThread", "worker-1"), 0)
    for stack, weight in raw.profile.stacks.items():
        time_of[stack.thread] += weight.time_ns
    assert time_of["MainThread"] > 0.5 * time_of["worker-1"]


def test_async_profiler_names_the_hot_method_of_a_jvm(tmp_path: Path) -> None:
    options = async_profiler.Options(program=str(programs.ap_loader()))
    with java.plain(tmp_path) as server, programs.kept_busy(server.port, "/burn?ms=50"):
        # Beside others it gets little of a core, and a share of a few samples says little.
        raw = async_profiler.take(options, server.component(), programs.shot(tmp_path, seconds=5.0))
        profile_summary = checked(server.component(), raw, tmp_path)
    assert profile_summary.own(1)[0].name == "Work.hotLoop"
    assert profile_summary.own(1)[0].self_share > MOST
    assert {use.origin for use in profile_summary.functions if use.name.startswith(("java.", "sun."))} == {
        "runtime"
    }


def test_go_pprof_names_the_hot_function_of_a_go_server(tmp_path: Path) -> None:
    with go.started_go(go.build("watched", tmp_path), tmp_path) as server:
        with programs.kept_busy(server.port, "/burn?n=3000000"):
            raw = go_pprof.take(go_pprof.Options(), server.component(), programs.shot(tmp_path))
        profile_summary = checked(server.component(), raw, tmp_path)
    assert profile_summary.own(1)[0].name == "main.burn"
    assert profile_summary.own(1)[0].self_share > MOST
    assert profile_summary.own(1)[0].file.endswith("work.go")
    assert {use.origin for use in profile_summary.functions if use.name.startswith("net/http.")} == {
        "runtime"
    }


@pytest.mark.parametrize("flags", [(), ("--inspect=127.0.0.1:0",)])
def test_the_inspector_names_the_hot_function_of_a_node(tmp_path: Path, flags: tuple[str, ...]) -> None:
    with node.started_node("classic.cjs", tmp_path, *flags) as server:
        with programs.kept_busy(server.port, "/burn?n=3000000"):
            raw = node_inspector.take(node_inspector.Options(), server.component(), programs.shot(tmp_path))
        profile_summary = checked(server.component(), raw, tmp_path)
        assert node_inspector._listening(server.pid) is None or flags, "the inspector was left open"
    assert profile_summary.own(1)[0].name == "burn"
    assert profile_summary.own(1)[0].self_share > MOST
    assert profile_summary.own(1)[0].file.endswith("work.cjs")


@pytest.mark.nightly
def test_perf_names_the_hot_function_of_a_native_program(tmp_path: Path) -> None:
    if shutil.which("perf") is None:
        pytest.skip("perf is not installed: apt-get install linux-perf")
    with programs.busy_native(tmp_path) as component:
        raw = perf.take(perf.Options(), component, programs.shot(tmp_path))
        profile_summary = checked(component, raw, tmp_path)
    assert profile_summary.own(1)[0].name == "hot"
    assert profile_summary.own(1)[0].self_share > MOST
    assert [use.name for use in profile_summary.own(3)][1:] == ["main", "serve"]
    assert profile_summary.shares["own"] > MOST

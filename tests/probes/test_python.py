"""The probe `python` beside real interpreters: the lock, the collector, where memory grows, rights."""

import os
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from syrupy.assertion import SnapshotAssertion

from loadrig.base import processes
from loadrig.base.component import SERVER, Component
from loadrig.base.units import Seconds
from loadrig.probes import Place, Unavailable, _rights, python
from loadrig.probes._python import gil as _gil
from loadrig.testing.leftovers import nothing_left_behind
from tests.probes.watching import Watched, watching
from tests.servers.interpreter import as_component, program

# --- parsers


def test_the_innermost_functions_of_a_raw_profile_are_summed() -> None:
    text = (
        "MainThread;<module> (shop.py:1);hot loop (shop.py:9) 17\n"
        "worker (pool.py:3);hot loop (shop.py:9) 2\n<module> (shop.py:1) 1\n\n"
    )
    assert _gil.parse_raw(text) == {"hot loop (shop.py:9)": 19, "<module> (shop.py:1)": 1}


MAPS = """\
55ef59b05000-55ef59b06000 r--p 00000000 fe:00 2107 /usr/bin/python3.8
55ef59b09000-55ef59b0a000 rw-p 00003000 fe:00 2107 /usr/bin/python3.8
55ef5a9d2000-55ef5aa60000 rw-p 00000000 00:00 0 [heap]
7f25fab1b000-7f25fab56000 rw-p 00345000 fe:00 3001 /opt/py 3/lib/libpython3.8.so.1.0
7f25fab56000-7f25fab77000 rw-p 00000000 00:00 0
7f25fab80000-7f25fab90000 rw-p 00000000 00:00 0
7f25faba0000-7f25fabb0000 rw-p 00000000 fe:00 3002 /usr/lib/libc.so.6
"""


def test_the_interpreters_own_data_is_told_from_the_heap_and_other_libraries() -> None:
    data = _gil.parse_data_of_interpreter(MAPS)
    assert data == [
        (0x55EF59B09000, 0x55EF59B0A000),
        (0x7F25FAB1B000, 0x7F25FAB56000),
        (0x7F25FAB56000, 0x7F25FAB77000),
    ]
    in_data = "202 0x7f25fab732c8 0x89 0x0 0x7f25f9bfe9b0 0x0 0xffffffff 0x7f25f9bfe950 0x7f25fa8a5117"
    on_heap = in_data.replace("0x7f25fab732c8", "0x7f25f4000b70")
    states = {line: _gil.parse_state(line, "202", data) for line in (in_data, on_heap, "running\n")}
    assert states == {in_data: "waiting", on_heap: "other", "running\n": "running"}
    assert _gil.parse_state("-1 0x7ffd1 0x7fa\n", "202", data) == "other"


@given(st.integers(0, 2**47), st.integers(1, 2**20))
def test_an_address_is_the_locks_only_within_the_interpreters_data(start: int, size: int) -> None:
    data = [(start, start + size)]
    for address, state in ((start, "waiting"), (start + size - 1, "waiting"), (start + size, "other")):
        assert _gil.parse_state(f"202 {address:#x} 0x89", "202", data) == state


# --- the lock, from outside

BUSY = """\
import threading, time
def hot_loop():
    n = 0
    while True:
        n += sum(range(100))
threads = [threading.Thread(target=hot_loop, daemon=True) for _ in range(4)]
"""
IDLE = """\
import threading, time
def wait_for_others():
    while True:
        time.sleep(1)  # on a crowded machine it waits for a core each time that it wakes up
threads = [threading.Thread(target=wait_for_others, daemon=True) for _ in range(4)]
"""
ASLEEP_WITH_THE_LOCK = """\
import ctypes, threading
sleep = ctypes.PyDLL(None).usleep  # PyDLL keeps the lock during the call
def hold_on():
    while True:
        sleep(50000)
threads = [threading.Thread(target=hold_on, daemon=True)]
"""
RUN = "for one in threads: one.start()\nprint('up', flush=True)\nfor one in threads: one.join()\n"


def burst(code: str) -> tuple[Watched, dict[str, float]]:
    """Return one burst of looks at a program: all that was seen, and the values by metric."""
    with nothing_left_behind(), program(code + RUN) as process:
        with watching(python, as_component(process), every=Seconds(60)) as watched:
            values = watched.until(lambda now: now["gil_share", ""] >= 0)
            assert values["gil_share", f"pid:{process.pid}"] == values["gil_share", ""]
            # py-spy leaves out looks for which it has no core in time.
            assert 0 < values["looks", ""] <= 42
            cost_s = getattr(watched.session, "cpu_s", 0.0)
        assert cost_s > 0
    return watched, {metric: value for (metric, subject), value in values.items() if not subject}


@pytest.mark.integration
def test_threads_that_compute_hold_the_lock_all_the_time_and_wait_for_it() -> None:
    watched, values = burst(BUSY)
    assert values["gil_share"] > 0.8
    assert values["held_looks"] > 0.8 * values["looks"]
    assert 1 < values["waiting_threads"] <= 3.5
    assert values["running_threads"] >= 0.8
    assert values["waiting_threads"] + values["running_threads"] > 3.5, "all four want it, all the time"
    (top,) = watched.of_kind("gil_top")
    assert top.facts["frames"][0]["frame"].startswith("hot_loop (")
    assert top.facts["duration_s"] == 2
    assert "hot_loop" in top.text


@pytest.mark.integration
def test_threads_that_wait_for_others_hardly_hold_it() -> None:
    watched, values = burst(IDLE)
    assert values["gil_share"] < 0.2
    assert values["waiting_threads"] < 0.2
    assert values["running_threads"] < 0.5
    assert watched.of_kind("gil_top") == []


@pytest.mark.integration
def test_a_thread_that_sleeps_with_the_lock_is_found_out() -> None:
    watched, values = burst(ASLEEP_WITH_THE_LOCK)
    assert values["gil_share"] > 0.8
    assert values["running_threads"] < 0.5
    assert watched.of_kind("gil_top")[0].facts["frames"][0]["frame"].startswith("hold_on (")


@pytest.mark.nightly
@pytest.mark.integration
def test_of_a_tree_the_busiest_python_process_is_looked_at() -> None:
    worker = f"import os, subprocess, sys\nif os.fork() == 0:\n    exec({BUSY + RUN!r})\n"
    code = worker + "tool = subprocess.Popen(['sleep', '60'])\ntry: sys.stdin.read()\nfinally: tool.kill()\n"
    with nothing_left_behind(), program(code) as process:
        (busy,) = (pid for pid in _family(process.pid) if _gil.is_python(pid) and pid != process.pid)
        with watching(python, as_component(process), every=Seconds(60)) as watched:
            values = watched.until(lambda now: now["gil_share", ""] >= 0)
        assert values["gil_share", f"pid:{busy}"] > 0.8
        os.kill(busy, 9)
        assert process.stdin is not None
        process.stdin.close()
        process.wait(60)


def _family(pid: int) -> list[int]:
    return processes.tree(pid, processes.table())


@pytest.mark.integration
def test_a_burst_is_cut_short_by_the_end_of_the_trial_and_nothing_is_left(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(python, "LOOK_S", 60)  # far longer than anybody waits for its end
    with nothing_left_behind(), program(BUSY + RUN) as process:
        before = len(os.listdir("/proc/self/fd"))
        with watching(python, as_component(process)) as watched:
            watched.look()
            while not any(_name(pid) == "py-spy" for pid in _family(os.getpid())):
                time.sleep(0.01)
        assert len(os.listdir("/proc/self/fd")) == before
        assert not any(_name(pid) == "py-spy" for pid in _family(os.getpid()))


def _name(pid: int) -> str:
    stat = processes.stat(pid)
    return stat.name if stat else ""


@pytest.mark.integration
def test_a_server_that_ends_while_it_is_looked_at_is_lost_and_said() -> None:
    with program(BUSY + RUN) as process, watching(python, as_component(process)) as watched:
        watched.look()
        process.kill()
        process.wait()
        lost = watched.until_lost()
        assert lost.code == "probe.no-process"
        assert str(process.pid) in lost.reason


# --- rights

AS_NOBODY = """\
import os, sys
from loadrig.base.component import Component
from loadrig.probes import Place, Unavailable, python
sys.modules["loadrig.probes._python.gil"].program()  # all is imported: from here on as another user
os.setgroups([]), os.setgid(65534), os.setuid(65534)
try:
    python.attach(python.Options(), Component("server", "program", "cpython", pid=int(sys.argv[1])), Place())
except Unavailable as missing:
    print(missing.code, "|", missing.reason, "|", missing.mend)
"""


@pytest.mark.integration
def test_a_process_of_another_user_is_refused_with_the_right_that_is_missing() -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can become another user for this test: run the tests by sudo")
    if not all(folder.stat().st_mode & stat.S_IXOTH for folder in Path(sys.prefix).resolve().parents):
        pytest.skip("another user may not enter the folder of this checkout: clone it elsewhere")
    with program(IDLE + RUN) as process:
        done = subprocess.run(
            [sys.executable, "-c", AS_NOBODY, str(process.pid)],
            capture_output=True, text=True, timeout=60, check=False,
        )  # fmt: skip
    code, reason, mend = done.stdout.strip().split(" | ")
    assert code == "probe.no-right"
    assert str(process.pid) in reason
    assert "ptrace" in reason
    assert "sudo" in mend


@pytest.mark.parametrize("scope", [1, 3])
def test_a_hardened_kernel_is_named_and_mended(
    tmp_path: Path, scope: int, snapshot: SnapshotAssertion
) -> None:
    yama = tmp_path / "proc/sys/kernel/yama/ptrace_scope"
    yama.parent.mkdir(parents=True)
    yama.write_text(f"{scope}\n")
    (tmp_path / "proc/self").mkdir()
    (tmp_path / "proc/self/status").write_text("Name:\tloadrig\nCapEff:\t0000000000000000\n")
    with pytest.raises(Unavailable) as refused:
        _rights.may_trace(12, "the stacks", tmp_path)
    assert refused.value.code == "probe.no-right"
    assert (refused.value.reason, refused.value.mend) == snapshot


def test_a_capable_process_is_not_stopped_by_a_hardened_kernel(tmp_path: Path) -> None:
    for name, text in {
        "proc/sys/kernel/yama/ptrace_scope": "1\n",
        "proc/self/status": "CapEff:\t0000000000080000\n",
        "proc/12/mem": "",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    _rights.may_trace(12, "the stacks", tmp_path)


def test_without_py_spy_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_gil, "program", lambda: None)
    with pytest.raises(Unavailable) as missing:
        python.attach(python.Options(), Component(SERVER, "program", "cpython", pid=os.getpid()), Place())
    assert missing.value.code == "probe.no-tool"
    assert missing.value.mend == "pip install py-spy"


@pytest.mark.integration
def test_what_is_no_python_after_all_is_lost_with_what_py_spy_said(tmp_path: Path) -> None:
    copy = tmp_path / "python3.99"  # a shell by the name of an interpreter
    copy.write_bytes(Path(os.path.realpath("/bin/sh")).read_bytes())
    copy.chmod(0o755)
    with (
        program("echo up; read line", interpreter=str(copy)) as process,
        watching(python, as_component(process), every=Seconds(2)) as watched,
    ):
        lost = watched.until_lost()
    assert lost.code == "probe.not-that"
    assert str(process.pid) in lost.reason
    assert f"py-spy dump --pid {process.pid}" in lost.mend

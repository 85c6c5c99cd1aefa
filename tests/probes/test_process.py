"""The probe on real processes: another user's, threads and their states, disk bytes, workers that end."""

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from loadrig.base import processes
from loadrig.base.series import Sample
from loadrig.probes import Lost, process
from tests.conftest import Deadline
from tests.probes.namespaces import BECOME_NOBODY
from tests.probes.watching import wording

LATER = 10**12
RECORDED = Path(__file__).with_name("recorded") / "process/worker_replaced"


def by_series(samples: list[Sample]) -> dict[str, float]:
    return {f"{sample.metric} {sample.subject}": sample.value for sample in samples}


def test_too_many_threads_are_not_read_one_by_one_and_a_note_says_so(snapshot: SnapshotAssertion) -> None:
    pid = int((RECORDED / "options.yaml").read_text().split()[1])
    watch = process.ProcessWatch(process.Options(threads=2), pid, None, RECORDED / "tick0")
    metrics = {sample.metric for sample in watch.sample(0)}
    assert "threads" in metrics
    assert "voluntary_switches" not in metrics
    assert [event.text for event in watch.events()] == snapshot


IMPORTS = """
import json, sys
from loadrig.probes import Lost, process
"""
WATCHED = """
watch = process.ProcessWatch(process.Options(), int(sys.argv[1]))
names = [f"{one.metric} {one.subject}" for t_ns in (0, 10**12) for one in watch.sample(t_ns)]
print(json.dumps([names, [event.text for event in watch.events() if event.kind == "note"]]))
"""


def test_memory_that_may_not_be_read_leaves_rss_and_one_note(snapshot: SnapshotAssertion) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can run the probe as a user who may not read this process")
    done = subprocess.run(
        [sys.executable, "-c", IMPORTS + BECOME_NOBODY + WATCHED, str(os.getpid())],
        capture_output=True, text=True, timeout=30,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    names, notes = json.loads(done.stdout)
    assert {"rss_bytes tree", "cpu_s tree", "threads tree"} <= set(names)
    assert not [name for name in names if name.startswith(("pss_bytes", "uss_bytes", "disk_"))]
    assert len(notes) == 1
    assert wording(notes[0]) == snapshot


@pytest.fixture
def shell() -> Iterator["subprocess.Popen[str]"]:
    """Yield a shell that does what it is told, a line at a time, and says "done" after each."""
    with subprocess.Popen(["sh"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        yield child
        assert child.stdin is not None
        child.stdin.close()
        child.wait(timeout=10)


def tell(shell: "subprocess.Popen[str]", line: str) -> None:
    assert shell.stdin is not None
    assert shell.stdout is not None
    shell.stdin.write(f"{line}\necho done\n")
    shell.stdin.flush()
    assert shell.stdout.readline() == "done\n"


def test_bytes_written_count_once_though_the_writer_ends_and_its_parent_inherits_them(
    shell: "subprocess.Popen[str]", tmp_path: Path
) -> None:
    watch = process.ProcessWatch(process.Options(), shell.pid)
    before = by_series(watch.sample(0))
    if "disk_written_bytes tree" not in before:
        pytest.skip("/proc/PID/io is not there: the kernel has no task I/O accounting")
    out = tmp_path / "out"
    write = f"head -c 1000000 /dev/zero > {out}"
    tell(shell, f"mkfifo {tmp_path}/go; ({write}; read line < {tmp_path}/go) &")
    grown = 0.0
    while grown < 1_000_000:
        # Not told in a sample in which the writer has just ended.
        grown = by_series(watch.sample(LATER)).get("disk_written_bytes tree", grown)
    tell(shell, f"echo > {tmp_path}/go; wait")
    after = by_series(watch.sample(LATER))
    assert after["processes tree"] == 1
    assert 1_000_000 <= after["disk_written_bytes tree"] < 1_900_000


def test_time_of_a_child_that_has_ended_is_told_apart(shell: "subprocess.Popen[str]") -> None:
    watch = process.ProcessWatch(process.Options(), shell.pid)
    before = by_series(watch.sample(0))
    burn = "import time\nwhile time.process_time() < 0.15: pass"
    tell(shell, f"{sys.executable} -c '{burn}'")
    after = by_series(watch.sample(LATER))
    dead_s = after["children_cpu_s tree"] - before["children_cpu_s tree"]
    assert dead_s >= 0.1
    assert after["cpu_s tree"] - before["cpu_s tree"] >= dead_s
    assert after[f"cpu_s pid:{shell.pid}"] < dead_s


def test_what_the_first_thread_ran_is_told_apart_from_the_others(deadline: Deadline) -> None:
    code = "import sys, threading\ndef burn():\n  while True: pass\n"
    code += "threading.Thread(target=burn, daemon=True).start()\nsys.stdin.read()"
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE) as busy:
        assert busy.stdin is not None
        watch = process.ProcessWatch(process.Options(), busy.pid)
        before = by_series(watch.sample(0))
        used = before["cpu_s tree"]
        deadline.wait_for(lambda: by_series(watch.sample(LATER))["cpu_s tree"] >= used + 0.3, "it to compute")
        after = by_series(watch.sample(LATER))
        busy.stdin.close()
    grown = {name: after[name] - before[name] for name in ("cpu_s tree", "first_threads_s tree")}
    assert grown["first_threads_s tree"] < 0.5 * grown["cpu_s tree"]


def test_threads_are_counted_by_their_states_and_none_is_zero(deadline: Deadline) -> None:
    watch = process.ProcessWatch(process.Options(threads=10_000), os.getpid())
    go = threading.Event()
    waiting = [threading.Thread(target=go.wait) for _ in range(4)]
    for thread in waiting:
        thread.start()
    reading = by_series(watch.sample(0))
    states = [name for name in reading if name.startswith("threads state:")]
    assert sum(reading[name] for name in states) == reading["threads tree"]
    assert reading["threads state:R"] >= 1  # the one that looks
    assert reading["threads state:S"] >= 1
    go.set()
    for thread in waiting:
        thread.join(deadline.left_s)
    assert set(states) <= by_series(watch.sample(LATER)).keys()


def test_a_stopped_process_shows_its_threads_as_stopped(deadline: Deadline) -> None:
    with subprocess.Popen(["sleep", "60"]) as child:
        try:
            watch = process.ProcessWatch(process.Options(), child.pid)
            child.send_signal(signal.SIGSTOP)
            deadline.wait_for(lambda: by_series(watch.sample(0)).get("threads state:T") == 1, "the stop")
            child.send_signal(signal.SIGCONT)
            deadline.wait_for(lambda: by_series(watch.sample(0)).get("threads state:S") == 1, "it to go on")
            assert by_series(watch.sample(0))["threads state:T"] == 0
        finally:
            child.kill()


def test_a_worker_that_dies_is_told_with_the_memory_it_had(shell: "subprocess.Popen[str]") -> None:
    watch = process.ProcessWatch(process.Options(), shell.pid)
    watch.sample(0)
    tell(shell, "sleep 60 & worker=$!")
    watch.sample(LATER)
    tell(shell, "kill $worker; wait")
    watch.sample(2 * LATER)
    born, died = watch.events()
    assert (born.kind, died.kind, born.subject) == ("process_born", "process_died", died.subject)
    assert died.facts["memory_bytes"] > 0


def test_a_large_memory_is_read_less_often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "MEMORY_SHARE", 1e-9)
    watch = process.ProcessWatch(process.Options(), os.getpid())
    assert "pss_bytes tree" in by_series(watch.sample(0))
    assert "pss_bytes tree" not in by_series(watch.sample(10**9))


def test_a_process_that_has_ended_is_told_once_and_is_lost() -> None:
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    session = process.ProcessWatch(process.Options(), child.pid)
    assert session.sample(0)
    child.kill()
    child.wait()
    for n in (1, 2):
        with pytest.raises(Lost) as lost:
            session.sample(n * 10**9)
        assert lost.value.code == "probe.no-process"
        assert str(child.pid) in lost.value.reason
    assert [event.kind for event in session.events()] == ["process_died"]


def test_another_process_with_its_number_is_not_taken_for_it() -> None:
    """Numbers are used again: the process is named by its number and its start."""
    start = processes.start_of(os.getpid())
    assert start is not None
    assert process.ProcessWatch(process.Options(), os.getpid(), start=start).sample(0)
    with pytest.raises(Lost):
        process.ProcessWatch(process.Options(), os.getpid(), start=start - 1).sample(0)

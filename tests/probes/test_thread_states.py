"""The probe on programs whose threads do what is known: relations and sums, never speed."""

import fcntl
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from loadrig._native import ThreadBurst, Threads
from loadrig.base import processes
from loadrig.base.component import Component
from loadrig.base.series import Sample
from loadrig.probes import Lost, thread_states
from loadrig.probes._session import Place
from loadrig.probes._thread_fullness import CORES_FULL
from tests.conftest import Deadline
from tests.probes import thread_programs as programs
from tests.probes.elsewhere import SampleKeeper
from tests.probes.namespaces import BECOME_NOBODY, program
from tests.probes.test_remote import watched

pytestmark = pytest.mark.integration

PROC = "/proc"


def burst(pid: int, seconds: float = 1.0) -> ThreadBurst:
    """Return a burst of looks at a program."""
    return Threads(pid, None, None, PROC).burst(100, seconds, 1.0, 1)


def once(pid: int, claim: Callable[[ThreadBurst], object], deadline: Deadline) -> ThreadBurst:
    """Return the first burst that fulfils a claim: a program may still be on its way to what it does."""
    bursts: list[ThreadBurst] = []

    def is_so() -> object:
        bursts.append(burst(pid))
        return claim(bursts[-1])

    deadline.wait_for(is_so, "a burst that shows it")
    return bursts[-1]


@pytest.fixture
def silent() -> Iterator[int]:
    """Yield the port of a peer that takes connections and never answers."""
    with socket.create_server(("127.0.0.1", 0), backlog=64) as listener:
        yield listener.getsockname()[1]


def check_sums(look: ThreadBurst, threads: int) -> None:
    """States and groups both add up to the threads."""
    assert sum(look.states.values()) == pytest.approx(threads, rel=0.02)
    assert sum(look.groups.values()) == pytest.approx(sum(look.states.values()))
    of_peers = sum(look.peers.values())
    assert of_peers <= sum(look.states.values()) + 1e-6


def test_threads_that_wait_for_the_interpreter_are_in_futex(deadline: Deadline) -> None:
    with programs.running(programs.BURN_FOUR) as (pid, _):
        look = once(pid, lambda look: look.groups.get(("futex", "worker-#"), 0) > 0.5, deadline)
    check_sums(look, 5)
    # Who is woken to ask for the interpreter waits for a core first, on a crowded machine for long.
    wanting = look.states["running"] + look.states["runnable"]
    assert look.states["futex"] + wanting == pytest.approx(4, abs=0.2)
    assert 0 < look.states["running"] < 1.2
    assert look.states["reading"] == pytest.approx(1, abs=0.3)  # the main thread, its standard input
    assert look.peers["reading", "pipe"] == pytest.approx(1, abs=0.3)
    burning = [name for _, _, name, states in look.busy if states.get("running", 0) > 0.02]
    assert burning
    assert all(name.startswith("worker-") for name in burning)


def test_threads_that_wait_for_a_peer_are_told_with_it(silent: int, deadline: Deadline) -> None:
    peer = f"out:127.0.0.1:{silent}"
    with programs.running(programs.READ, str(silent)) as (pid, _):
        look = once(pid, lambda look: look.peers.get(("reading", peer), 0) > 5.9, deadline)
    check_sums(look, 7)
    assert look.peers["reading", peer] == pytest.approx(6, abs=0.1)
    assert look.groups["reading", "reader-#"] == pytest.approx(4, abs=0.1)
    assert look.groups["reading", "patient-#"] == pytest.approx(2, abs=0.1)
    assert look.gaps == []


def test_a_peer_at_a_unix_socket_has_its_path(tmp_path: Path, deadline: Deadline) -> None:
    path = str(tmp_path / "peer.sock")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        listener.listen()
        with programs.running(programs.READ_UNIX, path) as (pid, _), listener.accept()[0]:
            once(pid, lambda look: look.peers.get(("reading", f"out:{path}"), 0) > 0.9, deadline)


def test_a_peer_that_does_not_read_holds_the_writer(silent: int, deadline: Deadline) -> None:
    peer = f"out:127.0.0.1:{silent}"
    with programs.running(programs.WRITE, str(silent)) as (pid, _):
        once(pid, lambda look: look.peers.get(("writing", peer), 0) > 0.9, deadline)


def test_who_accepts_is_told_with_the_port(deadline: Deadline) -> None:
    with programs.running(programs.ACCEPT) as (pid, port):
        once(pid, lambda look: look.peers.get(("accepting", f"in:{port}"), 0) > 0.9, deadline)


def test_an_event_loop_with_nothing_to_do_polls(deadline: Deadline) -> None:
    with programs.running(programs.LOOP) as (pid, _):
        look = once(pid, lambda look: look.states["polling"] > 0.9, deadline)
    check_sums(look, 1)


def test_a_thread_that_syncs_waits_for_the_disk_or_works(tmp_path: Path, deadline: Deadline) -> None:
    with programs.running(programs.SYNC, str(tmp_path / "file")) as (pid, _):
        look = once(pid, lambda look: sum(look.groups.values()) > 1.9, deadline)
    syncing = {state: mean for (state, group), mean in look.groups.items() if group == "syncer-#"}
    assert sum(syncing.get(state, 0) for state in ("disk", "running", "runnable")) > 0.8, syncing


def test_a_thread_that_waits_for_a_locked_file_waits_for_a_lock(tmp_path: Path, deadline: Deadline) -> None:
    path = tmp_path / "session"
    with path.open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with programs.running(programs.LOCKED, str(path)) as (pid, _):
            look = once(pid, lambda look: look.states["lock"] > 0.9, deadline)
    check_sums(look, 2)


def test_threads_that_sleep_sleep(deadline: Deadline) -> None:
    with programs.running(programs.SLEEP) as (pid, _):
        look = once(pid, lambda look: look.states["sleeping"] > 2.9, deadline)
    check_sums(look, 4)
    assert look.groups["sleeping", "sleeper-#"] == pytest.approx(3, abs=0.1)


def test_two_that_burn_on_one_core_wait_for_it_in_turns() -> None:
    with programs.running(programs.BURN_TWO_ON_A_CORE) as (pid, _):
        look = burst(pid, 2.0)
    check_sums(look, 2)
    wanting = look.states["running"] + look.states["runnable"]
    assert wanting == pytest.approx(2, abs=0.1)
    # Half of the time if nobody else is on that core, more if somebody is.
    assert 0.4 <= look.states["runnable"] / wanting <= 0.98


def test_a_stopped_program_is_stopped(deadline: Deadline) -> None:
    with programs.running(programs.LOOP) as (pid, _):
        os.kill(pid, signal.SIGSTOP)
        once(pid, lambda look: look.states["stopped"] > 0.99, deadline)
        os.kill(pid, signal.SIGCONT)
        once(pid, lambda look: look.states["stopped"] == 0, deadline)


def test_a_peer_in_another_network_namespace_is_told(deadline: Deadline) -> None:
    inside = """
import socket, threading
listener = socket.create_server(("127.0.0.1", 700))
peer = socket.create_connection(("127.0.0.1", 700))
threading.Thread(target=peer.recv, args=(1,), daemon=True).start()
"""
    with program(inside) as pid:
        once(pid, lambda look: look.peers.get(("reading", "out:127.0.0.1:700"), 0) > 0.9, deadline)


UNSEEN = """
import json, sys
from loadrig._native import Threads
"""
UNSEEN_WORK = """
look = Threads(int(sys.argv[1]), None, None, "/proc").burst(100, 0.5, 1.0, 1)
print(json.dumps([look.states, look.gaps, len(look.peers)]))
"""


def test_what_another_user_may_not_see_is_named_and_still_adds_up() -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can run the probe as a user who may not read this process")
    with programs.running(programs.SLEEP) as (pid, _):
        done = subprocess.run(
            [sys.executable, "-c", UNSEEN + BECOME_NOBODY + UNSEEN_WORK, str(pid)],
            capture_output=True, text=True, timeout=60,
        )  # fmt: skip
    assert done.returncode == 0, done.stderr
    states, gaps, peers = json.loads(done.stdout)
    assert sum(states.values()) == pytest.approx(4, rel=0.05)
    assert states["unseen"] == pytest.approx(4, abs=0.2)
    assert gaps == [["places", pid]]
    assert peers == 0


def by_series(samples: list[Sample]) -> dict[tuple[str, str], float]:
    return {(sample.metric, sample.subject): sample.value for sample in samples}


def test_a_thread_that_burns_is_named_and_a_burst_is_taken_because_of_it(deadline: Deadline) -> None:
    options = thread_states.Options(burst=0.3)  # type: ignore[arg-type]
    with programs.running(programs.BURN) as (pid, _):
        watch = thread_states.ThreadStatesWatch(options, pid)
        reading: dict[tuple[str, str], float] = {}
        events = []
        try:

            def is_told() -> bool:
                reading.update(by_series(watch.sample(time.monotonic_ns())))
                events.extend(watch.events())
                return any(event.kind == "busiest_threads" for event in events) and any(
                    metric == "thread_cpu_s" and value > 0 for (metric, _), value in reading.items()
                )

            deadline.wait_for(is_told, "the thread that burns")
        finally:
            watch.detach()
    named = [subject for metric, subject in reading if metric == "thread_cpu_s"]
    assert [subject.split(" ", 1)[1] for subject in named] == ["burner-0"]
    assert reading["group_cpu_s", "burner-#"] > 0
    assert reading["alive", "burner-#"] == 1
    event = next(event for event in events if event.kind == "busiest_threads")
    assert event.facts["threads"][0]["name"] == "burner-0"
    assert event.subject == f"tid:{named[0].split()[0]}"


@pytest.mark.quiet
def test_a_program_that_fills_the_one_core_it_is_bound_to_is_full(deadline: Deadline) -> None:
    """A program that was just found is no more than its process yet. Beside others it would fill no core."""
    with programs.running(programs.BURN_TWO_ON_A_CORE) as (pid, _):
        server = Component("server", "program", pid=pid)
        watch = thread_states.attach(thread_states.Options(burst=0.1), server, Place())  # type: ignore[arg-type]
        reasons: set[str] = set()
        try:

            def is_full() -> bool:
                watch.sample(time.monotonic_ns())
                reasons.update(event.facts["why"] for event in watch.events() if event.kind != "note")
                return CORES_FULL in reasons

            deadline.wait_for(is_full, "a burst because its core is full")
        finally:
            watch.detach()


def test_what_no_thread_waits_for_any_more_is_zero(deadline: Deadline) -> None:
    options = thread_states.Options(burst=0.2, every=2)  # type: ignore[arg-type]
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        peer = ("waits", f"reading out:127.0.0.1:{port}")
        with programs.running(programs.READ, str(port)) as (pid, _):
            watch = thread_states.ThreadStatesWatch(options, pid)
            reading: dict[tuple[str, str], float] = {}

            def look() -> dict[tuple[str, str], float]:
                reading.update(by_series(watch.sample(time.monotonic_ns())))
                return reading

            try:
                deadline.wait_for(lambda: look().get(peer, 0) > 3, "threads that wait for the peer")
                listener.close()  # those that it has not accepted are reset
                deadline.wait_for(lambda: look()[peer] == 0, "them to have ended")
            finally:
                watch.detach()


def test_a_program_that_has_ended_is_lost_and_another_with_its_number_is_not_taken_for_it() -> None:
    start = processes.start_of(os.getpid())
    assert start is not None
    watch = thread_states.ThreadStatesWatch(thread_states.Options(), os.getpid(), start=start - 1)
    try:
        with pytest.raises(Lost, match=f"process {os.getpid()} has ended"):
            watch.sample(1)
    finally:
        watch.detach()


def test_threads_of_a_program_on_another_host_are_told(deadline: Deadline) -> None:
    sink = SampleKeeper()
    with (
        programs.running(programs.SLEEP) as (pid, _),
        watched(sink, pid=pid, only=("thread_states",)),
    ):
        deadline.wait_for(
            lambda: any(
                sample.value > 2.9
                for sample in sink.of("web1/server", "thread_states.threads", "state:sleeping")
            ),
            "the sleeping threads",
        )
    assert sink.of("web1/server", "thread_states.group_cpu_s", "sleeper-#")

"""The probe `gunicorn` beside real gunicorns, and on the logs of five versions of it."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from syrupy.assertion import SnapshotAssertion

from loadrig.base import cgroups, processes
from loadrig.base.component import SERVER, Component
from loadrig.base.series import Event
from loadrig.probes import Place, Unavailable
from loadrig.probes import gunicorn as probe
from loadrig.probes._python import gunicorn_log as _gunicorn_log
from loadrig.probes._python.gunicorn_log import Fate
from loadrig.testing.leftovers import nothing_left_behind
from tests.conftest import Deadline
from tests.probes.watching import Watched, watching, wording
from tests.servers._daemon import running
from tests.servers.gunicorn import APP, ask, component, started_gunicorn, workers

RECORDED = Path(__file__).with_name("recorded") / "gunicorn"

# Of each version the same was recorded: a worker recycled, one too slow, one killed by SIGKILL, one that
# left with status 7, one more asked for (SIGTTIN), the oldest dismissed (SIGTTOU), the end.
LIVES = {
    "20.1.0": ["recycled", "timed_out", "killed", "unknown", "exited", "exited"],
    "21.2.0": ["recycled", "timed_out", "killed", "exited", "exited", "exited"],
    "23.0.0": ["recycled", "timed_out", "killed", "exited", "exited", "exited"],
    "25.3.0": ["recycled", "timed_out", "killed", "exited", "exited", "exited"],
    "27.0.1": ["recycled", "timed_out", "killed", "exited", "exited", "exited"],
    "27.0.1-uvicorn-worker": ["recycled", "exited"],
}


def fates(text: str) -> dict[int, Fate]:
    fate_by_pid: dict[int, Fate] = {}
    for line in text.splitlines():
        if line_of_log := _gunicorn_log.parse(line):
            fate_by_pid.setdefault(line_of_log.pid, Fate()).add(line_of_log)
    return fate_by_pid


@pytest.mark.parametrize("version", LIVES)
def test_each_version_says_why_its_workers_ended(version: str) -> None:
    fate_by_pid = fates((RECORDED / f"{version}.log").read_text())
    assert [fate.reason for fate in fate_by_pid.values()] == LIVES[version]


def test_the_end_is_dated_and_told_in_words() -> None:
    ended = list(fates((RECORDED / "27.0.1.log").read_text()).values())
    assert [fate.detail for fate in ended[2:5]] == ["SIGKILL", "status 7", ""]
    assert ended[0].wall_ns == 1795260712 * 10**9  # 2026-11-21 11:31:52 UTC


@given(st.text())
def test_no_line_makes_the_parser_fail(text: str) -> None:
    _gunicorn_log.parse(text)
    _gunicorn_log.parse(f"[2026-99-99 11:31:52 +0000] Worker exiting (pid: 7) {text}")


def test_the_log_that_the_command_line_names_is_found() -> None:
    option = _gunicorn_log.option_of
    assert option(("gunicorn", "--error-logfile", "/var/log/a.log", "app")) == "/var/log/a.log"
    assert option(("gunicorn", "--log-file=b.log")) == "b.log"
    assert option(("gunicorn", "--error-logfile", "-")) is None
    assert option(("gunicorn", "--error-logfile")) is None
    assert option(("gunicorn", "--access-logfile", "c.log")) is None


def serve(port: int, path: str, times: int) -> None:
    for _ in range(times):
        ask(port, path)


def died(watched: Watched) -> list[Event]:
    return watched.of_kind("worker_died")


def born(watched: Watched) -> list[Event]:
    return watched.of_kind("worker_born")


@pytest.mark.integration
def test_recycled_workers_are_told_with_their_memory_before_and_after(
    tmp_path: Path, deadline: Deadline, monkeypatch: pytest.MonkeyPatch, snapshot: SnapshotAssertion
) -> None:
    monkeypatch.setattr(probe, "MEMORY_SHARE", 1.0)  # a look comes with each request, not each second
    began_ns = time.monotonic_ns()
    with nothing_left_behind(), started_gunicorn(tmp_path, "--workers=2", "--max-requests=40") as server:
        deadline.wait_for(lambda: len(workers(server)) == 2, "both workers")
        with watching(probe, component(server)) as watched:
            assert watched.look()["workers", ""] == 2
            for _ in range(400):
                ask(server.port, "/leak/1000000")
                watched.look()
                if len(died(watched)) >= 3 and len(born(watched)) >= 3:
                    break
            values = watched.look()
        now_ns = time.monotonic_ns()
    assert values["recycled", ""] >= 3
    assert values["timed_out", ""] == values["killed", ""] == values["exited", ""] == 0
    assert {event.facts["reason"] for event in died(watched)} == {"recycled"}
    for death in died(watched):
        assert death.facts["memory_bytes"] > 25_000_000, "as last seen, at the end of its life"
        assert wording(death.text) == snapshot(name="recycled")
        assert began_ns < death.t_ns < now_ns
    for birth in born(watched):
        assert birth.facts["memory_bytes"] < 20_000_000, "as first seen"
        assert birth.facts["replaces"] in {event.facts["pid"] for event in died(watched)}
        assert birth.facts["memory_before_bytes"] > 25_000_000
        assert wording(birth.text) == snapshot(name="in its place")


@pytest.mark.integration
def test_a_worker_that_is_silent_is_timed_out(tmp_path: Path) -> None:
    with (
        started_gunicorn(tmp_path, "--timeout=1", "--graceful-timeout=1") as server,
        watching(probe, component(server)) as watched,
    ):
        watched.look()
        (slow,) = workers(server)
        ask(server.port, "/sleep/30", timeout_s=0.2)
        watched.until(lambda now: now["timed_out", ""] == 1)
    (event,) = died(watched)
    assert event.facts["pid"] == slow
    assert event.facts["reason"] == "timed_out"


@pytest.mark.integration
def test_a_worker_that_is_killed_or_leaves_or_is_dismissed_is_told_so(
    tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    with started_gunicorn(tmp_path) as server, watching(probe, component(server)) as watched:
        watched.look()
        (first,) = workers(server)
        looked_ns = watched.samples[-1].t_ns
        os.kill(first, signal.SIGKILL)
        watched.until(lambda now: now["killed", ""] == 1)
        watched.until(lambda now: now["born", ""] == 1)
        ask(server.port, "/exit/7")
        watched.until(lambda now: now["exited", ""] == 1)
        watched.until(lambda now: now["born", ""] == 2)
        os.kill(server.pid, signal.SIGTTIN)
        watched.until(lambda now: now["workers", ""] == 2)
        ask(server.port)  # the new one is there to serve, so the old one may go
        os.kill(server.pid, signal.SIGTTOU)
        watched.until(lambda now: now["exited", ""] == 2)
    assert [event.facts["reason"] for event in died(watched)] == ["killed", "exited", "exited"]
    assert died(watched)[0].facts["pid"] == first
    assert looked_ns < died(watched)[0].t_ns <= born(watched)[0].t_ns + 10**9
    assert [wording(event.text) for event in died(watched)[:2]] == snapshot
    assert [event.facts.get("replaces") for event in born(watched)] == [
        died(watched)[0].facts["pid"],
        died(watched)[1].facts["pid"],
        None,
    ]


@pytest.fixture
def small_group() -> Iterator[Path]:
    """Yield a group whose processes have 60 MB of memory together."""
    folder = cgroups.of().get("memory")
    if os.geteuid() != 0 or folder is None or not (folder / "memory.limit_in_bytes").exists():
        pytest.skip("a group with a limit of memory takes root and cgroups v1 here: run the tests by sudo")
    group = folder / f"loadrig-test-{os.getpid()}"
    group.mkdir()
    (group / "memory.limit_in_bytes").write_text(str(60 << 20))
    yield group
    assert cgroups.remove(group)


@pytest.mark.integration
def test_a_worker_that_the_kernel_kills_for_lack_of_memory_is_told_so(
    tmp_path: Path, small_group: Path, snapshot: SnapshotAssertion
) -> None:
    with started_gunicorn(tmp_path) as server, watching(probe, component(server)) as watched:
        watched.look()
        (greedy,) = workers(server)
        (small_group / "cgroup.procs").write_text(str(greedy))
        ask(server.port, f"/leak/{100 << 20}")
        watched.until(lambda now: now["killed", ""] == 1)
    (event,) = died(watched)
    assert event.facts["reason"] == "out_of_memory"
    assert event.facts["pid"] == greedy
    assert wording(event.text) == snapshot


@pytest.mark.integration
def test_the_log_is_followed_when_it_is_rotated(tmp_path: Path) -> None:
    log = tmp_path / "error.log"
    with (
        started_gunicorn(tmp_path, "--max-requests=5", error_log=log) as server,
        watching(probe, component(server, log=False)) as watched,
    ):
        watched.look()
        log.rename(tmp_path / "error.log.1")
        os.kill(server.pid, signal.SIGUSR1)
        while not log.exists():
            time.sleep(0.01)
        serve(server.port, "/", 6)
        watched.until(lambda now: now["recycled", ""] == 1)
    assert "Autorestarting" in log.read_text()
    assert [event.facts["reason"] for event in died(watched)] == ["recycled"]


@pytest.mark.integration
def test_a_log_that_a_configuration_file_names_is_found_among_the_open_files(tmp_path: Path) -> None:
    (tmp_path / "gunicorn.conf.py").write_text("errorlog = 'named.log'\naccesslog = 'access.log'\n")
    with (
        started_gunicorn(tmp_path, "--max-requests=5") as server,
        watching(probe, component(server, log=False)) as watched,
    ):
        watched.look()
        serve(server.port, "/", 6)
        watched.until(lambda now: now["recycled", ""] == 1)
    assert [event.facts["reason"] for event in died(watched)] == ["recycled"]


@pytest.mark.integration
def test_workers_that_live_for_less_than_a_sample_are_known_from_the_log(tmp_path: Path) -> None:
    with (
        started_gunicorn(tmp_path, "--max-requests=2") as server,
        watching(probe, component(server)) as watched,
    ):
        watched.look()
        before = server.log.read_text()
        while server.log.read_text()[len(before) :].count("Worker exiting") < 4:
            ask(server.port)
        watched.until(lambda now: now["recycled", ""] >= 4)
    assert len(died(watched)) >= 4
    assert {event.facts["reason"] for event in died(watched)} == {"recycled"}
    assert [event.facts["memory_bytes"] is None for event in died(watched)].count(True) >= 1
    pids = [event.facts["pid"] for event in born(watched)]
    assert len(pids) == len(set(pids)), "each is told once"
    assert {event.facts["pid"] for event in died(watched)[1:4]} <= set(pids)
    for event in died(watched):
        assert event.facts["lived_s"] >= 0


@pytest.mark.integration
def test_without_a_log_workers_end_for_an_unknown_reason_and_it_says_so(tmp_path: Path) -> None:
    with (
        started_gunicorn(tmp_path, "--error-logfile=/dev/null") as server,
        watching(probe, component(server, log=False)) as watched,
    ):
        watched.look()
        os.kill(workers(server)[0], signal.SIGTERM)
        watched.until(lambda now: now["exited", ""] == 1)
        watched.until(lambda now: now["born", ""] == 1)
    assert died(watched)[0].facts["reason"] == "unknown"
    (note,) = watched.of_kind("note")
    assert "--error-logfile FILE" in note.text


@pytest.mark.integration
def test_in_a_container_the_log_names_its_workers_by_other_numbers(tmp_path: Path) -> None:
    if os.geteuid() != 0 or shutil.which("unshare") is None:
        pytest.skip("a namespace of processes takes root and unshare: run the tests by sudo")
    (tmp_path / "shop.py").write_text(APP)
    log = tmp_path / "inner.log"
    argv = ["unshare", "--pid", "--fork", "--kill-child", sys.executable, "-m", "gunicorn", "shop:app"]
    argv += [f"--bind=unix:{tmp_path}/inner.sock", "--no-control-socket"]

    def is_up() -> bool:
        return "Booting worker" in log.read_text()

    with nothing_left_behind(), running(argv, log, is_up, folder=tmp_path, stop_by=signal.SIGKILL) as process:
        inner = Component(SERVER, "gunicorn", "cpython", pid=process.pid, argv=tuple(argv))
        with watching(probe, inner) as watched:
            assert watched.look()["workers", ""] == 1
            worker = processes.tree(process.pid, processes.table())[-1]
            os.kill(worker, signal.SIGKILL)
            watched.until(lambda now: now["killed", ""] == 1)
    (event,) = died(watched)
    assert event.facts["pid"] == worker
    assert f"pid:{worker})" not in log.read_text()


@pytest.mark.integration
def test_a_master_that_ends_is_lost(tmp_path: Path) -> None:
    with started_gunicorn(tmp_path) as server, watching(probe, component(server)) as watched:
        watched.look()
        server.process.terminate()
        server.process.wait(60)
        lost = watched.until_lost()
    assert lost.code == "probe.no-process"


def test_it_fits_gunicorn_by_kind_or_command_line_and_refuses_what_is_none() -> None:
    def component_of(kind: str, *argv: str) -> Component:
        return Component(SERVER, kind, pid=os.getpid(), argv=argv)

    assert probe.fits(component_of("gunicorn"))
    assert probe.fits(component_of("program", "python3", "-m", "gunicorn", "shop:app"))
    assert probe.fits(component_of("program", "/srv/venv/bin/gunicorn", "shop:app"))
    assert not probe.fits(component_of("program", "uvicorn", "shop:app"))
    with pytest.raises(Unavailable) as missing:
        probe.attach(probe.Options(), Component(SERVER, "gunicorn"), Place())
    assert missing.value.code == "probe.no-process"


@pytest.mark.integration
def test_a_tree_without_gunicorn_is_said_to_be_none(free_port: int) -> None:
    process = subprocess.Popen(["sleep", "60"])
    try:
        with pytest.raises(Unavailable) as missing:
            probe.attach(probe.Options(), Component(SERVER, "gunicorn", pid=process.pid), Place())
    finally:
        process.kill()
        process.wait()
    assert missing.value.code == "probe.not-that"


@pytest.mark.integration
def test_below_a_shell_the_master_is_found(tmp_path: Path) -> None:
    (tmp_path / "shop.py").write_text(APP)
    log = tmp_path / "below.log"
    command = f"{sys.executable} -m gunicorn shop:app --bind=unix:{tmp_path}/s.sock --no-control-socket; true"

    def is_up() -> bool:
        return "Booting worker" in log.read_text()

    with nothing_left_behind(), running(["sh", "-c", command], log, is_up, folder=tmp_path) as shell:
        master, *_ = processes.tree(shell.pid, processes.table())[1:]
        assert probe.master_of(shell.pid) == master
        os.kill(master, signal.SIGTERM)
        shell.wait(60)


@pytest.mark.parametrize(
    ("kill_s", "seen_s", "is_its_kill"), [(10, 10, True), (10, 11, True), (10, 9, True), (5, 10, False)]
)
def test_a_kill_is_a_workers_if_it_was_counted_shortly_before_or_after_it_was_last_seen(
    kill_s: int, seen_s: int, is_its_kill: bool, tmp_path: Path
) -> None:
    """Its death is told when the log has had time to say why, which may be several looks later."""
    (tmp_path / "vmstat").write_text("oom_kill 3\n")
    kills = probe._OomKills(tmp_path)
    assert not kills.was_at(0)
    (tmp_path / "vmstat").write_text("oom_kill 4\n")
    for second in (kill_s, 20, 30):
        kills.look(second * 10**9)
    assert kills.was_at(seen_s * 10**9) is is_its_kill

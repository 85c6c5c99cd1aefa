"""The log of real JVMs, of each collector: followed where there is one, switched on where there is none."""

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from loadrig.base.series import Event
from loadrig.probes import gc_log
from loadrig.probes._jvm import gc_source, gc_watch
from loadrig.probes._jvm.attach import Jvm
from loadrig.probes._session import Lost, Place, Session, Unavailable
from tests.conftest import Deadline
from tests.probes.watching import wording
from tests.servers import java

ATTACH = frozenset({"jvm-attach"})

pytestmark = pytest.mark.integration

G1 = ("-XX:+UseG1GC", "-Xmx64m", "-Xms64m")
SERIAL = ("-XX:+UseSerialGC", "-Xmx64m", "-Xms64m", "-XX:TieredStopAtLevel=1")
MIB = 1 << 20


def attach(server: java.JavaServer, folder: Path | None = None) -> gc_watch.GcLogWatch:
    session = gc_log.attach(gc_log.Options(), server.component(), Place(folder=folder, permits=ATTACH))
    assert isinstance(session, gc_watch.GcLogWatch)
    return session


def outputs(server: java.JavaServer) -> list[str]:
    """Return the lines of `jcmd PID VM.log list` that describe an output."""
    answer = Jvm(server.pid, None).jcmd("VM.log list")
    return [line.strip() for line in answer.splitlines() if line.strip().startswith("#")]


def is_on(server: java.JavaServer) -> bool:
    return any("loadrig-gc-" in line for line in outputs(server))


def figures(session: Session) -> dict[tuple[str, str], float]:
    return {(sample.metric, sample.subject): sample.value for sample in session.sample(time.monotonic_ns())}


def young_collections(server: java.JavaServer) -> int:
    """As the JVM itself counts them, by the JDK's jstat."""
    argv = [str(java.jdk() / "bin" / "jstat"), "-gc", str(server.pid)]
    names, values = subprocess.run(argv, capture_output=True, text=True, check=True).stdout.splitlines()
    return int(dict(zip(names.split(), values.split(), strict=True))["YGC"])


def pauses(events: list[Event]) -> list[Event]:
    return [event for event in events if event.kind == "gc_pause"]


@pytest.mark.parametrize("decorators", [None, "uptime,level,tags", "time", "uptimenanos", "timemillis,tags"])
def test_the_pauses_of_g1_lie_where_the_load_was(
    tmp_path: Path, deadline: Deadline, decorators: str | None
) -> None:
    own = [f"-Xlog:gc*,safepoint:file=%p-%t.log:{decorators}"] if decorators else []
    with java.plain(tmp_path, jvm=[*G1, *own]) as server:
        session = attach(server)
        if not own:
            deadline.wait_for(lambda: is_on(server), "the log to be switched on")
        session.sample(time.monotonic_ns())
        session.events()
        before_ns = time.monotonic_ns()
        for _ in range(4):
            server.get("/allocate?bytes=40000000&keep=10000000")
        after_ns = time.monotonic_ns()
        reading = figures(session)
        events = pauses(session.events())
        session.detach()
    assert len(events) >= 3
    # By the uptime alone it is as sure as the start of the process, by the date as fine as a millisecond.
    slack_ns = 60e6 if decorators == "uptime,level,tags" else 20e6 if decorators == "uptimenanos" else 2e6
    assert all(before_ns - slack_ns <= event.t_ns <= after_ns + slack_ns for event in events)
    assert sum(event.facts["duration_s"] for event in events) == pytest.approx(
        reading["pause_s", ""], abs=1e-6
    )
    assert reading["pause_s", ""] < (after_ns - before_ns) / 1e9
    first = events[0].facts
    assert first["collector"] == "G1"
    assert first["is_pause"] is True
    assert first["committed_bytes"] == 64 * MIB
    # What was asked for, but for what fits the heap without a collection, and a MiB of rounding for each.
    assert reading["allocated_bytes", ""] == pytest.approx(160e6, abs=64 * MIB)
    assert reading["promoted_bytes", ""] > 0
    assert reading["heap_after_bytes", ""] >= 10e6
    assert reading["safepoint_s", ""] >= reading["pause_s", ""] if not decorators else True


@pytest.mark.parametrize("version", [17, 25])
@pytest.mark.parametrize(
    ("flag", "name"),
    [("Serial", "Serial"), ("Parallel", "Parallel"), ("Z", "ZGC"), ("Shenandoah", "Shenandoah")],
)
def test_the_log_of_each_collector_is_switched_on_and_read(
    tmp_path: Path, deadline: Deadline, version: int, flag: str, name: str
) -> None:
    jvm = [f"-XX:+Use{flag}GC", "-Xmx96m", "-Xms96m"]
    with java.plain(tmp_path, home=java.jdk(version), jvm=jvm) as server:
        session = attach(server, tmp_path)
        deadline.wait_for(lambda: is_on(server), "the log to be switched on")
        server.get("/allocate?bytes=60000000")
        server.get("/gc")
        events: list[Event] = []

        def has_collected() -> bool:
            session.sample(time.monotonic_ns())
            events.extend(session.events())
            return any(event.facts.get("cause") == "System.gc()" for event in events) or (
                name == "Shenandoah" and any(pause.facts["kind"] == "Final Mark" for pause in pauses(events))
            )

        deadline.wait_for(has_collected, "the collection that was asked for")
        reading = figures(session)
        session.detach()
        assert not is_on(server)
    assert {event.subject for event in events if event.kind.startswith("gc_")} == {name}
    assert reading["pause_s", ""] > 0
    assert reading["heap_after_bytes", ""] > 0
    assert ("allocated_bytes", "") not in reading if name == "ZGC" else reading["allocated_bytes", ""] > 0
    assert (tmp_path / f"loadrig-gc-{server.pid}.log").stat().st_size > 0


def test_the_users_own_logs_stay_as_they_were(tmp_path: Path, deadline: Deadline) -> None:
    own = ["-Xlog:safepoint:file=mine.log:uptime:filecount=2,filesize=1m", "-Xlog:gc:stdout:time"]
    with java.plain(tmp_path, jvm=[*SERIAL, *own]) as server:
        before = outputs(server)
        session = attach(server)
        deadline.wait_for(lambda: is_on(server), "the log to be switched on")
        assert outputs(server)[: len(before)] == before
        described = " ".join(map(str, outputs(server)))
        folders = [file for file in Path("/tmp").glob("loadrig-gc-*/gc.log") if str(file) in described]
        assert folders
        session.detach()
        assert outputs(server) == before
        assert not [folder for folder in folders if folder.exists()]
        size = (tmp_path / "mine.log").stat().st_size
        server.get("/gc")
        assert (tmp_path / "mine.log").stat().st_size > size


def test_a_log_that_the_jvm_writes_anyway_is_followed_and_nothing_is_changed(tmp_path: Path) -> None:
    own = "-Xlog:gc*:file=logs/gc.log"
    (tmp_path / "logs").mkdir()
    with java.plain(tmp_path, jvm=[*SERIAL, own]) as server:
        session = attach(server)
        # It was not even entered.
        assert not Path(f"/tmp/.java_pid{server.pid}").exists()
        server.get("/gc")
        assert figures(session)["pauses", "Full"] == 1
        session.detach()


def test_a_log_that_the_command_line_does_not_show_is_found_in_the_jvm(
    tmp_path: Path, deadline: Deadline
) -> None:
    env = {"JAVA_TOOL_OPTIONS": "-Xlog:gc*:file=hidden.log:uptime,level,tags"}
    with java.plain(tmp_path, jvm=SERIAL, env=env) as server:
        before = outputs(server)
        session = attach(server)

        def is_followed() -> bool:
            server.get("/gc")
            return figures(session).get(("pauses", "Full"), 0) > 0

        deadline.wait_for(is_followed, "its own log to be followed")
        assert outputs(server) == before
        session.detach()
        assert outputs(server) == before


def test_a_log_that_rotates_is_followed_into_its_successors(tmp_path: Path, deadline: Deadline) -> None:
    # Five files of 16 KiB, of which each collection fills a fiftieth.
    own = "-Xlog:gc*,safepoint:file=gc.log:time,tags:filecount=4,filesize=16k"
    with java.plain(tmp_path, jvm=[*SERIAL, own]) as server:
        session = attach(server)
        server.get("/allocate?bytes=1000")
        before = young_collections(server)
        session.sample(time.monotonic_ns())
        read_before = figures(session).get(("pauses", "Young"), 0)
        for _ in range(40):
            server.get("/allocate?bytes=60000000")
            reading = figures(session)
        assert reading["pauses", "Young"] - read_before > 80
        # What answers the last request may itself set off a collection.
        deadline.wait_for(
            lambda: figures(session)["pauses", "Young"] - read_before == young_collections(server) - before,
            "all collections to be read",
        )
        session.detach()
    assert (tmp_path / "gc.log.2").exists()


def test_a_jvm_that_dies_is_lost_after_its_last_pauses_were_told(tmp_path: Path, deadline: Deadline) -> None:
    with java.plain(tmp_path, jvm=SERIAL) as server:
        session = attach(server)
        deadline.wait_for(lambda: is_on(server), "the log to be switched on")
        server.get("/gc")
        server.stop()
        assert figures(session)["pauses", "Full"] == 1
        assert len(pauses(session.events())) == 1
        for _ in range(2):  # it stays so
            with pytest.raises(Lost) as lost:
                session.sample(time.monotonic_ns())
            assert lost.value.code == "probe.no-process"
        session.detach()


def test_a_log_left_on_by_a_rig_that_was_killed_is_ended_by_the_next(
    tmp_path: Path, deadline: Deadline
) -> None:
    with java.plain(tmp_path, jvm=SERIAL) as server:
        (tmp_path / "one").mkdir()
        (tmp_path / "two").mkdir()
        attach(server, tmp_path / "one")  # and never detached
        deadline.wait_for(lambda: is_on(server), "the first log")
        session = attach(server, tmp_path / "two")
        deadline.wait_for(lambda: any("/two/" in output for output in outputs(server)), "the second log")
        assert not any("/one/" in output for output in outputs(server))
        session.detach()
        assert not is_on(server)


@pytest.mark.parametrize("flag", ["-XX:+DisableAttachMechanism", "-Xrs"])
def test_a_jvm_that_lets_nobody_in_is_left_in_peace(
    tmp_path: Path, flag: str, snapshot: SnapshotAssertion
) -> None:
    with java.plain(tmp_path, jvm=[*SERIAL, flag]) as server:
        # With -Xrs there is a socket from the beginning, until somebody cleans /tmp.
        Path(f"/tmp/.java_pid{server.pid}").unlink(missing_ok=True)
        with pytest.raises(Unavailable) as refused:
            attach(server)
        assert refused.value.code == "probe.refused"
        assert flag in refused.value.mend
        assert wording(refused.value.reason) == snapshot
        # SIGQUIT would have ended the one, and would have filled the log of the other with stacks.
        assert server.get() == 200
        assert "Full thread dump" not in server.log.read_text()


def test_a_jvm_that_handles_no_sigquit_is_entered_by_the_socket_that_it_has(
    tmp_path: Path, deadline: Deadline
) -> None:
    with java.plain(tmp_path, jvm=[*SERIAL, "-Xrs"]) as server:
        session = attach(server)
        deadline.wait_for(lambda: is_on(server), "the log to be switched on")
        session.detach()


def test_a_jvm_of_another_user_may_not_be_entered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with java.plain(tmp_path, jvm=SERIAL) as server:
        monkeypatch.setattr(os, "geteuid", lambda: 4711)
        with pytest.raises(Unavailable) as refused:
            attach(server)
    assert refused.value.code == "probe.no-right"
    assert refused.value.mend.startswith("sudo -u ")


def test_a_jvm_that_hangs_is_said_to_and_read_again_later(
    tmp_path: Path, deadline: Deadline, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("loadrig.probes._jvm.attach.TIMEOUT_S", 0.3)
    monkeypatch.setattr(gc_source, "RETRY_S", 0.1)
    with java.plain(tmp_path, jvm=SERIAL) as server:
        Jvm(server.pid, None).jcmd("VM.version")  # now its socket is open, so that it will not see SIGQUIT
        server.process.send_signal(signal.SIGSTOP)
        # On a crowded machine its threads go on for a while, and one of them would let us in.
        deadline.wait_for(lambda: is_stopped(server.pid), "the JVM to stand still")
        session = attach(server)
        assert _is_lost(session, deadline).code == "probe.no-answer"
        server.process.send_signal(signal.SIGCONT)
        deadline.wait_for(lambda: is_on(server), "the log to be switched on")
        server.get("/gc")
        deadline.wait_for(lambda: ("pauses", "Full") in _figures_or_none(session), "a pause")
        session.detach()
        assert not is_on(server)


def is_stopped(pid: int) -> bool:
    stats = [path.read_text() for path in Path(f"/proc/{pid}/task").glob("*/stat")]
    return all(stat.rpartition(")")[2].split()[0] == "T" for stat in stats)


def _is_lost(session: Session, deadline: Deadline) -> Lost:
    losses: list[Lost] = []

    def lost() -> bool:
        try:
            session.sample(time.monotonic_ns())
        except Lost as loss:
            losses.append(loss)
        return bool(losses)

    deadline.wait_for(lost, "the JVM to be missed")
    return losses[0]


def _figures_or_none(session: Session) -> dict[tuple[str, str], float]:
    try:
        return figures(session)
    except Lost:
        return {}


def test_a_jvm_in_a_container_logs_into_its_own_tmp(
    deadline: Deadline, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gc_source, "RETRY_S", 0.1)  # it may be entered before it is up
    with java.contained(tmp_path) as component:
        assert component.pid is not None
        jvm = Jvm(component.pid, component.start)
        session = gc_log.attach(gc_log.Options(), component, Place(folder=tmp_path, permits=ATTACH))
        deadline.wait_for(
            lambda: _figures_or_none(session) and "loadrig-gc-" in jvm.jcmd("VM.log list"), "the log"
        )
        jvm.jcmd("GC.run")
        deadline.wait_for(lambda: _figures_or_none(session).get(("pauses", "Full")) == 1, "the pause")
        folders = list((jvm.root() / "tmp").glob("loadrig-gc-*"))
        assert len(folders) == 1
        session.detach()
        assert "loadrig-gc-" not in jvm.jcmd("VM.log list")
        assert not folders[0].exists()

"""The figures of real JVMs: right by the JDK's own tools, by whatever way in; and what is said without."""

import json
import os
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

from loadrig.base import processes
from loadrig.base.units import Seconds
from loadrig.probes import jvm
from loadrig.probes._jvm import jdk, jvm_watch, perfdata, reader
from loadrig.probes._jvm.attach import Jvm
from loadrig.probes._jvm.beans import keys
from loadrig.probes._jvm.perfdata import PerfData
from loadrig.probes._session import Lost, Place, Unavailable
from tests.conftest import Deadline
from tests.lengths import length
from tests.probes.jvm_sessions import ALL, ATTACH, LIMIT, SESSIONS, attach, figures, fresh, lost
from tests.servers import java

pytestmark = pytest.mark.integration

REPOSITORY = Path(__file__).parents[2]
PASSWORD = "correct-horse-battery"
SERIAL = ("-XX:+UseSerialGC", "-Xmx64m", "-XX:TieredStopAtLevel=1")
UNPUBLISHED = (*SERIAL, "-XX:-UsePerfData")


@pytest.fixture(autouse=True)
def one_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compile the reader once for all tests, and not into the user's home."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(REPOSITORY / ".tools" / "cache"))


@pytest.fixture(autouse=True)
def detached() -> Iterator[None]:
    """Detach the sessions of a test that failed before it did so: what they leave is not the next one's."""
    yield
    while SESSIONS:
        SESSIONS.pop().detach()


def readers(pid: int | None = None) -> list[int]:
    """Readers among the descendants of a process, of this one by default."""
    family = processes.tree(pid or os.getpid(), processes.table())
    return [member for member in family if processes.command_line(member).endswith(" JmxReader")]


def told_by_jstat(server: java.JavaServer) -> dict[str, float]:
    argv = [str(java.jdk() / "bin" / "jstat"), "-gc", str(server.pid)]
    names, values = subprocess.run(argv, capture_output=True, text=True, check=True).stdout.splitlines()
    pairs = zip(names.split(), values.split(), strict=True)
    return {name: float(value) for name, value in pairs if value != "-"}


def threads_by_jcmd(server: java.JavaServer) -> dict[str, int]:
    """Java threads by state, from `jcmd PID Thread.print`."""
    argv = [str(java.jdk() / "bin" / "jcmd"), str(server.pid), "Thread.print"]
    dump = subprocess.run(argv, capture_output=True, text=True, check=True).stdout
    count_by_state: dict[str, int] = {}
    for line in dump.splitlines():
        if "java.lang.Thread.State: " in line:
            state = line.split(": ")[1].split()[0]
            count_by_state[state] = count_by_state.get(state, 0) + 1
    return count_by_state


@pytest.mark.nightly
def test_it_agrees_with_the_tools_of_the_jdk(tmp_path: Path, deadline: Deadline) -> None:
    with java.plain(tmp_path, jvm=SERIAL) as server:
        server.get("/allocate?bytes=300000000&keep=5000000")
        server.get("/gc")
        session = attach(
            server,
            jvm.Options(details_every=Seconds(0.0), mbeans=("java.lang:type=Threading/PeakThreadCount",)),
        )
        reading = fresh(session, deadline)
        by_jstat, by_jcmd = told_by_jstat(server), threads_by_jcmd(server)
        session.detach()
    assert by_jstat["YGC"] >= 5
    assert reading["collections", "Serial young collection pauses"] == by_jstat["YGC"]
    assert reading["collections", "Serial full collection pauses"] == by_jstat["FGC"] >= 1
    assert reading["gc_s", "Serial full collection pauses"] == pytest.approx(by_jstat["FGCT"], abs=2e-3)
    assert reading["memory_used_bytes", "pool:Tenured Gen"] == pytest.approx(by_jstat["OU"] * 1024, rel=0.2)
    assert reading["memory_after_gc_bytes", "pool:Tenured Gen"] >= 5e6
    assert reading["memory_limit_bytes", "heap"] == pytest.approx(64 << 20, rel=0.05)
    # The thread that answers runs in the one look and waits in the other.
    assert reading["threads", ""] == sum(
        value for (name, state), value in reading.items() if name == "threads" and state
    )
    assert reading["threads", "TIMED_WAITING"] == pytest.approx(by_jcmd["TIMED_WAITING"], abs=2)
    assert reading["threads", "WAITING"] == pytest.approx(by_jcmd["WAITING"], abs=2)
    # JMX hides those of the JVM's own: compilers, services.
    assert sum(by_jcmd.values()) - 8 <= reading["threads", ""] <= sum(by_jcmd.values()) + 2
    assert reading["mbean", "java.lang:type=Threading/PeakThreadCount"] >= reading["threads", ""]
    assert reading["cpus", ""] == os.cpu_count()
    assert reading["compilation_s", ""] > 0
    assert {name for name, _ in reading} <= jvm.METRICS.keys()
    assert len(reading) <= 60


@pytest.mark.nightly
def test_counters_grow_with_the_work(tmp_path: Path, deadline: Deadline) -> None:
    with java.plain(tmp_path, jvm=SERIAL) as server:
        session = attach(server)
        before = fresh(session, deadline)
        server.get("/burn?ms=300")
        server.get("/gc")
        by_kernel = [_cpu_s(server.pid)]
        after = fresh(session, deadline)
        by_kernel.append(_cpu_s(server.pid))
        session.detach()
    assert by_kernel[0] - 0.03 <= after["cpu_s", ""] <= by_kernel[1] + 0.03
    assert (
        after["collections", "Serial full collection pauses"]
        - before["collections", "Serial full collection pauses"]
        == 1
    )
    for (name, subject), value in before.items():
        if jvm.METRICS[name].kind == "counter":
            assert after[name, subject] >= value, name


def _cpu_s(pid: int) -> float:
    stat = processes.stat(pid)
    assert stat is not None
    return (stat.user + stat.system) / processes.TICKS_PER_S


def test_threads_that_wait_for_a_lock_are_seen_as_blocked(tmp_path: Path, deadline: Deadline) -> None:
    import threading

    with java.plain(tmp_path, jvm=[*SERIAL, "-Xmx96m"]) as server:
        session = attach(server)
        fresh(session, deadline)
        # They all allocate within one lock.
        clients = [
            threading.Thread(target=server.get, args=("/allocate?bytes=2000000000",)) for _ in range(6)
        ]
        for client in clients:
            client.start()
        deadline.wait_for(
            lambda: figures(session, deadline).get(("threads", "BLOCKED"), 0) >= 3, "blocked threads"
        )
        for client in clients:
            client.join()
        session.detach()


def test_what_the_jvm_publishes_is_read_each_time_and_the_rest_as_often_as_was_said(
    tmp_path: Path, deadline: Deadline
) -> None:
    with java.plain(tmp_path, jvm=SERIAL) as server:
        session = attach(server, jvm.Options(details_every=Seconds(3600.0)))
        deadline.wait_for(lambda: LIMIT in figures(session, deadline), "the MBeans")
        reading = figures(session, deadline)
        session.detach()
    assert {name for name, _ in reading} == {
        "heap_published_bytes", "threads", "threads_started", "classes", "classes_loaded", "classes_unloaded",
        "compilation_s", "collections", "gc_s", "safepoints", "safepoint_s", "safepoint_reach_s",
        "monitors_contended",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("version", "collector"),
    [(17, "G1"), (25, "Z"), (17, "Serial"), (25, "Parallel"), (25, "Shenandoah")][: length(1, 5)],
)
def test_what_is_published_agrees_with_the_mbeans(
    tmp_path: Path, deadline: Deadline, version: int, collector: str
) -> None:
    options = [f"-XX:+Use{collector}GC", "-Xmx96m"]
    with java.plain(tmp_path, home=java.jdk(version), jvm=options) as server:
        server.get("/allocate?bytes=60000000&keep=10000000")
        server.get("/gc")
        component = server.component()
        published = PerfData(Jvm(server.pid, component.start))
        session = attach(server)
        by_mbeans = fresh(session, deadline)
        reading = published.read()
        session.detach()
    assert reading["threads", ""] == pytest.approx(by_mbeans["threads", ""], abs=2)
    # Of some collectors what was filled since the last collection is not in it.
    assert 10e6 <= reading["heap_published_bytes", ""] <= by_mbeans["memory_used_bytes", "heap"] + 8e6
    assert sum(value for (name, _), value in reading.items() if name == "collections") >= 1
    assert reading["classes", ""] == reading["classes_loaded", ""] - reading["classes_unloaded", ""] > 1000
    assert reading["safepoint_s", ""] > 0


def test_where_nothing_is_published_all_is_asked_for(tmp_path: Path, deadline: Deadline) -> None:
    with java.plain(tmp_path, jvm=UNPUBLISHED) as server:
        server.get("/gc")
        session = attach(server)
        reading = fresh(session, deadline)
        by_jcmd = threads_by_jcmd(server)
        session.detach()
    assert reading["collections", "MarkSweepCompact"] == 1
    assert reading["gc_s", "MarkSweepCompact"] > 0
    assert reading["classes_loaded", ""] >= reading["classes", ""] > 1000
    assert sum(by_jcmd.values()) - 8 <= reading["threads", ""] <= sum(by_jcmd.values()) + 2


def test_of_a_jvm_that_lets_nobody_in_what_it_publishes_is_read(
    tmp_path: Path, deadline: Deadline, snapshot: SnapshotAssertion
) -> None:
    closed = [*SERIAL, "-XX:+DisableAttachMechanism"]
    with java.plain(tmp_path, jvm=closed) as server:
        session = attach(server)
        assert figures(session, deadline)["threads", ""] > 5
        assert figures(session, deadline)
        [note] = session.events()
        server.stop()
        lost(session, deadline)
        session.detach()
    assert note.facts["code"] == "probe.refused"
    assert note.text.partition(": ")[0] == snapshot


@given(st.binary(max_size=200) | st.binary(max_size=200).map(lambda tail: b"\xca\xfe\xc0\xc0\x01" + tail))
def test_no_file_upsets_the_reading_of_what_is_published(data: bytes) -> None:
    assert isinstance(list(perfdata.figures(perfdata.parse(data))), list)


@pytest.mark.parametrize("version", length([25], [17, 25]))
def test_the_reader_runs_on_the_jdk_of_the_server_and_ends_with_the_session(
    tmp_path: Path, deadline: Deadline, version: int
) -> None:
    with java.plain(tmp_path, home=java.jdk(version), jvm=SERIAL) as server:
        session = attach(server)
        fresh(session, deadline)
        [pid] = readers()
        assert os.readlink(f"/proc/{pid}/exe") == os.readlink(f"/proc/{server.pid}/exe")
        assert session.cpu_s > 0  # type: ignore[attr-defined]
        session.detach()
        assert readers() == []


def test_a_jvm_that_dies_is_lost_and_its_reader_ends(tmp_path: Path, deadline: Deadline) -> None:
    with java.plain(tmp_path, jvm=UNPUBLISHED) as server:
        session = attach(server)
        fresh(session, deadline)
        server.stop()
        lost(session, deadline)
        reason = lost(session, deadline)
        assert readers() == []
        session.detach()
    assert reason.code in ("probe.no-process", "probe.no-answer")


def test_a_jvm_that_stands_still_is_missed_and_read_again_when_it_goes_on(
    tmp_path: Path, deadline: Deadline, monkeypatch: pytest.MonkeyPatch
) -> None:
    with java.plain(tmp_path, jvm=UNPUBLISHED) as server:
        session = attach(server)
        fresh(session, deadline)
        before = readers()
        monkeypatch.setattr(reader, "ANSWER_S", 0.3)
        server.process.send_signal(signal.SIGSTOP)
        assert lost(session, deadline).code == "probe.no-answer"
        assert lost(session, deadline).code == "probe.no-answer"
        server.process.send_signal(signal.SIGCONT)

        def is_back() -> bool:
            try:
                return bool(session.sample(time.monotonic_ns()))
            except Lost:
                return False

        deadline.wait_for(is_back, "a reading after the stop")
        assert readers() == before
        session.detach()


def test_a_reader_ends_with_a_rig_that_is_killed(tmp_path: Path, deadline: Deadline) -> None:
    program = """
import sys, time
from loadrig.base.component import SERVER, Component
from loadrig.probes import jvm
from loadrig.probes._session import Place
component = Component(SERVER, "program", runtime="jvm", pid=int(sys.argv[1]))
session = jvm.attach(jvm.Options(), component, Place(permits=frozenset({"jvm-attach"})))
while not any(one.metric == "memory_limit_bytes" for one in session.sample(time.monotonic_ns())):
    time.sleep(0.02)
print("reading", flush=True)
time.sleep(60)
"""
    with java.plain(tmp_path, jvm=SERIAL) as server:
        argv = [sys.executable, "-c", program, str(server.pid)]
        rig = subprocess.Popen(argv, stdout=subprocess.PIPE, text=True)
        assert rig.stdout is not None
        assert rig.stdout.readline() == "reading\n"
        [pid] = readers(rig.pid)
        rig.kill()
        rig.communicate()
        deadline.wait_for(lambda: processes.start_of(pid) is None, "the reader to end")


@pytest.fixture
def guarded(tmp_path: Path, free_port: int) -> list[str]:
    """Options of a JVM with JMX on a port, that asks for a password."""
    for name, text in (("users", "watcher readonly\n"), ("passwords", f"watcher {PASSWORD}\n")):
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o600)
    jmx = "-Dcom.sun.management.jmxremote"
    return [
        *UNPUBLISHED, f"{jmx}.port={free_port}", f"{jmx}.rmi.port={free_port}", f"{jmx}.ssl=false",
        f"{jmx}.host=127.0.0.1",
        f"{jmx}.access.file={tmp_path}/users", f"{jmx}.password.file={tmp_path}/passwords",
        "-Djava.rmi.server.hostname=127.0.0.1", "-XX:+DisableAttachMechanism",
    ]  # fmt: skip


def test_a_jvm_that_lets_nobody_in_is_read_by_its_jmx_port(
    tmp_path: Path, deadline: Deadline, guarded: list[str]
) -> None:
    (tmp_path / "secret").write_text(f"{PASSWORD}\nnot this\n")
    options = jvm.Options(details_every=Seconds(0.0), user="watcher", password_file="secret")
    with java.plain(tmp_path, jvm=guarded) as server:
        session = attach(server, options, base=tmp_path)
        reading = fresh(session, deadline)
        assert reading["threads", ""] > 5
        assert ("threads", "RUNNABLE") not in reading  # which asks for more than the right to read
        [pid] = readers()
        assert PASSWORD not in processes.command_line(pid)
        assert PASSWORD not in Path(f"/proc/{pid}/environ").read_text()
        session.detach()


def test_a_wrong_password_is_refused_once_and_not_shown(
    tmp_path: Path, deadline: Deadline, guarded: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JMX_PASSWORD", "wrong-" + PASSWORD)
    port = next(word.rpartition("=")[2] for word in guarded if ".jmxremote.port=" in word)
    options = jvm.Options(
        details_every=Seconds(0.0), at=f"127.0.0.1:{port}", user="watcher", password_env="JMX_PASSWORD"
    )
    with java.plain(tmp_path, jvm=guarded) as server:
        session = attach(server, options)
        refused = lost(session, deadline)
        before = readers()
        assert lost(session, deadline) is refused  # not tried again at once
        session.detach()
    assert before == []
    assert refused.code == "probe.refused"
    assert "password" in refused.mend
    assert "wrong-" not in repr(refused) + refused.reason + refused.mend + repr(session.__dict__)


def test_without_a_port_it_says_how_to_let_it_in(tmp_path: Path) -> None:
    closed = [*UNPUBLISHED, "-XX:+DisableAttachMechanism"]
    with java.plain(tmp_path, jvm=closed) as server, pytest.raises(Unavailable) as refused:
        attach(server)
    assert refused.value.code == "probe.refused"
    assert "-XX:+DisableAttachMechanism" in refused.value.reason


def test_without_a_jdk_it_says_what_to_install(
    tmp_path: Path, deadline: Deadline, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(jdk, "find", lambda *_: None)
    with java.plain(tmp_path, jvm=UNPUBLISHED) as server:
        session = attach(server)
        missing = lost(session, deadline)
        session.detach()
    assert missing.code == "probe.no-tool"
    assert "javac" in missing.reason
    assert missing.mend.startswith("apt-get install openjdk")


def test_the_reader_is_compiled_where_it_never_was(
    tmp_path: Path, deadline: Deadline, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    with java.plain(tmp_path, jvm=SERIAL) as server:
        session = attach(server)
        assert fresh(session, deadline)
        session.detach()
    [folder] = (tmp_path / "cache" / "loadrig").iterdir()
    assert (folder / "JmxReader.class").exists()


def test_leaving_while_the_reader_is_on_its_way_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(reader, "ANSWER_S", 0.2)
    with java.plain(tmp_path, jvm=SERIAL) as server:
        session = attach(server)
        session.sample(time.monotonic_ns())
        session.detach()
        assert readers() == []
    assert not list((tmp_path / "cache" / "loadrig").glob("*"))


def test_a_jvm_in_a_container_is_read_on_its_own_loopback(tmp_path: Path, deadline: Deadline) -> None:
    with java.contained(tmp_path) as component:
        session = jvm.attach(ALL, component, Place(permits=ATTACH))
        try:
            assert fresh(session, deadline)["threads", ""] > 5
        finally:
            session.detach()
        assert readers() == []


@pytest.mark.parametrize(
    "text", ["Threading/PeakThreadCount", "java.lang:type=Threading", "java.lang:type=A/", "x"]
)
def test_what_names_no_number_of_an_mbean_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(Unavailable) as refused:
        jvm_watch.wanted(text)
    assert refused.value.code == "probe.not-that"
    assert text in refused.value.reason


def test_the_keys_of_a_name_are_read_with_their_quotes_off() -> None:
    name = 'Tomcat:name="http-nio-8080, \\"a\\"=b",type=ThreadPool'
    assert keys(name) == {"name": 'http-nio-8080, "a"=b', "type": "ThreadPool"}
    assert keys("java.lang:type=Memory") == {"type": "Memory"}
    assert keys("no name") == {}


BEANS = json.loads("""{
  "java.lang:type=Memory": {"HeapMemoryUsage": {"committed": 9, "init": 0, "max": -1, "used": 5}},
  "java.lang:name=Metaspace,type=MemoryPool": {"CollectionUsage": null, "Usage": {"committed": 4, "used": 3}},
  "java.lang:type=Threading": {"ThreadCount": 2, "#states": {"RUNNABLE": 2}},
  "java.lang:type=OperatingSystem": {"ProcessCpuTime": -1, "AvailableProcessors": "two"},
  "java.lang:name=ZGC Pauses,type=GarbageCollector": {"CollectionCount": 3, "CollectionTime": 250},
  "com.example:kind=odd": {"Anything": true}
}""")


def test_what_the_jvm_does_not_know_is_left_out() -> None:
    assert sorted(jvm_watch.figures(BEANS)) == [
        ("collections", "ZGC Pauses", 3.0),
        ("gc_s", "ZGC Pauses", 0.25),
        ("memory_committed_bytes", "heap", 9.0),
        ("memory_used_bytes", "heap", 5.0),
        ("memory_used_bytes", "pool:Metaspace", 3.0),
        ("threads", "", 2.0),
        ("threads", "RUNNABLE", 2.0),
    ]

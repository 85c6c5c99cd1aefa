"""An observer of another host, in a process of its own on this one: what arrives, and what may go wrong."""

import contextlib
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from loadrig import __version__
from loadrig.base import processes
from loadrig.plan.model import ChosenMember
from loadrig.probes import redis
from loadrig.probes._remote import talk as _talk
from loadrig.probes._remote import wire as _wire
from loadrig.probes._remote.rig import RemoteObserver, clock_text
from loadrig.probes.process import Options
from tests.conftest import Deadline
from tests.probes.elsewhere import SampleKeeper, asked
from tests.probes.watching import wording
from tests.servers.redis import started_redis

pytestmark = pytest.mark.integration

PYTHON = sys.executable
EVERY_S = 0.05


def watched(sink: SampleKeeper, retry_s: float = 60.0, base: Path = Path(), **how: object) -> RemoteObserver:
    how.setdefault("python", PYTHON)
    return RemoteObserver(asked(**how), EVERY_S, sink, retry_s=retry_s, base=base)  # type: ignore[arg-type]


@contextlib.contextmanager
def server(port: int, deadline: Deadline) -> Iterator[subprocess.Popen[bytes]]:
    """Yield a real server at a port."""
    command = [PYTHON, "-m", "http.server", str(port), "--bind", "127.0.0.1"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            yield process
        finally:
            process.kill()


def pid_of(observer: RemoteObserver, sink: SampleKeeper, deadline: Deadline) -> int:
    """Return the process of the observer there, once it is at work."""
    deadline.wait_for(lambda: sink.of("web1/host", "system_cpu.busy_share") or sink.components(), "samples")
    assert observer.far_pid is not None
    return observer.far_pid


def test_a_host_and_the_server_at_its_port_are_observed(free_port: int, deadline: Deadline) -> None:
    sink = SampleKeeper()
    with server(free_port, deadline) as process, watched(sink, port=free_port) as observer:
        deadline.wait_for(lambda: len(sink.of("web1/server", "process.threads")) > 3, "the server's threads")
        deadline.wait_for(lambda: "system_cpu" in str(observer.metrics()), "metrics of the host")
        pid = process.pid
    assert sink.components() == {"web1/host", "web1/server"}
    assert sink.of("web1/server", "process.cpu_s", f"pid:{pid}")
    names = {component.name: component for component in observer.components}
    assert names.keys() >= {"web1/host", "web1/server"}
    assert names["web1/server"].pid is None
    assert {event.component for event in sink.events("component_found")} == {"web1/host", "web1/server"}
    assert observer.metrics()["process.threads"]["unit"] == "1"
    assert observer.cost()["samples"] == sink.count()
    assert observer.cost()["cpu_s"] > 0
    assert observer.cost()["here"]["bytes"] > 1000


def test_everything_is_dated_by_the_clock_here_and_in_order(
    deadline: Deadline, snapshot: SnapshotAssertion
) -> None:
    sink = SampleKeeper()
    began_ns = time.monotonic_ns()
    with watched(sink, pid=os.getpid()) as observer:
        deadline.wait_for(lambda: len(sink.of("web1/server", "process.threads")) > 5, "samples")
    times = [sample.t_ns for sample in sink.of("web1/server", "process.threads", "tree")]
    assert times == sorted(set(times))
    assert began_ns < times[0]
    assert times[-1] < time.monotonic_ns()
    facts = observer.facts()
    assert facts.offset_ms is not None
    assert facts.residual_ms is not None
    assert abs(facts.offset_ms) <= facts.residual_ms
    assert (facts.name, facts.via, facts.loadrig) == ("web1", "env", __version__)
    assert facts.n >= 20
    assert f"{facts.residual_ms:.2g} ms" in clock_text(facts)
    assert wording(clock_text(facts), "web1") == snapshot
    assert wording(clock_text(facts), "web1") in [wording(note, "web1") for note in observer.new_notes()]


def test_the_server_may_start_later(free_port: int, deadline: Deadline) -> None:
    sink = SampleKeeper()
    with watched(sink, port=free_port) as observer:
        pid_of(observer, sink, deadline)
        deadline.wait_for(lambda: any("nothing listens" in note for note in observer.new_notes()), "the note")
        with server(free_port, deadline):
            deadline.wait_for(lambda: sink.of("web1/server", "process.threads"), "the server to be found")


def test_options_of_probes_reach_the_other_side(deadline: Deadline) -> None:
    sink = SampleKeeper()
    few = ChosenMember("process", Options(threads=0))
    with watched(sink, pid=os.getpid(), probes=(few,)):
        deadline.wait_for(lambda: sink.events("note"), "the note that threads are not read")
    assert sink.events("note")[0].component == "web1/server"


# --- what may go wrong --------------------------------------------------------------------------------


def test_a_connection_that_breaks_is_one_gap_and_is_made_anew(deadline: Deadline) -> None:
    sink = SampleKeeper()
    with watched(sink, retry_s=0.2, pid=os.getpid()) as observer:
        first = pid_of(observer, sink, deadline)
        deadline.wait_for(lambda: len(sink.of("web1/server", "process.voluntary_switches")) > 5, "samples")
        os.kill(first, signal.SIGKILL)
        deadline.wait_for(lambda: sink.events("gap"), "the gap")
        deadline.wait_for(lambda: sink.events("gap_over"), "the end of the gap")
        gone_on = len(sink.of("web1/server", "process.voluntary_switches"))
        deadline.wait_for(
            lambda: len(sink.of("web1/server", "process.voluntary_switches")) > gone_on + 3, "more samples"
        )
    (gap,) = sink.events("gap")
    (over,) = sink.events("gap_over")
    assert gap.component == over.component == "web1/host"
    assert gap.facts["code"] == "probe.no-answer"
    assert over.t_ns - gap.t_ns == pytest.approx(over.facts["gap_s"] * 1e9)
    before = [sample for sample in sink.of("web1/server", "process.threads") if sample.t_ns <= gap.t_ns]
    # It was killed in the midst of samples; how long a busy machine takes to see it has no limit here.
    assert 0 <= gap.t_ns - before[-1].t_ns < 30e9
    # Since attached: the second observer there began at zero.
    counts = [sample.value for sample in sink.of("web1/server", "process.voluntary_switches")]
    assert counts == sorted(counts)


def test_a_connection_that_stays_broken_is_told_once_and_the_run_ends_well(deadline: Deadline) -> None:
    sink = SampleKeeper()
    observer = watched(sink, retry_s=0.01)
    with observer:
        pid = pid_of(observer, sink, deadline)
        observer._plan = asked("false", python=PYTHON)
        os.kill(pid, signal.SIGKILL)
        deadline.wait_for(lambda: sink.events("gap"), "the gap")
    assert len(sink.events("gap")) == 1
    assert sink.events("note") == []


def missing(deadline: Deadline, **how: object) -> tuple[str, str, RemoteObserver]:
    """Return the code and the text of what is said about a host that cannot be observed."""
    sink = SampleKeeper()
    with watched(sink, **how) as observer:  # type: ignore[arg-type]
        deadline.wait_for(lambda: sink.events("note"), "a word on why there is no observer")
    (note,) = sink.events("note")
    assert note.component == "web1/host"
    assert observer.new_notes() == [note.text]
    assert observer.facts().offset_ms is None
    return note.facts["code"], note.text, observer


def test_a_python_that_is_not_there(deadline: Deadline, snapshot: SnapshotAssertion) -> None:
    code, text, observer = missing(deadline, python="/nowhere/python")
    assert code == "probe.no-tool"
    assert "/nowhere/python" in text
    assert "python: /opt/loadrig/bin/python" in text
    assert clock_text(observer.facts()) == snapshot


def test_a_python_without_loadrig(deadline: Deadline) -> None:
    code, text, _ = missing(deadline, python=f"{PYTHON} -I -S")
    assert code == "probe.no-tool"
    assert "pip install loadrig==" in text


def test_a_command_that_is_not_on_this_machine(deadline: Deadline) -> None:
    code, text, _ = missing(deadline, via="no-such-shell web1")
    assert code == "probe.no-tool"
    assert "no-such-shell" in text


def test_a_host_that_cannot_be_reached(deadline: Deadline, free_port: int) -> None:
    if shutil.which("ssh") is None:
        pytest.skip("ssh is not installed: apt-get install openssh-client")
    code, text, _ = missing(deadline, via=f"ssh -F none -p {free_port} 127.0.0.1")
    assert code == "probe.no-answer"
    assert "Connection refused" in text


def test_a_command_that_leads_somewhere_else(deadline: Deadline) -> None:
    code, text, _ = missing(deadline, via="echo This account is not available.")
    assert code == "probe.no-answer"
    assert "This account is not available." in text


def stand_in(tmp_path: Path, *lines: str) -> str:
    """Return a program that writes these lines instead of an observer, then reads until its input ends."""
    script = tmp_path / "stand_in.py"
    lines_sent = "".join(f"{line}\n" for line in lines)
    script.write_text(
        f"import sys\nprint({lines_sent!r}, end='', flush=True)\nsys.stdin.read()\n", encoding="utf-8"
    )
    return shlex.join([PYTHON, str(script)])


def test_an_observer_of_another_protocol_is_refused_here(
    tmp_path: Path, deadline: Deadline, snapshot: SnapshotAssertion
) -> None:
    hello = json.dumps({"hello": {"protocol": 99, "loadrig": "9.9.9"}})
    code, text, _ = missing(deadline, python=stand_in(tmp_path, hello))
    assert code == "probe.version"
    assert wording(text, PYTHON, tmp_path, __version__) == snapshot


def test_a_rig_of_another_protocol_is_refused_there() -> None:
    with subprocess.Popen(
        [PYTHON, "-m", "loadrig.probes"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        out, _ = process.communicate(_wire.line("config", {"protocol": 99}), timeout=30)
    hello, refused = (_wire.parsed(each) for each in out.splitlines())
    assert hello is not None
    assert refused is not None
    assert hello["hello"]["protocol"] == _wire.PROTOCOL
    assert refused["refused"]["code"] == "probe.version"
    assert "protocol 99" in refused["refused"]["reason"]


def test_what_a_login_shell_prints_is_passed_over(deadline: Deadline) -> None:
    sink = SampleKeeper()
    shell = shlex.join(["sh", "-c", 'echo "Welcome to web1!"; echo "{}"; exec "$0" "$@"', PYTHON])
    with watched(sink, python=shell):
        deadline.wait_for(lambda: sink.components() == {"web1/host"}, "samples")
    assert sink.events("note") == []


@pytest.mark.parametrize(
    "nonsense",
    [
        '{"samples":{"of":3}}',
        '{"event":[1e400,"note","","",{},"","",{}]}',
        '{"known":{"metrics":{},"components":[{"name":"a","address":{"port":[]}}]}}',
    ],
    ids=["samples", "event", "known"],
)
def test_what_makes_no_sense_ends_the_conversation_and_not_the_run(
    nonsense: str, tmp_path: Path, deadline: Deadline, snapshot: SnapshotAssertion
) -> None:
    hello = json.dumps({"hello": {"protocol": _wire.PROTOCOL, "loadrig": "0"}})
    code, text, _ = missing(deadline, python=stand_in(tmp_path, hello, nonsense))
    assert code == "probe.not-that"
    assert wording(text, PYTHON, tmp_path) == snapshot


def test_a_command_that_never_stops_talking_is_given_up(
    deadline: Deadline, monkeypatch: pytest.MonkeyPatch, snapshot: SnapshotAssertion
) -> None:
    monkeypatch.setattr(_talk, "GREET_S", 0.3)
    code, text, _ = missing(deadline, via="yes --")
    assert code == "probe.no-answer"
    assert wording(text, PYTHON) == snapshot


def test_a_rig_that_no_longer_reads_holds_no_observer() -> None:
    program = (
        "from loadrig.probes import __main__ as observer\n"
        "from loadrig.probes._remote import wire as _wire\n"
        "_wire.SILENT_S = 0.3\n"
        "raise SystemExit(observer.main())"
    )
    with subprocess.Popen([PYTHON, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        # Far more answers than the pipe holds, and nobody reads one of them.
        with contextlib.suppress(BrokenPipeError):
            process.stdin.write(_wire.line("ping", 10**18) * 20_000)
            process.stdin.flush()
        assert process.wait(timeout=30) == 0


def test_an_observer_that_falls_silent_is_a_loss(
    tmp_path: Path, deadline: Deadline, monkeypatch: pytest.MonkeyPatch, snapshot: SnapshotAssertion
) -> None:
    monkeypatch.setattr(_talk, "PONG_S", 0.05)
    hello = json.dumps({"hello": {"protocol": _wire.PROTOCOL, "loadrig": "0"}})
    code, text, _ = missing(deadline, python=stand_in(tmp_path, hello))
    assert code == "probe.no-answer"
    assert wording(text, PYTHON, tmp_path) == snapshot


def test_a_probe_or_an_option_that_is_not_known_there_is_told(deadline: Deadline) -> None:
    sink = SampleKeeper()
    # A probe of a later version, which has an option and a name of its own.
    newer = ChosenMember("process", Options(threads=1))
    observer = watched(sink, pid=os.getpid(), probes=(newer,))
    order = replace(observer._order(), options={"process": {"colour": 1}, "perfect": {}})
    observer._order = lambda: order  # type: ignore[method-assign]
    with observer:
        deadline.wait_for(lambda: len(sink.events("note")) == 2, "both notes")
    assert [(event.subject, event.facts["code"]) for event in sink.events("note")] == [
        ("perfect", "probe.version"),
        ("process", "probe.version"),
    ]
    assert sink.of("web1/server", "process.threads") == []


# --- nothing is left ----------------------------------------------------------------------------------


def test_a_rig_that_is_killed_leaves_no_observer(deadline: Deadline, tmp_path: Path) -> None:
    program = (
        "import sys, time\n"
        "from loadrig.probes._remote.rig import RemoteObserver\n"
        "from tests.probes.elsewhere import SampleKeeper, asked\n"
        "observer = RemoteObserver(asked(python=sys.executable), 0.05, SampleKeeper())\n"
        "observer.start()\n"
        "while not observer.facts().offset_ms:\n"
        "    time.sleep(0.01)\n"
        "print(observer.far_pid, flush=True)\n"
        "time.sleep(60)\n"
    )
    with subprocess.Popen([PYTHON, "-c", program], stdout=subprocess.PIPE) as rig:
        assert rig.stdout is not None
        pid = int(rig.stdout.readline())
        start = processes.start_of(pid)
        assert start is not None
        rig.kill()
    deadline.wait_for(lambda: not processes.is_alive(pid, start), "the end of the observer")


def test_an_observer_that_hears_nothing_for_long_ends_itself() -> None:
    program = (
        "from loadrig.probes import __main__ as observer\n"
        "from loadrig.probes._remote import wire as _wire\n"
        "_wire.SILENT_S = 0.2\n"
        "raise SystemExit(observer.main())"
    )
    with subprocess.Popen([PYTHON, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.wait(timeout=30) == 0


def test_a_stop_before_the_first_word_is_quick(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    silent = tmp_path / "silent.py"
    silent.write_text("import sys; sys.stdin.read()", encoding="utf-8")
    sink = SampleKeeper()
    monkeypatch.setattr(_talk, "FAREWELL_S", 60.0)
    began = time.monotonic()
    with watched(sink, python=f"{PYTHON} {silent}"):
        pass
    assert time.monotonic() - began < _talk.FAREWELL_S
    assert sink.happened == []


@pytest.mark.parametrize("by", ["env", "file"])
def test_a_secret_opens_the_database_there_and_is_seen_nowhere(
    by: str, tmp_path: Path, deadline: Deadline, monkeypatch: pytest.MonkeyPatch
) -> None:
    password = "tr0ub4dor"
    if by == "env":
        monkeypatch.setenv("SHOP_REDIS", password)
    (tmp_path / "pw").write_text(f"{password}\n", encoding="utf-8")
    options = redis.Options(password_env="SHOP_REDIS") if by == "env" else redis.Options(password_file="pw")
    sink = SampleKeeper()
    with started_redis(tmp_path, password=password) as server:
        chosen = (ChosenMember("redis", options),)
        with watched(sink, base=tmp_path, port=server.port, probes=chosen, only=("redis",)) as observer:
            deadline.wait_for(lambda: sink.of("web1/server", "redis.clients"), "figures of the redis")
            command = Path(f"/proc/{observer.far_pid}/cmdline").read_bytes()
    assert {component.kind for component in observer.components} == {"host", "redis"}
    assert observer.map() is not None
    assert sink.events("gap") == []
    assert password.encode() not in command
    shown = [observer.facts(), observer.cost(), observer.new_notes(), observer.map(), observer.components]
    assert password not in repr([sink.happened, shown])


def test_who_starts_it_by_hand_is_told_what_it_is() -> None:
    done = subprocess.run(
        [PYTHON, "-m", "loadrig.probes", "--help"], capture_output=True, text=True, check=False, timeout=30
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert "observers:" in done.stderr
    version = subprocess.run(
        [PYTHON, "-m", "loadrig.probes", "--version"], capture_output=True, text=True, check=True, timeout=30
    )
    assert version.stdout == f"loadrig {__version__}, observer's protocol {_wire.PROTOCOL}\n"


# --- a clock that really is another -------------------------------------------------------------------


class Truthful(RemoteObserver):
    """Keeps for every instant what the clock there said and where it was put."""

    pairs: list[tuple[int, int]]

    def _dated(self, there_ns: int) -> int:
        here_ns = super()._dated(there_ns)
        self.pairs.append((there_ns, here_ns))
        return here_ns


@pytest.mark.parametrize("ahead_s", [5000, -5])
def test_instants_of_a_shifted_clock_land_within_the_stated_residual(
    ahead_s: int, deadline: Deadline
) -> None:
    via = f"unshare --time --monotonic {ahead_s}"
    if subprocess.run(shlex.split(f"{via} true"), capture_output=True, check=False).returncode:
        pytest.skip("this kernel or this user makes no time namespaces: run as root on Linux 5.6 or later")
    sink = SampleKeeper()
    observer = Truthful(asked(via, python=PYTHON, pid=os.getpid()), EVERY_S, sink)
    observer.pairs = []
    with observer:
        deadline.wait_for(lambda: len(observer.pairs) > 40, "samples and events")
    facts = observer.facts()
    assert facts.residual_ms is not None
    assert facts.offset_ms == pytest.approx(ahead_s * 1e3, abs=facts.residual_ms)
    errors_ms = [abs(here - (there - ahead_s * 10**9)) / 1e6 for there, here in observer.pairs]
    assert max(errors_ms) <= facts.residual_ms < 50

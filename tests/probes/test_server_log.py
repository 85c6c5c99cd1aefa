"""The probe `server_log` beside a process that logs: into a file, to its errors, too much, and junk."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from loadrig.base import processes
from loadrig.base.component import SERVER, THIS_HOST, Component
from loadrig.base.series import Event
from loadrig.probes import Unavailable, server_log
from loadrig.probes._logs.follow import LONGEST_BYTES, MOST_BYTES, Follower
from loadrig.probes._logs.journal import Journal, unit_in
from loadrig.probes._session import Place
from tests.conftest import Deadline
from tests.probes.watching import Watched, watching

pytestmark = pytest.mark.integration

NOBODY = 65534

POOL = (
    "sqlalchemy.exc.TimeoutError: QueuePool limit of size 5 overflow 10 reached, connection timed out, "
    "timeout 30.00"
)

SPEAKER = """
import os, sys
files = {"log": os.open(sys.argv[1], os.O_WRONLY | os.O_APPEND | os.O_CREAT), "err": 2}
for line in sys.stdin:
    to, times, text = eval(line)
    if to == "anew":
        os.close(files["log"])
        files["log"] = os.open(sys.argv[1], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    else:
        whole = memoryview(text * times)
        while whole:
            whole = whole[os.write(files[to], whole):]
    print("done", flush=True)
"""


JOURNAL = """
import pathlib, re, sys
lines = pathlib.Path(sys.argv[0]).with_name("entries").read_text().splitlines(keepends=True)
after = re.search("--after-cursor=(s=[0-9]+)", " ".join(sys.argv))
seen = next((n for n, line in enumerate(lines) if after and after[1] in line), len(lines) - 2)
sys.stdout.writelines(lines[seen + 1:])
"""


@dataclass
class Speaker:
    """A process that logs what it is told to."""

    process: "subprocess.Popen[str]"
    log: Path
    output: Path

    def say(self, text: str | bytes, times: int = 1, to: str = "log") -> None:
        raw = text if isinstance(text, bytes) else text.encode() + b"\n"
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        print((to, times, raw), file=self.process.stdin, flush=True)
        assert self.process.stdout.readline() == "done\n"

    def open_anew(self) -> None:
        self.say(b"", to="anew")

    @property
    def component(self) -> Component:
        pid = self.process.pid
        return Component(SERVER, "program", pid=pid, start=processes.start_of(pid))


@contextmanager
def speaking(folder: Path, name: str = "shop.log") -> Iterator[Speaker]:
    log, output = folder / name, folder / "target.log"
    with (
        output.open("ab") as error,
        subprocess.Popen(
            [sys.executable, "-c", SPEAKER, str(log)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=error, text=True,
        ) as process,
    ):  # fmt: skip
        try:
            speaker = Speaker(process, log, output)
            speaker.say("it began before")
            yield speaker
        finally:
            process.kill()


@pytest.fixture
def speaker(tmp_path: Path) -> Iterator[Speaker]:
    with speaking(tmp_path) as started:
        yield started


def templates(watched: Watched) -> dict[str, int]:
    """Return the newest count of each template."""
    return {str(event.facts["template"]): event.facts["count"] for event in watched.of_kind("log_template")}


def texts(watched: Watched) -> set[str]:
    return {event.text for event in watched.of_kind("log_template")}


def facts(watched: Watched) -> list[Event]:
    return watched.of_kind("server_fact")


def ended(speaker: Speaker, say: Callable[[Watched], None]) -> Watched:
    """Return what has been told once the probe has left."""
    session = server_log.attach(server_log.Options(), speaker.component, Place())
    watched = Watched(session)
    try:
        watched.look()
        say(watched)
    finally:
        session.detach()
    watched.events += session.events()
    return watched


def test_new_lines_of_file_and_error_output_are_told_as_templates_and_facts(speaker: Speaker) -> None:
    with watching(server_log, speaker.component) as watched:
        watched.look()
        speaker.say(f"2026-11-24 10:00:00 ERROR {POOL}", times=3)
        speaker.say("worker 7 is up", to="err")
        speaker.say("worker 8 is up", to="err")
        now = watched.until(lambda now: now["lines", ""] == 5)
        assert (now["facts", "pool:timed_out"], now["lines", "level:error"], now["unread_lines", ""]) == (
            3,
            3,
            0,
        )
    (fact,) = facts(watched)
    assert fact.facts == {
        "system": "sqlalchemy", "resource": "pool", "what": "timed_out", "count": 3,
        "numbers": {"size": 5, "overflow": 10, "timeout_s": 30},
    }  # fmt: skip
    assert "worker <number> is up" in texts(watched)
    assert not any("it began before" in text for text in texts(watched))
    sources = {event.facts["source"] for event in watched.of_kind("log_template")}
    assert sources == {"shop.log", "target.log"}


def test_what_came_last_is_told_when_the_probe_leaves(speaker: Speaker) -> None:
    def say(_: Watched) -> None:
        said_ns.append(time.monotonic_ns())
        speaker.say(f"ERROR {POOL}", times=7)

    said_ns: list[int] = []
    watched = ended(speaker, say)
    assert [event.facts["count"] for event in facts(watched)] == [7]
    assert list(templates(watched).values()) == [7]
    # It bears the instant at which it was read: what came before a load is not told of it.
    assert all(event.t_ns >= said_ns[0] for event in [*facts(watched), *watched.of_kind("log_template")])


def test_a_log_that_is_moved_away_is_read_on_and_its_successor_too(speaker: Speaker, tmp_path: Path) -> None:
    with watching(server_log, speaker.component) as watched:
        watched.look()
        speaker.log.rename(tmp_path / "shop.log.1")
        speaker.say("after the moving")
        speaker.open_anew()
        speaker.say("in the successor")
        watched.until(lambda now: now["lines", ""] == 2)
    assert {"after the moving", "in the successor"} <= texts(watched)
    assert len(watched.of_kind("log_rotated")) == 1


def test_a_log_that_is_cut_short_is_read_from_its_start(speaker: Speaker) -> None:
    with watching(server_log, speaker.component) as watched:
        watched.look()
        os.truncate(speaker.log, 0)
        watched.until(lambda _: len(watched.of_kind("log_rotated")) == 1)
        speaker.say("from the start")
        watched.until(lambda now: now["lines", ""] == 1)
    assert texts(watched) == {"from the start"}


def test_a_link_that_takes_the_place_of_a_log_is_not_followed(speaker: Speaker, tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("nobody may see this\n" * 9)
    with watching(server_log, speaker.component) as watched:
        watched.look()
        speaker.log.unlink()
        speaker.log.symlink_to(secret)
        speaker.say("still old")
        now = watched.until(lambda now: now["lines", ""] >= 1)
        assert now["lines", ""] == 1
    assert texts(watched) == {"still old"}


def test_of_a_flood_every_line_is_counted_and_few_are_looked_at(speaker: Speaker) -> None:
    with watching(server_log, speaker.component) as watched:
        watched.look()
        speaker.say("an item was ordered by somebody who has been here before", times=300_000)
        speaker.say(f"ERROR {POOL}")
        now = watched.until(lambda now: now["lines", ""] == 300_001)
        assert now["skipped_bytes", ""] == 0
        read = now["lines", ""] - now["unread_lines", ""]
        assert 0 < read <= 300_001 / 10


def test_a_line_of_trouble_in_a_flood_is_among_those_that_are_looked_at(speaker: Speaker) -> None:
    quiet = b"an item was ordered by somebody\n" * 2000
    with watching(server_log, speaker.component) as watched:
        watched.look()
        speaker.say(quiet + f"ERROR {POOL}\n".encode() + quiet)
        watched.until(lambda now: now["lines", ""] == 4001 and now["facts", "pool:timed_out"] == 1)


def test_a_line_without_an_end_is_one_line_and_the_next_is_read(speaker: Speaker) -> None:
    with watching(server_log, speaker.component) as watched:
        watched.look()
        speaker.say(b"x" * (3 * MOST_BYTES))
        watched.until(lambda now: now["lines", ""] == 1)
        speaker.say(b"y" * MOST_BYTES + b"\nshort and whole\n")
        watched.until(lambda now: now["lines", ""] == 2)
    assert "short and whole" in texts(watched)


def test_half_a_line_waits_for_its_other_half(speaker: Speaker) -> None:
    with watching(server_log, speaker.component) as watched:
        watched.look()
        speaker.say(b"half and ")
        watched.look()
        assert texts(watched) == set()
        speaker.say(b"half\n")
        watched.until(lambda now: now["lines", ""] == 1)
    assert texts(watched) == {"half and half"}


def test_junk_is_counted_and_never_shown(speaker: Speaker) -> None:
    with watching(server_log, speaker.component) as watched:
        watched.look()
        speaker.say(bytes(range(11, 256)) + b"\n", times=5)
        speaker.say("fine")
        now = watched.until(lambda now: now["lines", ""] == 6)
        assert now["binary_lines", ""] == 5
    assert texts(watched) == {"fine"}


def test_no_secret_of_a_line_is_told(speaker: Speaker) -> None:
    with watching(server_log, speaker.component) as watched:
        watched.look()
        speaker.say("ERROR login as shop with password=hunter2!x to postgres://shop:hunter2!x@db/shop")
        watched.until(lambda now: now["lines", ""] == 1)
    assert texts(watched)
    assert "hunter2" not in str(watched.events)


def test_what_a_server_stores_is_not_opened(tmp_path: Path) -> None:
    with speaking(tmp_path, "upload-7.txt") as speaker, watching(server_log, speaker.component) as watched:
        watched.look()
        speaker.say("the words of a user")
        speaker.say("its own", to="err")
        watched.until(lambda now: now["lines", ""] == 1)
    assert texts(watched) == {"its own"}


def test_lines_of_requests_are_counted_and_make_no_template(speaker: Speaker) -> None:
    with watching(server_log, speaker.component) as watched:
        watched.look()
        speaker.say('INFO:     127.0.0.1:40312 - "GET /items/7 HTTP/1.1" 200 OK', times=50)
        watched.until(lambda now: now["lines", ""] == 50 and now["templates", ""] == 0)


def test_a_log_that_may_not_be_read_is_named(tmp_path: Path) -> None:
    log = tmp_path / "shop.log"
    log.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(Unavailable) as refused:
        server_log.attach(server_log.Options(), Component(SERVER, "program", log=log), Place())
    assert refused.value.code == "probe.not-that"


@contextmanager
def as_somebody_else() -> Iterator[None]:
    """As a user without rights, where the tests run as root, whom no permission stops."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


def test_a_file_without_the_right_to_read_is_named() -> None:
    # Not in pytest's own folder, into which another user may not look at all.
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        log = Path(folder, "shop.log")
        log.write_text("")
        log.chmod(0)
        component = Component(SERVER, "program", log=log)
        with as_somebody_else(), pytest.raises(Unavailable) as refused:
            server_log.attach(server_log.Options(), component, Place())
    assert refused.value.code == "probe.no-right"
    assert str(log) in refused.value.mend


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files away")
def test_root_reads_no_successor_of_another_user(tmp_path: Path) -> None:
    log = tmp_path / "shop.log"
    log.write_text("")
    os.chown(log, 4711, 4711)
    follower = Follower(log, owner=4711)
    log.unlink()
    log.write_text("of root\n")
    with pytest.raises(OSError, match="belongs to user 0"):
        follower.gained()
    follower.close()


def test_a_follower_counts_lines_across_all_its_bounds(tmp_path: Path) -> None:
    log = tmp_path / "x.log"
    log.write_bytes(b"")
    follower = Follower(log)
    lines = 0
    with log.open("ab", buffering=0) as file:
        for size in (
            1,
            LONGEST_BYTES - 1,
            LONGEST_BYTES,
            LONGEST_BYTES + 1,
            MOST_BYTES - 1,
            MOST_BYTES,
            2 * MOST_BYTES + 7,
        ):
            for _ in range(3):
                file.write(b"z" * size + b"\n" + b"short\n" * 20_000)
                gained = follower.gained()
                lines += len(gained.lines) + gained.unread_lines
                assert gained.skipped_bytes == 0
                assert all(len(line) <= MOST_BYTES for line in gained.lines)
    follower.close()
    assert lines == 7 * 3 * 20_001


def test_the_host_and_a_process_that_has_ended_have_no_logs() -> None:
    assert not server_log.fits(THIS_HOST)
    with subprocess.Popen([sys.executable, "-c", ""]) as gone:
        gone.wait()
    with pytest.raises(Unavailable):
        server_log.attach(server_log.Options(), Component(SERVER, "program", pid=gone.pid, start=1), Place())


def test_the_journal_is_read_from_a_cursor_on(tmp_path: Path) -> None:
    entries = tmp_path / "entries"
    entries.write_text('{"__CURSOR":"s=1","MESSAGE":"old","PRIORITY":"6"}\n')
    # In the form of journalctl's JSON: systemd runs on few machines that run tests.
    program = tmp_path / "journalctl"
    program.write_text(f"#!{sys.executable}\n{JOURNAL}")
    program.chmod(0o700)
    journal = Journal("shop.service", str(program))
    assert journal.gained().lines == []
    with entries.open("a") as file:
        file.write('{"__CURSOR":"s=2","MESSAGE":"Too many open files","PRIORITY":"3"}\n')
    assert len(journal.gained().lines) == 1
    assert journal.gained().lines == []


def test_a_journal_that_may_not_be_read_says_why(tmp_path: Path) -> None:
    program = tmp_path / "journalctl"
    program.write_text(
        "#!/bin/sh\necho No journal files were opened due to insufficient permissions. >&2\nexit 1\n"
    )
    program.chmod(0o700)
    with pytest.raises(OSError, match="insufficient permissions"):
        Journal("shop.service", str(program))


def test_a_unit_is_a_service_and_no_session_of_a_user() -> None:
    assert unit_in("0::/system.slice/system-shop.slice/shop@1.service/worker") == "shop@1.service"
    assert unit_in("1:name=systemd:/user.slice/user-1000.slice/user@1000.service/app.slice") is None


def test_many_logs_share_what_may_be_looked_at(speaker: Speaker, deadline: Deadline) -> None:
    with watching(server_log, speaker.component) as watched:
        watched.look()
        speaker.say("many of the one", times=5_000, to="err")
        speaker.say("few of the other")
        deadline.wait_for(lambda: "few of the other" in texts_after(watched), "the line of the quiet log")


def texts_after(watched: Watched) -> set[str]:
    watched.look()
    time.sleep(0.01)
    return texts(watched)

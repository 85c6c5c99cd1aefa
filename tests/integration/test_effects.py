"""Nothing is opened in a server unless it is permitted by name; what is opened is told, and closed again."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from loadrig.base import leases, node_inspector
from loadrig.base.exits import Exit
from loadrig.recording.reader import Recording
from tests.conftest import Deadline
from tests.integration.program import loadrig
from tests.servers import node
from tests.servers._announced import Announced

pytestmark = pytest.mark.integration


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Announced]:
    """Yield a Node whose inspector is closed, in a home of the test's own."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    with node.started_node("classic.cjs", tmp_path) as running:
        yield running


def attacked(folder: Path, server: Announced, *words: str) -> Recording:
    url = f"http://127.0.0.1:{server.port}/"
    ended = loadrig("attack", url, "-q", "50/1s", "-z", "6s", "--profile", "-o", "run", *words, cwd=folder)
    # A machine that is busy with something else makes it void, and what was opened is told all the same.
    assert ended.code in (Exit.FINE, Exit.VOID), ended.err
    return Recording.open(folder / "run" / "trials" / "0001")


def test_an_attack_opens_nothing_unasked_and_says_what_would_be_seen(
    tmp_path: Path, server: Announced
) -> None:
    recording = attacked(tmp_path, server)
    assert [event for event in recording.events if event.kind.startswith("effect")] == []
    subjects = {
        event.subject for event in recording.events if event.facts.get("code") == "probe.not-permitted"
    }
    assert subjects == {"node", "profile"}
    assert "Debugger" not in server.log.read_text()


def test_what_a_permit_opens_is_in_the_result_with_its_end(tmp_path: Path, server: Announced) -> None:
    attacked(tmp_path, server, "--permit", "node-inspector")
    result = json.loads((tmp_path / "run" / "trials" / "0001" / "result.json").read_text())
    effects = {effect["effect"]: effect for effect in result["effects"]}
    assert effects.keys() == {"inspector", "watch"}
    assert {(effect["component"], effect["pid"], effect["is_undone"]) for effect in effects.values()} == {
        ("server", server.pid, True)
    }
    assert not node_inspector.is_open(server.pid)
    assert leases.listed() == []


RIG = """
import sys, time
from loadrig.profilers import node_inspector
with node_inspector._opened(int(sys.argv[1]), lambda _: None) as address:
    print(address.port, flush=True)
    time.sleep(60)
"""


@pytest.mark.parametrize("command", [("check", "plan.yaml"), ("doctor", "--clean")])
def test_what_a_killed_rig_has_left_open_the_next_command_closes(
    tmp_path: Path, server: Announced, deadline: Deadline, command: tuple[str, ...]
) -> None:
    (tmp_path / "plan.yaml").write_text(
        'loadrig: 1\nname: n\ntarget: {external: "http://127.0.0.1:1/"}\n'
        "workload: {users: 1, requests: [{get: /}]}\n"
    )
    words = [sys.executable, "-c", RIG, str(server.pid)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as rig:
        assert rig.stdout is not None
        assert int(rig.stdout.readline()) == node_inspector.USUAL_PORT
        # A living rig's is left open.
        assert loadrig(*command, cwd=tmp_path).code == 0
        assert node_inspector.is_open(server.pid)
        os.kill(rig.pid, signal.SIGKILL)
        rig.wait(deadline.left_s)
    assert [lease.kind for lease in leases.stale()] == ["inspector"]
    assert node_inspector.is_open(server.pid)
    ended = loadrig(*command, cwd=tmp_path)
    assert ended.code == 0, ended.err
    assert not node_inspector.is_open(server.pid)
    assert leases.listed() == []
    assert server.get("/") == "ok"

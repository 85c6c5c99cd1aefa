"""A program from the warm parent is the program that `python -m loadrig.cli` is, and a child of the tests."""

import contextlib
import json
import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from loadrig.testing.leftovers import nothing_left_behind
from tests import warm
from tests.conftest import Deadline
from tests.integration.servers import ok, serving
from tests.lengths import length
from tests.wording import codes

pytestmark = pytest.mark.integration

STARTS: dict[str, Callable[..., "subprocess.Popen[Any]"]] = {"warm": warm.Popen, "plain": subprocess.Popen}


@pytest.fixture(autouse=True)
def requests(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """Return what the parent is asked for: a start that is not warm must not pass for one."""
    asked: list[dict[str, Any]] = []
    start = warm.WarmParent.start

    def noted(parent: warm.WarmParent, request: dict[str, Any], descriptors: list[int]) -> int:
        asked.append(request)
        return start(parent, request, descriptors)

    monkeypatch.setattr(warm.WarmParent, "start", noted)
    return asked


@pytest.fixture(params=STARTS)
def begin(
    request: pytest.FixtureRequest, requests: list[dict[str, Any]]
) -> Iterator[Callable[..., "subprocess.Popen[Any]"]]:
    """Yield what starts a program, in both ways."""
    yield STARTS[request.param]
    assert bool(requests) == (request.param == "warm")


def words_of(begin: Callable[..., "subprocess.Popen[Any]"], *words: str, **how: Any) -> tuple[int, str, str]:
    with begin(
        [*warm.PROGRAM, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **how
    ) as process:
        out, err = process.communicate(timeout=60)
    return process.returncode, out, err


@pytest.mark.parametrize(
    "words",
    [["--version"], ["--help"], ["attack", "--help"], ["explain", "--list"], ["check", "no.yaml"], ["?"]],
)
def test_it_prints_the_same_and_ends_with_the_same_code(words: list[str], tmp_path: Path) -> None:
    how = {"cwd": tmp_path, "env": {**os.environ, "COLUMNS": "70"}}
    assert words_of(warm.Popen, *words, **how) == words_of(subprocess.Popen, *words, **how)


def test_it_reads_the_environment_and_its_own_folder(
    begin: Callable[..., "subprocess.Popen[Any]"], tmp_path: Path
) -> None:
    request = '{get: /, headers: {X-A: "{env:HERE}"}}'
    lines = (
        "loadrig: 1",
        "target: {external: 'http://127.0.0.1:9'}",
        f"workload: {{users: 1, requests: [{request}]}}",
    )
    plan = "\n".join(lines)
    (tmp_path / "plan.yaml").write_text(plan, encoding="utf-8")
    code, _, err = words_of(begin, "check", "plan.yaml", cwd=tmp_path)
    assert (code, codes(err)) == (104, ["plan.secret"])
    environment = {**os.environ, "HERE": "a-secret-of-this-test"}
    assert words_of(begin, "check", "plan.yaml", cwd=tmp_path, env=environment)[0] == 0


def attacking(
    begin: Callable[..., "subprocess.Popen[Any]"], folder: Path, deadline: Deadline, port: int, **how: Any
) -> "subprocess.Popen[Any]":
    """Return an attack that is measuring."""
    words = [*warm.PROGRAM, "attack", f"http://127.0.0.1:{port}/", "-q", "50/1s", "-z", "60s", "--out", "out"]
    process = begin(words, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **how)
    frames = folder / "out" / "trials" / "0001" / "frames.jsonl"
    deadline.wait_for(lambda: frames.is_file() and frames.stat().st_size, "the first frame")
    return process


def open_sockets(pid: int) -> set[str]:
    """Return the sockets that a process holds, by their inodes."""
    links = set()
    for path in Path(f"/proc/{pid}/fd").iterdir():
        with contextlib.suppress(OSError):
            links.add(os.readlink(path))
    return {link for link in links if link.startswith("socket:")}


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL][: length(1, 3)])
def test_a_signal_ends_it_alike_and_nothing_is_left(
    number: signal.Signals,
    begin: Callable[..., "subprocess.Popen[Any]"],
    tmp_path: Path,
    deadline: Deadline,
) -> None:
    with serving(ok, keep_open=True) as port, nothing_left_behind():
        process = attacking(begin, tmp_path, deadline, port)
        state = Path(f"/proc/{process.pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        parent, group = int(state[1]), int(state[2])
        # Its parent is whoever has started it, and Ctrl-C at the terminal reaches it with the tests.
        assert (parent, group) == (os.getpid(), os.getpgid(0))
        links = [os.readlink(f"/proc/{process.pid}/fd/{descriptor}") for descriptor in (0, 1, 2)]
        assert not open_sockets(process.pid) & open_sockets(warm.PARENT_OF_PROGRAMS.pid)
        assert links[0] == os.readlink("/proc/self/fd/0")
        assert [link.partition(":")[0] for link in links[1:]] == ["pipe", "pipe"]
        process.send_signal(number)
        out, err = process.communicate(timeout=60)
    if number == signal.SIGKILL:
        assert process.returncode == -signal.SIGKILL
        return
    assert process.returncode == 105, err
    assert json.loads((tmp_path / "out" / "result.json").read_text(encoding="utf-8"))["load"]["requests"]
    assert out


def test_it_leads_the_session_that_is_asked_for(
    begin: Callable[..., "subprocess.Popen[Any]"], tmp_path: Path, deadline: Deadline
) -> None:
    with serving(ok, keep_open=True) as port, nothing_left_behind():
        process = attacking(begin, tmp_path, deadline, port, start_new_session=True)
        assert os.getsid(process.pid) == os.getpgid(process.pid) == process.pid
        process.terminate()
        process.communicate(timeout=60)
    assert process.returncode == 105


@pytest.mark.parametrize(
    "how",
    [
        {"env": {"PYTHONWARNINGS": "error", "LC_ALL": "C"}},
        {"env": {"LOADRIG_LANG": "ko"}},
        {"umask": 0o77},
        {"preexec_fn": os.getpid},
        {"close_fds": False},
    ],
    ids=str,
)
def test_what_the_parent_cannot_give_starts_python_itself(
    how: dict[str, Any], requests: list[dict[str, Any]]
) -> None:
    how |= {"env": {**os.environ, **how.get("env", {})}}
    assert words_of(warm.Popen, "--version", **how)[0] == 0
    assert words_of(warm.Popen, "--version", "--lang", "ko")[0] == 0
    assert not requests


def test_another_affinity_of_the_tests_is_that_of_the_program(requests: list[dict[str, Any]]) -> None:
    allowed = os.sched_getaffinity(0)
    if len(allowed) < 2:
        pytest.skip("needs two cores")
    os.sched_setaffinity(0, {min(allowed)})
    try:
        assert words_of(warm.Popen, "--version")[0] == 0
    finally:
        os.sched_setaffinity(0, allowed)
    assert not requests


def test_the_parent_holds_no_thread_and_no_file(requests: list[dict[str, Any]]) -> None:
    assert words_of(warm.Popen, "--version")[0] == 0
    assert len(requests) == 1
    pid = warm.PARENT_OF_PROGRAMS.pid
    assert len(os.listdir(f"/proc/{pid}/task")) == 1
    # Its standard streams, and the line to the tests.
    assert len(os.listdir(f"/proc/{pid}/fd")) == 4


def test_the_parent_ends_with_whoever_has_started_it() -> None:
    parent = warm.WarmParent()
    parent.begin()
    pid = parent.pid
    assert Path(f"/proc/{pid}").exists()
    parent.end()
    assert not Path(f"/proc/{pid}").exists()


def test_a_parent_that_has_died_is_named() -> None:
    parent = warm.WarmParent()
    parent.begin()
    os.kill(parent.pid, signal.SIGKILL)
    with pytest.raises(RuntimeError, match=warm.PARENT.name):
        warm.Popen([*warm.PROGRAM, "--version"], parent=parent)
    parent.end()

"""Runs that are started from a page: of an address, of a plan; what is refused, and how they end."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from loadrig.recording import now
from loadrig.recording.layout import RunFolder
from tests.integration import servers
from tests.ui.served import Pages, serving

pytestmark = [pytest.mark.integration, pytest.mark.timeout(180)]

PLAN = """\
loadrig: 1
target: {{external: 'http://127.0.0.1:{port}/'}}
workload:
  users: 2
  requests: [get: /]
"""
BEGUN_S = 30.0
"""Longest time until a run that goes on is seen to, in seconds."""


@pytest.fixture
def port() -> Iterator[int]:
    with servers.serving(servers.ok, keep_open=True) as port:
        yield port


@pytest.fixture
def pages(tmp_path: Path) -> Iterator[Pages]:
    with serving(tmp_path) as pages:
        yield pages


def address_start(port: int, **more: object) -> dict[str, object]:
    start: dict[str, object] = {
        "from": "address", "address": f"http://127.0.0.1:{port}/", "question": "attack",
        "model": "users", "level": "2", "duration": "60s", "goals": [],
    }  # fmt: skip
    return {**start, **more}


def plan_start(path: str, text: str, digest: str = "") -> dict[str, object]:
    return {"from": "plan", "plan": {"path": path, "text": text, "digest": digest}}


def lives(run: RunFolder) -> bool:
    state = now.read(run)
    return state is not None and state.is_alive


def wait_until_it_lives(run: RunFolder) -> None:
    until_s = time.monotonic() + BEGUN_S
    while not lives(run):
        assert time.monotonic() < until_s, "the run was never seen to go on"
        time.sleep(0.05)


def rig_of(run: RunFolder) -> int:
    """The process whose command makes a run."""
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if f"--out={run.path}".encode() in (folder / "cmdline").read_bytes().split(b"\0"):
                return int(folder.name)
    raise AssertionError(f"no process makes {run.path}")


def test_an_address_is_loaded_at_the_users_priority_and_ends_with_the_server(
    tmp_path: Path, port: int
) -> None:
    with serving(tmp_path) as pages:
        assert pages.ask("/api/runs").json["may_start"]
        answer = pages.ask("/api/start", "POST", address_start(port))
        assert answer.status == 201, answer.body
        run = RunFolder(tmp_path / answer.json["run"])
        wait_until_it_lives(run)
        assert os.getpriority(os.PRIO_PROCESS, rig_of(run)) == os.getpriority(os.PRIO_PROCESS, 0)
        pages.process.send_signal(signal.SIGINT)
        assert pages.process.wait(90) == 0
        assert not lives(run)
        assert run.result.is_file(), "what was measured is kept and judged"


def test_a_plan_is_kept_and_run(pages: Pages, tmp_path: Path, port: int) -> None:
    text = PLAN.format(port=port) + "trial: {warm_up: 0s, measure: 1s}\n"
    answer = pages.ask("/api/start", "POST", plan_start("shop.yaml", text))
    assert answer.status == 201, answer.body
    assert (tmp_path / "shop.yaml").read_text() == text
    assert RunFolder(tmp_path / answer.json["run"]).ledger.is_file()
    assert pages.ask("/api/plans").json["plans"] == ["shop.yaml"]


def test_a_file_that_was_changed_meanwhile_is_not_written_over(
    pages: Pages, tmp_path: Path, port: int
) -> None:
    text = PLAN.format(port=port)
    path = tmp_path / "shop.yaml"
    path.write_text(text)
    read = pages.ask("/api/plans/shop.yaml").json
    assert read["text"] == text
    path.write_text(text + "# by somebody else\n")
    answer = pages.ask("/api/start", "POST", plan_start("shop.yaml", text + "# mine\n", read["digest"]))
    assert answer.status == 409
    assert path.read_text().endswith("# by somebody else\n")


def test_mistakes_stand_at_their_lines(pages: Pages) -> None:
    text = PLAN.format(port=1).replace("users: 2", "users: many")
    problems = pages.ask("/api/plans/check", "POST", {"path": "plan.yaml", "text": text}).json["problems"]
    assert [problem["line"] for problem in problems] == [4]
    assert problems[0]["mend"]
    assert pages.ask("/api/start", "POST", plan_start("plan.yaml", text)).status == 409


def test_keys_are_proposed_at_a_place(pages: Pages) -> None:
    answer = pages.ask("/api/plans/complete", "POST", {"text": "work", "line": 1, "column": 5}).json
    assert (answer["word"], [row["text"] for row in answer["proposals"]]) == ("work", ["workload: "])


@pytest.mark.parametrize(
    "path", ["../out.yaml", "/etc/out.yaml", "a/b.yaml", "plan.txt", ".plan.yaml", "a\0.yaml"]
)
def test_only_plans_below_the_folder_are_written(pages: Pages, tmp_path: Path, path: str) -> None:
    before = sorted(tmp_path.parent.glob("*.yaml"))
    answer = pages.ask("/api/start", "POST", plan_start(path, PLAN.format(port=1)))
    assert answer.status == 409
    assert sorted(tmp_path.parent.glob("*.yaml")) == before


@pytest.mark.parametrize(
    "wrong",
    [
        {"address": "file:///etc/passwd"},
        {"address": "--help"},
        {"question": "doctor"},
        {"model": "all"},
        {"level": 3},
    ],
)
def test_what_is_no_wish_is_refused(pages: Pages, wrong: dict[str, object]) -> None:
    assert pages.ask("/api/start", "POST", address_start(1, **wrong)).status == 400


def test_what_the_command_says_against_it_is_told(pages: Pages, tmp_path: Path) -> None:
    answer = pages.ask("/api/start", "POST", address_start(1, level="--help"))
    assert answer.status == 409
    assert "--help" in answer.json["error"]
    answer = pages.ask("/api/start", "POST", address_start(1, address="http://192.0.2.1/"))
    assert (answer.status, "192.0.2.1" in answer.json["error"]) == (409, True)
    assert not [path for path in tmp_path.iterdir() if path.is_dir()]


def test_another_site_starts_nothing(pages: Pages, port: int) -> None:
    assert pages.ask("/api/start", "POST", address_start(port), Origin="http://evil.example").status == 403
    assert pages.ask("/api/start", "POST", address_start(port), Cookie="").status == 403


def test_a_server_that_others_reach_starts_nothing_unless_it_is_told_to(tmp_path: Path, port: int) -> None:
    (tmp_path / "run").mkdir()
    RunFolder(tmp_path / "run").ledger.write_text("")
    with serving(tmp_path / "run") as pages:  # one run alone
        assert pages.ask("/api/start", "POST", address_start(port)).status == 403
        assert pages.ask("/api/plans").status == 403


def test_a_project_without_runs_gets_a_folder_for_them(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "loadrig.cli", "ui", "--no-browser"]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            pages = Pages(process.stdout.readline().strip(), process)
            pages.open()
            assert pages.ask("/api/runs").json["count"] == 0
            assert (tmp_path / "runs").is_dir()
        finally:
            process.terminate()

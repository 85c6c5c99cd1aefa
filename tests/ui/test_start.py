"""Runs that are started from a page: of an address, of a plan; what is refused, and how they end."""

import contextlib
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from loadrig.recording import now
from loadrig.recording.layout import RunFolder
from loadrig.ui.starting import NotStartedError, Starter
from tests.conftest import Deadline
from tests.integration import servers
from tests.integration.program import loadrig
from tests.ui.served import PATIENCE_S, ServedPages, plant_modules, serving

pytestmark = pytest.mark.integration

HANGUL = re.compile("[가-힣]")

PLAN = """\
loadrig: 1
target: {{external: 'http://127.0.0.1:{port}/'}}
workload:
  users: 2
  requests: [get: /]
"""


@pytest.fixture
def port() -> Iterator[int]:
    with servers.serving(servers.ok, keep_open=True) as port:
        yield port


@pytest.fixture
def pages(tmp_path: Path) -> Iterator[ServedPages]:
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


def wait_until_it_measures(run: RunFolder, deadline: Deadline) -> None:
    """Wait until something was measured: a run that is ended before has no result."""
    deadline.wait_for(lambda: (state := now.read(run)) is not None and state.phase == "measuring", "the load")
    frames = run.trial(1).frames
    deadline.wait_for(lambda: frames.is_file() and frames.stat().st_size > 0, "a frame of the generator")


def rig_of(run: RunFolder) -> int:
    """Return the process whose command makes a run."""
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if f"--out={run.path}".encode() in (folder / "cmdline").read_bytes().split(b"\0"):
                return int(folder.name)
    raise AssertionError(f"no process makes {run.path}")


def test_an_address_is_loaded_at_the_users_priority_and_ends_with_the_server(
    tmp_path: Path, port: int, deadline: Deadline
) -> None:
    with serving(tmp_path) as pages:
        assert pages.ask("/api/runs").json["may_start"]
        answer = pages.ask("/api/start", "POST", address_start(port))
        assert answer.status == 201, answer.body
        run = RunFolder(tmp_path / answer.json["run"])
        wait_until_it_measures(run, deadline)
        assert os.getpriority(os.PRIO_PROCESS, rig_of(run)) == os.getpriority(os.PRIO_PROCESS, 0)
        pages.process.send_signal(signal.SIGINT)
        assert pages.process.wait(PATIENCE_S) == 0
        assert not lives(run)
        assert run.result.is_file(), "what was measured is kept and judged"


@pytest.mark.nightly
def test_a_plan_is_kept_and_run(pages: ServedPages, tmp_path: Path, port: int) -> None:
    text = PLAN.format(port=port) + "trial: {warm_up: 0s, measure: 1s}\n"
    answer = pages.ask("/api/start", "POST", plan_start("shop.yaml", text))
    assert answer.status == 201, answer.body
    assert (tmp_path / "shop.yaml").read_text() == text
    assert RunFolder(tmp_path / answer.json["run"]).ledger.is_file()
    assert pages.ask("/api/plans").json["plans"] == ["shop.yaml"]


def test_a_file_that_was_changed_meanwhile_is_not_written_over(
    pages: ServedPages, tmp_path: Path, port: int
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


def test_mistakes_stand_at_their_lines(pages: ServedPages) -> None:
    text = PLAN.format(port=1).replace("users: 2", "users: many")
    problems = pages.ask("/api/plans/check", "POST", {"path": "plan.yaml", "text": text}).json["problems"]
    assert [problem["line"] for problem in problems] == [4]
    assert problems[0]["mend"]
    assert pages.ask("/api/start", "POST", plan_start("plan.yaml", text)).status == 409


def test_mistakes_and_refusals_are_in_the_language_of_the_browser(pages: ServedPages) -> None:
    text = PLAN.format(port=1).replace("users: 2", "users: many")
    here, there = (
        (
            pages.ask("/api/plans/check", "POST", {"path": "plan.yaml", "text": text}, **cookie),
            pages.ask("/api/plans/check", "POST", {"path": "../plan.yaml", "text": text}, **cookie),
            pages.ask("/api/plans/none.yaml", **cookie),
            pages.ask("/api/start", "POST", plan_start("plan.yaml", text), **cookie),
        )
        for cookie in ({}, {"Cookie": f"{pages.headers['Cookie']}; loadrig-lang=ko"})
    )
    assert [answer.status for answer in here] == [200, 409, 404, 409]
    assert [answer.status for answer in there] == [200, 409, 404, 409]
    assert not any(HANGUL.search(answer.body.decode()) for answer in here)
    assert all(HANGUL.search(answer.body.decode()) for answer in there)
    # The places of the mistakes are the same, whoever finds them.
    places = [
        [(problem["line"], problem["column"], problem["code"]) for problem in checked[0].json["problems"]]
        for checked in (here, there)
    ]
    assert places[0] == places[1]


def test_keys_are_proposed_at_a_place(pages: ServedPages) -> None:
    answer = pages.ask("/api/plans/complete", "POST", {"text": "work", "line": 1, "column": 5}).json
    assert (answer["word"], [row["text"] for row in answer["proposals"]]) == ("work", ["workload: "])


@pytest.mark.parametrize(
    "path", ["../out.yaml", "/etc/out.yaml", "a/b.yaml", "plan.txt", ".plan.yaml", "a\0.yaml"]
)
def test_only_plans_below_the_folder_are_written(pages: ServedPages, tmp_path: Path, path: str) -> None:
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
def test_what_is_no_wish_is_refused(pages: ServedPages, wrong: dict[str, object]) -> None:
    assert pages.ask("/api/start", "POST", address_start(1, **wrong)).status == 400


def test_what_the_command_says_against_it_is_told(pages: ServedPages, tmp_path: Path) -> None:
    answer = pages.ask("/api/start", "POST", address_start(1, level="--help"))
    assert answer.status == 409
    assert "--help" in answer.json["error"]
    answer = pages.ask("/api/start", "POST", address_start(1, address="http://192.0.2.1/"))
    assert (answer.status, "192.0.2.1" in answer.json["error"]) == (409, True)
    assert not [path for path in tmp_path.iterdir() if path.is_dir()]


def test_another_site_starts_nothing(pages: ServedPages, port: int) -> None:
    assert pages.ask("/api/start", "POST", address_start(port), Origin="http://evil.example").status == 403
    assert pages.ask("/api/start", "POST", address_start(port), Cookie="").status == 403


def test_a_server_of_one_run_alone_starts_nothing(tmp_path: Path, port: int) -> None:
    (tmp_path / "run").mkdir()
    RunFolder(tmp_path / "run").ledger.write_text("")
    with serving(tmp_path / "run") as pages:
        assert pages.ask("/api/start", "POST", address_start(port)).status == 403
        assert pages.ask("/api/plans").status == 403


@pytest.mark.nightly
def test_a_project_without_runs_gets_a_folder_for_them(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "loadrig.cli", "ui", "--no-browser"]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            pages = ServedPages(process.stdout.readline().strip(), process)
            pages.open()
            assert pages.ask("/api/runs").json["count"] == 0
            assert (tmp_path / "runs").is_dir()
        finally:
            process.terminate()


def test_runs_end_also_where_the_server_is_killed(tmp_path: Path, port: int, deadline: Deadline) -> None:
    with serving(tmp_path) as pages:
        run = RunFolder(tmp_path / pages.ask("/api/start", "POST", address_start(port)).json["run"])
        wait_until_it_measures(run, deadline)
        pages.process.kill()
    deadline.wait_for(lambda: not lives(run), "the end of the run")
    deadline.wait_for(run.result.is_file, "its result")


def test_a_command_that_cannot_be_begun_is_told_and_the_next_one_is_begun(tmp_path: Path) -> None:
    folder = tmp_path / "project"
    folder.mkdir()
    starter = Starter(folder)
    try:
        folder.rmdir()
        with pytest.raises(NotStartedError, match="project"):
            starter.start(["attack"], RunFolder(tmp_path / "none"))
        folder.mkdir()
        with pytest.raises(NotStartedError, match="URL"):
            starter.start(["attack"], RunFolder(tmp_path / "none"))
    finally:
        starter.close()


def test_a_start_runs_no_module_of_the_users_folder(
    tmp_path: Path, port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    trace, run = plant_modules(tmp_path), RunFolder(tmp_path / "run")
    monkeypatch.chdir(tmp_path)
    starter = Starter(tmp_path)
    try:
        words = ["attack", f"http://127.0.0.1:{port}/", "-c", "1", "-z", "300ms", f"--out={run.path}"]
        starter.start(words, run)
    finally:
        starter.close()
    assert not trace.exists()


def test_where_no_folder_for_runs_can_be_made_it_is_told(tmp_path: Path) -> None:
    (tmp_path / "runs").write_text("a file")
    answer = loadrig("ui", "--no-browser", cwd=tmp_path)
    assert (answer.code, "ui.no-folder" in answer.err) == (104, True)


def test_a_server_at_another_address_starts_runs_only_where_it_is_told_to(tmp_path: Path) -> None:
    other = ("--host", "127.0.0.2", "--plain-http")
    for words, status in ((other, 403), ((*other, "--start-runs"), 200)):
        with serving(tmp_path, *words, host="127.0.0.2") as pages:
            assert pages.ask("/api/plans").status == status
            assert pages.ask("/api/runs").json["may_start"] is (status == 200)

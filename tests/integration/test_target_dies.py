"""A server that dies while it is loaded is what every command says first, and its exit code is 120."""

import html
import json
import os
import re
import sys
from pathlib import Path

import pytest

from loadrig.base import serving
from loadrig.base.exits import Exit
from loadrig.base.serving import ListeningProcess
from loadrig.testing.leftovers import nothing_left_behind
from tests.integration.dying import LAST_WORDS, Told, command, first_sentence, lay_out, running

pytestmark = pytest.mark.integration


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def check(answer: Told, run: Path, kind: str = "died") -> dict[str, object]:
    """Want the same sentence first on a command's terminal, page and document; return what failed."""
    assert answer.code == Exit.TARGET_FAILED, answer.err
    document = json.loads((run / "result.json").read_text(encoding="utf-8"))
    failed = document["target_failed"]
    assert document["headline"] == failed["sentence"]
    assert failed["kind"] == kind
    assert first_sentence(answer.out).startswith(failed["sentence"])
    page = html.unescape((run / "report.html").read_text(encoding="utf-8"))
    lead = page[page.index("<main") :]
    assert re.search(r"<p class=\"lead[^>]*>(.*?)</p>", lead)[1] == failed["sentence"]  # type: ignore[index]
    return dict(failed)


@pytest.mark.parametrize(
    "words",
    [
        ("run", "plan.yaml"),
        ("capacity", "plan.yaml", "--budget", "10s"),
        ("soak", "plan.yaml", "--for", "10s"),
        ("spike", "plan.yaml"),
    ],
    ids=lambda words: words[0],
)
def test_the_death_of_a_server_is_the_headline(
    words: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lay_out(tmp_path)
    with nothing_left_behind():
        answer = command(capsys, *words, "--out", "out")
    failed = check(answer, tmp_path / "out")
    assert failed["exit_status"] == 3
    assert failed["signal"] is None
    assert failed["last_lines"] == ["listening", LAST_WORDS]
    # What reads the folder later says the same.
    again = command(capsys, "diagnose", "out")
    assert again.code == Exit.TARGET_FAILED
    assert first_sentence(again.out).startswith(str(failed["sentence"]))
    assert command(capsys, "diagnose", "out", "--json").json["headline"] == failed["sentence"]
    text = command(capsys, "report", "out", "--text").out
    assert first_sentence(text).startswith(str(failed["sentence"]))


def test_a_setting_that_kills_its_server_heads_a_study_that_goes_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lay_out(tmp_path, requests=100_000)
    plan = (tmp_path / "plan.yaml").read_text(encoding="utf-8")
    plan = plan.replace(
        "ready: /health",
        'ready: /health, knob_flags: {how: {flag: "{}", words: [STAY, KILL]}}',
    )
    plan = plan.replace("at_least: 2s, at_most: 2s", "at_least: 0.6s, at_most: 0.6s")
    plan = plan.replace(', "3"]', "]") + "knobs: {how: [STAY, KILL]}\nstudy: {find: grid, blocks: 1}\n"
    (tmp_path / "plan.yaml").write_text(plan, encoding="utf-8")
    server = (tmp_path / "dies.py").read_text(encoding="utf-8")
    server = server.replace("left, how", "how = sys.argv[3]\nleft, how").replace(
        "int(sys.argv[2])", '(40 if how == "KILL" else 10**9)'
    )
    (tmp_path / "dies.py").write_text(server, encoding="utf-8")
    answer = command(capsys, "run", "plan.yaml", "--out", "out")
    failed = check(answer, tmp_path / "out")
    trials = failed["trials"]
    assert isinstance(trials, list)
    assert {(trial["setting"]["how"], trial["signal"]) for trial in trials} == {("KILL", "SIGKILL")}


def test_a_server_of_somebody_else_that_dies_is_the_headline(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with running(tmp_path, requests=40, how="KILL") as (process, port):
        answer = command(
            capsys, "attack", f"http://127.0.0.1:{port}/", "--rate", "100/1s", "-z", "2s", "--out", "out"
        )
    failed = check(answer, tmp_path / "out")
    assert failed["pid"] == process.pid
    assert failed["exit_status"] is None


def test_a_server_that_the_kernel_killed_for_lack_of_memory_is_said_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    group = Path("/sys/fs/cgroup/memory") / f"loadrig-test-{os.getpid()}"
    if not os.access(group.parent, os.W_OK) or not (group.parent / "memory.oom_control").exists():
        pytest.skip("no memory control group (version 1) may be made here")
    group.mkdir()
    try:
        (group / "memory.limit_in_bytes").write_text("60M")
        lay_out(tmp_path, how="400MB")
        into = f"echo $$ > {group}/cgroup.procs; exec {sys.executable} dies.py $0 40 400MB"
        enter = f'[sh, -c, "{into}", "{{port}}"]'
        plan = (tmp_path / "plan.yaml").read_text(encoding="utf-8")
        plan = re.sub(r"argv: \[.*?\], ready", lambda _: f"argv: {enter}, ready", plan)
        (tmp_path / "plan.yaml").write_text(plan, encoding="utf-8")
        answer = command(capsys, "run", "plan.yaml", "--out", "out")
    finally:
        group.rmdir()
    failed = check(answer, tmp_path / "out")
    assert failed["signal"] == "SIGKILL"
    assert failed["out_of_memory"] in ("kernel_log", "control_group")


def test_a_server_whose_process_is_not_known_and_that_refuses_from_then_on_went_away(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # As of a server in a container: it is there, and whose it is cannot be seen.
    monkeypatch.setattr(serving, "find", lambda _: ListeningProcess(listens=True))
    with running(tmp_path, requests=20, how="0") as (_, port):
        url = f"http://127.0.0.1:{port}/"
        answer = command(capsys, "attack", url, "--rate", "100/1s", "-z", "2s", "--out", "out")
    failed = check(answer, tmp_path / "out", "gone")
    assert int(str(failed["refused"])) > 3

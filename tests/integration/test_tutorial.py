"""Commands of the guide's tutorials, typed one after the other as a reader would, against servers here."""

import re
import shlex
import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

from loadrig.base.exits import Exit
from tests.house.places import ROOT
from tests.integration import servers
from tests.integration.program import DEADLINE_S, EndedProgram, loadrig, was_spoilt
from tests.integration.shop import SHOP
from tests.servers._daemon import free_port

pytestmark = pytest.mark.integration

GUIDE = ROOT / "docs" / "guide"
CASES = ROOT / "tests" / "converters" / "cases"
LEFT_BEHIND = ("runs/first/report.html", "first.lines", "first.md", "first.csv", "first.xml", "first.yaml")
"""Files that the tutorial speaks of."""

STUDY_S = 400.0
"""Time that the study of the demo may take, in seconds: it measures for two minutes."""


def typed(page: str) -> list[str]:
    """Return the commands of a page: all lines of its shell blocks, and what stands behind a prompt."""
    text = (GUIDE / page).read_text(encoding="utf-8")
    blocks = re.findall(r"^```(sh|console)\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    return [
        line.removeprefix("$ ")
        for kind, block in blocks
        for line in block.splitlines()
        if kind == "sh" or line.startswith("$ ")
    ]


def inline(page: str, begin: str) -> list[str]:
    """Return the commands of a page's sentences and tables that begin so."""
    text = (GUIDE / page).read_text(encoding="utf-8")
    return re.findall(rf"(?<!`)`({re.escape(begin)}[^`\n]+)`", text)


@contextmanager
def server() -> Iterator[int]:
    with servers.serving(servers.ok, keep_open=True) as port:
        yield port


def type_in(
    line: str,
    folder: Path,
    others: Mapping[str, str],
    *,
    more: Sequence[str] = (),
    timeout_s: float = DEADLINE_S,
) -> EndedProgram:
    """Type a command of loadrig, with other words in the place of some; what goes to a file goes there.

    Fails the test unless the command ends well, which it does where a comparison cannot decide, or its run
    was disturbed by this machine's neighbours.
    """
    text = line
    for word, other in others.items():
        text = text.replace(word, other)
    command, _, to = text.partition(" > ")
    program, *words = shlex.split(command)
    assert Path(program).name == "loadrig"
    ran = loadrig(*words, *more, cwd=folder, timeout_s=timeout_s)
    runs = sorted((folder / "runs").glob("*"), key=lambda path: path.stat().st_mtime)
    is_spoilt = ran.code == Exit.VOID and bool(runs) and was_spoilt(runs[-1])
    assert ran.code in (Exit.FINE, Exit.UNDECIDED) or is_spoilt, (line, ran.out, ran.err)
    if to:
        (folder / to).write_text(ran.out, encoding="utf-8")
    return ran


def test_every_command_of_the_tutorial_does_what_the_page_says(tmp_path: Path) -> None:
    lines = typed("tutorial.md")
    assert len(lines) >= 8
    with server() as port:
        for line in lines:
            # A reader has ten seconds, and a test has one.
            type_in(line, tmp_path, {"127.0.0.1:8000": f"127.0.0.1:{port}", "-z 10s": "-z 1s"})
    assert [name for name in LEFT_BEHIND if not (tmp_path / name).stat().st_size] == []


@pytest.mark.nightly
def test_every_command_of_the_first_trial_does_what_the_page_says(tmp_path: Path) -> None:
    start, *lines = typed("first-trial.md")
    assert "gunicorn shop:app" in start  # as the labs start it
    questions = inline("first-trial.md", "loadrig attack URL")
    assert len(lines) >= 4
    assert len(questions) >= 4
    (tmp_path / "body.json").write_text("{}", encoding="utf-8")
    with server() as port:
        others = {"127.0.0.1:8000": f"127.0.0.1:{port}", "-z 10s": "-z 1s"}
        for line in lines:
            type_in(line, tmp_path, others)
        for line in questions:
            type_in(line, tmp_path, {"URL": f"http://127.0.0.1:{port}/"}, more=("-z", "1s"))


def test_the_first_study_is_checked_and_shown_before_it_runs(tmp_path: Path) -> None:
    shutil.copytree(SHOP.parent, tmp_path / "examples", ignore=shutil.ignore_patterns("__pycache__"))
    looks = [line for line in typed("first-study.md") if "run" not in line or "--dry" in line]
    assert len(looks) == 2
    assert all(type_in(line, tmp_path, {}).out for line in looks)


@pytest.mark.nightly
@pytest.mark.timeout(2 * STUDY_S)
def test_the_first_study_recommends_a_setting_and_can_be_resumed(tmp_path: Path) -> None:
    shutil.copytree(SHOP.parent, tmp_path / "examples", ignore=shutil.ignore_patterns("__pycache__"))
    (run,) = (line for line in typed("first-study.md") if " run " in line and "--dry" not in line)
    assert "gthread" in type_in(run, tmp_path, {}, timeout_s=STUDY_S).out
    (resumed,) = inline("first-study.md", "loadrig run ")
    type_in(resumed, tmp_path, {}, timeout_s=STUDY_S)


@pytest.mark.nightly
def test_every_command_about_tests_of_other_tools_does_what_the_page_says(tmp_path: Path) -> None:
    lines = typed("import.md")
    plan_lines = [line for line in lines if "shop." in line]
    named = [line for line in inline("import.md", "loadrig import ") if "postman" in line]
    assert len(plan_lines) == 3
    assert len(named) == 2
    shutil.copy(CASES / "jmeter" / "shop.jmx", tmp_path)
    shutil.copytree(CASES / "jmeter" / "beside", tmp_path / "beside")
    for line in plan_lines:
        type_in(line, tmp_path, {})
    for line in named:
        folder = tmp_path / ("environment" if "environment" in line else "data")
        shutil.copytree(CASES / "postman" / "beside", folder)
        case = "sent.json" if "environment" in line else "data.json"
        shutil.copy(CASES / "postman" / case, folder / "shop.postman_collection.json")
        type_in(line, folder, {})


@pytest.mark.nightly
def test_every_command_about_results_of_other_tools_does_what_the_page_says(tmp_path: Path) -> None:
    lines = [line for line in typed("import.md") if "nightly" in line or "runs/" in line]
    assert len(lines) == 3
    rows = (ROOT / "tests" / "importers" / "recorded" / "jmeter.jtl").read_text(encoding="utf-8")
    rows = rows.replace("search", "GET /")  # compared are routes of the same names
    for name in ("nightly", "one", "two"):
        (tmp_path / f"{name}.jtl").write_text(rows, encoding="utf-8")
    with server() as port:
        type_in(f"loadrig attack http://127.0.0.1:{port}/ -z 1s -o runs/shop", tmp_path, {})
    for line in lines:
        # The run that was made has its own instant in its name.
        others = {
            word: str(max(path for path in (tmp_path / "runs").glob("2*-shop")).relative_to(tmp_path))
            for word in re.findall(r"runs/\d\S+-shop", line)
        }
        type_in(line, tmp_path, others)
    (several,) = (line for line in inline("import.md", "loadrig import ") if "one.jtl" in line)
    type_in(several, tmp_path, {})


@pytest.mark.nightly
def test_every_command_about_a_run_in_other_tools_does_what_the_page_says(tmp_path: Path) -> None:
    exports = [line for line in typed("export.md") if line.startswith("loadrig export")]
    (publish,) = (line for line in typed("export.md") if line.startswith("loadrig publish"))
    assert len(exports) == 3
    with server() as port, ThreadPoolExecutor(1) as thread:
        attack = f"loadrig attack http://127.0.0.1:{port}/ -z 3s -o runs/shop"
        load = thread.submit(type_in, attack, tmp_path, {})
        while not load.done() and not (tmp_path / "runs" / "shop" / "trials").exists():
            time.sleep(0.05)
        type_in(publish, tmp_path, {"9464": str(free_port())})
        load.result()
    printed = [type_in(line, tmp_path, {}).out for line in exports]
    assert printed[-1].startswith("#")
    assert all((tmp_path / name).stat().st_size for name in ("shop.json", "shop.parquet"))

"""`loadrig lab` as a person types it: run, compared, interrupted, killed."""

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from loadrig.base import leases, sockets
from loadrig.base.exits import Exit
from loadrig.cli.__main__ import main
from loadrig.trial.document import trial_of
from tests import warm
from tests.conftest import Deadline
from tests.labs.judged import outcome
from tests.labs.made import LAB, PLAN, SERVER, lab_folder
from tests.wording import codes

LOADRIG = [sys.executable, "-m", "loadrig.cli"]
SHARE = PLAN.replace("40/1s", '"${rate:0.1}/1s"')
EXITS = {"right": Exit.FINE, "disturbed": Exit.GOAL_MISSED, "void": Exit.VOID}
CAPACITY = PLAN.replace("rate: 40/1s", "users: 2").replace("2s", "1s")


def loadrig(*words: str, folder: Path, more: Mapping[str, str] | None = None) -> "subprocess.Popen[str]":
    environment = {**os.environ, "XDG_CACHE_HOME": str(folder / "cache"), **(more or {})}
    return warm.Popen(
        [*warm.PROGRAM, "lab", *words], cwd=folder, env=environment, text=True, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )  # fmt: skip


def finished(*words: str, folder: Path) -> tuple[int, str, str]:
    """Return a command's exit code, output and errors."""
    with loadrig(*words, folder=folder) as process:
        out, err = process.communicate(timeout=90)
    return process.returncode, out, err


def with_service(file: str, port: int) -> str:
    """Return the text of a service of lab.yaml that is a Python file of the lab."""
    return f'services: {{other: {{kind: command, port: {port}, run: "${{python}} {file} {port}"}}}}\n'


@pytest.mark.integration
def test_a_right_diagnosis_is_said_and_ends_with_0(tmp_path: Path) -> None:
    # At a tenth of a capacity that is measured first.
    files = {"plan.yaml": SHARE, "capacity.yaml": CAPACITY}
    code, out, err = finished("run", str(lab_folder(tmp_path, files)), "--json", folder=tmp_path)
    # What is right, and how sentences say it: test_truth. Here: the exit code says what the document says.
    verdict = outcome(code, json.loads(out))
    assert verdict.partition(":")[0] in ("right", "void", "disturbed"), out + err
    assert code == EXITS[verdict.partition(":")[0]]
    assert "capacity: " in err
    runs = sorted(path.name[18:] for path in (tmp_path / "runs").iterdir())
    assert runs == ["lab-made-capacity", "lab-made-plan"]


@pytest.mark.integration
def test_a_wrong_diagnosis_is_said_and_ends_with_99(tmp_path: Path) -> None:
    lab = lab_folder(tmp_path, {"truth.yaml": "plan: {cause: gil, component: server}\n"})
    code, out, err = finished("run", str(lab), "--json", folder=tmp_path)
    document = json.loads(out)
    assert (document["schema"], document["right"]) == ("loadrig.lab/1", False)
    if outcome(code, document).startswith("void"):
        return
    assert code == 99, out + err
    assert "gil in server" in document["answer"]
    assert (tmp_path / document["run"] / "report.html").is_file()


@pytest.mark.nightly
@pytest.mark.integration
def test_a_wrong_diagnosis_of_a_server_that_became_slower_is_void(tmp_path: Path) -> None:
    # A core cannot be slowed from here: after its capacity was measured, each request works much more.
    dearer = SERVER.replace(
        'self.wfile.write(b"ok")',
        'self.wfile.write(b"ok")\n        sum(range(len(sys.argv) * 60_000 - 120_000))',
    )
    plan = SHARE.replace("server.py {port}", "server.py {port} dearer")
    files = {
        "server.py": dearer, "plan.yaml": plan, "capacity.yaml": CAPACITY,
        "truth.yaml": "plan: {cause: gil, component: server}\n",
    }  # fmt: skip
    with loadrig("run", str(lab_folder(tmp_path, files)), "--json", folder=tmp_path) as process:
        out, err = process.communicate(timeout=90)
    document = json.loads(out)
    verdict = outcome(process.returncode, document).partition(":")[0]
    # Where neighbours leave so little that a tenth of the capacity is a handful of requests, what one costs
    # is not known: then the run says that it was disturbed.
    assert verdict in ("void", "disturbed"), out + err
    assert process.returncode == EXITS[verdict]
    if verdict == "void" and document["trials"]:
        assert document["right"] is False
        # The cost of a request, now and when the capacity was measured.
        assert len(re.findall(r"[\d.]+ [mµ]s", document["answer"])) >= 2


@pytest.mark.nightly
@pytest.mark.integration
def test_of_a_plan_of_ones_own_nothing_is_known_to_be_right(tmp_path: Path) -> None:
    own = tmp_path / "mine.yaml"
    own.write_text(PLAN.replace("a few requests", "mine"), encoding="utf-8")
    code, out, err = finished("run", f"{lab_folder(tmp_path)}:mine.yaml", "--json", folder=tmp_path)
    document = json.loads(out)
    # Neighbours can keep the generator from its load, and then it says so; the diagnosis is neither right nor
    # wrong.
    fell_short = "load" in trial_of(document, "result.json").validity.lost
    assert code == (Exit.VOID if fell_short else Exit.FINE), out + err
    assert document["name"] == "mine"
    assert "right" not in err


@pytest.mark.integration
def test_a_void_trial_is_said_with_its_reason_and_ends_with_111(tmp_path: Path) -> None:
    # The rig itself holds back what one connection cannot carry.
    held_back = PLAN.replace("rate: 40/1s", "rate: 4000/1s\n  timeout: 1s\n  connections: {most: 1}")
    lab = lab_folder(tmp_path, {"plan.yaml": held_back})
    with loadrig("run", str(lab), "--json", "--out", "here", folder=tmp_path) as process:
        out, err = process.communicate(timeout=90)
    assert process.returncode == 111, out + err
    document = json.loads(out)
    assert re.search(r": G\d+", document["answer"])
    assert document["run"] == "here"


@pytest.mark.integration
def test_a_lab_that_is_started_stays_until_it_is_interrupted(
    tmp_path: Path, deadline: Deadline, free_port: int
) -> None:
    run = with_service("server.py", free_port)
    lab = lab_folder(tmp_path, {"lab.yaml": LAB + run})
    with loadrig("start", str(lab), folder=tmp_path) as process:
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        assert url.startswith("http://127.0.0.1:")
        assert sockets.listeners_at("127.0.0.1", free_port)
        process.send_signal(signal.SIGINT)
        assert process.wait(deadline.left_s) == 0
    assert not sockets.listeners_at("127.0.0.1", free_port)
    assert not sockets.listeners_at("127.0.0.1", int(url.rpartition(":")[2]))


@pytest.mark.integration
def test_a_run_that_is_interrupted_stops_its_services_too(
    tmp_path: Path, deadline: Deadline, free_port: int
) -> None:
    run = with_service("server.py", free_port)
    lab = lab_folder(tmp_path, {"lab.yaml": LAB + run, "plan.yaml": PLAN.replace("2s", "60s")})
    with loadrig("run", str(lab), folder=tmp_path) as process:
        assert process.stderr is not None
        while "measuring" not in process.stderr.readline():
            assert process.poll() is None
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=deadline.left_s)
        assert process.returncode == 105, out
    assert not sockets.listeners_at("127.0.0.1", free_port)
    assert not [lease for lease in leases.listed() if lease.rig_pid == process.pid]


@pytest.mark.integration
def test_what_a_killed_lab_leaves_is_found_and_undone(
    tmp_path: Path, deadline: Deadline, free_port: int
) -> None:
    # It asks not to be ended by the signal that comes with the rig's death.
    deaf = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
    run = with_service("deaf.py", free_port)
    lab = lab_folder(tmp_path, {"lab.yaml": LAB + run, "deaf.py": deaf + SERVER})
    with loadrig("start", str(lab), folder=tmp_path) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.kill()
        process.wait(deadline.left_s)
    stale = [lease for lease in leases.stale() if lease.rig_pid == process.pid]
    assert any("deaf.py" in str(lease) for lease in stale)
    for lease in stale:
        assert leases.undo(lease, grace_s=1.0).left == ()
    assert not sockets.listeners_at("127.0.0.1", free_port)


def test_the_list_and_a_lab_say_what_is_needed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lab", "list", "--json"]) == 0
    labs = {lab["name"]: lab for lab in json.loads(capsys.readouterr().out)["labs"]}
    assert labs["redis-connections"]["case"] == 2
    assert main(["lab", "show", "redis-connections"]) == 0
    shown = capsys.readouterr().out
    assert "truth: dependency_port_exhaustion" in shown
    assert "redis-server" in shown
    assert main(["lab", "show", "redis-connections:pooled"]) == 0
    assert 'POOL: "1"' in capsys.readouterr().out
    assert main(["lab", "show", "cpu-limit"]) == 0
    assert "chi-gzip" in capsys.readouterr().err.partition("files: ")[2]


def test_setup_says_what_it_would_type(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    needs = "needs: {programs: {no-such-server: server-package}}\n"
    lab = lab_folder(tmp_path, {"lab.yaml": LAB + needs})
    assert main(["lab", "setup", str(lab), "--dry"]) == 0
    assert "install -y --no-install-recommends server-package" in capsys.readouterr().out


def test_setup_without_rights_types_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    needs = "needs: {programs: {no-such-server: server-package}}\n"
    lab = lab_folder(tmp_path, {"lab.yaml": LAB + needs})
    assert main(["lab", "setup", str(lab)]) == 120
    captured = capsys.readouterr()
    assert "sudo" in captured.out
    assert codes(captured.err) == ["lab.setup"]


@pytest.mark.parametrize("verb", ["show", "start", "run"])
def test_a_verb_that_needs_a_name_says_so(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lab", verb]) == 104
    err = capsys.readouterr().err
    assert codes(err) == ["cli.wrong-argument"]
    assert verb in err


DYING = SERVER.replace(
    "    def do_GET(self):\n",
    "    def do_GET(self):\n        seen.append(1)\n        len(seen) > 40 and os._exit(3)\n",
).replace("import http.server, sys\n", "import http.server, os, sys\n\nseen = []\n")


@pytest.mark.integration
def test_a_server_that_dies_heads_the_answer_of_a_lab(tmp_path: Path) -> None:
    path = str(lab_folder(tmp_path, {"server.py": DYING}))
    with loadrig("run", path, "--json", folder=tmp_path) as process:
        out, err = process.communicate(timeout=60)
    assert process.returncode == Exit.TARGET_FAILED, err
    document = json.loads(out)
    assert document["right"] is False
    assert document["headline"] == document["answer"]

"""Every bad input: what, where, how to mend; its exit code; nothing lost, nothing left behind."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from loadrig.testing.leftovers import nothing_left_behind
from tests.integration import servers
from tests.integration.program import EndedProgram, loadrig

pytestmark = pytest.mark.integration

COMMAND_PLAN = """\
loadrig: 1
name: a server that does not come up
target:
  command:
    argv: [{python}, -c, {code}]
    ready: {{port: {port}, within: 2s}}
    address: {{port: {port}}}
workload:
  users: 2
  requests: [{{get: /}}]
trial: {{warm_up: 0s, measure: {{at_least: 1s, at_most: 1s}}}}
"""


def write_plan(folder: Path, text: str) -> Path:
    path = folder / "plan.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def says(ended: EndedProgram, code: int, *parts: str) -> None:
    """Want the exit code, and every part, a mend and a code to look up on standard error."""
    assert ended.code == code, ended.err
    for part in (*parts, "mend:", "loadrig explain"):
        assert part in ended.err
    assert "Traceback" not in ended.err


GOOD = """\
loadrig: 1
target: {gunicorn: {app: "shop:app"}}
workload:
  users: 2
  requests: [{get: /}]
"""


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (GOOD.replace("users: 2", "user: 2"), ("plan.yaml:4:3", "user", "users")),
        (GOOD + "trial: {measure: 30}\n", ("plan.yaml:6:", "30s")),
        (GOOD + "knobs: {worker: [1, 2]}\n", ("plan.yaml:6:", "worker", "workers")),
        (
            GOOD.replace('gunicorn: {app: "shop:app"}', "external: {url: 'http://192.0.2.1:80'}"),
            ("plan.yaml:2:", "192.0.2.1", "allow"),
        ),
    ],
    ids=["unknown key", "wrong unit", "no such knob", "host not allowed"],
)
def test_a_wrong_plan_starts_nothing(tmp_path: Path, text: str, parts: tuple[str, ...]) -> None:
    write_plan(tmp_path, text)
    with nothing_left_behind():
        ended = loadrig("run", "plan.yaml", cwd=tmp_path)
    says(ended, 104, *parts)
    assert not (tmp_path / "runs").exists()


def test_a_host_that_is_not_allowed_by_name_gets_no_traffic(tmp_path: Path) -> None:
    says(loadrig("attack", "http://192.0.2.1/", cwd=tmp_path), 104, "192.0.2.1", "--allow")


def test_a_port_in_use_names_who_has_it(tmp_path: Path) -> None:
    with servers.serving(servers.ok) as port, nothing_left_behind(ports=()):
        plan = COMMAND_PLAN.format(
            python=sys.executable, code=json.dumps("import time; time.sleep(60)"), port=port
        )
        write_plan(tmp_path, plan)
        ended = loadrig("run", "plan.yaml", cwd=tmp_path)
    says(ended, 120, str(port), str(os.getpid()))


def test_a_server_that_exits_at_start_shows_its_last_words(tmp_path: Path) -> None:
    code = json.dumps("import sys; print('no database at db:5432', flush=True); sys.exit(3)")
    write_plan(tmp_path, COMMAND_PLAN.format(python=sys.executable, code=code, port=servers.free_port()))
    with nothing_left_behind():
        ended = loadrig("run", "plan.yaml", cwd=tmp_path)
    says(ended, 120, "no database at db:5432", "3")


def test_a_server_that_never_becomes_ready_says_what_was_waited_for(tmp_path: Path) -> None:
    port = servers.free_port()
    code = json.dumps("import time; print('still thinking', flush=True); time.sleep(60)")
    write_plan(tmp_path, COMMAND_PLAN.format(python=sys.executable, code=code, port=port))
    with nothing_left_behind():
        ended = loadrig("run", "plan.yaml", cwd=tmp_path)
    says(ended, 120, "still thinking", str(port), "2 s")


def attack(folder: Path, port: int, *words: str) -> EndedProgram:
    return loadrig(
        "attack",
        f"http://127.0.0.1:{port}/",
        "-c",
        "2",
        "-n",
        "6",
        "-z",
        "3s",
        "--json",
        "-o",
        "out",
        *words,
        cwd=folder,
    )


def outcomes(ended: EndedProgram) -> dict[str, int]:
    document = json.loads(ended.out)
    return {name: count for name, count in document["outcomes"].items() if count}


def test_refused_connections(tmp_path: Path) -> None:
    with nothing_left_behind():
        ended = attack(tmp_path, servers.free_port())
    says(ended, 120, "nothing listens" if "nothing listens" in ended.err else "connect_refused")


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        (servers.reset, "reset"),
        (servers.not_http, "not_http"),
        (servers.longer_than_announced, "excess_body"),
    ],
    ids=["reset", "not HTTP", "body too long"],
)
def test_answers_that_are_none(tmp_path: Path, answer: servers.Answer, outcome: str) -> None:
    with servers.serving(answer) as port:
        ended = attack(tmp_path, port)
    says(ended, 120, outcome)
    assert outcomes(ended) == {outcome: 6}
    assert (tmp_path / "out" / "report.html").is_file()


@pytest.mark.skipif(os.geteuid() != 0, reason="a full disk is made with a small tmpfs, which needs root")
def test_a_full_disk_loses_nothing_that_was_measured(tmp_path: Path) -> None:
    small = tmp_path / "small"
    small.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(small)], check=True)
    try:
        with servers.serving(servers.ok, keep_open=True) as port, nothing_left_behind(ports=()):
            ended = loadrig(
                "attack",
                f"http://127.0.0.1:{port}/",
                "-q",
                "100/1s",
                "-z",
                "30s",
                "-o",
                str(small / "out"),
                cwd=tmp_path,
            )
        says(ended, 111, "small", "disk")
        trial = small / "out" / "trials" / "0001"
        assert (trial / "frames.jsonl").stat().st_size > 0
        shutil.copytree(trial, tmp_path / "rescued")
    finally:
        subprocess.run(["umount", str(small)], check=True)
    shown = loadrig("report", str(tmp_path / "rescued"), "--text", cwd=tmp_path)
    assert "answered" in shown.out or "requests" in shown.out

"""Nodes on the command line: what `--nodes` says of a plan, and what is refused before anything is made."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from loadrig.base.errors import PlanError, Problem
from loadrig.base.exits import Exit
from loadrig.cli.__main__ import main
from loadrig.cli._dry import outlook
from loadrig.plan.load import read
from loadrig.plan.model import Plan
from loadrig.study import node_places

GRID = """loadrig: 1
target: {gunicorn: {app: "shop:app"}}
workload: {users: 10, requests: [{get: /}]}
knobs: {workers: [1, 2]}
study: {find: grid, blocks: 6}
"""


def planned(nodes: int) -> Plan:
    return read(GRID, str(Path("nodes.yaml").absolute()), {"nodes.count": str(nodes)})


def test_blocks_stay_whole_when_the_time_is_foretold() -> None:
    alone = outlook(planned(1)).seconds
    shares = [outlook(planned(nodes)).seconds / alone for nodes in (2, 4, 8)]
    assert shares == pytest.approx([1 / 2, 1 / 3, 1 / 6])


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["run", "plan.yaml", "--nodes", "500"], "nodes.too-few-cores"),
        (["run", "plan.yaml", "--nodes", "500", "--dry"], "nodes.too-few-cores"),
        (["tune", "plan.yaml", "--nodes", "500"], "nodes.too-few-cores"),
        (["run", "plan.yaml", "--nodes", "0"], "plan.out-of-range"),
        (["run", "fixed.yaml", "--nodes", "2"], "nodes.shared"),
        (["capacity", "http://127.0.0.1:9/", "--goal", "p99 < 1s", "--nodes", "2"], "nodes.shared"),
        (["soak", "http://127.0.0.1:9/", "--nodes", "2"], "nodes.shared"),
        (["soak", "plan.yaml", "--nodes", "2"], "nodes.no-blocks"),
        (["soak", "plan.yaml", "--matrix", "--nodes", "500"], "nodes.too-few-cores"),
        (["capacity", "plan.yaml", "--goal", "p99 < 1s", "--nodes", "500"], "nodes.too-few-cores"),
        (["run", "elsewhere.yaml", "--nodes", "2"], "nodes.no-blocks"),
    ],
)
def test_what_nodes_cannot_do_is_refused_and_leaves_no_folder(
    words: list[str],
    code: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("plan.yaml").write_text(GRID)
    Path("fixed.yaml").write_text(GRID.replace('"shop:app"', '"shop:app", bind: "127.0.0.1:8123"'))
    elsewhere = GRID.replace('{gunicorn: {app: "shop:app"}}', '{external: "http://127.0.0.1:9"}')
    Path("elsewhere.yaml").write_text("\n".join(elsewhere.splitlines()[:3]))
    assert main(words) == Exit.PLAN_WRONG
    assert code in capsys.readouterr().err
    assert not Path("runs").exists()


@pytest.mark.parametrize("out", [None, "new", "found"])
def test_a_cluster_that_is_refused_once_it_is_asked_leaves_no_folder(
    out: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    @contextmanager
    def refused(*_: object) -> Iterator[None]:
        raise PlanError(Problem(what="no room", mend="add hosts", code="fleet.too-few-hosts"))
        yield

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(node_places, "started", refused)
    monkeypatch.setattr(node_places, "check", lambda *_: None)
    Path("plan.yaml").write_text(f"{GRID}nodes: {{ray: auto}}\n")
    Path("found").mkdir()
    assert main(["run", "plan.yaml", *(["--out", out] if out else [])]) == Exit.PLAN_WRONG
    assert "fleet.too-few-hosts" in capsys.readouterr().err
    assert sorted(path.name for path in Path().iterdir()) == ["found", "plan.yaml"]
    assert not list(Path("found").iterdir())


def test_files_that_hosts_are_to_get_are_looked_for_before_there_is_a_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("plan.yaml").write_text(f"{GRID}nodes: {{ray: auto, files: [absent.py]}}\n")
    for words in (["run", "plan.yaml"], ["check", "plan.yaml"]):
        assert main(words) == Exit.PLAN_WRONG
        assert "nodes.files" in capsys.readouterr().err
    assert not Path("runs").exists()


@pytest.mark.parametrize(
    ("target", "nodes", "code"),
    [
        ('{gunicorn: {app: "shop:app"}}', 500, ""),
        ('{gunicorn: {app: "shop:app", bind: "127.0.0.1:8123"}}', 2, "nodes.shared"),
    ],
    ids=["more than this machine has", "one port for all"],
)
def test_a_check_refuses_what_no_machine_can_do(
    target: str, nodes: int, code: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = tmp_path / "plan.yaml"
    plan.write_text(GRID.replace('{gunicorn: {app: "shop:app"}}', target) + f"nodes: {nodes}\n")
    assert main(["check", str(plan)]) == (Exit.PLAN_WRONG if code else Exit.FINE)
    assert code in capsys.readouterr().err

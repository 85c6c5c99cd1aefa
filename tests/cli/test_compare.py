"""`loadrig compare` and `loadrig history`: what is printed and written, and what the shell is told."""

import argparse
import json
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from loadrig.base.errors import PlanError, VoidError
from loadrig.base.exits import Exit
from loadrig.cli import compare, history
from tests.comparing import fabricated


def run(command: Any, *words: object) -> int:
    parser = argparse.ArgumentParser()
    command.configure(parser)
    return int(command.run(parser.parse_args([str(word) for word in words])))


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a study of a base, one that is equal, one that is worse and one that is better."""
    folder = tmp_path_factory.mktemp("runs") / "shop"
    settings = [({"workers": n}, rate) for n, rate in ((2, 400.0), (3, 400.0), (4, 370.0), (8, 440.0))]
    return fabricated.study(folder, settings, noise=0.006)


@pytest.mark.parametrize(("setting", "code"), [(1, Exit.FINE), (2, Exit.REGRESSION), (3, Exit.FINE)])
def test_the_exit_code_is_the_verdict(study: Path, setting: int, code: Exit) -> None:
    assert run(compare, f"{study}#0", f"{study}#{setting}", "--json") == code


def test_undecided_has_an_exit_code_of_its_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    a, b = fabricated.single(tmp_path / "a" / "1"), fabricated.single(tmp_path / "b" / "1", rate=300, day=1)
    assert run(compare, a, b) == Exit.UNDECIDED
    assert "6 pairs" in " ".join(capsys.readouterr().out.split())
    assert run(compare, a, b, "--json") == Exit.UNDECIDED
    assert json.loads(capsys.readouterr().out)["to_decide"]["pairs"] == 6


def test_runs_beside_a_are_its_history(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    runs = fabricated.runs(tmp_path / "runs", [400, 402, 399, 401, 398, 400, 403, 399])
    bad = fabricated.single(tmp_path / "elsewhere" / "b", rate=350, day=9)
    assert run(compare, runs / "run-07", bad) == Exit.REGRESSION
    assert run(compare, runs / "run-07", bad, "--history", tmp_path / "elsewhere") == Exit.UNDECIDED
    capsys.readouterr()


def test_void_trials_and_what_cannot_be_compared_have_theirs(tmp_path: Path) -> None:
    good = fabricated.single(tmp_path / "good")
    void = fabricated.single(tmp_path / "void", verdict="void", day=1)
    other = fabricated.single(tmp_path / "other", users=100, day=2)
    with pytest.raises(VoidError) as of_void:
        run(compare, good, void)
    with pytest.raises(PlanError) as of_other:
        run(compare, good, other)
    assert (of_void.value.exit, of_other.value.exit) == (Exit.VOID, Exit.PLAN_WRONG)


def test_json_is_the_document(study: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(compare, f"{study}#0", f"{study}#2", "--json", "--measure", "p99", "--equal-within", "p99=4%")
    document = json.loads(capsys.readouterr().out)
    assert (document["schema"], document["verdict"]) == ("loadrig.comparison/2", "worse")
    (deciding,) = [row for row in document["compared"] if row["decides"]]
    assert (deciding["measure"], deciding["equal_within"]) == ("p99", 0.04)


def test_files_for_a_pipeline_are_written_where_they_are_asked_for(study: Path, tmp_path: Path) -> None:
    files = {name: tmp_path / f"{name}.out" for name in ("markdown", "junit", "html", "badge")}
    words = [word for name, path in files.items() for word in (f"--{name}", path)]
    assert run(compare, f"{study}#0", f"{study}#2", *words) == Exit.REGRESSION
    assert files["markdown"].read_text(encoding="utf-8").startswith("### ❌ ")
    assert files["junit"].read_text(encoding="utf-8").startswith("<?xml")
    assert files["html"].read_text(encoding="utf-8").startswith("<!doctype html>")
    assert ElementTree.fromstring(files["badge"].read_text(encoding="utf-8")).get("aria-label")


def test_a_file_that_cannot_be_written_is_named_and_hides_nothing(
    study: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sides = f"{study}#0", f"{study}#2"
    fine = run(compare, *sides)
    printed = capsys.readouterr().out
    page = tmp_path / "page.html"
    code = run(compare, *sides, "--junit", tmp_path / "nowhere" / "x.xml", "--html", page)
    outputs = capsys.readouterr()
    assert code == (fine or Exit.VOID)
    assert outputs.out == printed
    assert str(tmp_path / "nowhere" / "x.xml") in outputs.err
    assert page.is_file()


def test_a_history_says_since_when_it_is_worse(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    runs = fabricated.runs(tmp_path / "runs", [400, 402, 399, 401, 398, 370, 372, 369, 371])
    assert run(history, runs) == Exit.REGRESSION
    printed = capsys.readouterr().out
    assert re.search(r"throughput −7\.4 % .*\b2025-11-2", printed)
    assert "next: loadrig compare" in printed
    assert run(history, runs, "--newest", "2", "--json") == Exit.FINE
    assert json.loads(capsys.readouterr().out)["schema"] == "loadrig.history/1"


def test_a_history_is_written_for_a_pipeline_where_it_is_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    runs = fabricated.runs(tmp_path / "runs", [400, 402, 399, 401, 398, 370, 372, 369, 371])
    files = {name: tmp_path / f"{name}.out" for name in ("markdown", "junit", "html", "badge")}
    words = [word for name, path in files.items() for word in (f"--{name}", path)]
    assert run(history, runs, *words) == Exit.REGRESSION
    capsys.readouterr()
    headline = files["markdown"].read_text(encoding="utf-8").splitlines()[0]
    assert headline.startswith("### ❌ ")
    assert "throughput −7.4 %" in headline
    assert "<failure" in files["junit"].read_text(encoding="utf-8")
    assert files["html"].read_text(encoding="utf-8").startswith("<!doctype html>")
    assert ElementTree.fromstring(files["badge"].read_text(encoding="utf-8")).get("aria-label")


def test_a_history_of_few_runs_is_undecided_and_none_is_an_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    runs = fabricated.runs(tmp_path / "runs", [400, 402])
    assert run(history, runs / "run-00", runs / "run-01", "--html", tmp_path / "page.html") == Exit.UNDECIDED
    assert (tmp_path / "page.html").is_file()
    capsys.readouterr()
    (tmp_path / "empty").mkdir()
    for folder, code in (("empty", "compare.no-history"), ("missing", "compare.no-run")):
        with pytest.raises(PlanError) as caught:
            run(history, tmp_path / folder)
        assert caught.value.problems[0].code == code


def test_newest_is_a_number(tmp_path: Path) -> None:
    with pytest.raises(PlanError) as caught:
        run(history, tmp_path, "--newest", "all")
    assert caught.value.problems[0].code == "cli.wrong-argument"

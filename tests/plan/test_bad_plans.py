"""Every mistake that a plan can have, as a folder: what was written and what is said about it."""

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from loadrig.base.errors import PlanError
from loadrig.plan.load import load
from loadrig.plan.quick import quick_plan, read_quick
from tests.house.places import EXPLAIN, PACKAGE

CASES = Path(__file__).parent / "cases" / "bad"


def cases() -> list[str]:
    return sorted(path.name for path in CASES.iterdir() if path.is_dir())


def complaint(case: Path, monkeypatch: pytest.MonkeyPatch) -> PlanError:
    """Return what is said about a case: a plan, a plan with overrides, or the flags of a quick command."""
    monkeypatch.chdir(case)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1})
    flags, overrides = case / "flags.json", case / "overrides.json"
    if flags.exists():
        arguments = as_arguments(json.loads(flags.read_text(encoding="utf-8")))
        with pytest.raises(PlanError) as caught:
            quick(arguments)
        return caught.value
    instead = json.loads(overrides.read_text(encoding="utf-8")) if overrides.exists() else None
    with pytest.raises(PlanError) as caught:
        load("plan.yaml", instead)
    return caught.value


def quick(arguments: dict[str, Any]) -> None:
    read_quick(quick_plan(**arguments))


def as_arguments(flags: dict[str, Any]) -> dict[str, Any]:
    return {name: tuple(value) if isinstance(value, list) else value for name, value in flags.items()}


@pytest.mark.parametrize("name", cases())
def test_a_bad_plan_is_told_what_where_and_how_to_mend_it_golden(
    name: str, rewrites_golden: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    error = complaint(CASES / name, monkeypatch)
    expected = CASES / name / "expected.txt"
    if rewrites_golden:
        expected.write_text(error.render() + "\n", encoding="utf-8")
    assert error.render() + "\n" == expected.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", cases())
def test_a_case_shows_the_code_that_it_is_named_after(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    code = ".".join(name.split(".")[:2])
    assert code in {problem.code for problem in complaint(CASES / name, monkeypatch).problems}


@pytest.mark.parametrize("name", cases())
def test_a_problem_points_at_what_was_written(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for problem in complaint(CASES / name, monkeypatch).problems:
        assert problem.what
        assert problem.mend
        assert problem.where is not None
        assert problem.where.line or problem.where.file != "plan.yaml" or len(problem.where.text) == 0


def test_every_code_of_plans_has_a_case() -> None:
    source = "".join(path.read_text(encoding="utf-8") for path in (PACKAGE / "plan").glob("*.py"))
    codes = set(re.findall(r'"((?:plan|engine)\.[a-z]+(?:-[a-z]+)*)"', source))
    assert codes == {".".join(name.split(".")[:2]) for name in cases()}


@pytest.mark.parametrize("page", sorted(EXPLAIN.glob("plan.*.md")), ids=lambda page: str(page.stem))
def test_the_example_of_a_page_is_what_is_really_said(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    example = text.partition("## Example")[2].partition("```\n")[2].partition("\n```")[0]
    texts = [path.read_text(encoding="utf-8") for path in CASES.glob(f"{page.stem}*/expected.txt")]
    assert example
    assert any(example in each for each in texts)

"""A plan with any damage is a plan or a list of problems, never a fault of the rig."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loadrig.base.errors import PlanError
from loadrig.plan.explain import sentences
from loadrig.plan.load import read
from tests.house.places import ROOT
from tests.lengths import length

TEXTS = {
    path: path.read_text(encoding="utf-8")
    for path in (
        Path(__file__).parent / "cases" / "good" / "every_key" / "plan.yaml",
        Path(__file__).parent / "cases" / "good" / "protocols" / "plan.yaml",
        ROOT / "examples" / "demo.yaml",
    )
}
PIECES = [
    "",
    "~",
    "[]",
    "{}",
    "[1, [2]]",
    "{a: {b: c}}",
    "-1",
    "1e9",
    "x",
    "'{'",
    "10s",
    "true",
    "\n",
    ": ",
    "- ",
    "&a *a",
]


def judged(text: str, file: str) -> None:
    """Read the text; a plan must also have sentences, and a problem a mend and a place."""
    try:
        texts = sentences(read(text, file))
    except PlanError as error:
        texts = [problem.mend for problem in error.problems if problem.where is not None]
        texts = texts if len(texts) == len(error.problems) and error.render() else []
    assert texts
    assert all(texts)


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: str(path.name))
@given(data=st.data())
@settings(max_examples=length(15, 100), deadline=None)
def test_a_piece_put_in_or_taken_out_anywhere_is_no_fault(path: Path, data: st.DataObject) -> None:
    text = TEXTS[path]
    start = data.draw(st.integers(0, len(text)))
    length = data.draw(st.integers(0, 12))
    judged(text[:start] + data.draw(st.sampled_from(PIECES)) + text[start + length :], str(path))


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: str(path.name))
@given(data=st.data())
@settings(max_examples=length(15, 100), deadline=None)
def test_a_value_in_place_of_another_is_no_fault(path: Path, data: st.DataObject) -> None:
    lines = TEXTS[path].splitlines()
    number = data.draw(st.integers(0, len(lines) - 1))
    key, colon, _ = lines[number].partition(": ")
    lines[number] = f"{key}{colon}{data.draw(st.sampled_from(PIECES))}"
    judged("\n".join(lines) + "\n", str(path))


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: str(path.name))
@given(data=st.data())
@settings(max_examples=length(10, 60), deadline=None)
def test_lines_in_another_order_are_no_fault(path: Path, data: st.DataObject) -> None:
    lines = TEXTS[path].splitlines()
    number = data.draw(st.integers(0, len(lines) - 1))
    other = data.draw(st.integers(0, len(lines) - 1))
    lines[number], lines[other] = lines[other], lines[number]
    judged("\n".join(lines) + "\n", str(path))


@pytest.mark.parametrize("tag", ["!!python/object/apply:os.mkdir", "!!python/name:os.mkdir", "!made"])
def test_a_tag_makes_no_object(tag: str, tmp_path: Path) -> None:
    marker = tmp_path / "made"
    head = (
        "loadrig: 1\ntarget: {external: 'http://127.0.0.1:9'}\nworkload: {rate: 1/1s, requests: [{get: /}]}\n"
    )
    for value in (f'{tag} ["{marker}"]', f'[{tag} "{marker}"]'):
        with pytest.raises(PlanError) as refused:
            read(f"{head}name: {value}\n", str(tmp_path / "plan.yaml"))
        assert "plan.wrong-type" in {problem.code for problem in refused.value.problems}
    assert not marker.exists()

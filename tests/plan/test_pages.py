"""The generated page and the members' examples say what the reader does."""

import re

import pytest

from loadrig.plan.kinds import fields_of
from loadrig.plan.model import StudyRules
from loadrig.plan.node import at
from loadrig.plan.reader import INVALID, Reader
from loadrig.plan.reference import _classes, render
from loadrig.plan.syntax import parse
from loadrig.plan.written import WrittenKnob, WrittenPlan
from tests.house.places import ROOT

CLASSES = [*_classes(WrittenPlan), WrittenKnob, StudyRules]


def test_the_reference_page_is_fresh() -> None:
    page = (ROOT / "docs" / "reference" / "plan.md").read_text(encoding="utf-8")
    assert page == render(), "run `make docs`"


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: str(cls.__name__))
def test_every_key_of_a_plan_stands_on_the_page_with_an_example_that_reads(cls: type) -> None:
    page = render()
    for field in fields_of(cls):
        assert re.search(rf"^\| `{field.key}` \|", page, re.MULTILINE)
        root, problems = parse(f"v: {field.example}", "example.yaml")
        node = at(root, "v")
        assert node is not None
        reader = Reader(problems)
        assert reader.value(field.kind, node, field.key, field) is not INVALID
        assert reader.problems == [], f"{cls.__name__}.{field.key}: {field.example}"


def test_links_within_the_page_lead_to_headings() -> None:
    page = render()
    anchors = {
        "".join(letter for letter in title.lower().replace(" ", "-") if letter.isalnum() or letter in "-_")
        for title in re.findall(r"^#+ (.*)$", page, re.MULTILINE)
    }
    assert set(re.findall(r"\]\(#([^)]*)\)", page)) <= anchors

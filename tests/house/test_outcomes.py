"""Outcomes of requests: what the engine can say of a request's end, the rest of the house knows."""

import re

from loadrig.cli import explain
from loadrig.language.en.outcome_pages import OutcomePagesTexts
from loadrig.measures._steps import ANSWERS
from loadrig.report.words import OUTCOMES
from loadrig.testing.engine_frames import ANSWERED
from tests.house.places import ROOT

SOURCE = (ROOT / "crates" / "loadrig-core" / "src" / "outcome.rs").read_text(encoding="utf-8")
NAMES = re.findall(r'Self::\w+ => "(\w+)"', SOURCE)


def test_every_outcome_has_a_meaning_in_reports() -> None:
    assert len(NAMES) >= 18
    assert set(OUTCOMES) == {*NAMES, "unsent"}


def test_every_outcome_has_a_page_of_explain() -> None:
    assert set(OutcomePagesTexts.look) == {*NAMES, "unsent"}
    assert {*explain.ANSWERED_BADLY, "ok"} == set(ANSWERS)
    assert set(explain.OF_GENERATOR) <= set(NAMES)


def test_every_outcome_stands_on_the_page_of_recordings() -> None:
    text = (ROOT / "docs" / "reference" / "recording.md").read_text(encoding="utf-8")
    assert [name for name in NAMES if f"`{name}`" not in text] == []


def test_what_counts_as_answered_is_the_same_everywhere() -> None:
    part = SOURCE.partition("const fn class")[2].partition("=> Class::Answered")[0]
    variants = re.findall(r"Self::(\w+)", part)
    names = dict(re.findall(r'Self::(\w+) => "(\w+)"', SOURCE))
    assert {names[variant] for variant in variants} == set(ANSWERS) == set(ANSWERED)

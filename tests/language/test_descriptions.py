"""Descriptions of plan keys, knobs and metrics in Korean: whole, and shown wherever the English ones are."""

import re

import pytest

from loadrig.base import members
from loadrig.base.errors import PlanError
from loadrig.catalogue import look_up
from loadrig.catalogue.translation import texts_of_entry
from loadrig.language import descriptions
from loadrig.language.choice import written_in
from loadrig.language.descriptions import described
from loadrig.plan.completion import proposals
from loadrig.plan.kinds import fields_of
from loadrig.plan.load import read
from loadrig.plan.reference import described_classes
from loadrig.plan.schema import schema

NAMED = re.compile(r"`[^`]*`")
"""Names within a description: the same in every language."""


def fields() -> dict[str, tuple[str, str]]:
    """Return the English and the Korean description of each key of a plan."""
    all_fields = (field for cls in described_classes() for field in fields_of(cls))
    return {f"{field.owner}.{field.key}": (field.doc, field.about("ko")) for field in all_fields}


def targets() -> dict[str, tuple[str, str]]:
    """Return the English and the Korean description of each knob that a target can set."""
    return {
        f"{name}.{knob.name}": (knob.doc, described("targets", (name, knob.name), knob.doc, "ko"))
        for name in members.names("loadrig.target")
        for knob in getattr(members.load("loadrig.target", name), "KNOBS", {}).values()
    }


def metrics() -> dict[str, tuple[str, str]]:
    """Return the English and the Korean description of each metric."""
    return {
        f"{name}.{metric}": (fact.doc, described("metrics", (name, metric), fact.doc, "ko"))
        for name in members.names("loadrig.probes")
        for metric, fact in members.load("loadrig.probes", name).METRICS.items()
    }


@pytest.mark.parametrize("pairs", [fields(), targets(), metrics()], ids=["fields", "targets", "metrics"])
def test_every_description_is_there_in_korean(pairs: dict[str, tuple[str, str]]) -> None:
    assert len(pairs) > 20
    assert {name for name, (_, korean) in pairs.items() if written_in(korean) != "ko"} == set()
    assert {
        name
        for name, (english, korean) in pairs.items()
        if sorted(NAMED.findall(english)) != sorted(NAMED.findall(korean))
    } == set()


@pytest.mark.parametrize("system", look_up.systems())
def test_every_knob_of_the_catalogue_is_there_in_korean(system: str) -> None:
    english, korean = (look_up.knobs_of(system, code) for code in ("en", "ko"))
    assert english.keys() == korean.keys()
    for name, entry in english.items():
        own = descriptions.texts("knobs", system, "ko")[name]
        assert own.keys() <= texts_of_entry(entry).keys(), name
        assert own.keys() >= texts_of_entry(entry).keys() - {"default", "after"}, name
        assert all(written_in(text) == "ko" for text in own.values()), name
        # What is no sentence stays as it is: bounds and what is computed from them.
        assert korean[name].range == entry.range
        assert (korean[name].time is None) == (entry.time is None)


@pytest.mark.parametrize("system", look_up.systems())
def test_a_formula_names_the_same_knobs_in_korean(system: str) -> None:
    names = re.compile(r"[a-z]+_[a-z_]+|[a-z]+[A-Z]\w+")
    for name, entry in look_up.knobs_of(system, "en").items():
        korean = look_up.knobs_of(system, "ko")[name]
        if entry.time and korean.time:
            assert names.findall(korean.time.formula) == names.findall(entry.time.formula)
            assert korean.time.seconds is entry.time.seconds


@pytest.mark.parametrize(
    "names", [("no_such_file", "key"), ("redis", "no_such_metric"), ("redis", "hits", "deeper"), ("redis",)]
)
def test_what_has_no_translation_is_shown_in_english(names: tuple[str, ...]) -> None:
    assert described("metrics", names, "Of another package.", "ko") == "Of another package."


def test_english_reads_no_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(descriptions, "texts", lambda *_: pytest.fail("a file was asked for"))
    assert described("metrics", ("redis", "hits"), "Look-ups.", "en") == "Look-ups."


@pytest.fixture
def in_korean(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(descriptions, "language", lambda: "ko")


@pytest.mark.usefixtures("in_korean")
def test_the_schema_of_plans_describes_its_keys() -> None:
    properties = schema()["properties"]
    assert {written_in(field["description"]) for field in properties.values()} == {"ko"}


def test_completion_describes_keys_in_the_language_that_is_asked_for() -> None:
    for code in ("ko", "en"):
        _, rows = proposals("loadrig: 1\n", 2, 1, code)
        assert {written_in(row.doc) for row in rows if row.doc} == {code}


@pytest.mark.usefixtures("in_korean")
def test_a_value_that_a_knob_cannot_have_is_explained_by_what_the_knob_does() -> None:
    plan = """\
loadrig: 1
target: {gunicorn: {app: "shop:app"}}
workload: {users: 1, requests: [{get: /}]}
knobs: {workers: [lots]}
"""
    with pytest.raises(PlanError) as raised:
        read(plan, "plan.yaml", sends=False)
    (problem,) = raised.value.problems
    assert problem.code == "plan.knob-value"
    assert problem.why == targets()["gunicorn.workers"][1]

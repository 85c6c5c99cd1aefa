"""Promises of every target, whoever wrote it. Members are found, not listed."""

import dataclasses
import inspect
import re
import types
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from loadrig.base import members
from loadrig.base.setting import Knob
from loadrig.base.shape import Declaration

ROOM = "loadrig.target"
NAMES = members.names(ROOM)
HEADINGS = ("## What it does", "## Options", "## Knobs", "## Example")


def module(name: str) -> types.ModuleType:
    return members.load(ROOM, name)


def example(name: str) -> object:
    doc = module(name).__doc__ or ""
    block = re.search(r"## Example\n\n```yaml\n(.+?)```", doc, re.DOTALL)
    assert block, f"{name}: no example"
    return YAML(typ="safe").load(block[1])


def test_the_room_has_the_members_that_the_guide_speaks_of() -> None:
    assert {"command", "external", "gunicorn", "uvicorn"} <= set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_its_page_has_all_headings_in_order(name: str) -> None:
    doc = module(name).__doc__ or ""
    places = [doc.find(heading) for heading in HEADINGS]
    assert -1 not in places
    assert places == sorted(places)


@pytest.mark.parametrize("name", NAMES)
def test_its_options_are_frozen_and_each_is_explained(name: str) -> None:
    options = module(name).Options
    assert options.__dataclass_params__.frozen
    for field in dataclasses.fields(options):
        assert field.metadata[Declaration].doc.endswith("."), field.name
    short = getattr(options, "SHORT", None)
    assert short is None or short in {field.name for field in dataclasses.fields(options)}


@pytest.mark.parametrize("name", NAMES)
def test_its_example_is_a_plan_that_names_it(name: str) -> None:
    shown = example(name)
    assert isinstance(shown, dict)
    assert list(shown["target"]) == [name]
    written = shown["target"][name]
    keys = {
        field.metadata[Declaration].key or field.name for field in dataclasses.fields(module(name).Options)
    }
    assert isinstance(written, str) or set(written) <= keys
    if hasattr(module(name), "KNOBS"):
        assert set(shown.get("knobs", ())) <= module(name).KNOBS.keys()


@pytest.mark.parametrize("name", NAMES)
def test_it_starts_with_a_setting_a_folder_and_cores(name: str) -> None:
    parameters = inspect.signature(module(name).start).parameters
    assert list(parameters) == ["options", "setting", "folder", "base", "cpus", "environment"]
    assert parameters["cpus"].default is None
    assert parameters["environment"].default == {}
    assert list(inspect.signature(module(name).where).parameters) == ["options"]


def catalogue() -> list[tuple[str, Knob]]:
    return [(name, knob) for name in NAMES for knob in getattr(module(name), "KNOBS", {}).values()]


@pytest.mark.parametrize("name", NAMES)
def test_it_has_a_catalogue_of_knobs_or_makes_one_from_its_options(name: str) -> None:
    assert hasattr(module(name), "KNOBS") or callable(module(name).knobs)
    for key, knob in getattr(module(name), "KNOBS", {}).items():
        assert key == knob.name


@pytest.mark.parametrize(("name", "knob"), catalogue(), ids=lambda value: getattr(value, "name", value))
def test_each_knob_has_a_meaning_a_kind_and_a_default_within_its_range(name: str, knob: Knob) -> None:
    assert knob.doc.endswith(".")
    assert knob.kind in {"int", "float", "word", "flag", "size", "text"}
    assert (knob.kind == "word") == bool(knob.words)
    if knob.kind in ("int", "float"):
        assert knob.low is not None
        assert knob.high is not None
        assert knob.low < knob.high
        assert knob.default is None or knob.low <= float(knob.default) <= knob.high
    if knob.words and knob.default is not None:
        assert knob.default in knob.words
    if knob.kind == "flag":
        assert isinstance(knob.default, bool)


@pytest.mark.parametrize("name", NAMES)
def test_it_knows_nothing_of_the_rooms_above_it(name: str) -> None:
    source = Path(str(module(name).__file__)).read_text()
    imported = set(re.findall(r"^(?:from|import) loadrig\.(\w+)", source, re.MULTILINE))
    assert imported <= {"base", "language", "plan", "recording", "target"}

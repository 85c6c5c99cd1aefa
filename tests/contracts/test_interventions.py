"""Promises of every intervention, whoever wrote it. Members are found, not listed."""

import inspect
import types
from typing import get_args

import pytest

from loadrig.base import members
from loadrig.base.unavailable import Unavailable
from loadrig.interventions import ROOM, Change, Lever, Scene
from tests.house.places import EXPLAIN

NAMES = members.names(ROOM)
HEADINGS = (
    "## What it changes",
    "## What it needs",
    "## What it proves and refutes",
    "## How it is undone",
    "## Cost",
)


def module(name: str) -> types.ModuleType:
    return members.load(ROOM, name)


def test_every_kind_of_lever_has_somebody_who_pulls_it() -> None:
    assert {module(name).CHANGE for name in NAMES} == set(get_args(Change))


@pytest.mark.parametrize("name", NAMES)
def test_its_page_has_all_headings_in_order(name: str) -> None:
    doc = module(name).__doc__ or ""
    places = [doc.find(heading) for heading in HEADINGS]
    assert -1 not in places
    assert places == sorted(places)


@pytest.mark.parametrize("name", NAMES)
def test_it_has_a_name_and_the_function_of_its_kind(name: str) -> None:
    member = module(name)
    assert member.NAME
    wanted = ("able", ["lever", "scene"]) if member.IS_LIVE else ("variants", ["lever", "plan", "setting"])
    assert list(inspect.signature(getattr(member, wanted[0])).parameters) == wanted[1]


@pytest.mark.parametrize("name", [name for name in NAMES if module(name).IS_LIVE])
def test_where_there_is_nothing_it_says_what_is_missing(name: str) -> None:
    with pytest.raises(Unavailable) as no:
        module(name).able(Lever(module(name).CHANGE, "nobody"), Scene((), {}))
    assert no.value.reason
    assert no.value.mend
    assert (EXPLAIN / f"{no.value.code}.md").exists()

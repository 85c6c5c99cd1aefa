"""Everything that watches, profiles or changes a server declares what it does to it beside reading."""

import dataclasses
import types

import pytest

from loadrig.base import members
from loadrig.base.effects import PERMITS, ServerEffect

ROOMS = ("loadrig.probes", "loadrig.profilers", "loadrig.interventions")
NEEDS_WORD = {"opens a port", "loads code", "changes a setting"}
MEMBERS = [(room, name) for room in ROOMS for name in members.names(room)]


def module(room: str, name: str) -> types.ModuleType:
    return members.load(room, name)


@pytest.mark.parametrize(("room", "name"), MEMBERS)
def test_it_declares_its_effects_each_in_a_sentence(room: str, name: str) -> None:
    effects = module(room, name).EFFECTS
    assert isinstance(effects, tuple)
    for effect in effects:
        assert isinstance(effect, ServerEffect)
        assert effect.what.endswith("."), effect


@pytest.mark.parametrize(("room", "name"), MEMBERS)
def test_what_opens_loads_or_changes_is_done_only_by_name(room: str, name: str) -> None:
    options = getattr(module(room, name), "Options", None)
    ways = {f"permit: [{permit}]" for permit in PERMITS}
    if options is not None:
        ways |= {f"{field.name}: true" for field in dataclasses.fields(options)}
    if room == "loadrig.interventions":
        ways.add("prove")
    for effect in module(room, name).EFFECTS:
        assert effect.by or effect.kind not in NEEDS_WORD, effect
        assert not effect.by or effect.by in ways, effect


@pytest.mark.parametrize(("room", "name"), MEMBERS)
def test_an_option_that_has_an_effect_is_off_by_default(room: str, name: str) -> None:
    options = getattr(module(room, name), "Options", None)
    for effect in module(room, name).EFFECTS:
        if effect.by.endswith(": true"):
            assert options is not None
            assert not getattr(options(), effect.by.removesuffix(": true"))


def test_every_permit_is_somebodys() -> None:
    used = {effect.by for room, name in MEMBERS for effect in module(room, name).EFFECTS}
    assert {f"permit: [{permit}]" for permit in PERMITS} <= used

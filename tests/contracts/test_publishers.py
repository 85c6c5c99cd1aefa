"""Promises of every publisher, whoever wrote it. Members are found, not listed."""

import types

import pytest

from loadrig.base import members
from loadrig.publishers import host_and_port

ROOM = "loadrig.publishers"
NAMES = members.names(ROOM)
HEADINGS = ("## What is told", "## Who receives it", "## What is missing")


def module(name: str) -> types.ModuleType:
    return members.load(ROOM, name)


def test_the_room_has_the_formats_that_it_was_made_for() -> None:
    assert {"influx", "openmetrics", "otlp", "remote_write", "statsd"} <= set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_its_page_has_all_headings_in_order(name: str) -> None:
    doc = module(name).__doc__ or ""
    places = [doc.find(heading) for heading in HEADINGS]
    assert -1 not in places
    assert places == sorted(places)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("place", ["", "\0"])
def test_no_place_is_refused(name: str, place: str) -> None:
    with pytest.raises(ValueError, match=r"\d"), module(name).begin(place, "shop"):
        pass
    with pytest.raises(ValueError, match=r"\d"):
        module(name).check(place)


@pytest.mark.parametrize("name", ["openmetrics", "statsd"])
@pytest.mark.parametrize("place", ["nowhere", "127.0.0.1:", "127.0.0.1:x", "1:99999999", "\0:-1"])
def test_a_place_that_is_none_is_refused(name: str, place: str) -> None:
    with pytest.raises(ValueError, match=r"\d"), module(name).begin(place, "shop"):
        pass


@pytest.mark.parametrize(
    ("place", "address"),
    [
        ("9464", ("127.0.0.1", 9464)),
        ("web:1", ("web", 1)),
        ("[::1]:8125", ("::1", 8125)),
        (":80", ("127.0.0.1", 80)),
    ],
)
def test_where_no_host_is_named_it_is_this_machine(place: str, address: tuple[str, int]) -> None:
    assert host_and_port(place) == address

"""One load dealt to the generators of a fleet: together they are due when one generator would be."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loadrig._native import due_arrivals
from loadrig.base.documents import plain, typed
from loadrig.base.running import Address
from loadrig.engine.compile import compile_config
from loadrig.engine.config import WHOLE, FleetPart, Json
from loadrig.plan.load import read
from loadrig.plan.model import Plan
from loadrig.recording.config_document import ConfigDocument

LARGEST = 7
"""Generators of the largest fleet that is tried."""

ALL = 10_000
"""More arrivals than a thread has in the seconds of these plans."""

levels = st.integers(min_value=1, max_value=80)
ramps = st.integers(min_value=0, max_value=1_500).map("{}ms".format)
holds = st.integers(min_value=1, max_value=1_500).map("{}ms".format)
spacings = st.sampled_from(["poisson", "constant"])
stages = st.lists(
    st.builds("{{to: {}/1s, over: {}, hold: {}}}".format, levels, ramps, holds), min_size=1, max_size=4
).map(", ".join)
ends = st.integers(min_value=1, max_value=5).map("stay: 0.{}".format) | levels.map("requests: {}".format)
loads = st.one_of(
    st.builds("rate: {{rate: {}/1s, arrivals: {}, identities: {}}}".format, levels, spacings, levels),
    st.builds("rate: {{stages: [{}], arrivals: {}}}".format, stages, spacings),
    st.builds("sessions: {{rate: {}/1s, arrivals: {}, {}}}".format, levels, spacings, ends),
    st.builds("sessions: {{stages: [{}], {}}}".format, stages, ends),
    st.just("replay: times.txt"),
)


def planned(load: str, folder: Path, threads: int = 1) -> Plan:
    text = f"""\
loadrig: 1
target: {{external: "http://127.0.0.1:1"}}
workload:
  {load}
  steps: [{{get: /}}]
trial: {{warm_up: 1s, measure: 1s, threads: {threads}}}
"""
    return read(text, str(folder / "plan.yaml"))


def config_of(plan: Plan, part: FleetPart = WHOLE, seed: int = 1) -> Json:
    address = Address("127.0.0.1", 1)
    return compile_config(plan, address, seed=seed, cpus=(), frame_s=1.0, part=part).plain()


def due(plan: Plan, generators: int, seed: int) -> list[tuple[int, int]]:
    """Return what a fleet of so many generators is due, in order of time."""
    parts = (FleetPart(index, generators) for index in range(generators))
    dealt = [due_arrivals(json.dumps(config_of(plan, part, seed)), ALL) for part in parts]
    return sorted((arrival for own in dealt for arrival in own), key=lambda arrival: (arrival[1], arrival[0]))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with times to replay, some of them equal."""
    plans = tmp_path_factory.mktemp("plans")
    times = (f"{number * number % 7 / 10 + number // 7:.1f}" for number in range(40))
    (plans / "times.txt").write_text("\n".join(sorted(times, key=float)), encoding="utf-8")
    return plans


@given(
    load=loads,
    threads=st.integers(min_value=1, max_value=3),
    generators=st.integers(min_value=1, max_value=LARGEST),
    seed=st.integers(min_value=0, max_value=2**32),
)
def test_a_fleet_is_due_when_one_generator_is_and_makes_the_same_arrivals(
    folder: Path, load: str, threads: int, generators: int, seed: int
) -> None:
    plan = planned(load, folder, threads)
    assert due(plan, generators, seed) == due_arrivals(json.dumps(config_of(plan, seed=seed)), ALL)


def test_no_generator_of_a_fleet_is_idle(folder: Path) -> None:
    plan = planned("replay: times.txt", folder)
    dealt = [due_arrivals(json.dumps(config_of(plan, FleetPart(index, 3))), ALL) for index in range(3)]
    assert [{number % 3 for number, _ in own} for own in dealt] == [{0}, {1}, {2}]


def test_users_are_due_when_they_were_answered_which_nobody_can_say_before(folder: Path) -> None:
    assert due_arrivals(json.dumps(config_of(planned("users: 5", folder))), ALL) == []


def test_a_malformed_config_has_no_arrivals() -> None:
    with pytest.raises(ValueError, match=r"engine\.config"):
        due_arrivals("{}", ALL)


def test_only_a_config_of_a_fleet_names_its_part_and_differs_in_nothing_else(folder: Path) -> None:
    plan = planned("users: 5", folder)
    whole, part = config_of(plan), config_of(plan, FleetPart(1, 3))
    assert "part" not in whole
    assert part.pop("part") == {"index": 1, "of": 3}
    assert json.dumps(part) == json.dumps(whole)


@pytest.mark.parametrize("part", [WHOLE, FleetPart(2, 3)])
def test_a_part_that_was_written_is_read(folder: Path, part: FleetPart) -> None:
    written: dict[str, Any] = json.loads(json.dumps(config_of(planned("users: 5", folder), part)))
    document = typed(ConfigDocument, written, "engine.json")
    assert plain(document).get("part") == written.get("part")

"""Every folder of recorded /proc text gives the figures that were worked out from it by hand.

A case is recorded/PROBE/CASE/ with tick0/, tick1/ (two samples a second apart), options.yaml (what
to attach to) and expected.json: `is` (values at tick1), `grew` (difference between the two),
`absent` (series that must not be there) and `events` (kind and subject). See record_case.py.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from loadrig.base.component import THIS_HOST
from loadrig.base.series import Event, Sample
from loadrig.probes import (
    Place,
    Unavailable,
    cgroup,
    cpu_clock,
    disks,
    memory,
    network,
    process,
    system_cpu,
    tcp_sockets,
    thread_states,
)

RECORDED = Path(__file__).with_name("recorded")
CASES = sorted(path.parent for path in RECORDED.glob("*/*/expected.json"))

Played = tuple[list[Sample], list[Sample], list[Event]]


def play_host(module: Any, after_ns: int = 10**9) -> Callable[[Path, dict[str, Any]], Played]:
    def play(case: Path, options: dict[str, Any]) -> Played:
        watch = module.attach(module.Options(**options), THIS_HOST, Place(root=case / "tick0"))
        first = watch.sample(0)
        watch.root = case / "tick1"
        return first, watch.sample(after_ns), watch.events()

    return play


@pytest.mark.parametrize("module", [memory, system_cpu, disks])
def test_a_host_without_the_files_of_a_probe_is_refused_whatever_this_machine_has(
    module: Any, tmp_path: Path
) -> None:
    with pytest.raises(Unavailable):
        module.attach(module.Options(), THIS_HOST, Place(root=tmp_path))


def play_process(case: Path, options: dict[str, Any]) -> Played:
    watch = process.ProcessWatch(process.Options(), options["pid"], None, case / "tick0")
    first = watch.sample(0)
    watch.root = case / "tick1"
    # Late enough for the memory to be read again, however long the first reading took.
    return first, watch.sample(10**12), watch.events()


def play_threads(case: Path, options: dict[str, Any]) -> Played:
    watch = thread_states.ThreadStatesWatch(thread_states.Options(), options["pid"], root=case / "tick0")
    first = watch.sample(0)
    watch.turn_to(case / "tick1")
    # Late enough to be counted again, however long the first count took.
    played = first, watch.sample(10**12), watch.events()
    watch.detach()
    return played


def play_cgroup(case: Path, options: dict[str, Any]) -> Played:
    def at(tick: str) -> cgroup.CgroupWatch:
        tops = {path.name: path for path in (case / tick).iterdir()}
        return cgroup.CgroupWatch({name: top / options["group"] for name, top in tops.items()}, tops)

    watch = at("tick0")
    first = watch.sample(0)
    watch.groups = at("tick1").groups
    return first, watch.sample(10**9), watch.events()


PLAYERS: dict[str, Callable[[Path, dict[str, Any]], Played]] = {
    "system_cpu": play_host(system_cpu),
    "memory": play_host(memory),
    "disks": play_host(disks),
    "network": play_host(network),
    "cpu_clock": play_host(cpu_clock, cpu_clock.EVERY_NS),
    # Late enough for a whole look again, however long the first one took.
    "tcp_sockets": play_host(tcp_sockets, 10**12),
    "process": play_process,
    "cgroup": play_cgroup,
    "thread_states": play_threads,
}


def by_name(samples: list[Sample]) -> dict[str, float]:
    values = {f"{sample.metric} {sample.subject}": sample.value for sample in samples}
    assert len(values) == len(samples), "two samples of one series at one instant"
    return values


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.parent.name}/{case.name}")
def test_a_recorded_case_gives_the_figures_worked_out_by_hand(case: Path) -> None:
    expected = json.loads((case / "expected.json").read_text())
    options_file = case / "options.yaml"
    options = YAML(typ="safe").load(options_file) if options_file.exists() else {}
    first_samples, second_samples, events = PLAYERS[case.parent.name](case, options)
    first, second = by_name(first_samples), by_name(second_samples)
    for name, value in expected["is"].items():
        assert second[name] == pytest.approx(value), name
    for name, value in expected["grew"].items():
        assert second[name] - first[name] == pytest.approx(value, abs=1e-6), name
    assert not [name for name in expected["absent"] if name in second]
    assert sorted([event.kind, event.subject] for event in events) == sorted(expected["events"])


def test_every_probe_has_a_recorded_case() -> None:
    assert {case.parent.name for case in CASES} == PLAYERS.keys()

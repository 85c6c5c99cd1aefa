"""Differences: what was not the same on both sides."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from loadrig.comparing.differences import differences, machine_differs
from loadrig.comparing.read import read_side
from loadrig.comparing.side import Side
from loadrig.recording.manifest_document import MachineDocument, TargetDocument
from loadrig.recording.service_map import MapComponent, MapDocument
from tests.comparing import fabricated


def differing(a: Path, b: Path) -> dict[str, tuple[str, str]]:
    return {f"{d.area} {d.name}": (d.a, d.b) for d in differences(read_side(str(a)), read_side(str(b)))}


def test_two_runs_of_the_same_differ_in_nothing(tmp_path: Path) -> None:
    assert differing(fabricated.single(tmp_path / "a"), fabricated.single(tmp_path / "b", day=1)) == {}


def test_keys_of_the_plan_are_named_by_their_path(tmp_path: Path) -> None:
    changed = fabricated.PLAN.replace("get: /order", "get: /orders") + "study: {blocks: 4}\n"
    a, b = fabricated.single(tmp_path / "a"), fabricated.single(tmp_path / "b", plan=changed)
    assert differing(a, b) == {
        "plan workload.requests[2].get": ("/order", "/orders"), "plan study.blocks": ("", "4"),
    }  # fmt: skip
    touching = {d.name: d.touches_load for d in differences(read_side(str(a)), read_side(str(b)))}
    assert touching == {"workload.requests[2].get": True, "study.blocks": False}


def test_a_plan_that_is_no_yaml_is_compared_as_a_text(tmp_path: Path) -> None:
    a, b = fabricated.single(tmp_path / "a"), fabricated.single(tmp_path / "b", plan="{: broken")
    assert any(name.startswith("plan ") for name in differing(a, b))


def test_settings_machines_and_versions_are_named(tmp_path: Path) -> None:
    a = fabricated.single(tmp_path / "a", setting={"workers": 2})
    b = fabricated.single(
        tmp_path / "b",
        setting={"workers": 4},
        machine={**fabricated.MACHINE, "kernel": "6.8.0"},
        loadrig="0.2.0",
    )
    assert differing(a, b) == {
        "setting workers": ("2", "4"), "machine kernel": ("6.1.0", "6.8.0"),
        "rig loadrig": ("0.1.0", "0.2.0"),
    }  # fmt: skip


def told_otherwise(side: Side, **fields: Any) -> Side:
    """Return the side with these fields in its first trial's result."""
    first, *others = side.trials
    assert first.result is not None
    result = msgspec.structs.replace(first.result, **fields)
    return replace(side, trials=(replace(first, result=result), *others))


def test_the_servers_command_is_compared_without_its_port(tmp_path: Path) -> None:
    a, b = (read_side(str(fabricated.single(tmp_path / name))) for name in "ab")
    argv = ("gunicorn", "shop:app", "--bind", "127.0.0.1:55555")
    target = TargetDocument("gunicorn", argv=argv, cpus=(1,))
    b = told_otherwise(b, address="http://127.0.0.1:55555", target=target)
    assert differences(a, b) == ()
    preloading = told_otherwise(b, target=msgspec.structs.replace(target, argv=(*argv, "--preload")))
    (difference,) = differences(a, preloading)
    assert (difference.area, difference.name) == ("server", "command")
    assert difference.b.endswith("PORT --preload")


def test_versions_of_tiers_are_named(tmp_path: Path) -> None:
    a, b = (read_side(str(fabricated.single(tmp_path / name))) for name in "ab")
    sides = [
        told_otherwise(side, map=MapDocument(components=(MapComponent("redis", "redis", version=version),)))
        for side, version in ((a, "7.0"), (b, "7.4"))
    ]
    (difference,) = differences(*sides)
    assert (difference.area, difference.name, difference.a, difference.b) == (
        "tier",
        "redis version",
        "7.0",
        "7.4",
    )


@given(st.integers(1, 10**12), st.integers(1, 64))
def test_a_machine_is_the_same_as_itself(memory: int, cores: int) -> None:
    machine = MachineDocument(cpu="x", cores=cores, memory_bytes=memory)
    assert machine_differs(machine, machine) == ""
    assert machine_differs(machine, msgspec.structs.replace(machine, cores=cores + 1))
    assert machine_differs(machine, MachineDocument()) == ""

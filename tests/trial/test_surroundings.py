"""The machine before a trial."""

import pytest
from syrupy.assertion import SnapshotAssertion

from loadrig.base.documents import descriptions_of, typed
from loadrig.recording.manifest_document import MachineDocument
from loadrig.trial import surroundings
from loadrig.trial.busy_programs import UsingProgram

STAT = """cpu  100 0 100 800 0 0 0 0 0 0
cpu0 60 0 40 400 0 0 0 10 0 0
cpu1 40 0 60 350 50 0 0 0 0 0
intr 12345
"""


def test_steal_counts_as_used_and_waiting_for_a_disk_as_idle() -> None:
    assert surroundings.parse_stat(STAT) == {"cpu0": (110, 510), "cpu1": (100, 500)}


def test_a_look_at_this_machine_names_its_cores() -> None:
    look = surroundings.look()
    assert look.busy_share
    assert all(0.0 <= share <= 1.0 for share in look.busy_share.values())


def test_the_machine_is_described() -> None:
    machine = surroundings.machine()
    assert machine.cores >= 1
    assert machine.memory_bytes > 0
    written = machine.to_json()
    assert typed(MachineDocument, written, "manifest.json") == MachineDocument(**written)
    assert list(written) == list(descriptions_of(MachineDocument))


def test_a_look_after_the_load_keeps_the_load_average_of_before_and_says_when_it_was(
    monkeypatch: pytest.MonkeyPatch, snapshot: SnapshotAssertion
) -> None:
    programs: list[UsingProgram] = []
    monkeypatch.setattr(surroundings, "_busy_share", lambda _: {"cpu0": 0.9})
    monkeypatch.setattr("loadrig.trial.busy_programs.busy", lambda *_: programs)
    before = surroundings.glance()
    assert before.busy_share == {}
    after = surroundings.look_after(before, sleep=lambda _: None)
    assert (before.when, after.when) == ("before", "after")
    assert after.load_1m == before.load_1m
    assert after.busy_share == {"cpu0": 0.9}
    assert len(after.warnings) == 1
    assert list(after.warnings) == snapshot
    programs.append(UsingProgram("python", 17, "server", 0.95, ()))
    programs.append(UsingProgram("backup", 18, "", 0.31, ()))
    named = surroundings.look_after(before, sleep=lambda _: None)
    assert named.programs == tuple(programs)
    assert list(named.warnings) == snapshot

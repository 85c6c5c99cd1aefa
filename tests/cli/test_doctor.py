import argparse
import contextlib
import json
import re
import resource
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from loadrig.base import leases, lost_groups, origins, processes
from loadrig.base.exits import Exit
from loadrig.base.leased import GroupFacts
from loadrig.cli import _machine, doctor
from loadrig.trial import calibration
from loadrig.trial.calibration import Calibration
from loadrig.trial.split import GeneratorSplit
from loadrig.trial.surroundings import machine
from tests.rigs import dead_rig, leased, taken_by
from tests.wording import numbers


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    # Rigs of other tests that run beside these are killed on purpose.
    monkeypatch.setattr(lost_groups, "lost_leases", list)


def run(*words: str) -> int:
    parser = argparse.ArgumentParser()
    doctor.configure(parser)
    return doctor.run(parser.parse_args(words))


def reads(monkeypatch: pytest.MonkeyPatch, **texts: str) -> None:
    """Let the files whose last word is given hold these texts."""
    monkeypatch.setattr(_machine, "_text", lambda path: texts.get(Path(path).name, ""))


def test_every_check_has_a_page_and_every_warning_a_mend() -> None:
    checks = list(_machine.look())
    pages = Path(leases.__file__).parents[1] / "explain"
    assert [check.name for check in checks[:3]] == ["python", "engine", "cores"]
    for check in checks:
        assert (pages / f"{check.code}.md").exists(), check.code
        assert bool(check.mend) == (check.status != "ok"), check


def test_a_healthy_machine_is_told_in_a_line_a_check(capsys: pytest.CaptureFixture[str]) -> None:
    assert run() == Exit.FINE
    shown = capsys.readouterr()
    assert re.search(r"^ok    python +3\.", shown.out, re.MULTILINE)
    assert "next: loadrig" in shown.err


def test_json_holds_the_same_checks(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--json") == Exit.FINE
    document = json.loads(capsys.readouterr().out)
    assert document["schema"] == "loadrig.doctor/1"
    assert {check["name"] for check in document["checks"]} >= {"python", "cgroups", "ports", "leftovers"}
    assert "cleaned" not in document


def test_an_engine_that_does_not_load_is_bad(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "loadrig._native", None)
    check = _machine.native()
    assert check.status == "bad"
    assert check.mend
    monkeypatch.setattr(doctor, "look", lambda: iter([check]))
    assert run() == Exit.VOID


@pytest.mark.parametrize(
    ("text", "status", "word"),
    [
        ("32768\t60999", "ok", "470 new connections"),
        ("30000 30999", "warn", "16 new connections"),
        ("", "note", ""),
    ],
)
def test_few_ports_are_warned_of(monkeypatch: pytest.MonkeyPatch, text: str, status: str, word: str) -> None:
    reads(monkeypatch, ip_local_port_range=text)
    check = _machine.ports()
    assert check.status == status
    assert word in check.found


@pytest.mark.parametrize(("text", "status"), [("0", "warn"), ("1", "ok"), ("2", "ok"), ("", "ok")])
def test_no_reuse_of_ports_is_warned_of(monkeypatch: pytest.MonkeyPatch, text: str, status: str) -> None:
    reads(monkeypatch, tcp_tw_reuse=text)
    assert _machine.time_wait_reuse().status == status


@pytest.mark.parametrize(("text", "status"), [("tsc", "ok"), ("kvm-clock", "ok"), ("acpi_pm", "warn")])
def test_a_slow_clock_is_warned_of(monkeypatch: pytest.MonkeyPatch, text: str, status: str) -> None:
    reads(monkeypatch, current_clocksource=text)
    assert _machine.clock().status == status


def test_one_core_is_warned_of(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {3})
    assert _machine.cores().status == "warn"


def test_few_descriptors_are_warned_of(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("resource.getrlimit", lambda _: (1024, 4096))
    assert _machine.descriptors().status == "warn"
    monkeypatch.setattr("resource.getrlimit", lambda _: (1024, resource.RLIM_INFINITY))
    assert _machine.descriptors().status == "ok"


def test_late_wake_ups_are_warned_of(monkeypatch: pytest.MonkeyPatch) -> None:
    instants = iter(n * 0.003 for n in range(100))
    monkeypatch.setattr("time.sleep", lambda _: None)
    monkeypatch.setattr("time.monotonic", lambda: next(instants))
    check = _machine.timer(10)
    assert check.status == "warn"
    assert "2000 µs late" in check.found


def test_groups_that_may_not_be_written_are_warned_of(
    monkeypatch: pytest.MonkeyPatch, snapshot: SnapshotAssertion
) -> None:
    monkeypatch.setattr("loadrig.base.cgroups.of", lambda: {"2": Path("/sys/fs/cgroup/none")})
    check = _machine.control_groups()
    assert check.status == "warn"
    assert check.found == snapshot
    monkeypatch.setattr("loadrig.base.cgroups.of", dict)
    assert _machine.control_groups().status == "warn"


@pytest.mark.parametrize(
    ("governors", "status"), [({}, "ok"), ({"performance"}, "ok"), ({"performance", "powersave"}, "warn")]
)
def test_a_governor_that_slows_cores_is_warned_of(
    monkeypatch: pytest.MonkeyPatch, governors: set[str], status: str
) -> None:
    monkeypatch.setattr(Path, "glob", lambda *_: sorted(governors))
    monkeypatch.setattr(_machine, "_text", lambda path: path)
    assert _machine.governor().status == status


def test_a_program_that_is_not_there_is_a_note_with_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda _: None)
    notes = {check.name: check for check in _machine.optional() if check.status == "note"}
    assert notes.keys() >= {"nginx", "wrk"}
    assert notes["wrk"].mend == "apt install wrk"


def test_leases_that_cannot_be_kept_are_warned_of(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    monkeypatch.setattr("os.access", lambda *_: False)
    check = _machine.left_over()
    assert check.status == "warn"
    assert check.found.replace(str(tmp_path), "STATE") == snapshot


@pytest.mark.integration
def test_clean_ends_what_a_dead_rig_left_and_nothing_of_a_living_one(
    capsys: pytest.CaptureFixture[str], snapshot: SnapshotAssertion
) -> None:
    sleeper = [sys.executable, "-c", "import time; time.sleep(60)"]
    with subprocess.Popen(sleeper) as orphan, subprocess.Popen(sleeper) as ours:
        try:
            for child in (orphan, ours):
                with dead_rig() if child is orphan else contextlib.nullcontext():
                    facts = {"marker": leases.new_marker(), "start": processes.start_of(child.pid)}
                    leased("process", pid=child.pid, command="a sleeper", **facts)
            assert run() == Exit.FINE
            listing = capsys.readouterr().out
            assert re.search(rf"^warn  leftovers +1 .*process {orphan.pid}: a sleeper", listing, re.MULTILINE)
            assert "mend: loadrig doctor --clean" in listing
            assert run("--clean", "--json") == Exit.FINE
            (cleaned,) = json.loads(capsys.readouterr().out)["cleaned"]
            assert cleaned["left"] == []
            assert orphan.wait(timeout=60) == -signal.SIGTERM
            assert ours.poll() is None
            assert len(leases.listed()) == 1
            assert run("--clean") == Exit.FINE
            assert capsys.readouterr().out.splitlines()[0] == snapshot
            assert run("--clean", "--json") == Exit.FINE
            assert json.loads(capsys.readouterr().out)["cleaned"] == []
        finally:
            orphan.kill()
            ours.kill()


def test_what_cannot_be_undone_is_said_and_kept(
    capsys: pytest.CaptureFixture[str], snapshot: SnapshotAssertion
) -> None:
    with dead_rig():
        leased("sysctl", name="net.core.somaxconn")
    assert run("--clean", "--json") == Exit.VOID
    (cleaned,) = json.loads(capsys.readouterr().out)["cleaned"]
    assert len(cleaned["left"]) == 1
    assert run("--clean") == Exit.VOID
    first_part = capsys.readouterr().out.partition("\n\n")[0]
    assert first_part.replace(cleaned["left"][0], "WHY") == snapshot
    assert len(leases.listed()) == 1


def test_a_group_that_no_lease_names_is_listed_and_cleaned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with dead_rig():
        group = tmp_path / leases.group_name(leases.new_name())
        lost = leases.Lease(GroupFacts(folders=(str(group),)), origins.here())
    group.mkdir()
    monkeypatch.setattr(lost_groups, "lost_leases", lambda: [lost] if group.exists() else [])
    assert run("--json") == Exit.FINE
    checks = {check["name"]: check for check in json.loads(capsys.readouterr().out)["checks"]}
    assert checks["leftovers"]["status"] == "warn"
    assert str(group) in checks["leftovers"]["found"]
    assert run("--clean", "--json") == Exit.FINE
    document = json.loads(capsys.readouterr().out)
    cleaned = [(entry["what"], len(entry["done"]), entry["left"]) for entry in document["cleaned"]]
    assert cleaned == [(str(lost), 1, [])]
    assert not group.exists()


def test_what_is_left_alone_is_told_with_its_file(capsys: pytest.CaptureFixture[str]) -> None:
    with taken_by(boot="another", machine="another"):
        lease = leased("process", marker="m", pid=4711, start=1, command="a server")
    assert run("--clean", "--json") == Exit.FINE
    document = json.loads(capsys.readouterr().out)
    assert document["cleaned"] == []
    (alone,) = document["left_alone"]
    assert (alone["what"], alone["file"], alone["why"]) == (
        "process 4711: a server", str(lease.path), "other-host",
    )  # fmt: skip
    assert [check["status"] for check in document["checks"] if check["name"] == "leftovers"] == ["note"]
    assert run() == Exit.FINE
    assert f"its lease: {lease.path}" in capsys.readouterr().out
    assert lease.path is not None
    assert lease.path.exists()


def test_the_help_begins_with_a_verb_and_shows_examples_before_options() -> None:
    first, *rest = doctor.HELP.strip().splitlines()
    assert re.fullmatch(r"[A-Z][a-z]+ .*\.", first)
    assert rest[1].startswith("  loadrig doctor ")


def calibrated(**other: object) -> Calibration:
    """Return this machine, calibrated at 100,000/s; other: of its comparison of one generator with two."""
    facts: dict[str, object] = {
        "per_second": 50_000.0, "pairs": 8, "rate": 0.001, "rate_low": -0.004, "rate_high": 0.005,
        "p99": 0.01, "p99_low": -0.02, "p99_high": 0.015, "p99_s": 0.001, "has_cores": True, **other,
    }  # fmt: skip
    here = machine()
    compared = GeneratorSplit(**facts)  # type: ignore[arg-type]
    return Calibration(100_000.0, here.cpu, here.cores, here.loadrig, compared, "2026-01-31 12:00")


def test_a_machine_without_a_calibration_is_told_how_to_get_one() -> None:
    (check,) = _machine.calibration()
    assert check.status == "note"
    assert "G10 and G13" in check.found
    assert "--calibrate" in check.mend


def test_a_calibration_says_what_this_machine_can_generate() -> None:
    path = calibration.place_of_record()
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(calibrated().to_json()))
    ceiling, split = _machine.calibration()
    assert ceiling.status == "ok"
    assert {100_000, 50_000} <= set(numbers(ceiling.found))
    assert split.status == "ok"


@pytest.mark.parametrize(
    ("other", "status", "word"),
    [
        ({}, "ok", "agree"),
        ({"rate_low": -0.01, "rate_high": 0.03}, "note", "noise"),
        ({"has_cores": False}, "note", "three cores"),
        ({"rate_low": 0.03, "rate_high": 0.04}, "warn", "disturbs every"),
        ({"rate_low": 0.06, "rate_high": 0.08}, "warn", "disturbs gravely"),
    ],
)
def test_a_comparison_is_told_as_what_it_is(other: dict[str, object], status: str, word: str) -> None:
    compared = calibrated(**other).split
    assert compared is not None
    check = _machine.split(compared)
    assert check.status == status
    assert word in check.found
    assert bool(check.mend) == (status != "ok")

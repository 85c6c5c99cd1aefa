"""Tables of a run as it goes on: settings trial by trial, levels of a search, blocks of a proof."""

import json
from pathlib import Path
from typing import Any

import pytest

from loadrig.following.document import OverDocument, RunTablesDocument
from loadrig.following.run import RunFollower
from loadrig.following.tables import blocks_of, settings_of
from loadrig.recording import proof_blocks
from loadrig.recording.layout import RunFolder
from loadrig.recording.level_look import LOOK_KIND
from loadrig.recording.now_note import NowNote
from loadrig.recording.proof_blocks import BlockOutcome
from loadrig.testing.synthetic import write_recording


def over(
    number: int, setting: str, ok_rps: float | None, validity: str = "valid", **more: Any
) -> OverDocument:
    p99_s = None if ok_rps is None else 1 / ok_rps
    return OverDocument(number=number, setting=setting, validity=validity, ok_rps=ok_rps, p99_s=p99_s, **more)


def outcome(block: int, title: str, value: float, trial: int = 1, *, is_live: bool = True) -> BlockOutcome:
    return BlockOutcome(
        trial=trial, is_live=is_live, block=block, title=title, measure="throughput", unit="1/s", value=value
    )


def test_a_setting_has_its_trials_and_the_median_of_those_that_count() -> None:
    trials = [
        over(1, "workers=1", 100.0, is_base=True), over(2, "workers=2", 190.0),
        over(3, "workers=1", 110.0, "disturbed"),
        over(4, "workers=1", None, "failed"), over(5, "workers=2", 10.0, "void"), over(6, "workers=1", 140.0),
    ]  # fmt: skip
    base, other = settings_of(trials)
    assert (base.setting, base.is_base, [trial.number for trial in base.trials]) == (
        "workers=1",
        True,
        [1, 3, 4, 6],
    )
    assert base.ok_rps == 110.0
    assert base.p99_s == pytest.approx(1 / 110)
    assert (other.is_base, other.ok_rps, len(other.trials)) == (False, 190.0, 2)
    assert settings_of([over(1, "a", None, "failed")])[0].ok_rps is None


def test_blocks_stand_beside_each_other_with_the_unchanged_server_first() -> None:
    (table,) = blocks_of([
        outcome(0, "less CPU", 80.0), outcome(0, "", 100.0), outcome(0, "", 104.0), outcome(1, "", 90.0),
        outcome(1, "delay", 88.0), outcome(1, "less CPU", 70.0),
    ])  # fmt: skip
    assert (table.trial, table.titles) == (1, ("", "less CPU", "delay"))
    assert [(row.block, row.values) for row in table.rows] == [
        (1, (102.0, 80.0, None)),
        (2, (90.0, 70.0, 88.0)),
    ]
    assert table.medians == (96.0, 75.0, 88.0)


def test_changes_under_load_and_trials_of_their_own_are_tables_of_their_own() -> None:
    tables = blocks_of([
        outcome(0, "", 1.0, trial=1), outcome(0, "", 2.0, trial=2, is_live=False),
        outcome(0, "knob", 3.0, trial=3, is_live=False), outcome(0, "", 4.0, trial=4),
    ])  # fmt: skip
    assert [(table.trial, table.titles) for table in tables] == [(1, ("",)), (0, ("", "knob")), (4, ("",))]


@pytest.fixture
def run(tmp_path: Path) -> RunFolder:
    folder = RunFolder(tmp_path / "run")
    folder.create(None)
    return folder


def test_the_tables_are_told_when_they_have_changed_and_whole_to_a_late_watcher(run: RunFolder) -> None:
    rows = [
        {"kind": "study", "name": "shop"},
        {"kind": "trial", "index": 1, "setting": {"workers": 2}, "is_base": True, "validity": "valid",
         "measures": {"throughput": {"value": 98.0}}},
        {"kind": "trial", "index": 2, "setting": {"workers": 4}, "validity": "valid", "measures": {}},
    ]  # fmt: skip
    run.ledger.write_text("".join(json.dumps(row) + "\n" for row in rows[:2]))
    early, late = RunFollower(run), RunFollower(run)
    first = early.look().course
    assert first is not None
    assert [(setting.setting, setting.is_base) for setting in first.settings] == [("workers=2", True)]
    assert early.look().course is None
    with run.ledger.open("a") as file:
        file.write(json.dumps(rows[2]) + "\n")
    course = early.look().course
    assert course == late.look().course
    assert course is not None
    assert [setting.ok_rps for setting in course.settings] == [98.0, None]
    early.close()
    late.close()


def test_levels_of_a_search_come_with_its_events(run: RunFolder) -> None:
    trial = run.trial(1)
    write_recording(trial.path, (50.0,) * 5, is_sealed=False)
    facts = {"level": 100.0, "doing": "ramp", "verdict": "meets", "leans": "meets", "seconds": 1.0,
             "ok_rps": 99.0, "response_s": 0.01, "at_least": 100.0, "at_most": None}  # fmt: skip
    events = [{"t_ns": 1, "kind": LOOK_KIND, "subject": "load", "text": "", "facts": facts}]
    events += [
        {"t_ns": 2, "kind": LOOK_KIND, "subject": "load", "text": "", "facts": {"level": "x"}}
    ]  # damaged
    events += [
        {"t_ns": 3, **events[0], "facts": {**facts, "level": 200.0, "verdict": "fails", "at_most": 200.0}}
    ]
    with trial.events.open("a") as file:
        file.writelines(json.dumps(event) + "\n" for event in events)
    follower = RunFollower(run)
    course = follower.look().course
    follower.close()
    assert course is not None
    assert [(look.level, look.verdict) for look in course.levels] == [(100.0, "meets"), (200.0, "fails")]
    assert (course.levels[-1].at_least, course.levels[-1].at_most) == (100.0, 200.0)


def test_the_trials_of_a_proof_are_followed_with_their_blocks(run: RunFolder) -> None:
    write_recording(run.trial(1).path, (50.0,) * 5)
    run.proof.path.mkdir()
    run.proof.trials.mkdir()
    write_recording(run.proof.trial(1).path, (50.0,) * 8, is_sealed=False)
    follower, note = RunFollower(run), NowNote(run, "loadrig diagnose --prove")
    before = follower.look().trial
    note.change(trial=1, is_of_proof=True, setting="workers=4")
    proof_blocks.add(run.proof, outcome(0, "", 98.0))
    news = follower.look()
    assert before is not None
    assert news.trial is not None
    assert (before.number, before.is_of_proof) == (1, False)
    assert (news.trial.number, news.trial.is_of_proof, news.setting) == (1, True, "workers=4")
    assert len(news.trial.seconds) == 9  # with the drain
    assert isinstance(news.course, RunTablesDocument)
    assert [table.rows[0].values for table in news.course.blocks] == [(98.0,)]
    proof_blocks.add(run.proof, outcome(0, "less CPU", 80.0))
    course = follower.look().course
    assert course is not None
    assert course.blocks[0].titles == ("", "less CPU")
    note.close()
    assert not follower.look().is_running
    follower.close()


def test_where_no_file_can_be_written_the_proof_goes_on(tmp_path: Path) -> None:
    proof_blocks.add(RunFolder(tmp_path / "gone"), outcome(0, "", 1.0))
    assert not (tmp_path / "gone").exists()

"""The folder of a proof: an earlier one is kept, and two processes do not prove the same run."""

from pathlib import Path

import pytest

from loadrig.base.errors import PlanError
from loadrig.proving import room
from loadrig.recording.layout import RunFolder


@pytest.fixture
def run(tmp_path: Path) -> RunFolder:
    return RunFolder(tmp_path)


def begun(run: RunFolder, what: str) -> None:
    """Leave what a proof has in its folder after its first trial was sealed."""
    room.make(run)
    trial = run.proof.trial(1)
    trial.path.mkdir()
    trial.seal.write_text(what, encoding="utf-8")


def test_an_earlier_proof_is_kept_with_all_its_trials(run: RunFolder) -> None:
    room.make(run)
    begun(run, "first")
    begun(run, "second")
    begun(run, "third")
    sealed = sorted(path.relative_to(run.path).as_posix() for path in run.path.rglob("SEALED"))
    assert sealed == [
        "proof-earlier-2/trials/0001/SEALED", "proof-earlier-3/trials/0001/SEALED", "proof/trials/0001/SEALED"
    ]  # fmt: skip
    assert [(run.path / name).read_text(encoding="utf-8") for name in sealed] == ["first", "second", "third"]
    assert [path.stat().st_mode & 0o777 for path in (run.proof.path, run.proof.trials)] == [0o700, 0o700]


def test_a_run_is_proved_by_one_process_at_a_time(run: RunFolder) -> None:
    with (
        room.alone(run),
        pytest.raises(PlanError) as raised,
        room.alone(run),
    ):
        pytest.fail("two proofs of one run")
    assert [problem.code for problem in raised.value.problems] == ["prove.in-use"]
    with room.alone(run):
        pass


def test_a_proof_is_cut_where_it_has_no_document_and_nobody_is_at_work_on_it(run: RunFolder) -> None:
    assert not room.is_cut(run)
    begun(run, "first")
    with room.alone(run):
        assert not room.is_cut(run)
    assert room.is_cut(run)
    run.proof_document.write_text("{}", encoding="utf-8")
    assert not room.is_cut(run)

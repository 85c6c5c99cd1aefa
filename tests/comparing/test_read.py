"""Sides of a comparison: what a user may name as one."""

import json
import shutil
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from loadrig.base.errors import PlanError
from loadrig.base.estimate import Estimate
from loadrig.comparing import read
from loadrig.comparing.read import read_run, read_side
from loadrig.comparing.side import Side
from tests.comparing import fabricated
from tests.study.documents import searched


def code(text: str) -> str:
    with pytest.raises(PlanError) as caught:
        read_side(text)
    return caught.value.problems[0].code


def test_a_run_of_one_trial_is_a_side_of_one_block(tmp_path: Path) -> None:
    side = read_side(str(fabricated.single(tmp_path / "run", rate=400)))
    assert (len(side.trials), len(side.blocks), side.plan_name) == (1, 1, "shop")
    assert side.usable[0].value("throughput") == 400
    assert side.routes == ("search", "order")
    assert "workload" in side.plan_text


def test_one_trial_of_a_run_is_a_side(tmp_path: Path) -> None:
    run = fabricated.single(tmp_path / "run")
    side = read_side(str(run / "trials" / "0001"))
    assert side.usable[0].value("throughput") == 400
    assert "workload" in side.plan_text


def test_a_result_that_was_kept_without_its_trial_is_a_side(tmp_path: Path) -> None:
    run = fabricated.single(tmp_path / "run")
    shutil.rmtree(run / "trials")
    trial = read_side(str(run)).usable[0]
    assert trial.value("throughput") == 400
    assert trial.recording is None


def test_a_study_is_its_base_unless_a_setting_is_named(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    folder = fabricated.study(tmp_path / "s", [({"workers": 2}, 400.0), ({"workers": 4}, 500.0)], blocks=3)
    base, other = read_side(str(folder)), read_side(f"{folder}#1")
    assert (base.setting, len(base.trials), len(base.blocks)) == ({"workers": 2}, 6, 3)
    assert (other.setting, len(other.trials), len(other.blocks)) == ({"workers": 4}, 3, 3)
    assert "workers=2" in base.notes[0]
    assert base.notes[0].replace(str(folder), "FOLDER") == snapshot
    assert other.notes == ()
    assert len(base.repeats["throughput"]) == 3


def test_a_study_whose_trials_were_thrown_away_is_read_from_its_result(tmp_path: Path) -> None:
    folder = fabricated.study(tmp_path / "s", [({"workers": 2}, 400.0), ({"workers": 4}, 500.0)], blocks=3)
    before = read_side(f"{folder}#1")
    shutil.rmtree(folder / "trials")
    after = read_side(f"{folder}#1")
    assert [t.value("throughput") for t in after.usable] == [t.value("throughput") for t in before.usable]
    assert after.unit("throughput") == "1/s"
    assert len(after.blocks) == 3


def test_a_folder_of_runs_is_a_side_with_a_block_each_in_order_of_time(tmp_path: Path) -> None:
    folder = fabricated.runs(tmp_path / "nightly", [400, 410, 420])
    (tmp_path / "nightly" / "notes").mkdir()
    side = read_side(str(folder))
    assert [trial.value("throughput") for trial in side.trials] == [400, 410, 420]
    assert len(side.blocks) == 3


def test_several_runs_may_be_joined_by_commas(tmp_path: Path) -> None:
    folder = fabricated.runs(tmp_path / "runs", [400, 410, 420])
    side = read_side(f"{folder}/run-02,{folder}/run-00")
    assert [trial.value("throughput") for trial in side.trials] == [400, 420]


def test_void_trials_are_kept_apart(tmp_path: Path) -> None:
    folder = fabricated.study(
        tmp_path / "s", [({"workers": 2}, 400.0), ({"workers": 4}, 500.0)], blocks=3, void=[3]
    )
    side = read_side(f"{folder}#1")
    assert (len(side.trials), len(side.usable), len(side.blocks)) == (3, 2, 2)


def test_a_folder_with_a_number_sign_in_its_name_is_itself(tmp_path: Path) -> None:
    folder = fabricated.single(tmp_path / "run#1")
    assert read_side(str(folder)).runs == (folder,)


@pytest.mark.parametrize("name", ["missing", "empty"])
def test_a_folder_without_a_run_is_named(tmp_path: Path, name: str) -> None:
    (tmp_path / "empty").mkdir()
    assert code(str(tmp_path / name)) == "compare.no-run"
    assert code(" , ") == "compare.no-run"


def test_a_study_without_a_finished_trial_is_no_run(tmp_path: Path) -> None:
    folder = fabricated.study(tmp_path / "s", [({"workers": 2}, 400.0)], blocks=1)
    document = json.loads((folder / "result.json").read_text())
    document["settings"][0]["trials"] = []
    (folder / "result.json").write_text(json.dumps(document))
    assert code(str(folder)) == "compare.no-run"


def test_a_setting_that_the_study_does_not_have_is_named_with_those_it_has(tmp_path: Path) -> None:
    folder = fabricated.study(tmp_path / "s", [({"workers": 2}, 400.0), ({"workers": 4}, 500.0)], blocks=2)
    with pytest.raises(PlanError) as caught:
        read_side(f"{folder}#7")
    assert caught.value.problems[0].code == "compare.no-setting"
    assert "1: workers=4" in caught.value.problems[0].why


def test_runs_of_several_settings_are_no_side(tmp_path: Path) -> None:
    fabricated.single(tmp_path / "runs" / "a", setting={"workers": 2})
    fabricated.single(tmp_path / "runs" / "b", setting={"workers": 4}, day=1)
    assert code(str(tmp_path / "runs")) == "compare.mixed-side"


def test_an_importer_is_one_more_source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "k6.json").write_text("{}")

    def of_k6(folder: Path, setting: int | None) -> Side | None:
        if setting is not None or not (folder / "k6.json").is_file():
            return None
        trial = fabricated.measured(estimates={"p95": Estimate(0.2, "s")})
        return Side(folder.name, {}, (trial,), (folder,), "k6")

    monkeypatch.setattr(read, "SOURCES", (*read.SOURCES, of_k6))
    side = read_side(str(tmp_path))
    assert side.usable[0].value("p95") == 0.2


def test_a_broken_run_in_a_folder_is_passed_over(tmp_path: Path) -> None:
    folder = fabricated.runs(tmp_path / "runs", [400, 410])
    (folder / "run-00" / "result.json").write_text("{")
    assert read_run(folder / "run-00") is None
    assert len(read_side(str(folder)).trials) == 1


@pytest.mark.parametrize(
    "text", ['{"schema": "loadrig.study/1"}', '{"schema": "loadrig.study/1", "settings": 7}']
)
def test_a_result_that_lacks_what_it_should_have_is_named_and_passed_over_among_others(
    tmp_path: Path, text: str
) -> None:
    folder = fabricated.runs(tmp_path / "runs", [400, 410])
    shutil.rmtree(folder / "run-00" / "trials")
    (folder / "run-00" / "result.json").write_text(text)
    assert code(str(folder / "run-00")) == "compare.no-run"
    assert len(read_side(str(folder)).trials) == 1


def test_the_capacity_that_a_search_found_is_an_estimate_of_its_trial(tmp_path: Path) -> None:
    folder = fabricated.searched(tmp_path / "s", 900.0)
    for name in (str(folder), str(folder / "trials" / "0001")):
        side = read_side(name)
        capacity = side.usable[0].estimate("capacity")
        assert capacity is not None
        assert (capacity.value, capacity.low, capacity.unit, capacity.n) == (900.0, 882.0, "1/s", 8)
        assert side.searched == "sure"


def test_a_search_that_found_nothing_says_why(tmp_path: Path) -> None:
    side = read_side(str(fabricated.searched(tmp_path / "s", None, why="no_level_meets")))
    assert (side.searched, side.unit("capacity")) == ("no_level_meets", None)


def test_each_block_of_a_study_of_capacities_has_its_own(tmp_path: Path) -> None:
    folder = fabricated.study(tmp_path / "s", [({"workers": 2}, 400.0), ({"workers": 4}, 500.0)], blocks=3)
    document = json.loads((folder / "result.json").read_text())
    for setting in document["settings"]:
        for trial in setting["trials"]:
            trial["values"]["capacity"] = 900.0 + trial["index"]
    document["capacity"] = searched(901.0)
    (folder / "result.json").write_text(json.dumps(document))
    side = read_side(f"{folder}#1")
    assert [trial.value("capacity") for trial in side.usable] == [903.0, 906.0, 909.0]
    assert len(side.repeats["throughput"]) == len(side.repeats["capacity"]) == 3


@pytest.mark.parametrize(
    ("lost", "is_usable"), [((), True), (("tails",), True), (("load",), False), (("rates",), False)]
)
def test_a_trial_without_its_load_or_its_rates_cannot_be_compared(
    tmp_path: Path, lost: tuple[str, ...], is_usable: bool
) -> None:
    side = read_side(str(fabricated.single(tmp_path / "a", verdict="disturbed", lost_claims=lost)))
    assert [trial.is_usable for trial in side.trials] == [is_usable]

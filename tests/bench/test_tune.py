"""Surfaces, their noise and the rivals. How good a tuner is is not looked at here."""

import json
import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from syrupy.assertion import SnapshotAssertion

from bench.diagnosis.ledger import BenchLedger
from bench.tune import record, replay, rivals, smooth, summary, surface, synthetic
from bench.tune.weather import TuningWeather
from loadrig.base.estimate import Estimate
from loadrig.base.setting import Setting
from loadrig.plan.load import read as read_plan
from loadrig.study.space import grid
from loadrig.study.trials import DoneTrial


@pytest.mark.parametrize(
    ("name", "count"), [("flask", 171), ("flask_recycled", 684), ("cpu", 171), ("tomcat", 192)]
)
def test_a_made_up_surface_has_every_setting_once_and_says_what_it_is(name: str, count: int) -> None:
    surface = synthetic.ALL[name]()
    assert len(surface.settings) == count
    assert surface.is_synthetic
    assert "synthetic" in surface.note
    assert surface.regret(surface.best) == 0.0
    assert all(surface.number(setting) == at for at, setting in enumerate(surface.settings))


def test_what_misses_a_goal_has_no_finite_regret() -> None:
    surface = synthetic.flask()
    missing = [at for at in range(len(surface.settings)) if not surface.keeps_goals(at)]
    assert missing
    assert all(np.isinf(surface.regret(at)) for at in missing)


def test_noise_is_as_large_as_it_says() -> None:
    surface = synthetic.tomcat()
    logs = []
    for seed in range(400):
        estimates = TuningWeather(0.05, seed).trial(surface, 0, 60.0, 70.0)
        assert estimates is not None
        logs.append(np.log(estimates["throughput"].value / (surface.truth[0] or {})["throughput"]))
    # The trial's own 5 %, and a drift of 0.7 times that.
    assert np.std(logs) == pytest.approx(0.05 * np.hypot(1.0, 0.7), rel=0.12)


def test_a_replay_is_the_same_for_the_same_seed() -> None:
    surface = synthetic.tomcat()
    assert replay.tuned(surface, 0.03, 3) == replay.tuned(surface, 0.03, 3)


@pytest.mark.parametrize("way", list(rivals.RIVALS))
def test_rivals_keep_to_their_seconds(way: str) -> None:
    surface = synthetic.flask()
    search = rivals.RIVALS[way](surface, 0.03, 1, 2_000.0)
    assert search.seconds <= (replay.grid_seconds(surface) if way == "the whole grid" else 2_000.0)
    assert search.chosen is None or search.regret >= 0.0


def test_rows_are_made_once_and_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], snapshot: SnapshotAssertion
) -> None:
    ledger = BenchLedger(tmp_path)
    surfaces = [synthetic.tomcat()]
    first = summary.run(ledger, surfaces, 1)
    written = (tmp_path / "ledger.jsonl").read_text(encoding="utf-8")
    assert summary.run(BenchLedger(tmp_path), surfaces, 1) == first
    assert (tmp_path / "ledger.jsonl").read_text(encoding="utf-8") == written
    packed = summary.packed(first)
    assert len(packed) == 1 + len(rivals.RIVALS)
    text = "\n".join(summary.tables(packed))
    assert [
        re.sub(r"[\d.,]*\d", "N", line) for line in text.splitlines() if line[:1] not in ("|", "")
    ] == snapshot
    capsys.readouterr()


def test_the_truth_of_a_recorded_surface_is_that_of_cores_that_are_equally_fast() -> None:
    rng = np.random.default_rng(5)
    true = [100.0, 120.0, 90.0, 110.0]
    speed = np.exp(rng.normal(0, 0.2, (4, 6)))
    replicates = [
        [
            {"throughput": each * fast**1.3 * float(np.exp(rng.normal(0, 0.01))), "core_speed": fast}
            for fast in row
        ]
        for each, row in zip(true, speed.tolist(), strict=True)
    ]
    means = [
        np.mean([row["throughput"] for row in rows]) for rows in surface.evened(replicates, "throughput")
    ]
    usual = np.median(speed) ** 1.3
    assert means == pytest.approx([each * usual for each in true], rel=0.02)
    without = [[{"throughput": 5.0}], [{"throughput": 6.0, "core_speed": 1.0}]]
    assert surface.evened(without, "throughput") == without


def test_a_server_follows_the_speed_of_its_cores_as_far_as_it_is_busy() -> None:
    rng = np.random.default_rng(6)
    speed = np.exp(rng.normal(0, 0.2, (6, 4)))
    busy = [1.0, 0.1, 1.0, 0.1, 0.5, 0.5]
    replicates = [
        [{"throughput": 100.0 * fast**share, "core_speed": fast, "server_cpu": share} for fast in row]
        for share, row in zip(busy, speed.tolist(), strict=True)
    ]
    usual = float(np.median(speed))
    for share, rows in zip(busy, surface.evened(replicates, "throughput"), strict=True):
        assert [row["throughput"] for row in rows] == pytest.approx([100.0 * usual**share] * 4, rel=1e-3)


def noisy(true: Sequence[float], noise: float, seed: int) -> list[list[dict[str, float]]]:
    """Return three trials of each setting."""
    rng = np.random.default_rng(seed)
    return [[{"throughput": each * float(np.exp(rng.normal(0, noise)))} for _ in range(3)] for each in true]


PLATEAU: list[Setting] = [{"workers": w, "threads": t} for w in range(1, 10) for t in range(1, 17)]
FLAT = [47.0 * min(36, int(s["workers"]) * int(s["threads"])) ** 0.97 for s in PLATEAU]


def test_neighbours_make_what_is_known_of_a_setting_better() -> None:
    better = []
    for seed in range(5):
        rows = noisy(FLAT, 0.06, seed)
        smooth_values = smooth.smoothed(PLATEAU, rows, "throughput")
        smoothed = np.log([smooth_values[number] for number in range(len(FLAT))]) - np.log(FLAT)
        means = [np.mean(np.log([row["throughput"] for row in each])) for each in rows]
        better.append(np.std(np.array(means) - np.log(FLAT)) / np.std(smoothed))
    assert np.median(better) > 1.3


def test_where_trials_are_exact_a_rough_surface_stays_as_it_is() -> None:
    rng = np.random.default_rng(1)
    rough = [float(each * np.exp(rng.normal(0, 0.2))) for each in FLAT]
    smooth_values = smooth.smoothed(PLATEAU, noisy(rough, 0.0, 1), "throughput")
    assert list(smooth_values.values()) == pytest.approx(rough, rel=0.01)


def test_settings_that_never_worked_and_the_few_of_a_kind_are_left_alone() -> None:
    settings: list[Setting] = [
        {"class": "a", "workers": 1},
        {"class": "a", "workers": 2},
        {"class": "b", "workers": 1},
    ]
    rows = [[{"throughput": 10.0}, {"throughput": 14.0}], [{"throughput": 30.0}], [{"errors": 1.0}]]
    assert smooth.smoothed(settings, rows, "throughput") == {0: 12.0, 1: 30.0}


def test_a_recorded_surface_is_written_and_read_back(tmp_path: Path) -> None:
    text = record.plan_text(seconds=5, blocks=2, users=4, small=True, recycled=False)
    plan = read_plan(text, str(tmp_path / "plan.yaml"))
    trials = [
        DoneTrial(
            index=n + 1, block=block, repeat=0, setting=setting, is_base=n == 0, seed=1,
            validity="void" if (n, block) == (1, 0) else "valid", reasons=(),
            measures={"throughput": Estimate(100.0 + n + 10 * block, "1/s"), "errors": Estimate(0.0, "1"),
                      "memory": Estimate(1e8, "B")},
            goals=(), folder="", seconds=8.0,
        )
        for block in range(2)
        for n, setting in enumerate(grid(plan.knobs))
    ]  # fmt: skip
    record.write(tmp_path / "small.csv", record.rows(trials, 5.0), plan, {"cores": 2})
    read_back = surface.read(tmp_path / "small.csv", record.GOALS, record.KNOWN)
    assert not read_back.is_synthetic
    assert len(read_back.settings) == len(grid(plan.knobs)) == 6
    assert read_back.settings[0] == {"worker_class": "sync", "workers": 1}
    assert (read_back.truth[0] or {})["throughput"] == pytest.approx(105.0)
    lost = read_back.number(grid(plan.knobs)[1])
    assert [len(each) for at, each in enumerate(read_back.replicates) if at != lost] == [2] * 5
    assert len(read_back.replicates[lost]) == 1
    assert json.loads((tmp_path / "small.json").read_text(encoding="utf-8"))["synthetic"] is False
    again = replay.tuned(read_back, 0.03, 1)
    assert again.chosen is not None

"""Most that the generator can do here, measured against a server that does nothing."""

import dataclasses
import json
from pathlib import Path

import pytest

from loadrig.testing.leftovers import nothing_left_behind
from loadrig.trial import calibration, split
from loadrig.trial.surroundings import machine

PAIRS = 6
"""Comparisons of one generator with two, of some seconds each: with fewer nothing can be decided."""


@pytest.fixture
def own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    return tmp_path


# Thirteen seconds of both cores; a load beyond a ceiling that was measured is one of the sabotages.
@pytest.mark.nightly
@pytest.mark.integration
def test_a_calibration_is_measured_kept_and_known_again(
    own_state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # How long it measures decides how sure it is, and nothing that is asserted here; but on a crowded machine
    # the generators may have no answer for half a second.
    for room in (calibration, split):
        monkeypatch.setattr(room, "SETTLE_S", 0.1)
    monkeypatch.setattr(calibration, "MEASURE_S", split.MEASURE_S)
    assert calibration.of_this_machine() is None
    with nothing_left_behind():
        calibrated = calibration.calibrate(pairs=PAIRS)
    assert calibrated.per_second > 0
    assert calibrated.honest_per_second == calibrated.per_second / 2
    assert calibrated.split is not None
    assert calibrated.split.pairs == PAIRS
    assert calibrated.split.level in ("agree", "undecided", "disturbed", "grave")
    assert calibration.of_this_machine() == calibrated


def test_a_calibration_from_before_the_split_is_known(own_state: Path) -> None:
    here = machine()
    path = calibration.place_of_record()
    path.parent.mkdir(parents=True)
    old = {"per_second": 1.0, "cpu": here.cpu, "cores": here.cores, "loadrig": here.loadrig}
    path.write_text(json.dumps(old), encoding="utf-8")
    calibrated = calibration.of_this_machine()
    assert calibrated is not None
    assert calibrated.split is None


def test_a_calibration_of_another_machine_is_not_believed(own_state: Path) -> None:
    here = machine()
    mine = calibration.Calibration(50_000.0, here.cpu, here.cores, here.loadrig)
    path = calibration.place_of_record()
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(mine.to_json()), encoding="utf-8")
    assert calibration.of_this_machine() == mine
    other = dataclasses.replace(mine, cores=mine.cores + 1)
    path.write_text(json.dumps(other.to_json()), encoding="utf-8")
    assert calibration.of_this_machine() is None


def test_a_torn_calibration_is_as_good_as_none(own_state: Path) -> None:
    path = calibration.place_of_record()
    path.parent.mkdir(parents=True)
    path.write_text('{"per_second": 1', encoding="utf-8")
    assert calibration.of_this_machine() is None

"""Processes beside a run: what a person hears of one that does not keep up."""

import os
import sys
import time
from pathlib import Path

import pytest

from loadrig.cli import _beside
from loadrig.cli._followed import LOWEST_NICE


@pytest.mark.parametrize(("lasts_s", "is_late"), [(30, True), (0, False)], ids=["late", "in time"])
def test_receivers_that_were_not_told_in_time_are_no_secret(
    lasts_s: int,
    is_late: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    words = [sys.executable, "-c", f"import time; time.sleep({lasts_s})"]
    monkeypatch.setattr(_beside, "safe_python", lambda *_: words)
    monkeypatch.setattr(_beside, "PUBLISHER_ENDS_WITHIN_S", 0.2 if is_late else 60.0)
    with _beside.publisher(tmp_path / "run", ["influx=lines"]):
        pass
    heard = capsys.readouterr().err
    assert (str(tmp_path / "run") in heard) is is_late


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may raise a priority")
def test_whoever_tells_receivers_gives_way_to_nobody_once_the_run_is_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    waits = (
        f"import os, pathlib, time; os.nice({LOWEST_NICE}); pathlib.Path('ready').touch()\n"
        f"while os.nice(0) == {LOWEST_NICE}: time.sleep(0.01)"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(_beside, "safe_python", lambda *_: [sys.executable, "-c", waits])
    with _beside.publisher(tmp_path / "run", ["influx=lines"]):
        while not Path("ready").exists():
            time.sleep(0.01)
    assert not capsys.readouterr().err

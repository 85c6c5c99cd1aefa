"""Processes beside a run: what a person hears of one that does not keep up."""

import sys
from pathlib import Path

import pytest

from loadrig.cli import _beside


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

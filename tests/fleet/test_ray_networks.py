"""Losses on hosts of Ray that have a network each: a host is cut off, the head's machine dies."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from loadrig.fleet._ray_head import HEAD_LOST_AFTER_S, LOOKS_EVERY_S
from tests.fleet.ray_networks import CUT_S, FIRST_DEED_S, PER_SECOND

pytest.importorskip("ray", reason="Ray is not installed: pip install 'loadrig[fleet]'")

pytestmark = [
    # A cluster of Ray takes a core to start, and a load that outlives a loss most of a minute.
    pytest.mark.nightly,
    pytest.mark.integration,
    pytest.mark.slow,
    pytest.mark.skipif(os.geteuid() != 0, reason="namespaces take root: run the tests by sudo"),
    pytest.mark.skipif(shutil.which("unshare") is None, reason="unshare is not installed"),
    pytest.mark.skipif(shutil.which("ip") is None, reason="ip is not installed: apt-get install iproute2"),
]

ENDS_WITHIN_S = 115

Json = dict[str, Any]


@pytest.fixture
def folder() -> Iterator[Path]:
    """Return a folder whose sockets have short paths."""
    with tempfile.TemporaryDirectory(dir="/tmp", prefix="loadrig-test-") as path:
        yield Path(path)


def outcome_of(scenario: str, folder: Path) -> Json:
    """Return what became of a load: all that it takes is made in namespaces that end with it."""
    # Its input closes where we are killed.
    inlet, outlet = os.pipe()
    ended = subprocess.run(
        ["unshare", "--net", "--pid", "--fork", "--kill-child", "--mount-proc",
         sys.executable, "-m", "tests.fleet.ray_networks", scenario, str(folder)],
        stdin=inlet, capture_output=True, text=True, timeout=ENDS_WITHIN_S, check=False,
        env={**os.environ, "XDG_STATE_HOME": str(folder / "state")},
    )  # fmt: skip
    os.close(inlet)
    os.close(outlet)
    assert ended.returncode == 0, ended.stderr
    outcome: Json = json.loads(ended.stdout)
    # Neither is a generator left, nor does anybody load the server afterwards.
    assert outcome["alive"] == []
    assert outcome["asked_after"] == 0
    return outcome


def test_the_part_of_a_host_that_is_cut_off_goes_on_elsewhere_and_it_falls_silent(folder: Path) -> None:
    outcome = outcome_of("cut", folder)
    assert (outcome["problem"], outcome["loss"]) == (None, "")
    assert outcome["totals"]["due"] == CUT_S * PER_SECOND
    (lost,) = (each for each in outcome["generators"] if each["lost"])
    assert lost["lost_after_s"] == pytest.approx(FIRST_DEED_S, abs=1.5)
    assert lost["taken_over_after_s"] < lost["lost_after_s"] + 25
    assert lost["missed"] > 0
    # It could reach the server all the time, and is back in the end; only the first seconds are of its own.
    asked_s = [at_s for at_s, host in outcome["asked"] if host == outcome["cut"]]
    assert FIRST_DEED_S < max(asked_s) < FIRST_DEED_S + 12
    # Two never made its part at once.
    fresh_s = [at_s for at_s, host in outcome["asked"] if host == outcome["spare"]]
    assert max(asked_s) < min(fresh_s)


@pytest.mark.parametrize("scenario", ["head", "head-here"])
def test_where_the_head_dies_the_load_ends_and_says_so(scenario: str, folder: Path) -> None:
    outcome = outcome_of(scenario, folder)
    code, what, mend = outcome["problem"]
    assert code == "fleet.head-lost"
    assert what
    assert mend
    # What was measured is there up to the last frame before the end.
    last_s, _ = outcome["frames"][-1]
    # It last answered before its end, by the time between two looks at most.
    lost_s = FIRST_DEED_S + HEAD_LOST_AFTER_S
    assert lost_s - LOOKS_EVERY_S < outcome["ended_s"] < lost_s + 8
    assert outcome["ended_s"] - last_s < 4
    # Until then all was made: frames of half a second.
    assert sum(due for _, due in outcome["frames"]) >= PER_SECOND * (last_s - 1.0)
    assert outcome["closed_s"] < 10

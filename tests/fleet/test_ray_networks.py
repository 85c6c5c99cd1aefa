"""Losses on hosts of Ray that have a network each: a host is cut off, the head's machine dies."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from loadrig.fleet._ray_actor import BEAT_S, FORGOTTEN_AFTER_S, STOPPED_AFTER_S
from loadrig.fleet._ray_head import HEAD_LOST_AFTER_S, LOOKS_EVERY_S
from loadrig.fleet._ray_listener import WAIT_S
from tests.fleet.ray_networks import (
    AGAIN_S,
    AHEAD_S,
    CUT_S,
    DELAY_S,
    FAR_S,
    FIRST_DEED_S,
    FRAME_S,
    LEVELS,
    LOSSY_S,
    PER_SECOND,
)  # fmt: skip

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

ENDS_WITHIN_S = 150

NOISE_S = 2.0
"""Longest time that a busy machine keeps a thread from its work, in seconds."""

LAST_FRAMES = 8
"""Frames of a load in which an order that was held up for seconds has long come."""

Json = dict[str, Any]


def outcome_of(scenario: str, folder: Path, module: str = "ray_networks") -> Json:
    """Return what became of a load: all that it takes is made in namespaces that end with it."""
    # Its input closes where we are killed.
    inlet, outlet = os.pipe()
    ended = subprocess.run(
        ["unshare", "--net", "--pid", "--fork", "--kill-child", "--mount-proc",
         sys.executable, "-m", f"tests.fleet.{module}", scenario, str(folder)],
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


def are_lost_in_time(outcome: Json) -> list[Json]:
    """Return the generators that were lost by the cut, once all is seen that follows from our own clocks."""
    lost = [each for each in outcome["generators"] if each["lost"]]
    # Given up after a silence that Ray has no part in: the last answer came before the cut, at most a beat.
    for ordered_s, _ in outcome["ordered"]:
        given_up_s = ordered_s - FIRST_DEED_S
        assert FORGOTTEN_AFTER_S - BEAT_S < given_up_s < FORGOTTEN_AFTER_S + WAIT_S + NOISE_S
    assert sorted(index for _, index in outcome["ordered"]) == [int(each["name"]) - 1 for each in lost]
    for each in lost:
        assert each["lost_after_s"] == pytest.approx(FIRST_DEED_S, abs=1.5)
        # Its part goes on while the host is still cut off: on another one.
        assert each["host"] != outcome["cut_host"]
    # It could reach the server all the time, and is back in the end; only the first seconds are of its own.
    asked_s = [at_s for at_s, host in outcome["asked"] if host == outcome["cut"]]
    assert FIRST_DEED_S < max(asked_s) < FIRST_DEED_S + STOPPED_AFTER_S
    return lost


def test_the_part_of_a_host_that_is_cut_off_goes_on_elsewhere_and_it_falls_silent(folder: Path) -> None:
    outcome = outcome_of("cut", folder)
    assert (outcome["problem"], outcome["loss"]) == (None, "")
    assert outcome["totals"]["due"] == CUT_S * PER_SECOND
    (lost,) = are_lost_in_time(outcome)
    assert lost["missed"] > 0
    asked_s = [at_s for at_s, host in outcome["asked"] if host == outcome["cut"]]
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


def counted_once(outcome: Json, seconds: float) -> bool:
    """Return whether all that was due in a load is in its result, once, by generator and by label too.

    Of a generator that is lost a request that was due and not yet taken up is in no count.
    """
    due: int = outcome["totals"]["due"]
    lost = sum(bool(each["lost"]) for each in outcome["generators"])
    sums = [sum(each["due"] for each in outcome[kind]) for kind in ("generators", "labels")]
    return sums == [due] * 2 and 0 <= round(seconds * PER_SECOND) - due <= lost


def test_a_head_that_is_back_in_time_costs_a_load_nothing_and_has_to_be_joined_anew(folder: Path) -> None:
    outcome = outcome_of("head-again", folder)
    assert (outcome["problem"], outcome["loss"]) == (None, "")
    assert counted_once(outcome, AGAIN_S)
    assert outcome["actors"] == []
    # Nobody has joined the new head, so the next load is refused, and the one after that is not.
    _, what, mend = outcome["without_hosts"]["problem"]
    assert what
    assert "ray start" in mend
    later = outcome["with_hosts"]
    assert (later["problem"], later["loss"]) == (None, "")
    assert counted_once(later, 4.0)


def test_a_merger_that_is_cut_off_with_its_host_is_replaced_and_nothing_counts_twice(folder: Path) -> None:
    outcome = outcome_of("merger", folder)
    assert (outcome["problem"], outcome["loss"]) == (None, "")
    assert counted_once(outcome, CUT_S)
    assert are_lost_in_time(outcome)


@pytest.mark.parametrize("scenario", ["lossy", "reset", "forgotten"])
def test_links_that_lose_packets_stall_reset_or_forget_connections_lose_nothing_of_a_load(
    scenario: str, folder: Path
) -> None:
    outcome = outcome_of(scenario, folder)
    assert (outcome["problem"], outcome["loss"]) == (None, "")
    assert [each["lost"] for each in outcome["generators"]] == ["", ""]
    assert counted_once(outcome, LOSSY_S)
    assert sum(due for _, due in outcome["frames"]) == LOSSY_S * PER_SECOND
    assert len(outcome["asked"]) == outcome["totals"]["sent"]


def test_an_order_that_was_on_its_way_when_connections_were_reset_reaches_all(folder: Path) -> None:
    outcome = outcome_of("reset-order", folder)
    assert (outcome["problem"], outcome["loss"]) == (None, "")
    assert outcome["orders"] == len(LEVELS)
    # In the end both make their parts of the last level; the last frame with requests is a short one.
    dues = [due for _, due in outcome["frames"] if due][-LAST_FRAMES - 1 : -1]
    assert sum(dues) == pytest.approx(LAST_FRAMES * FRAME_S * LEVELS[max(LEVELS)], abs=3)
    assert len(outcome["asked"]) == outcome["totals"]["sent"]


def test_a_fleet_behind_links_that_take_their_time_tells_the_times_of_the_server(folder: Path) -> None:
    outcome = outcome_of("far", folder)
    assert (outcome["problem"], outcome["loss"]) == (None, "")
    assert counted_once(outcome, FAR_S)
    assert len(outcome["asked"]) == outcome["totals"]["sent"]
    for each in outcome["generators"]:
        # Both clocks are one, and every comparison of them took the link twice.
        clock = each["clock_offset_us"]
        assert clock["low"] <= 0 <= clock["high"]
        assert clock["high"] - clock["low"] >= 2 * DELAY_S * 1e6
    assert outcome["order_us"] >= DELAY_S * 1e6
    # The server is at hand for the generators: nothing of the way to us is in what they measured.
    for label in outcome["labels"]:
        assert label["ok"] == label["sent"]
        assert label["response_us"]["p50"] < DELAY_S * 1e6


def test_a_host_whose_clock_is_a_day_ahead_makes_its_part(folder: Path) -> None:
    outcome = outcome_of("skewed", folder)
    assert (outcome["problem"], outcome["loss"]) == (None, "")
    assert counted_once(outcome, 4.0)
    offsets = [each["clock_offset_us"] for each in outcome["generators"]]
    assert sorted(round(each["low"] / 1e6) for each in offsets) == [0, AHEAD_S]
    assert sorted(round(each["high"] / 1e6) for each in offsets) == [0, AHEAD_S]

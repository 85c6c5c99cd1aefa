"""Part of a rising load in which a server no longer kept up: ramps that outran it, and other loads."""

import json
from pathlib import Path

import pytest

from loadrig.judgement.facts import overload
from loadrig.recording.reader import Recording
from loadrig.testing.synthetic import write_recording

RISING = [20.0 + 20.0 * second for second in range(30)]
KEPT_UP_UNTIL = 18
"""Second from which on the server of these tests answers later and later."""

OUTRUN = [1.0] * KEPT_UP_UNTIL + [60.0 * (1 + second) for second in range(30 - KEPT_UP_UNTIL)]


def recorded(folder: Path, rates: list[float], latencies: list[float]) -> Recording:
    return write_recording(folder, rates, latencies, warm_up_frames=0)


def test_a_ramp_is_judged_where_it_outran_the_server(tmp_path: Path) -> None:
    recording = recorded(tmp_path, RISING, OUTRUN)
    limited = overload.at_limit(recording)
    assert limited is not None
    whole, part = recording.measured, limited.measured
    begins_s = (part.from_ns - whole.from_ns) / 1e9
    assert KEPT_UP_UNTIL - 2 <= begins_s <= KEPT_UP_UNTIL + 3
    assert part.to_ns == limited.inside[-1].end_ns


@pytest.mark.parametrize(
    ("rates", "latencies"),
    [
        (RISING, [1.0] * 30),
        ([300.0] * 30, OUTRUN),
        (RISING[::-1], OUTRUN),
        (RISING[:6], OUTRUN[-6:]),
        ([*RISING[:-1], 1.0], [*OUTRUN[:-1], 0.01]),
    ],
    ids=["kept up", "steady", "falling", "short", "calm at last"],
)
def test_other_loads_are_judged_as_a_whole(
    tmp_path: Path, rates: list[float], latencies: list[float]
) -> None:
    assert overload.at_limit(recorded(tmp_path, rates, latencies)) is None


QUICK = [*[1.0] * 26, 6.0, 20.0, 60.0, 140.0]
"""Latencies of a server of 10 ms that a ramp overloads for its last four seconds."""


def test_a_short_overload_of_a_quick_server_is_seen_from_its_begin(tmp_path: Path) -> None:
    recording = recorded(tmp_path, RISING, QUICK)
    limited = overload.at_limit(recording)
    assert limited is not None
    begins_s = (limited.measured.from_ns - recording.measured.from_ns) / 1e9
    assert 25 <= begins_s <= 27


def test_waiting_for_the_last_answers_is_no_part_of_the_load(tmp_path: Path) -> None:
    drained = 8
    rates, latencies = [*RISING, *[0.5] * drained], [*QUICK, *[0.5] * drained]
    recording = recorded(tmp_path, rates, latencies)
    config = json.loads(recording.folder.config.read_text())
    config["stop"]["after_s"] = float(len(RISING))
    recording.folder.config.write_text(json.dumps(config))
    limited = overload.at_limit(Recording(recording.folder, recording.manifest))
    assert limited is not None
    length_s = (limited.measured.to_ns - recording.measured.from_ns) / 1e9
    assert length_s == pytest.approx(len(RISING), abs=0.1)

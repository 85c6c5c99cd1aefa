"""Little's law on stages of sockets: what is known is divided, and what is not is left out or widens."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from loadrig.base.component import SERVER
from loadrig.base.series import Sample
from loadrig.measures._stage_times import MULTIPLEXED, StageTime, stage_times, time_per_call
from loadrig.recording.layout import TrialFolder
from loadrig.recording.reader import Recording
from loadrig.recording.writer import TrialWriter
from loadrig.testing.engine_frames import engine_config, engine_frame, row

NS = 1_000_000_000
IN, OUT = "in:8000", "out:127.0.0.1:6379"


def recorded(
    folder: Path,
    readings: Sequence[tuple[float, int, Mapping[tuple[str, str], float]]],
    answers: Sequence[int],
    protocol: str = "http1",
    component: str = SERVER,
) -> Recording:
    """Readings (second, looks, {(group, metric): value}), and answers in frames of a second."""
    trial = TrialFolder(folder)
    with TrialWriter(trial, {}) as writer:
        begun = Recording.open(folder).manifest.monotonic_ns
        config = engine_config(["/"], "users", 8.0)
        trial.write_config({**config, "connections": {**config["connections"], "protocol": protocol}})
        for n, count in enumerate(answers):
            rows = [row("ok", [0.01] * count)] if count else []
            writer.frame(engine_frame(n, begun + n * NS, NS, rows))
        for second, looks, values in readings:
            t_ns = begun + int(second * NS)
            samples = [Sample(t_ns, "socket_stages", "looks", "", looks)]
            samples += [
                Sample(t_ns, "socket_stages", metric, group, n) for (group, metric), n in values.items()
            ]
            writer.samples(samples, component)
        end_ns = begun + len(answers) * NS
        writer.manifest_update(measured={"from_ns": begun, "to_ns": end_ns, "why": ""})
        writer.seal()
    return Recording.open(folder)


def by_stage(recording: Recording, group: str = IN, component: str = SERVER) -> dict[str, StageTime]:
    return {one.stage: one for one in stage_times(recording, component) if one.group == group}


def evenly(seconds: int, **numbers: float) -> list[tuple[float, int, Mapping[tuple[str, str], float]]]:
    """A reading a second, a little beside the frames' ends, with the same numbers in each."""
    values = {(IN, stage): number for stage, number in numbers.items()}
    return [(second + 0.3, 40, values) for second in range(-1, seconds + 1)]


def test_the_number_over_the_answers_is_a_time(tmp_path: Path) -> None:
    found = by_stage(recorded(tmp_path / "1", evenly(6, unread=8.0, in_hand=2.0, idle=1.0), [50] * 6))
    assert {stage: one.number for stage, one in found.items()} == pytest.approx(
        {"unread": 8.0, "in_hand": 2.0, "idle": 1.0}
    )
    time = found["unread"].time
    assert time is not None
    assert time.value == pytest.approx(0.16)
    assert time.low == pytest.approx(0.16)
    assert (time.unit, time.n, time.of, time.warnings) == ("s", 300, "answers", ())
    assert found["unread"].looks == 240


def test_an_interval_is_wide_where_the_number_wavers(tmp_path: Path) -> None:
    readings = [(second, 40, {(IN, "unread"): float(second % 3)}) for second in range(13)]
    time = by_stage(recorded(tmp_path / "1", readings, [100] * 12))["unread"].time
    assert time is not None
    assert time.low is not None
    assert time.high is not None
    assert time.value == pytest.approx(0.01)
    assert 0 <= time.low < 0.009 < 0.011 < time.high


def test_ties_widen_the_stages_that_share_them_and_no_others(tmp_path: Path) -> None:
    found = by_stage(
        recorded(tmp_path / "1", evenly(6, unread=8.0, in_hand=2.0, idle=1.0, tied=1.0), [50] * 6)
    )
    times = {stage: one.time for stage, one in found.items()}
    widths = {
        stage: None if time is None or time.low is None or time.high is None else time.high - time.low
        for stage, time in times.items()
    }
    assert widths == pytest.approx({"unread": 0.0, "in_hand": 0.02, "idle": 0.02}, abs=1e-9)
    assert found["in_hand"].tied == pytest.approx(1.0)


def test_a_stage_that_is_not_told_of_in_an_interval_had_no_sockets(tmp_path: Path) -> None:
    readings = evenly(8, unread=4.0)
    readings[5] = (readings[5][0], 40, {})
    found = by_stage(recorded(tmp_path / "1", readings, [10] * 8))
    assert found["unread"].number == pytest.approx(3.5)


def test_an_interval_without_looks_is_that_of_the_next_looks(tmp_path: Path) -> None:
    readings = evenly(8, unread=4.0)
    for place in (3, 4):
        readings[place] = (readings[place][0], 0, {})
    found = by_stage(recorded(tmp_path / "1", readings, [10] * 8))
    assert found["unread"].number == pytest.approx(4.0)
    assert found["unread"].looks == 40 * 6


def test_what_nobody_looked_at_is_left_out(tmp_path: Path) -> None:
    readings = [(float(second), 40, {(IN, "unread"): 4.0}) for second in (0, 1, 2, 3, 4, 24, 25, 26, 27, 28)]
    answers = [10] * 4 + [1000] * 20 + [10] * 4
    time = by_stage(recorded(tmp_path / "1", readings, answers))["unread"].time
    assert time is not None
    assert time.value == pytest.approx(0.4)
    assert time.n == 80


def test_a_dependency_costs_each_answer_of_the_load(tmp_path: Path) -> None:
    readings = [(second, 20, {(OUT, "awaiting"): 1.5, (IN, "in_hand"): 2.0}) for second in range(7)]
    recording = recorded(tmp_path / "1", readings, [50] * 6)
    awaiting = by_stage(recording, OUT)["awaiting"]
    assert awaiting.time is not None
    assert awaiting.time.value == pytest.approx(0.03)
    assert time_per_call(awaiting, 300.0) == pytest.approx(0.005)
    with pytest.raises(ValueError, match="above zero"):
        time_per_call(awaiting, 0.0)
    assert stage_times(recording, "redis") == ()


def test_a_connection_of_many_requests_gives_a_lower_bound_and_says_so(tmp_path: Path) -> None:
    readings = [(second, 20, {(OUT, "awaiting"): 1.5, (IN, "in_hand"): 2.0}) for second in range(7)]
    recording = recorded(tmp_path / "1", readings, [50] * 6, protocol="http2")
    served, called = by_stage(recording)["in_hand"].time, by_stage(recording, OUT)["awaiting"].time
    assert served is not None
    assert called is not None
    assert served.warnings == (MULTIPLEXED,)
    assert called.warnings == ()


def test_without_answers_there_are_numbers_and_no_times(tmp_path: Path) -> None:
    found = by_stage(recorded(tmp_path / "1", evenly(6, unread=8.0), [0] * 6))
    assert found["unread"].number == pytest.approx(8.0)
    assert found["unread"].time is None


def test_a_server_that_was_not_watched_has_no_stages(tmp_path: Path) -> None:
    assert stage_times(recorded(tmp_path / "1", [], [10] * 4)) == ()
    assert stage_times(recorded(tmp_path / "2", evenly(6, unread=8.0)[:1], [10] * 4)) == ()

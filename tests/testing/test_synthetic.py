"""Recordings made up for tests are true to the format, and their books balance."""

from pathlib import Path

import pytest

from loadrig.recording import checking
from loadrig.recording.frame import Frame
from loadrig.testing.engine_frames import engine_frame, row
from loadrig.testing.synthetic import Route, write_recording


def test_requests_due_are_answered_failed_or_unsent_at_every_frame(tmp_path: Path) -> None:
    routes = (Route(outcomes={"http_4xx": 0.1, "timeout": 0.1}), Route("login", 0.1, "login"))
    recording = write_recording(tmp_path / "1", (100.0,) * 8, routes=routes, unsent_share=0.05)
    balance = 0
    for frame in recording.frames:
        balance += frame.due - frame.answered - frame.failed - frame.unsent
        assert balance == frame.in_flight
        assert frame.answered + frame.failed == sum(route.count for route in frame.routes)
    outcomes = {route.outcome for frame in recording.frames for route in frame.routes}
    assert outcomes == {"ok", "http_4xx", "timeout"}


def test_request_seconds_are_the_sum_of_response_times(tmp_path: Path) -> None:
    recording = write_recording(tmp_path / "1", (300.0,) * 8)
    merged = recording.histogram(classes=("service", "login"))
    spent = merged.mean_ns * merged.count / 1e9
    assert sum(frame.in_flight_s for frame in recording.frames) == pytest.approx(spent, rel=1e-3)


def test_the_same_seed_gives_the_same_figures(tmp_path: Path) -> None:
    recording, same, other = (
        write_recording(tmp_path / str(i), (50.0,) * 6, seed=s) for i, s in enumerate((1, 1, 2))
    )
    assert recording.histogram() == same.histogram() != other.histogram()


def test_latencies_follow_their_factors(tmp_path: Path) -> None:
    recording = write_recording(tmp_path / "1", (400.0,) * 2, latencies=(1.0, 10.0), warm_up_frames=0)
    first, second = recording.histograms([frame.t_ns for frame in recording.frames])
    assert 8 < second.quantile_ns(0.5) / first.quantile_ns(0.5) < 12


def test_it_is_sealed_by_the_real_writer(tmp_path: Path) -> None:
    findings = checking.check_trial(write_recording(tmp_path / "1", (50.0,) * 6).folder)
    assert (findings.troubles, findings.unsealed) == ([], {})
    assert not write_recording(tmp_path / "2", (50.0,) * 6, is_sealed=False).is_sealed


def test_a_made_up_frame_is_a_frame() -> None:
    document = engine_frame(0, 5, 10, [row("ok", [0.1])], fds=33)
    frame = Frame.live(document)
    assert (frame.end_ns, frame.fds, frame.routes[0].count) == (15, 33, 1)
    assert {str(tag) for tag in frame.histograms} >= {"search|ok|response", "search|ok|service", "-|lag"}
    with pytest.raises(TypeError, match="fsd"):
        engine_frame(0, 0, 1, [], fsd=1)

"""A run followed by its files: what an early watcher is told in pieces, a late one is told at once."""

import contextlib
import json
import os
import time
from collections import Counter
from pathlib import Path

import pytest

from loadrig.following.document import RunNewsDocument, SecondDocument
from loadrig.following.run import RunFollower
from loadrig.recording.layout import RunFolder
from loadrig.recording.now_note import NowNote
from loadrig.recording.reader import Recording
from loadrig.testing.synthetic import Route, SyntheticServer, write_recording

RATES = (100.0,) * 12

CPU_S = 0.002


@pytest.fixture
def run(tmp_path: Path) -> RunFolder:
    folder = RunFolder(tmp_path / "run")
    folder.create(None)
    return folder


@pytest.fixture
def trial(run: RunFolder) -> Recording:
    routes = (Route(outcomes={"http_5xx": 0.1}), Route("login", 0.1, "login"))
    return write_recording(
        run.trial(1).path, RATES, routes=routes, server=SyntheticServer(CPU_S), frame_s=0.25, is_sealed=False
    )


def seconds_of(news: list[RunNewsDocument]) -> list[SecondDocument]:
    return [second for each in news if each.trial is not None for second in each.trial.seconds]


def test_seconds_are_those_of_the_recording(run: RunFolder, trial: Recording) -> None:
    follower = RunFollower(run)
    news = follower.look()
    follower.close()
    assert news.trial is not None
    seconds, frames = news.trial.seconds, trial.frames[:12]
    assert len(seconds) == 3
    assert sum(second.due for second in seconds) == pytest.approx(sum(frame.due for frame in frames))
    for second, place in zip(seconds, range(0, 12, 4), strict=True):
        inside = frames[place : place + 4]
        rows = [row for frame in inside for row in frame.routes if row.route_class == "service"]
        assert second.ok == pytest.approx(sum(row.count for row in rows if row.outcome == "ok"))
        assert second.failed == pytest.approx(sum(row.count for row in rows if row.outcome != "ok"))
        histogram = trial.histogram(outcome="ok", from_ns=inside[0].t_ns, to_ns=inside[-1].end_ns)
        assert second.p99_s == pytest.approx(histogram.quantile_ns(0.99) / 1e9)
        assert second.in_flight == inside[-1].in_flight
    assert news.trial.outcomes["http_5xx"] > 0
    assert news.trial.outcomes.keys() == {"ok", "http_5xx"}


def test_what_comes_in_pieces_is_what_a_late_watcher_is_told(
    run: RunFolder, trial: Recording, tmp_path: Path
) -> None:
    late = RunFollower(run)
    at_once = late.look()
    late.close()
    growing = RunFolder(tmp_path / "growing")
    growing.create(None)
    source, target = run.trial(1), growing.trial(1)
    target.path.mkdir()
    early, pieces = RunFollower(growing), []
    names = (source.latency, source.frames, source.events, source.series_stream)
    contents = {path.name: path.read_bytes() for path in names}
    target.manifest.write_bytes(source.manifest.read_bytes())
    target.config.write_bytes(source.config.read_bytes())
    for share in range(1, 11):
        for name, content in contents.items():
            (target.path / name).write_bytes(b"") if share == 1 else None
            with (target.path / name).open("ab") as file:
                file.write(content[len(content) * (share - 1) // 10 : len(content) * share // 10])
        pieces.append(early.look())
    early.close()
    assert at_once.trial is not None
    assert seconds_of(pieces) == list(at_once.trial.seconds)
    used = [use for each in pieces if each.trial for use in each.trial.used]
    assert used == list(at_once.trial.used)
    assert pieces[-1].trial is not None
    assert pieces[-1].trial.outcomes == at_once.trial.outcomes


def test_the_use_of_the_cpu_is_that_of_the_samples(run: RunFolder, trial: Recording) -> None:
    follower = RunFollower(run)
    news = follower.look().trial
    follower.close()
    assert news is not None
    (server,) = [tier for tier in news.tiers if tier.name == "server"]
    assert server.memory_bytes is None or server.memory_bytes > 0
    cores = [use.cores for use in news.used if use.name == "server" and use.cores is not None]
    assert sum(cores) / len(cores) == pytest.approx(CPU_S * RATES[0], rel=0.4)
    span_s = news.seconds[-1].t_s - news.seconds[0].t_s
    assert all(-2 <= use.t_s - news.seconds[0].t_s <= span_s + 2 for use in news.used)


def test_a_run_tells_its_state_and_what_is_over(run: RunFolder, trial: Recording) -> None:
    note = NowNote(run, "loadrig run shop")
    note.change(trial=1, setting="workers=4", done=1, total=3, left_s=30.0)
    note.phase("measuring", 10.0)
    measures = {"throughput": {"value": 98.0}, "p99": {"value": 0.02}}
    rows = [
        {"kind": "study", "name": "shop"},
        {"kind": "trial", "index": 7, "setting": {"workers": 2}, "validity": "valid", "measures": measures},
        {"kind": "of a version to come"},
    ]
    run.ledger.write_text("".join(json.dumps(row) + "\n" for row in rows) + "{torn")
    follower = RunFollower(run)
    news = follower.look()
    assert (news.title, news.is_running, news.phase, news.setting) == (
        "loadrig run shop", True, "measuring", "workers=4",
    )  # fmt: skip
    assert 0 <= news.phase_s < 60
    assert 0 < news.left_s <= 30
    (over,) = news.over
    assert (over.number, over.setting, over.ok_rps, over.p99_s) == (7, "workers=2", 98.0, 0.02)
    note.close()
    again = follower.look()
    follower.close()
    assert (again.is_running, again.phase, again.over, again.total) == (False, "", (), 3)


def test_a_folder_that_is_removed_is_told(run: RunFolder, trial: Recording) -> None:
    import shutil

    follower = RunFollower(run)
    follower.look()
    shutil.rmtree(run.path)
    news = follower.look()
    follower.close()
    assert news.is_gone
    assert not news.is_running


@pytest.mark.parametrize("name", ["frames", "latency", "events", "manifest", "series_stream", "config"])
def test_a_damaged_file_takes_nothing_else_away(run: RunFolder, trial: Recording, name: str) -> None:
    path = getattr(run.trial(1), name)
    os.chmod(path, 0o600)
    path.write_bytes(b'{"t_ns": "x"}\n\xff\xfe\n[]\nTag=a,b\n' * 3)
    follower = RunFollower(run)
    news = follower.look()
    follower.close()
    assert news.trial is not None
    assert bool(news.trial.seconds) == (name not in {"frames", "manifest"})


def test_time_goes_by_without_news(run: RunFolder, trial: Recording) -> None:
    follower = RunFollower(run)
    follower.look()
    time.sleep(0.01)
    news = follower.look()
    follower.close()
    assert news.trial is not None
    assert (news.trial.seconds, news.trial.used, news.trial.happenings) == ((), (), ())


def test_times_by_route_are_those_of_the_recording(run: RunFolder, trial: Recording) -> None:
    with (
        contextlib.closing(RunFollower(run, is_by_route=True)) as follower,
        contextlib.closing(RunFollower(run)) as without,
    ):
        (news, _) = follower.look(), without.look()
        assert news.trial is not None
        counts = Counter[str]()
        for (route, outcome), times in follower.times.items():
            assert times == trial.histogram(route, outcome)
            counts[outcome] += times.count
        assert counts == news.trial.outcomes
        assert without.times == {}


def test_a_second_that_the_load_did_not_fill_is_counted_also_where_a_trial_follows(run: RunFolder) -> None:
    trials = [
        write_recording(run.trial(number).path, (100.0,) * 10, frame_s=0.25, seed=number, is_sealed=False)
        for number in (1, 2)
    ]
    note = NowNote(run, "loadrig run shop")
    note.change(trial=1, setting="", done=0, total=2, left_s=3.0)
    frames = run.trial(1).frames.read_bytes()
    whole = b"".join(frames.splitlines(keepends=True)[:9])
    with contextlib.closing(RunFollower(run)) as follower:
        run.trial(1).frames.write_bytes(whole)
        first = follower.look().trial
        run.trial(1).frames.write_bytes(frames)
        note.change(trial=2, setting="", done=1, total=2, left_s=1.0)
        last, following = follower.look().trial, follower.look().trial
    note.close()
    assert first is not None
    assert last is not None
    assert following is not None
    assert [news.number for news in (first, last, following)] == [1, 1, 2]
    for recording, news in zip(trials, (last, following), strict=True):
        rows = [row for frame in recording.frames for row in frame.routes]
        assert sum(news.outcomes.values()) == sum(row.count for row in rows)
        assert news.has_counted
        assert news.counted_to_s > first.counted_to_s - 1
    assert sum(first.outcomes.values()) < sum(last.outcomes.values())


def test_a_trial_that_goes_on_beside_another_is_left_after_one_look(run: RunFolder) -> None:
    for number in (1, 2):
        write_recording(run.trial(number).path, (100.0,) * 10, frame_s=0.25, seed=number, is_sealed=False)
    note = NowNote(run, "loadrig run shop")
    note.change(trial=1, setting="", done=0, total=2, left_s=3.0)
    lines = run.trial(1).frames.read_bytes().splitlines(keepends=True)
    numbers = []
    with contextlib.closing(RunFollower(run)) as follower:
        for count, trial in ((4, 1), (6, 2), (8, 2)):
            run.trial(1).frames.write_bytes(b"".join(lines[:count]))
            note.change(trial=trial, setting="", done=0, total=2, left_s=3.0)
            news = follower.look().trial
            assert news is not None
            numbers.append(news.number)
    note.close()
    assert numbers == [1, 1, 2]

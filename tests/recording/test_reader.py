"""Reading a recording: windows, merging, what a kill tore off, and that it is a pure function."""

import os
import shutil
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from loadrig._native import Histogram
from loadrig.base.errors import PlanError
from loadrig.recording.frame_document import LiveFrameDocument
from loadrig.recording.layout import TrialFolder
from loadrig.recording.manifest_document import RecordedSpan
from loadrig.recording.reader import Recording
from loadrig.recording.sealing import seal
from loadrig.recording.window import Window
from loadrig.testing.engine_frames import engine_frame, row
from loadrig.testing.synthetic import Route, write_recording
from tests import strategies
from tests.recording.written import write

NS = 1_000_000_000


@pytest.fixture(scope="module")
def synthetic(tmp_path_factory: pytest.TempPathFactory) -> Recording:
    routes = (
        Route("search", outcomes={"http_5xx": 0.05, "timeout": 0.01}),
        Route("order", share=0.5, median_s=0.05),
        Route("token", share=0.1, route_class="login", median_s=0.2),
    )
    folder = tmp_path_factory.mktemp("made") / "0001"
    return write_recording(folder, (100.0,) * 12, routes=routes, warm_up_frames=3, session_s=2.0)


def test_logins_are_left_out_unless_asked_for(synthetic: Recording) -> None:
    def counted(route_class: str) -> int:
        return sum(row.count for f in synthetic.frames for row in f.routes if row.route_class == route_class)

    assert synthetic.histogram().count == counted("service")
    assert synthetic.histogram(classes=("login",)).count == counted("login")
    assert synthetic.histogram(classes=("service", "login")).count == counted("service") + counted("login")
    assert synthetic.histogram(route="token").count == 0
    assert synthetic.histogram(route="token", classes=("login",)).count == counted("login")


def test_failed_is_all_but_ok_and_never_mixed_with_it(synthetic: Recording) -> None:
    everything = synthetic.histogram()
    ok, failed = synthetic.histogram(outcome="ok"), synthetic.histogram(outcome="failed")
    assert failed.count > 0
    assert (
        synthetic.histogram(outcome="http_5xx").count + synthetic.histogram(outcome="timeout").count
        == failed.count
    )
    ok.add(failed)
    assert ok == everything


def test_the_generators_own_histograms_have_no_route(synthetic: Recording) -> None:
    assert synthetic.histogram(kind="lag").count == sum(frame.sent for frame in synthetic.frames)
    assert synthetic.histogram(kind="lag", route="search", outcome="ok") == synthetic.histogram(kind="lag")
    assert synthetic.histogram(kind="session").count > 0
    assert synthetic.histogram(kind="connect").count == 0


def test_a_kind_that_does_not_exist_is_refused(synthetic: Recording) -> None:
    with pytest.raises(ValueError, match="'latency'"):
        synthetic.histogram(kind="latency")


def test_changing_a_histogram_changes_nobody_elses(synthetic: Recording) -> None:
    first = synthetic.histogram()
    first.record(5)
    assert synthetic.histogram().count == first.count - 1


def test_routes_are_named_in_their_order(synthetic: Recording) -> None:
    assert synthetic.routes == ["search", "order", "token"]
    assert synthetic.classes["token"] == "login"


def test_the_measured_window_is_the_manifests(synthetic: Recording) -> None:
    assert len(synthetic.inside) == 9
    assert synthetic.inside == synthetic.frames[3:12]


def test_at_its_limit_it_is_the_same_recording_with_another_window(synthetic: Recording) -> None:
    assert synthetic.at_limit is None
    limit = RecordedSpan(synthetic.frames[2].t_ns, synthetic.frames[4].end_ns)
    there = Recording(synthetic.folder, structs.replace(synthetic.manifest, limit=limit)).at_limit
    assert there is not None
    assert there.measured == Window(limit.from_ns, limit.to_ns)
    assert [frame.t_ns for frame in there.inside] == [frame.t_ns for frame in synthetic.frames[2:5]]


def test_series_are_filtered_by_each_part_of_their_key(synthetic: Recording) -> None:
    process = {("server", "process", m, "tree") for m in ("cpu_s", "pss_bytes", "rss_bytes")}
    assert set(synthetic.series(component="server")) == process
    assert process <= set(synthetic.series())
    assert set(synthetic.series(metric="cpu_s")) == {("server", "process", "cpu_s", "tree")}
    assert synthetic.series(probe="cgroup") == {}
    assert synthetic.series(component="redis") == {}
    (cpu,) = synthetic.series("process", "cpu_s", "tree", "server").values()
    assert cpu.kind == "counter"


def test_two_openings_of_a_folder_say_the_same(synthetic: Recording) -> None:
    again = Recording.open(synthetic.path)
    assert again.frames == synthetic.frames
    assert again.manifest == synthetic.manifest
    assert again.events == synthetic.events
    assert again.histogram(outcome="ok") == synthetic.histogram(outcome="ok")
    assert again.config == synthetic.config


def test_reading_changes_nothing_in_the_folder(synthetic: Recording) -> None:
    before = {path.name: (path.stat().st_mtime_ns, path.stat().st_size) for path in synthetic.path.iterdir()}
    again = Recording.open(synthetic.path)
    assert again.frames
    assert again.series()
    assert again.histogram().count
    after = {path.name: (path.stat().st_mtime_ns, path.stat().st_size) for path in synthetic.path.iterdir()}
    assert after == before


def merged_of(frames: list[LiveFrameDocument]) -> Histogram:
    total = Histogram()
    for frame in frames:
        for tag, text in frame.histograms.items():
            if tag.kind == "response":
                total.add(Histogram.decode(text))
    return total


@given(frames=strategies.frame_runs(), data=st.data())
def test_frames_grouped_in_any_way_add_up_to_the_same(
    tmp_path_factory: pytest.TempPathFactory, frames: list[LiveFrameDocument], data: st.DataObject
) -> None:
    """Merging loses nothing: whatever the grouping, the same counts and so the same quantiles."""
    folder = TrialFolder(tmp_path_factory.mktemp("run") / "0001")
    begun_ns = write(folder, frames)
    recording = Recording.open(folder.path)
    end = frames[-1].t_ns + frames[-1].len_ns
    cuts = data.draw(st.lists(st.integers(0, end), max_size=6))
    edges = [begun_ns + cut for cut in sorted({0, end, *cuts})]
    parts = [recording.histogram(from_ns=low, to_ns=high) for low, high in pairwise(edges)]
    assert list(recording.histograms(edges)) == parts
    total = Histogram()
    for part in data.draw(st.permutations(parts)):
        total.add(part)
    expected = merged_of(frames)
    assert total == expected == recording.histogram()
    for share in (0.0, 0.5, 0.9, 0.99, 1.0):
        assert total.quantile_ns(share) == expected.quantile_ns(share)
    windows = [Window(low, high) for low, high in pairwise(edges)]
    assert [f for window in windows for f in window.of(recording.frames)] == recording.frames


def test_a_window_holds_the_frames_that_end_in_it(tmp_path: Path) -> None:
    begun_ns = write(
        TrialFolder(tmp_path / "1"), [engine_frame(n, n * NS, NS, [row("ok", [0.1])]) for n in range(5)]
    )
    recording = Recording.open(tmp_path / "1")

    def ends(from_ns: int, to_ns: int) -> list[int]:
        return [frame.n for frame in Window(begun_ns + from_ns, begun_ns + to_ns).of(recording.frames)]

    assert ends(NS, 3 * NS) == [1, 2]
    assert ends(NS // 2, 3 * NS) == [0, 1, 2]
    assert ends(NS, 3 * NS - 1) == [1]
    assert ends(3 * NS, 3 * NS) == []


def test_a_recording_cut_short_before_its_window_counts_whole(tmp_path: Path) -> None:
    write(TrialFolder(tmp_path / "1"), [engine_frame(n, n * NS, NS, [row("ok", [0.1])]) for n in range(5)])
    assert [frame.n for frame in Recording.open(tmp_path / "1").inside] == [0, 1, 2, 3, 4]


def test_a_recording_without_a_frame_is_empty_and_not_an_error(tmp_path: Path) -> None:
    write(TrialFolder(tmp_path / "1"), [])
    recording = Recording.open(tmp_path / "1")
    assert (recording.frames, recording.inside, recording.routes, recording.events, recording.series()) == (
        [],
        [],
        [],
        [],
        {},
    )
    assert recording.histogram().count == 0
    assert recording.config is None


@pytest.mark.parametrize("name", ["frames.jsonl", "latency.hlog", "events.jsonl"])
def test_a_file_cut_anywhere_is_read_up_to_its_last_whole_line(
    synthetic: Recording, tmp_path: Path, name: str
) -> None:
    whole = (synthetic.path / name).read_bytes()
    for share in (0.0, 0.1, 0.33, 0.5, 0.77, 0.999, 1.0):
        folder = tmp_path / f"{name}-{share}"
        shutil.copytree(synthetic.path, folder, ignore=shutil.ignore_patterns("SEALED"))
        (folder / name).chmod(0o644)
        (folder / name).write_bytes(whole[: int(len(whole) * share)])
        recording = Recording.open(folder)
        assert not recording.is_sealed
        count = recording.histogram(classes=("service", "login")).count
        of_frames = sum(route.count for frame in recording.frames for route in frame.routes)
        assert count == of_frames if name != "latency.hlog" else count <= of_frames
        assert recording.frames == synthetic.frames[: len(recording.frames)]
        assert recording.events == synthetic.events[: len(recording.events)]


def test_histograms_of_a_frame_that_was_not_written_do_not_count(
    synthetic: Recording, tmp_path: Path
) -> None:
    shutil.copytree(synthetic.path, tmp_path / "1", ignore=shutil.ignore_patterns("SEALED"))
    path = tmp_path / "1" / "frames.jsonl"
    path.chmod(0o644)
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:4]))
    recording = Recording.open(tmp_path / "1")
    counted = sum(
        route.count for frame in recording.frames for route in frame.routes if route.route_class == "service"
    )
    assert len(recording.frames) == 4
    assert recording.histogram().count == counted > 0


@pytest.mark.parametrize("line", ["nonsense", "[1]", '{"n": 0}'])
def test_a_whole_line_that_is_no_frame_is_said_with_its_number(tmp_path: Path, line: str) -> None:
    folder = TrialFolder(tmp_path / "1")
    write(folder, [engine_frame(0, 0, NS, [])])
    folder.frames.chmod(0o644)
    folder.frames.write_text(folder.frames.read_text() + line + "\n")
    with pytest.raises(PlanError) as failed:
        assert Recording.open(folder.path).frames
    assert failed.value.problems[0].code == "recording.broken"
    assert "line 2" in failed.value.problems[0].why


def test_what_is_remembered_is_made_once(synthetic: Recording) -> None:
    calls: list[int] = []

    def make() -> int:
        calls.append(1)
        return 7

    again = Recording.open(synthetic.path)
    assert (again.remembered("k", make), again.remembered("k", make), len(calls)) == (7, 7, 1)


def test_a_sealed_recording_is_the_same_object_until_a_file_that_it_is_read_from_changes(
    synthetic: Recording, tmp_path: Path
) -> None:
    folder = shutil.copytree(synthetic.path, tmp_path / "trial")
    if not synthetic.is_sealed:
        seal(TrialFolder(folder))
    opened = Recording.open(folder)
    # The result is made from the recording: to write it is no reason to work it out again.
    (folder / "result.json").write_text("{}", encoding="utf-8")
    assert Recording.open(folder) is opened
    (folder / "note").write_text("new", encoding="utf-8")
    assert Recording.open(folder) is not opened


def test_the_config_comes_back(synthetic: Recording) -> None:
    config = synthetic.config
    assert config is not None
    assert [route.name for route in config.routes] == ["search", "order", "token"]
    assert [route.target for route in config.routes] == ["/search", "/order", "/token"]


@pytest.mark.parametrize("name", ["shop:gthread", "s3:x", "file:", "50% (new) + ü"])
def test_a_folder_may_be_called_anything(tmp_path: Path, name: str) -> None:
    # Some libraries take a path with a colon in it for an address of the net.
    written = write_recording(tmp_path / name / "0001", (50.0,) * 8, warm_up_frames=2)
    assert written.series(probe="process", metric="cpu_s")


def test_a_sealed_folder_is_read_once_until_a_file_of_it_changes(tmp_path: Path) -> None:
    path = write_recording(tmp_path / "0001", (100.0,) * 3).path
    first = Recording.open(path)
    assert Recording.open(path) is first
    os.utime(first.folder.events, ns=(1, 1))
    assert Recording.open(path) is not first


def test_a_folder_that_is_not_sealed_is_read_anew(tmp_path: Path) -> None:
    path = write_recording(tmp_path / "0001", (100.0,) * 3, is_sealed=False).path
    assert Recording.open(path) is not Recording.open(path)

"""The document on CPU time: bursts that count as one, shares with their intervals, every field explained."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as some
from syrupy.assertion import SnapshotAssertion

from loadrig.account.document import LineDocument, RunningPartDocument
from loadrig.account.parts import running_parts
from loadrig.base.documents import schema_of
from loadrig.profilers import KeptProfile, Own, Profile, Stack, StackFrame, classes_of, encoded
from loadrig.profilers._cpu_document import ClassTime, CpuTimeDocument, NamedTime
from loadrig.profilers._cpu_time import sentence, threads_of
from loadrig.profilers._shares import overdispersion
from loadrig.profilers._stacks import Weight
from loadrig.recording.window import Window

OWN = Own("cpython")
APP = "/srv/shop/app.py"
VIEW = (StackFrame("view", APP, 3),)
JSON = (*VIEW, StackFrame("encode", "/usr/lib/python3.11/json/encoder.py", 9))
JINJA = (*VIEW, StackFrame("render", "/venv/lib/python3.11/site-packages/jinja2/environment.py", 9))


def burst(folder: Path, number: int, counts: dict[tuple[StackFrame, ...], int]) -> KeptProfile:
    """Return one burst of two seconds with so many samples of 10 ms of each stack."""
    profile = Profile("cpu", 10_000_000, 0, 2_000_000_000)
    for frames, count in counts.items():
        profile.add(Stack(frames), count, count * 10_000_000)
    path = folder / f"{number}.pb.gz"
    path.write_bytes(encoded(profile))
    window = Window(number * 10_000_000_000, number * 10_000_000_000 + 2_000_000_000)
    return KeptProfile("server", "py-spy", "high", window, 0.1, 1.0, OWN, path, why="it is full")


def together(first: KeptProfile, *later: KeptProfile) -> KeptProfile:
    return KeptProfile(
        "server", "py-spy", "high", first.window, 0.2, 1.0, OWN, first.path, later=tuple(later)
    )


def test_bursts_count_as_one_profile(tmp_path: Path) -> None:
    profile = together(burst(tmp_path, 1, {VIEW: 60, JSON: 140}), burst(tmp_path, 2, {VIEW: 40, JSON: 160}))
    assert profile.duration_s == 4.0
    first, second = classes_of(profile)
    assert (first.work, first.samples, first.share) == ("serialise", 300, 0.75)
    assert (second.work, second.samples, second.share) == ("own", 100, 0.25)
    assert first.names == (NamedTime("json", 0.75),)


def test_bursts_that_differ_make_wider_intervals(tmp_path: Path) -> None:
    alike = together(burst(tmp_path, 1, {VIEW: 100, JSON: 100}), burst(tmp_path, 2, {VIEW: 100, JSON: 100}))
    apart = together(burst(tmp_path, 3, {VIEW: 180, JSON: 20}), burst(tmp_path, 4, {VIEW: 20, JSON: 180}))
    widths = []
    for profile in (alike, apart):
        low, high = classes_of(profile)[0].interval
        assert low <= 0.5 <= high
        widths.append(high - low)
    # Wilson's of 400 samples, and of the few that they are worth.
    assert widths[0] == pytest.approx(0.0975, abs=0.002)
    assert widths[1] > 4 * widths[0]


@given(some.lists(some.dictionaries(some.sampled_from("abcd"), some.integers(0, 300)), max_size=3))
def test_samples_are_never_worth_more_than_they_are(bursts: list[dict[str, int]]) -> None:
    assert overdispersion(bursts) >= 1


def test_overdispersion_is_pearsons() -> None:
    # Expected 50 in each of four cells, 80 and 20 seen: 4 * 900 / 50 over one degree of freedom.
    assert overdispersion([{"a": 80, "b": 20}, {"a": 20, "b": 80}]) == pytest.approx(72)


def test_a_file_that_is_gone_has_no_classes(tmp_path: Path) -> None:
    profile = burst(tmp_path, 1, {VIEW: 10})
    profile.path.unlink()
    assert classes_of(profile) == ()


def rows(*shares: tuple[str, str, float, list[str]]) -> list[ClassTime]:
    return [
        ClassTime(work, words, share, (share, share), 1, tuple(NamedTime(name, 0.1) for name in names))
        for work, words, share, names in shares
    ]


def test_the_sentence(snapshot: SnapshotAssertion) -> None:
    class_times = rows(
        ("serialise", "serialising", 0.41, ["json", "validation"]),
        ("own", "own code", 0.22, []),
        ("other", "other", 0.2, ["jinja2", "werkzeug", "flask"]),
        ("log", "logging", 0.1, ["logging"]),
        ("tls", "TLS", 0.07, ["ssl"]),
    )
    assert sentence("api", class_times) == snapshot
    assert sentence("api", rows(("own", "own code", 1.0, []))) == snapshot


def test_threads_are_told_with_the_function_that_each_was_in_most() -> None:
    profile = Profile("cpu", 10_000_000, 0, 2_000_000_000)
    churn, poll = StackFrame("churn", APP, 9), StackFrame("poll", APP, 20)
    counts = {
        Stack((churn,), "Thread-1 (churn)", 17): 60,
        Stack((replace(churn, line=10),), "Thread-1 (churn)", 17): 20,
        Stack(VIEW, "pool_0", 17): 12, Stack((poll,), "pool_0", 17): 8,
    }  # fmt: skip
    for stack, count in counts.items():
        profile.add(stack, count, count * 10_000_000)
    threads = [
        (thread.thread, thread.pid, thread.share, thread.function) for thread in threads_of(profile, OWN)
    ]
    assert threads == [("Thread-1 (churn)", 17, 0.8, "churn"), ("pool_0", 17, 0.2, "view")]
    profile.stacks = {Stack(VIEW): Weight(1, 10_000_000)}
    assert threads_of(profile, OWN) == ()


def test_every_field_is_explained() -> None:
    documents = schema_of(CpuTimeDocument)["$defs"].values()
    assert len(documents) == 8
    for document in documents:
        assert [name for name, field in document["properties"].items() if not field["description"]] == []


# --- in the account -------------------------------------------------------------------------------

CLASSES = (
    ClassTime("serialise", "serialising", 0.75, (0.7, 0.8), 300, ()),
    ClassTime("own", "own code", 0.25, (0.2, 0.3), 100, ()),
)


def test_the_running_line_is_divided_and_nothing_is_lost() -> None:
    lines = [
        LineDocument("awaiting", "redis", 9.0, None, ""),
        LineDocument("running", "", 8.0, (7.0, 9.0), ""),
    ]
    first, second = running_parts(lines, CLASSES)
    assert first == RunningPartDocument("serialise", "serialising", 6.0, (7.0 * 0.7, 9.0 * 0.8), 0.75)
    assert first.ms + second.ms == 8.0


def test_without_the_line_or_without_classes_there_are_no_parts() -> None:
    assert running_parts([LineDocument("awaiting", "redis", 9.0, None, "")], CLASSES) == ()
    assert running_parts([LineDocument("running", "", 8.0, None, "")], ()) == ()

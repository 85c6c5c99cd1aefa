"""Output of profilers, as recorded from the real programs, read into stacks; and pprof there and back."""

import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loadrig.profilers import Profile, Stack, StackFrame, decoded, encoded
from loadrig.profilers._formats import (
    KERNEL,
    NATIVE,
    NotAProfile,
    of_collapsed,
    of_cpuprofile,
    of_perf,
    of_speedscope,
)
from loadrig.profilers._pprof import NotPprof
from loadrig.profilers._stacks import Weight

RECORDED = Path(__file__).parent / "recorded"


def recorded(name: str) -> str:
    return (RECORDED / name).read_text(encoding="utf-8")


def only(profile: Profile) -> list[tuple[list[str], int]]:
    return [
        ([frame.function for frame in stack.frames], weight.count) for stack, weight in profile.stacks.items()
    ]


def test_a_recording_of_py_spy_has_threads_lines_and_no_command_line() -> None:
    profile = of_speedscope(recorded("py_spy.speedscope.json"), "cpu", 10_000_000)
    assert {stack.thread for stack in profile.stacks} == {"worker-1"}
    innermost = {stack.frames[-1] for stack in profile.stacks}
    assert StackFrame("hot", "/srv/shop/hot.py", 5) in innermost
    assert profile.count == 5
    assert profile.time_ns == 50_000_000
    assert "bin/python3 hot.py" not in repr(profile)


def test_a_recording_of_async_profiler_tells_java_native_and_kernel_apart() -> None:
    profile = of_collapsed(recorded("async_profiler.collapsed"), 10_000_000)
    frames = {frame.function: frame.module for stack in profile.stacks for frame in stack.frames}
    assert frames["shop.app.Hot.main"] == ""
    assert frames["java.lang.StringBuilder.append"] == ""
    assert frames["shop.app.Hot$$Lambda.getAsLong"] == ""
    assert frames["__GI_read"] == "libc.so.6"
    assert frames["jbyte_disjoint_arraycopy_avx3"] == NATIVE
    assert {stack.thread for stack in profile.stacks} == {"main"}
    assert profile.time_ns == profile.count * 10_000_000
    assert max(only(profile), key=lambda pair: pair[1])[0][-1] == "shop.app.Hot.hot"
    folded = of_collapsed("[C1;CompilerThread [0] tid=12];read_[0];do_syscall_64_[k] 2", 1)
    (stack,) = folded.stacks
    assert (stack.thread, stack.frames[-1]) == (
        "C1;CompilerThread [0]",
        StackFrame("do_syscall_64", module=KERNEL),
    )


@pytest.mark.parametrize(
    "name",
    [
        "shop/app/Hot$$Lambda$14.0x0000000800c03000.run_[j]",
        "shop/app/Hot$$Lambda.0x0000000800c03000.run_[j]",
        "shop/app/Hot$$Lambda/0x00007f1c04000a00.run_[i]",
    ],
)
def test_lambdas_of_one_class_are_one_frame(name: str) -> None:
    assert only(of_collapsed(f"{name} 3", 1)) == [(["shop.app.Hot$$Lambda.run"], 3)]


def test_a_recording_of_v8_leaves_out_idle_time_and_counts_by_the_time_between_samples() -> None:
    profile = of_cpuprofile(json.loads(recorded("node.cpuprofile")), pid=7)
    by_leaf = {stack.frames[-1]: weight for stack, weight in profile.stacks.items()}
    hot = StackFrame("hot", "/srv/shop/hot.js", 2)
    assert by_leaf[hot].count == 106
    assert by_leaf[hot].time_ns == pytest.approx(106 * 10_000_000, rel=0.1)
    assert StackFrame("(program)", "", 0) in by_leaf
    functions = {frame.function for stack in profile.stacks for frame in stack.frames}
    assert not {"(idle)", "(root)"} & functions
    assert profile.count == 198 - 80  # of 198 samples 80 were idle
    assert profile.time_ns < 0.65 * profile.duration_ns
    handler = next(stack for stack in profile.stacks if stack.frames[-1] == hot)
    assert [frame.function for frame in handler.frames][-3:] == ["emit", "handler", "hot"]


def test_a_recording_of_perf_has_modules_and_the_kernel() -> None:
    profile = of_perf(recorded("perf.script"))
    stacks = {stack: weight for stack, weight in profile.stacks.items() if stack.frames[-1].function == "hot"}
    (stack,) = stacks
    names = [frame.function for frame in stack.frames]
    assert names == ["__libc_start_call_main", "main", "Shop::find", "hot"]
    assert (stack.thread, stack.pid) == ("hot c", 11378)
    assert stack.frames[-1].module == "/srv/shop/hot c"
    assert stacks[stack] == Weight(2, 2 * 10_101_010)
    innermost = {stack.frames[-1] for stack in profile.stacks}
    assert StackFrame("handle_softirqs", module=KERNEL) in innermost
    select = "std::_Select1st<std::pair<int const, int> >::operator()"
    assert StackFrame(select, module="/srv/shop/hot c") in innermost
    unknown = [frame for stack in profile.stacks for frame in stack.frames if frame.function == "[unknown]"]
    assert unknown == [StackFrame("[unknown]", module="/usr/lib/x86_64-linux-gnu/libz.so.1.2.13")]


@pytest.mark.parametrize("text", ["", "{", "[]", '{"profiles": []}', '{"shared": {"frames": [{}]}}'])
def test_what_is_no_speedscope_file_is_refused(text: str) -> None:
    with pytest.raises(NotAProfile):
        of_speedscope(text, "cpu", 1)


def test_what_is_no_output_of_the_others_is_refused() -> None:
    with pytest.raises(NotAProfile, match="line 2"):
        of_collapsed("a;b 3\nProfiling started\n", 1)
    with pytest.raises(NotAProfile, match="line 1"):
        of_perf("Error: no such file\n")
    with pytest.raises(NotAProfile):
        of_cpuprofile({"nodes": [{"id": 1}]})


# --- pprof ----------------------------------------------------------------------------------------

words = st.text(min_size=1, max_size=12)
frames = st.builds(StackFrame, words, st.just("") | words, st.integers(0, 2**31), st.just("") | words)
stacks = st.builds(
    Stack, st.lists(frames, min_size=1, max_size=6).map(tuple), st.just("") | words, st.integers(0, 2**22)
)
weights = st.builds(Weight, st.integers(1, 2**31), st.integers(1, 2**40))


@given(st.dictionaries(stacks, weights, max_size=8), st.sampled_from(["cpu", "wall"]))
def test_writing_a_profile_and_reading_it_loses_nothing(stacks: dict[Stack, Weight], kind: str) -> None:
    profile = Profile("cpu" if kind == "cpu" else "wall", 10, 1_700_000_000 * 10**9, 5 * 10**9, stacks)
    again = decoded(encoded(profile, "a comment"))
    assert again == profile
    assert encoded(again, "a comment") == encoded(profile, "a comment")


@given(st.binary(max_size=200))
def test_bytes_that_are_no_profile_are_refused(data: bytes) -> None:
    for each in (data, gzip.compress(data), gzip.compress(data)[:-4]):
        with pytest.raises(NotPprof):
            decoded(each)


def test_a_torn_profile_is_refused() -> None:
    profile = Profile(stacks={Stack((StackFrame("hot", "hot.py", 3),)): Weight(3, 30)})
    whole = encoded(profile)
    for length in range(len(whole)):
        with pytest.raises(NotPprof):
            decoded(whole[:length])

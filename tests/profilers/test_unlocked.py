"""CPU time of CPython with and without its lock, joined from two looks and the kernel's counters."""

import pytest
from hypothesis import given
from hypothesis import strategies as some

from loadrig.profilers import Own, Profile, Stack, StackFrame, fold
from loadrig.profilers._unlocked import joined

SAMPLE_NS = 10_000_000
VIEW = Stack((StackFrame("view", "/srv/shop/app.py", 3),))
ZLIB = Stack((*VIEW.frames, StackFrame("zlib.compress()", module="[c]")))
SEND = Stack((StackFrame("handle", "/srv/shop/app.py", 9), StackFrame("sock.sendall()", module="[c]")))


def profile(stacks: dict[Stack, int]) -> Profile:
    cpu_profile = Profile("cpu", SAMPLE_NS, 0, 2_000_000_000)
    for stack, count in stacks.items():
        cpu_profile.add(stack, count, count * SAMPLE_NS)
    return cpu_profile


def shares(cpu_profile: Profile) -> dict[str, float]:
    folded = fold(cpu_profile, Own("cpython"))
    return {work.work: time_ns / folded.total_ns for work, time_ns in folded.time_ns.items()}


def test_threads_that_wait_for_the_lock_after_a_call_do_not_count_as_its_time() -> None:
    # A second of the lock and 0.2 s of the kernel were used; threads stood in sendall, most of them waiting.
    cpu_profile = joined(profile({VIEW: 100}), profile({VIEW: 100, SEND: 300}), 1.0, 0.2)
    assert cpu_profile.time_ns == pytest.approx(1.2e9)
    assert shares(cpu_profile) == {"own": pytest.approx(1 / 1.2), "kernel_net": pytest.approx(0.2 / 1.2)}


def test_c_code_without_the_lock_gets_the_user_time_that_the_lock_has_not_seen() -> None:
    cpu_profile = joined(profile({VIEW: 50}), profile({VIEW: 50, ZLIB: 200, SEND: 200}), 1.7, 0.3)
    assert shares(cpu_profile) == {
        "own": pytest.approx(0.25), "compress": pytest.approx(0.6), "kernel_net": pytest.approx(0.15),
    }  # fmt: skip


def test_a_handshake_computes_without_the_lock_though_opening_a_connection_is_the_kernels_work() -> None:
    handshake = StackFrame("SSLSocket.do_handshake", "/usr/lib/python3.11/ssl.py", 1383)
    accepting = Stack(
        (StackFrame("TCPServer.get_request", "/usr/lib/python3.11/socketserver.py", 505), handshake)
    )
    cpu_profile = joined(profile({VIEW: 10}), profile({VIEW: 11, accepting: 130}), 1.3, 0.1)
    assert shares(cpu_profile)["connect"] == pytest.approx(1.3 / 1.4, abs=0.01)


def test_without_a_lock_all_time_is_what_runs() -> None:
    cpu_profile = joined(profile({}), profile({VIEW: 150, ZLIB: 50}), 2.0, 0.0)
    assert shares(cpu_profile) == {"own": pytest.approx(0.75), "compress": pytest.approx(0.25)}


@given(
    some.dictionaries(some.sampled_from([VIEW, ZLIB, SEND]), some.integers(1, 200)),
    some.dictionaries(some.sampled_from([VIEW, ZLIB, SEND]), some.integers(1, 800)),
    some.floats(0, 4),
    some.floats(0, 4),
)
def test_no_more_is_told_than_was_used_or_seen_and_the_lock_is_believed(
    locked: dict[Stack, int], running: dict[Stack, int], user_s: float, system_s: float
) -> None:
    lock_profile = profile(locked)
    cpu_profile = joined(lock_profile, profile(running), user_s, system_s)
    assert cpu_profile.time_ns <= max(lock_profile.time_ns, (user_s + system_s) * 1e9) + len(running)
    for stack, weight in lock_profile.stacks.items():
        assert cpu_profile.stacks[stack].time_ns >= weight.time_ns

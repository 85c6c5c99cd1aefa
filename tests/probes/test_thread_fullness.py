"""Tests that threads or cores that are nearly full are told, and once."""

from types import SimpleNamespace
from typing import cast

from loadrig._native import ThreadCounts
from loadrig.probes import _thread_fullness
from loadrig.probes._thread_fullness import CORES_FULL, ThreadFullness

NS = 1_000_000_000


def test_what_is_full_is_said() -> None:
    assert _thread_fullness.filled(0.2, 0.2, 0.0, 2) == frozenset()
    assert _thread_fullness.filled(0.95, 1.0, 0.1, 2) == {_thread_fullness.THREAD_FULL}
    assert _thread_fullness.filled(0.5, 1.9, 0.1, 2) == {_thread_fullness.CORES_FULL}
    assert _thread_fullness.filled(0.5, 0.8, 0.5, 2) == {_thread_fullness.CORES_WAITED_FOR}
    assert _thread_fullness.filled(0.1, 0.1, 0.5, 2) == frozenset()


def counts(cpu_s: float) -> ThreadCounts:
    return cast("ThreadCounts", SimpleNamespace(groups={"main": (2, cpu_s, 0.0)}, most_share=0.5))


def test_what_has_become_full_is_told_once_and_again_after_it_had_room() -> None:
    fullness = ThreadFullness(cores=2.0)
    used_s = (0.0, 1.9, 3.8, 4.0, 5.9)
    facts = [fullness.take(second * NS, counts(cpu_s)) for second, cpu_s in enumerate(used_s)]
    assert facts == ["", CORES_FULL, "", "", CORES_FULL]

"""Use of the cores while a proof runs: by components, by the generator, and by strangers."""

import os
from unittest.mock import patch

import pytest

from loadrig.base.component import Component
from loadrig.proving import use
from loadrig.proving.use import TICK_S, CpuUse, busy_s

STAT = """\
cpu  400 0 100 900 0 0 0 0 0 0
cpu0 100 0 50 800 10 5 5 30 0 0
cpu1 300 0 50 100 10 0 0 0 0 0
intr 1 2 3
"""


def test_a_core_works_when_it_is_neither_idle_nor_stolen_nor_waits_for_a_disk() -> None:
    assert busy_s(STAT) == {0: pytest.approx(160 * TICK_S), 1: pytest.approx(350 * TICK_S)}
    assert busy_s("") == {}


def test_what_nobody_of_ours_has_used_is_of_strangers() -> None:
    server = Component("server", "program", runtime="native", pid=os.getpid(), cpus=(1,))
    looks = CpuUse()
    with patch.object(use, "_stat", return_value=STAT), patch("time.monotonic", return_value=0.0):
        looks.look([server])
    later = STAT.replace("cpu1 300", f"cpu1 {300 + round(0.9 / TICK_S)}")
    with patch.object(use, "_stat", return_value=later), patch("time.monotonic", return_value=1.0):
        strangers = looks.strangers([server], {"server": 0.2}, (0,), 0.0)
        assert strangers == {1: pytest.approx(0.7)}
        assert looks.strangers([server], {"server": 0.95}, (0,), 0.0) == {}
    assert CpuUse().strangers([server], {}, (0,), 0.0) == {}

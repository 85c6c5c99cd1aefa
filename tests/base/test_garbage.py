"""Looked for in a process of its own: how often is a setting of the whole process, this one's too."""

import subprocess
import sys

CYCLES = """
import gc
from loadrig.base import garbage

def thrown_away(count):
    before = len(gc.get_objects())
    for _ in range(count):
        ring = []
        ring.append(ring)
    return len(gc.get_objects()) - before

gc.collect()
"""


def _said(lines: str) -> list[str]:
    ran = subprocess.run(
        [sys.executable, "-c", CYCLES + lines], capture_output=True, text=True, check=True, timeout=60
    )
    return ran.stdout.split()


def test_what_refers_to_itself_is_given_back_once_load_runs() -> None:
    seldom, often = _said(
        "garbage.look_seldom()\n"
        "print(thrown_away(50_000))\n"
        "gc.collect()\n"
        "garbage.look_often()\n"
        "print(thrown_away(50_000))"
    )
    assert int(seldom) >= 49_000  # all of it is still there
    assert int(often) <= 11_000


def test_a_program_that_calls_loadrig_keeps_its_own_rule() -> None:
    threshold, frozen = _said(
        "gc.set_threshold(5_000)\ngarbage.look_often()\nprint(gc.get_threshold()[0], gc.get_freeze_count())"
    )
    assert (int(threshold), int(frozen)) == (5_000, 0)


def test_what_the_start_has_made_is_looked_through_no_more() -> None:
    (frozen,) = _said("garbage.look_seldom(); garbage.look_often(); print(gc.get_freeze_count())")
    assert int(frozen) > 1_000

"""Tests that strips of a tier show what probes read: a name that no probe has would show nothing."""

from fnmatch import fnmatchcase

from loadrig.base import members
from loadrig.report.figures._strips import STRIPS


def test_every_metric_that_a_strip_shows_is_one_of_a_probe() -> None:
    room = "loadrig.probes"
    metrics = {
        f"{probe}.{metric}" for probe in members.names(room) for metric in members.load(room, probe).METRICS
    }
    metrics.add("system_cpu.busy")  # the sum of what the kernel counts apart
    patterns = [pick.metric for strip in STRIPS for pick in strip.picks]
    assert [pattern for pattern in patterns if not any(fnmatchcase(name, pattern) for name in metrics)] == []

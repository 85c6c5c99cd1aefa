"""A run whose plan names observers on other hosts: what they saw stands in its recording."""

import sys
from pathlib import Path

import pytest

from loadrig.recording.reader import Recording
from loadrig.testing.leftovers import nothing_left_behind
from tests.integration.program import loadrig
from tests.integration.shop import SINGLE, lay_out
from tests.wording import holding

pytestmark = pytest.mark.integration

OBSERVERS = f"""\
observers:
  - {{name: web1, via: env, python: {sys.executable}}}
  - {{name: web2, via: no-such-command web2}}
"""


def test_a_host_stands_beside_the_others_and_one_that_is_not_to_be_had_ends_nothing(tmp_path: Path) -> None:
    lay_out(tmp_path, SINGLE.replace("600ms", "8s") + OBSERVERS)
    with nothing_left_behind():
        ended = loadrig("run", "plan.yaml", "--out", "out", cwd=tmp_path)
    # A busy machine may make the trial void; it is then as complete as otherwise.
    assert ended.code in (0, 111), ended.err
    assert holding((ended.err + ended.out).splitlines(), "web2", "no-such-command")
    recording = Recording.open(tmp_path / "out" / "trials" / "0001")
    assert {key.component for key in recording.series()} >= {"host", "server", "web1/host"}
    web1, web2 = recording.manifest.observers
    assert web1.offset_ms is not None
    assert web1.residual_ms is not None
    assert abs(web1.offset_ms) <= web1.residual_ms
    assert (web1.via, web2.via, web2.n) == ("env", "no-such-command web2", 0)
    assert web2.offset_ms is None
    remarks = [event for event in recording.events if event.component == "web2/host"]
    assert [event.facts["code"] for event in remarks] == ["probe.no-tool"]
    within = [series.t_ns for series in recording.series("system_cpu", component="web1/host").values()]
    assert all(times[-1] > recording.start_ns for times in within)

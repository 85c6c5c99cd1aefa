"""Loads whose users have caches: what these answer is no request, and no fault of the generator."""

import json
from pathlib import Path

import pytest

from loadrig.base.running import Address
from loadrig.engine.compile import compile_config
from loadrig.plan.load import read
from loadrig.recording.reader import Recording
from loadrig.testing.synthetic import write_recording
from loadrig.trial.check_gaps import g7_gaps
from loadrig.trial.evidence import gather
from loadrig.trial.reasons import NotApplicable

PLAN = """\
loadrig: 1
target: {{external: http://127.0.0.1:1}}
workload: {{rate: 80/1s, {}requests: [{{get: /}}]}}
"""


@pytest.mark.parametrize(("cache", "spacing"), [("", "poisson"), ("cache: reuse, ", None)])
def test_gaps_between_requests_are_not_those_of_arrivals_where_caches_answer_some(
    cache: str, spacing: str | None, tmp_path: Path
) -> None:
    recording = write_recording(
        tmp_path / "0001", (80.0,) * 20, facts={"load": {"model": "rate"}}, is_sealed=False
    )
    plan = read(PLAN.format(cache), "plan.yaml")
    config = compile_config(plan, Address("127.0.0.1", 1), seed=1, cpus=(), frame_s=1.0).plain()
    recording.folder.config.write_text(json.dumps(config), encoding="utf-8")
    evidence = gather(Recording.open(recording.path))
    assert evidence.spacing == spacing
    if spacing is None:
        assert [type(remark) for remark in g7_gaps(evidence)] == [NotApplicable]

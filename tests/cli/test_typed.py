"""A mistake in a flag that stands in for a plan's key is told as it was typed."""

from pathlib import Path

import pytest

from loadrig.cli.__main__ import main

PLAN = """\
loadrig: 1
target: {external: 'http://127.0.0.1:9'}
workload: {rate: 10/1s, requests: [{get: /}]}
goals: [p99 < 1s]
"""


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("soak", "--for", "5s"), "--for 5s: for is 5s; it must be at least 10s"),
        (("spike", "--times", "0"), "--times 0: times is 0; it must be between 1.1 and 1000"),
        (("capacity", "--budget", "x"), "--budget x: budget is 'x', not a duration"),
        (("run", "--budget", "x"), "--budget x: budget is 'x', not a duration"),
        (("tune",), "loadrig tune: the study tune has nothing to choose from"),
    ],
)
def test_its_place_is_the_flag(
    words: tuple[str, ...], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = tmp_path / "plan.yaml"
    plan.write_text(PLAN, encoding="utf-8")
    assert main([words[0], str(plan), *words[1:]]) == 104
    assert capsys.readouterr().err.startswith(message)

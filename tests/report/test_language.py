"""A run that was made in English is told in Korean, with the same figures and the same causes."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from loadrig.cli.__main__ import main

RUNS = Path(__file__).parent.parent / "integration" / "recorded"
RECORDED = RUNS / "few-threads" / "run"


def output_of(code: str, *words: str) -> str:
    """Return what `loadrig` prints in a language."""
    done = subprocess.run(
        [sys.executable, "-m", "loadrig.cli", "--lang", code, *words],
        env={**os.environ, "PYTHONUTF8": "1"}, capture_output=True, text=True, check=True, timeout=120,
    )  # fmt: skip
    return done.stdout


def test_a_report_in_korean_is_korean() -> None:
    text = output_of("ko", "report", str(RECORDED), "--text")
    letters = len(re.findall("[가-힣]", text))
    assert letters > 600
    # Sentences are; names of settings, codes and commands are not.
    lines = [line for line in text.splitlines() if re.search("[a-z]{2,} [a-z]{2,} [a-z]{2,} [a-z]{2,}", line)]
    assert lines == []


@pytest.mark.parametrize("name", sorted(each.name for each in RUNS.iterdir()))
def test_what_is_said_in_korean_is_what_is_said_in_english(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("diagnose", str(RUNS / name / "run"), "--json")
    # The tests speak English: no process of its own is needed for that.
    assert main(list(words)) == 0
    here = json.loads(capsys.readouterr().out)
    there = json.loads(output_of("ko", *words))

    def kernel(document: dict[str, Any]) -> list[tuple[str, str, str]]:
        return [(each["cause"], each["component"], each["verdict"]) for each in document["findings"]]

    assert kernel(here) == kernel(there)
    assert here["diagnosis"]["sentence"] != there["diagnosis"]["sentence"]

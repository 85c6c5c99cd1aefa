"""Labels and counts in both languages."""

import os
import subprocess
import sys

import pytest

from loadrig.language import labels
from loadrig.language.choice import written_in
from loadrig.language.ko.labels import LABELS

SPOKEN = """
from loadrig.language import labels
print(labels.label("Latency"), labels.label("GET /cart"), sep="|")
print(labels.counted(3, "trial"), labels.counted(2, "time"), sep="|")
print(labels.counted(1200, "process", "processes"))
print(labels.joined(["a", "b"]), labels.each_request("3 ms"), sep="|")
"""


def printed(code: str) -> list[list[str]]:
    """Return what a process of a language prints, line by line and field by field."""
    done = subprocess.run(
        [sys.executable, "-c", SPOKEN],
        env={**os.environ, "LOADRIG_LANG": code, "PYTHONUTF8": "1"},
        capture_output=True, text=True, check=True, timeout=60,
    )  # fmt: skip
    return [line.split("|") for line in done.stdout.splitlines()]


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (
            "en",
            [
                ["Latency", "GET /cart"],
                ["3 trials", "2 times"],
                ["1,200 processes"],
                ["a and b", "3 ms a request"],
            ],
        ),
        (
            "ko",
            [["지연 시간", "GET /cart"], ["trial 3개", "2회"], ["프로세스 1,200개"], ["a, b", "요청당 3 ms"]],
        ),
    ],
)
def test_labels_and_counts_are_those_of_the_language(code: str, expected: list[list[str]]) -> None:
    assert printed(code) == expected


def test_a_word_that_is_no_label_stays_as_it_is() -> None:
    assert labels.label("GET /cart") == "GET /cart"
    assert all(LABELS.values())


@pytest.mark.parametrize(
    ("text", "code"), [("", "en"), ("It leaks.", "en"), ("누수", "ko"), ("p99 – 3 ms", "en")]
)
def test_the_language_of_a_sentence_is_seen(text: str, code: str) -> None:
    assert written_in(text) == code

"""Texts of events are recorded with what they are made of, and read in the language of the reader."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from loadrig.base.series import Event, EventWords
from loadrig.language.choice import written_in
from loadrig.language.events import SENTENCES, event_words, text_of
from loadrig.recording import events

READ = """
import sys
from pathlib import Path
from loadrig.recording import events
print("|".join(event.text for event in events.read(Path(sys.argv[1]))))
"""


def written(folder: Path, *happened: Event) -> Path:
    """Return a file of events."""
    path = folder / "events.jsonl"
    path.write_bytes(b"".join(map(events.line, happened)))
    return path


def read_in(code: str, path: Path) -> list[str]:
    """Return the texts of a file of events as a process of a language reads them."""
    done = subprocess.run(
        [sys.executable, "-c", READ, str(path)],
        env={**os.environ, "LOADRIG_LANG": code, "PYTHONUTF8": "1"},
        capture_output=True, text=True, check=True, timeout=60,
    )  # fmt: skip
    return done.stdout.strip().split("|")


def test_an_event_is_read_in_the_language_of_its_reader(tmp_path: Path) -> None:
    words = event_words(SENTENCES.slow_command, "keys *", "12 ms")
    path = written(tmp_path, Event.of(7, "slow_command", "command:keys", words, {}))
    english, korean = (read_in(code, path) for code in ("en", "ko"))
    assert [written_in(text) for text in (*english, *korean)] == ["en", "ko"]
    assert all("keys *" in text and "12 ms" in text for text in (*english, *korean))


def test_what_holds_a_text_alone_is_read_as_it_is(tmp_path: Path) -> None:
    path = written(tmp_path, Event(7, "gap", "redis", "it was gone"))
    assert read_in("ko", path) == ["it was gone"]


def test_words_are_the_text_and_what_it_is_made_of() -> None:
    words = event_words(SENTENCES.memory_killed, 2)
    assert words == EventWords(SENTENCES.memory_killed(2), "memory_killed", {"count": 2})
    assert text_of(words.sentence, words.values, "") == words.text


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("", {}),
        ("nobody_knows", {}),
        ("__init__", {}),
        ("log_facts", {}),
        ("memory_killed", {}),
        ("memory_killed", {"count": "many"}),
        ("memory_killed", {"count": 1, "more": 2}),
        ("memory_killed", [1]),
    ],
)
def test_what_is_no_sentence_here_stays_as_it_was_recorded(name: str, values: object) -> None:
    assert text_of(name, values, "as recorded") == "as recorded"  # type: ignore[arg-type]

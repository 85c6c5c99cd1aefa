"""Effects of a run on the servers, from its events."""

from loadrig.base.effects import begun, ended
from loadrig.base.series import EventWords
from loadrig.trial.effects import effects_of

PORT = ("node-inspector", "inspector")
OPENED, CLOSED, AGAIN = (
    EventWords(text, "", {}) for text in ("the inspector was opened", "the inspector was closed", "again")
)


def test_what_was_undone_is_told_apart_from_what_was_not() -> None:
    events = [
        begun(1, *PORT, "opens a port", OPENED, 7),
        begun(2, *PORT, "opens a port", OPENED, 8),
        ended(3, *PORT, CLOSED, 7),
    ]
    assert [(effect.pid, effect.is_undone) for effect in effects_of(events)] == [(7, True), (8, False)]


def test_what_was_done_again_is_told_once_and_counts_as_not_undone() -> None:
    first = begun(1, *PORT, "opens a port", OPENED, 7)
    events = [
        first,
        ended(2, *PORT, CLOSED, 7),
        begun(3, *PORT, "opens a port", AGAIN, 7),
    ]
    (effect,) = effects_of(events)
    assert (effect.text, effect.is_undone) == (first.text, False)

"""Requests that a server counted, beside those that the rig sent meanwhile."""

from loadrig.base.clock import NS
from loadrig.recording.frame import Frame
from loadrig.testing.engine_frames import engine_frame, row
from loadrig.trial.served import sent_at_most

FRAME_NS = NS // 10


def sending(frames: int) -> list[Frame]:
    """Return frames of a tenth of a second, in each of which ten requests are sent and answered."""
    lines = (engine_frame(n, n * FRAME_NS, FRAME_NS, [row("ok", [0.001] * 10)]) for n in range(frames))
    return [Frame.of(line) for line in lines]


def test_what_was_sent_until_a_late_reading_was_over_may_have_been_counted() -> None:
    """A reading of the first second may count what was sent a quarter of a second and a frame later."""
    at_most = sent_at_most(sending(30), 0, NS)
    assert 10 * 13 <= at_most <= 10 * 15

"""CPU time that belongs to no request: whether a load left the server any work."""

from types import SimpleNamespace
from typing import Any, cast

import pytest

from loadrig.account.background import BackgroundScene, background_of
from loadrig.recording.manifest_document import BusyProgram, BusyThread, SurroundingsDocument
from tests.account.made import a_load

ANSWERED = 5_000


def scene(failed: int) -> BackgroundScene:
    """Return a load of which so many requests failed; a thread of its server ran on when it was over."""
    program = BusyProgram("shop", 4710, "server", 0.5, (BusyThread(4711, "statistics", 0.5),))
    surroundings = SurroundingsDocument({}, 0.0, (), "after", (program,))
    frames = [SimpleNamespace(answered=ANSWERED, failed=failed, in_flight=0)]
    recording = SimpleNamespace(manifest=SimpleNamespace(surroundings=surroundings), frames=frames)
    nothing: dict[str, Any] = {}
    return cast(
        "BackgroundScene",
        SimpleNamespace(recording=recording, load=a_load(), subjects=lambda *_: nothing),
    )


@pytest.mark.parametrize(("failed", "is_known"), [(0, True), (2, True), (200, False)])
def test_a_few_requests_that_failed_leave_a_server_no_work(failed: int, is_known: bool) -> None:
    assert (background_of(scene(failed), "server") is not None) == is_known

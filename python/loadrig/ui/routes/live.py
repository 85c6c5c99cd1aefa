"""News of a run, as server-sent events: a browser that was away, or comes late, is told all of it."""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from loadrig.following.document import RunNewsDocument
from loadrig.following.run import RunFollower
from loadrig.recording.layout import RunFolder
from loadrig.ui.home import Home, home_of

EVERY_S = 1.0
"""Time between two news, in seconds: the generator and the probes tell something once a second."""

FULL_EVERY_S = 0.05
"""Time between two news while the past of a run is read, in pieces."""

NEW_SECONDS = 2
"""Seconds of the load that are new at a look, at most, once the past of a run has been read."""

JUDGED_WITHIN_S = 120.0
"""Time from the end of a run until its report must be there, in seconds: a proof's judgement takes some."""

BEGUN_WITHIN_S = 5.0
"""Time until a run whose folder was made must tell that it runs, in seconds."""


async def news(request: Request) -> Response:
    """Answer with the news of a run, from its beginning on."""
    home = home_of(request)
    run = await home.run_of(request)
    return StreamingResponse(_events(home, run, request), media_type="text/event-stream")


async def _events(home: Home, run: RunFolder, request: Request) -> AsyncIterator[bytes]:
    follower, over = RunFollower(run), _Over()
    home.watchers += 1
    try:
        while not (home.ending.is_set() or await request.is_disconnected()):
            latest = await run_in_threadpool(follower.look)
            yield b"event: news\ndata: " + msgspec.json.encode(latest) + b"\n\n"
            has_more = latest.trial is not None and len(latest.trial.seconds) > NEW_SECONDS
            if not has_more and over.see(latest):
                yield b"event: over\ndata: {}\n\n"
                return
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(home.ending.wait(), FULL_EVERY_S if has_more else EVERY_S)
    finally:
        home.leave()
        await run_in_threadpool(follower.close)


class _Over:
    """Judge of whether nothing more is to be told of a run."""

    def __init__(self) -> None:
        self._since_s: float | None = None
        self._has_run = False

    def see(self, latest: RunNewsDocument) -> bool:
        """Take in news; return whether they are the last."""
        if latest.is_gone:
            return True
        if latest.is_running:
            self._since_s, self._has_run = None, True
            return False
        if self._since_s is None:
            self._since_s = time.monotonic()
        # What has run while we looked is judged now, and has its report then; what is only about to run has
        # nothing yet. All else is over, and was so before.
        if self._has_run:
            most_s = 0.0 if latest.has_report else JUDGED_WITHIN_S
        else:
            most_s = 0.0 if latest.has_result else BEGUN_WITHIN_S
        return time.monotonic() - self._since_s >= most_s


ROUTES = [Route("/api/runs/{run:path}/news", news)]

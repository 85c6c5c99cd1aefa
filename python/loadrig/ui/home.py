"""The folder of runs and its index, which all routes share, and bodies of requests and answers."""

import asyncio
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from loadrig.archive.index import RunIndex
from loadrig.base.documents import Document
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.ui import UiHomeErrors
from loadrig.recording.layout import RunFolder
from loadrig.ui.starting import Starter

T = TypeVar("T")

ERRORS = texts_of(UiHomeErrors)

REFRESH_EVERY_S = 2.0
"""Time between two looks at the folders, in seconds: ten thousand of them take some 0.2 s."""


READ_S = 0.1
"""Time in which new runs are read at one look, in seconds: of thousands the list fills bit by bit."""


class Home:
    """Folder of all runs, and its index. alone: the only run that is shown, or None for all.

    starter: starts runs; None where the pages may not. is_whole: whether all runs of the folder were read.
    ending: set once the server is to end.
    """

    def __init__(self, root: Path, alone: str | None = None, starter: Starter | None = None) -> None:
        self.root, self.alone, self.starter = root, alone, starter
        self._index = RunIndex(root)
        self._lock = threading.Lock()
        self._looked_s = float("-inf")
        self._changes = 0
        self.is_whole = False
        self.ending = asyncio.Event()
        self.watchers = 0
        self.left_s = time.monotonic()

    async def ask(self, question: Callable[[RunIndex], T]) -> T:
        """Return the answer of the index to a question, in a thread of its own."""
        return await run_in_threadpool(self._ask, question)

    def _ask(self, question: Callable[[RunIndex], T]) -> T:
        with self._lock:
            if time.monotonic() - self._looked_s > REFRESH_EVERY_S:
                changes = self._changes
                self.is_whole = self._index.refresh(READ_S)
                # What changed meanwhile may not have been seen. Counted from the end: a look that takes
                # long does not follow the one before it at once.
                is_seen = self.is_whole and changes == self._changes
                self._looked_s = time.monotonic() if is_seen else float("-inf")
            return question(self._index)

    def look_again(self) -> None:
        """Let the next question look at the folders first, also where a look goes on."""
        self._changes += 1
        self._looked_s = float("-inf")

    async def run_of(self, request: Request) -> RunFolder:
        """Return the run that a request's address names. Raises HTTPException 404."""
        run_id = request.path_params["run"]
        run = await self.ask(lambda index: index.find(run_id))
        if run is None:
            self.look_again()
            run = await self.ask(lambda index: index.find(run_id))
        while run is None and not self.is_whole:  # of many runs some have not been read yet
            run = await self.ask(lambda index: index.find(run_id))
        if run is None:
            raise HTTPException(404, ERRORS.no_run(run_id, str(self.root)))
        return run

    def leave(self) -> None:
        """Take that a browser watches a run no more."""
        self.watchers -= 1
        self.left_s = time.monotonic()

    def close(self) -> None:
        """End the runs that were started here, and close the index."""
        if self.starter is not None:
            self.starter.close()
        with self._lock:
            self._index.close()


def home_of(request: Request) -> Home:
    """Return the home of the application that answers a request."""
    home: Home = request.app.state.home
    return home


def json_of(document: Document | list[Any] | dict[str, Any], status: int = 200) -> Response:
    """Return a document as the answer to a request."""
    return Response(msgspec.json.encode(document), status, media_type="application/json")


async def body_of(request: Request, kind: Any, most_bytes: int = 65536) -> Any:
    """Return the body of a request as a document of a kind, or of one of a union of kinds.

    Raises HTTPException 400 or 413.
    """
    body = b""
    try:
        async for piece in request.stream():
            body += piece
            if len(body) > most_bytes:
                raise HTTPException(413, ERRORS.too_long)
    except ClientDisconnect as error:  # nobody reads the answer; it is no fault of the server
        raise HTTPException(400, ERRORS.cut_short) from error
    try:
        return msgspec.json.decode(body, type=kind)
    except ValueError as error:
        raise HTTPException(400, ERRORS.not_readable(str(error))) from error

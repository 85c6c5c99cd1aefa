"""The list of all runs: search, labels, deletion."""

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from loadrig.archive import labels
from loadrig.archive.labels import LabelsChange
from loadrig.base import own_files
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.ui import UiRunsErrors
from loadrig.recording import now
from loadrig.ui.home import body_of, home_of, json_of

ERRORS = texts_of(UiRunsErrors)

MOST = 500
"""Runs that are listed at once, at most: a search finds the others."""


async def listed(request: Request) -> Response:
    """Answer with the runs that a search finds, and how many there are in all."""
    home = home_of(request)
    search = request.query_params.get("search", "")
    entries, count = await home.ask(lambda index: (index.listed(search, MOST), index.count()))
    folder = str(home.root.resolve())
    return json_of({"runs": entries, "count": count, "folder": folder, "is_whole": home.is_whole,
                    "may_start": home.starter is not None})  # fmt: skip


async def label(request: Request) -> Response:
    """Change the labels of a run, or whether it is pinned."""
    home = home_of(request)
    run = await home.run_of(request)
    wanted: LabelsChange = await body_of(request, LabelsChange)
    try:
        written = await run_in_threadpool(labels.change, run, wanted)
    except OSError as error:
        raise HTTPException(403, ERRORS.labels_not_written(str(error.strerror))) from error
    home.look_again()
    return json_of(written)


async def delete(request: Request) -> Response:
    """Remove the folder of a run that is over, with all that was recorded."""
    home = home_of(request)
    run = await home.run_of(request)
    state = await run_in_threadpool(now.read, run)
    if state is not None and state.is_alive:
        raise HTTPException(409, ERRORS.goes_on)
    try:
        await run_in_threadpool(own_files.remove_tree, run.path)
    except OSError as error:
        raise HTTPException(403, ERRORS.not_removed(error.strerror or str(error))) from error
    home.look_again()
    return json_of({})


ROUTES = [
    Route("/api/runs", listed),
    Route("/api/runs/{run:path}/labels", label, methods=["PATCH"]),
    Route("/api/runs/{run:path}", delete, methods=["DELETE"]),
]

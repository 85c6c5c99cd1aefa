"""The pages themselves, and their style and scripts."""

from importlib.resources import files

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from loadrig.ui.home import home_of

ASSETS = files("loadrig.ui") / "assets"
REPORT_ASSETS = files("loadrig.report") / "assets"

KINDS = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml", ".html": "text/html"}

SHARED = {
    "format.js": ("format.js",),
    "page.css": ("page.css",),
    "uplot.js": ("vendor", "uPlot.iife.min.js"),
    "uplot.css": ("vendor", "uPlot.min.css"),
}
"""Files of the report that these pages use as they are, by the name in their address."""


async def first(request: Request) -> Response:
    """Answer with the list of all runs, or the way to the only one that is shown."""
    alone = home_of(request).alone
    if alone is not None:
        return RedirectResponse(f"/runs/{alone}", 303)
    return _file("runs.html")


async def run(request: Request) -> Response:
    """Answer with the page of a run: live while it goes on, its report once it is over."""
    await home_of(request).run_of(request)
    return _file("run.html")


async def shown(request: Request) -> Response:
    """Answer with the frame around a comparison or a history."""
    del request
    return _file("frame.html")


async def asset(request: Request) -> Response:
    """Answer with a file of the pages."""
    return _file(request.path_params["name"])


def _file(name: str) -> Response:
    path = REPORT_ASSETS.joinpath(*SHARED[name]) if name in SHARED else ASSETS / name
    kind = KINDS.get(name[name.rfind(".") :])
    if kind is None or "/" in name or not path.is_file():
        raise HTTPException(404, "There is no such page.")
    return Response(path.read_bytes(), media_type=kind)


ROUTES = [
    Route("/", first),
    Route("/runs/{run:path}", run),
    Route("/compare", shown),
    Route("/history", shown),
    Route("/assets/{name}", asset),
]

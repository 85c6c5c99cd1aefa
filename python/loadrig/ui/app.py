"""The application: all routes behind the guard."""

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp

from loadrig.ui.guard import Guard
from loadrig.ui.home import Home, json_of
from loadrig.ui.routes import live, pages, reports, runs, start, steer


def application(home: Home, token: str, hosts: frozenset[str], cookie: str) -> ASGIApp:
    """Return the application.

    home: what is shown. token: what a request must bring. hosts: what its Host may say. cookie: the cookie's
    name, which no other server of this machine uses: to a browser all ports are one site.
    """
    # The shortest paths come last: the id of a run is a path itself.
    routes = [*live.ROUTES, *steer.ROUTES, *start.ROUTES, *reports.ROUTES, *runs.ROUTES, *pages.ROUTES]
    app = Starlette(routes=routes, exception_handlers={HTTPException: _failed})
    app.state.home = home
    return Guard(app, token, hosts, cookie)


def _failed(request: Request, error: Exception) -> Response:
    """Answer with what went wrong, as JSON that the page shows."""
    del request
    assert isinstance(error, HTTPException)
    return json_of({"error": error.detail}, error.status_code)

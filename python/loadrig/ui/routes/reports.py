"""Reports: of a run, of two runs against each other, and of a plan over time.

A report is a page of its own with scripts of its own, and the folder of a run may come from somebody else. So
a report is shown in a sandbox: to the browser it is another site, which has no cookie and may ask us for
nothing.
"""

import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from loadrig.archive.index import RunIndex
from loadrig.base import user_files
from loadrig.base.errors import RigError
from loadrig.base.safe_python import safe_python
from loadrig.language.choice import language, texts_of
from loadrig.language.en.errors.ui import UiReportsErrors
from loadrig.recording.layout import RunFolder
from loadrig.ui.home import home_of
from loadrig.ui.routes.pages import language_of

ERRORS = texts_of(UiReportsErrors)

SANDBOX = "sandbox allow-scripts allow-downloads allow-popups"
"""Policy of a report beside its own, which stands in the page."""

MOST_BYTES = 64 << 20
"""Largest size of a report that is shown, in bytes: ours have some 3 MB at most."""


LANGUAGE_WITHIN = 400
"""Characters of a report within which it names its language."""

MADE_WITHIN_S = 120.0
"""Longest time that a page in another language may take, in seconds: a long soak's takes some ten."""


async def report(request: Request) -> Response:
    """Answer with the report of a run; where it has none in this language, with one made for the while."""
    run, code = await home_of(request).run_of(request), language_of(request)
    return await _page(lambda: _report(run, code))


def _report(run: RunFolder, code: str) -> str:
    if run.report.is_file():
        page = user_files.read_text(run.report, MOST_BYTES)
        if f'<html lang="{code}"' in page[:LANGUAGE_WITHIN]:
            return page
    if code != language():
        return _page_written_by(code, "report", str(run.path), "--out")
    from loadrig.report import build, html

    return html.render(build(run.path))


def _page_written_by(code: str, *words: str) -> str:
    """Return the page that a command writes in a language: it is chosen once for a process."""
    with tempfile.TemporaryDirectory(prefix="loadrig-ui-") as scratch:
        path = Path(scratch) / "page.html"
        try:
            done = subprocess.run(
                safe_python("-m", "loadrig.cli", "--lang", code, *words, str(path)),
                stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=MADE_WITHIN_S,
            )  # fmt: skip
        except subprocess.TimeoutExpired as late:
            raise HTTPException(503, ERRORS.made_late(f"{MADE_WITHIN_S:.0f}")) from late
        if not path.is_file():
            raise HTTPException(409, done.stderr.strip() or ERRORS.not_made)
        return user_files.read_text(path, MOST_BYTES)


async def comparison(request: Request) -> Response:
    """Answer with the second of two runs against the first."""
    names = request.query_params.getlist("run")
    if len(names) != 2:
        raise HTTPException(400, ERRORS.not_two_runs)
    home = home_of(request)
    a, b = [await home.ask(_finder(name)) for name in names]
    if a is None or b is None:
        raise HTTPException(404, ERRORS.run_gone)
    code = language_of(request)
    if code != language():
        return await _page(lambda: _page_written_by(code, "compare", str(a.path), str(b.path), "--html"))
    return await _page(lambda: _comparison(a.path, b.path))


def _finder(name: str) -> Callable[[RunIndex], RunFolder | None]:
    return lambda index: index.find(name)


def _comparison(a_path: Path, b_path: Path) -> str:
    from loadrig.comparing import judged, noise, read, refuse, yardsticks
    from loadrig.report import comparison, html

    with tempfile.TemporaryDirectory(prefix="loadrig-ui-") as scratch:
        a, b = (read.read_side(str(path), Path(scratch)) for path in (a_path, b_path))
        refuse.check_trials(a, b)
        noises = noise.noises(a, b, read.runs_in(read.lies_in(a.runs[0])))
        measures = yardsticks.asked(a, b, (), {})
        return html.render(comparison.build(judged.compare(a, b, measures, noises)))


async def history(request: Request) -> Response:
    """Answer with the runs of a plan over time."""
    home, plan, code = home_of(request), request.query_params.get("plan", ""), language_of(request)
    if code != language():
        return await _page(
            lambda: _page_written_by(code, "history", str(home.root), "--plan", plan, "--html")
        )
    return await _page(lambda: _history(home.root, plan))


def _history(root: Path, plan: str) -> str:
    from loadrig.comparing import history as courses
    from loadrig.comparing import read
    from loadrig.report import history, html

    changes = courses.history(read.runs_in(root), plan=plan, names=(), within={}, newest=10)
    return html.render(history.build(changes))


async def _page(make: Callable[[], str]) -> Response:
    try:
        page = await run_in_threadpool(make)
    except RigError as error:
        raise HTTPException(409, " ".join(problem.what for problem in error.problems) + ".") from error
    except OSError as error:
        raise HTTPException(404, ERRORS.not_readable(str(error.strerror))) from error
    return HTMLResponse(page, headers={"Content-Security-Policy": SANDBOX})


ROUTES = [
    Route("/reports/comparison", comparison),
    Route("/reports/history", history),
    Route("/reports/runs/{run:path}", report),
]

"""The pages themselves, and their style and scripts."""

import html
import re
from importlib.resources import files

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from loadrig.language.choice import ENGLISH, LANGUAGES, language, texts_of, translation_of
from loadrig.language.en.errors.ui import UiPagesErrors
from loadrig.language.en.pages import PagesTexts
from loadrig.ui.home import home_of

ERRORS = texts_of(UiPagesErrors)

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


COOKIE = "loadrig-lang"
"""Cookie that names the language in which a browser wants the pages."""

HOLE = re.compile(r"\{\{(\w+)\}\}")
"""Hole of a page for a word of its language."""


def language_of(request: Request) -> str:
    """Return the language in which a browser wants the pages; that of this process where it says none."""
    code = request.cookies.get(COOKIE, "")
    return code if code in LANGUAGES else language()


def words_in(code: str) -> dict[str, str]:
    """Return the words of the pages in a language, by name."""
    names = [name for name in vars(PagesTexts) if not name.startswith("_")]
    texts = PagesTexts if code == ENGLISH else translation_of(PagesTexts, code)
    return {"lang": code, **{name: getattr(texts, name) for name in names}}


async def words(request: Request) -> Response:
    """Answer with the script that has the words of the pages, and names the other language."""
    code = language_of(request)
    other = next(another for another in LANGUAGES if another != code)
    content = b"\n".join([
        b'"use strict";',
        b"const WORDS = " + msgspec.json.encode(words_in(code)) + b";",
        b"const OTHER_LANGUAGE = " + msgspec.json.encode({"code": other, "name": LANGUAGES[other]}) + b";",
    ])  # fmt: skip
    return Response(content, media_type="text/javascript")


async def first(request: Request) -> Response:
    """Answer with the list of all runs, or the way to the only one that is shown."""
    alone = home_of(request).alone
    if alone is not None:
        return RedirectResponse(f"/runs/{alone}", 303)
    return _page("runs.html", request)


async def run(request: Request) -> Response:
    """Answer with the page of a run: live while it goes on, its report once it is over."""
    await home_of(request).run_of(request)
    return _page("run.html", request)


async def begin(request: Request) -> Response:
    """Answer with the form that starts a run."""
    return _page("begin.html", request)


async def shown(request: Request) -> Response:
    """Answer with the frame around a comparison or a history."""
    return _page("frame.html", request)


async def asset(request: Request) -> Response:
    """Answer with a file of the pages."""
    return _file(request.path_params["name"])


def _page(name: str, request: Request) -> Response:
    words = words_in(language_of(request))
    page = (ASSETS / name).read_text(encoding="utf-8")
    return HTMLResponse(HOLE.sub(lambda hole: html.escape(words[hole[1]]), page))


def _file(name: str) -> Response:
    path = REPORT_ASSETS.joinpath(*SHARED[name]) if name in SHARED else ASSETS / name
    kind = KINDS.get(name[name.rfind(".") :])
    if kind is None or "/" in name or not path.is_file():
        raise HTTPException(404, ERRORS.no_page)
    return Response(path.read_bytes(), media_type=kind)


ROUTES = [
    Route("/", first),
    Route("/runs/{run:path}", run),
    Route("/start", begin),
    Route("/compare", shown),
    Route("/history", shown),
    Route("/assets/words.js", words),
    Route("/assets/{name}", asset),
]

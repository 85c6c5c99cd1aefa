"""Runs that are started from a page: an address, or a plan that is written there."""

import re
import time
from typing import Annotated, Literal

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from loadrig.base.documents import Document, Says
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.ui import UiStartErrors
from loadrig.plan import completion
from loadrig.recording.layout import RunFolder
from loadrig.ui import checking, plan_files
from loadrig.ui.home import Home, body_of, home_of, json_of
from loadrig.ui.plan_files import PlanFile, PlanFileError
from loadrig.ui.routes.pages import language_of
from loadrig.ui.starting import NotStartedError, Starter

ERRORS = texts_of(UiStartErrors)

Short = Annotated[str, msgspec.Meta(max_length=2000)]


class AddressStart(Document, frozen=True, tag_field="from", tag="address"):
    """Wish to load an address."""

    address: Annotated[str, Says("address"), msgspec.Meta(pattern=r"^https?://\S+$", max_length=2000)]
    question: Annotated[
        Literal["attack", "capacity"], Says("what it does under a load, or how much it takes")
    ]
    model: Annotated[Literal["users", "rate"], Says("what the level counts")]
    level: Annotated[Short, Says("users, or requests a second")]
    duration: Annotated[Short, Says("how long")]
    goals: Annotated[tuple[Short, ...], Says("goals")] = ()


class PlanStart(Document, frozen=True, tag_field="from", tag="plan"):
    """Wish to run a plan, which is kept first."""

    plan: Annotated[PlanFile, Says("the plan")]


class PlanText(Document, frozen=True):
    """Text of a plan that is to be checked."""

    path: str
    text: str


class PlanPlace(Document, frozen=True):
    """Place in the text of a plan at which something is typed."""

    text: str
    line: int
    column: int


async def plans(request: Request) -> Response:
    """Answer with the plans of the folder in which runs are started."""
    folder = _starter_of(request).folder
    return json_of({"folder": str(folder), "plans": await run_in_threadpool(plan_files.plans_below, folder)})


async def plan(request: Request) -> Response:
    """Answer with the text of a plan."""
    folder = _starter_of(request).folder
    try:
        return json_of(await run_in_threadpool(plan_files.read, folder, request.path_params["plan"]))
    except PlanFileError as error:
        raise HTTPException(404, error.why_in(language_of(request))) from error


async def check(request: Request) -> Response:
    """Answer with what is wrong with a plan's text."""
    folder = _starter_of(request).folder
    wish, code = await body_of(request, PlanText, plan_files.MOST_BYTES), language_of(request)
    try:
        problems = await run_in_threadpool(checking.mistakes_in, code, folder, wish.path, wish.text)
    except PlanFileError as error:
        raise HTTPException(409, error.why_in(code)) from error
    return json_of({"problems": problems})


async def complete(request: Request) -> Response:
    """Answer with what may stand at a place of a plan's text."""
    _starter_of(request)
    place: PlanPlace = await body_of(request, PlanPlace, plan_files.MOST_BYTES)
    word, proposed = await run_in_threadpool(
        completion.proposals, place.text, place.line, place.column, language_of(request)
    )
    rows = [
        {"text": proposal.text, "doc": proposal.doc, "example": proposal.example} for proposal in proposed
    ]
    return json_of({"word": word, "proposals": rows})


async def start(request: Request) -> Response:
    """Start a run, and answer with its id once it has begun."""
    home, starter = home_of(request), _starter_of(request)
    wish: AddressStart | PlanStart = await body_of(request, AddressStart | PlanStart, plan_files.MOST_BYTES)
    code = language_of(request)
    words = ["--lang", code]
    if isinstance(wish, PlanStart):
        words += ["run", await run_in_threadpool(_path_of_plan, starter, wish.plan, code)]
        name = wish.plan.path.rpartition("/")[2].rpartition(".")[0]
    else:
        words += _address_words(wish)
        name = wish.question
    run = _fresh(home, name)
    try:
        await run_in_threadpool(starter.start, [*words, f"--out={run.path}"], run)
    except NotStartedError as error:
        raise HTTPException(409, str(error)) from error
    home.look_again()
    return json_of({"run": run.path.name}, 201)


def _starter_of(request: Request) -> Starter:
    starter = home_of(request).starter
    if starter is None:
        raise HTTPException(403, ERRORS.starts_nothing)
    return starter


def _path_of_plan(starter: Starter, plan: PlanFile, code: str) -> str:
    """Keep a plan that is right; return its path. Raises HTTPException 409, in a language."""
    try:
        if mistakes := checking.mistakes_in(code, starter.folder, plan.path, plan.text):
            raise HTTPException(409, f"{mistakes[0].what}: {mistakes[0].mend}.")
        return str(plan_files.keep(starter.folder, plan))
    except PlanFileError as error:
        raise HTTPException(409, error.why_in(code)) from error


def _address_words(wish: AddressStart) -> list[str]:
    """Return the command that loads an address. Values are joined to their options: none can be an option."""
    words = [wish.question, wish.address]
    words += [f"--goal={goal}" for goal in wish.goals]
    words.append(f"--{'connections' if wish.model == 'users' else 'rate'}={wish.level}")
    words.append(f"--{'duration' if wish.question == 'attack' else 'budget'}={wish.duration}")
    return words


def _fresh(home: Home, name: str) -> RunFolder:
    """Return a folder that is not there yet, for a run of a name."""
    stem = f"{time.strftime('%Y-%m-%d-%H%M%S')}-{re.sub(r'[^a-zA-Z0-9]+', '-', name).strip('-').lower()[:40]}"
    path, number = home.root / stem, 2
    while path.exists():
        path, number = home.root / f"{stem}-{number}", number + 1
    return RunFolder(path)


ROUTES = [
    Route("/api/plans", plans),
    Route("/api/plans/check", check, methods=["POST"]),
    Route("/api/plans/complete", complete, methods=["POST"]),
    Route("/api/plans/{plan:path}", plan),
    Route("/api/start", start, methods=["POST"]),
]

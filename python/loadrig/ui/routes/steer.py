"""Orders to a run that goes on, and what came of them."""

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from loadrig.language.choice import texts_of
from loadrig.language.en.errors.ui import UiSteerErrors
from loadrig.recording import now, steering
from loadrig.recording.steering import Order
from loadrig.ui.home import body_of, home_of, json_of

ERRORS = texts_of(UiSteerErrors)


async def order(request: Request) -> Response:
    """Give an order to the rig that runs in a folder; answer with the order's id."""
    run = await home_of(request).run_of(request)
    wanted: Order = await body_of(request, Order)
    state = await run_in_threadpool(now.read, run)
    if state is None or not state.is_alive:
        raise HTTPException(409, ERRORS.over)
    try:
        order_id = await run_in_threadpool(steering.ask, run, wanted)
    except OSError as error:
        raise HTTPException(403, ERRORS.not_written(str(error.strerror))) from error
    return json_of({"id": order_id}, 202)


async def answers(request: Request) -> Response:
    """Answer with what came of the orders of a run so far."""
    run = await home_of(request).run_of(request)
    return json_of(await run_in_threadpool(steering.answers, run))


ROUTES = [
    Route("/api/runs/{run:path}/orders", order, methods=["POST"]),
    Route("/api/runs/{run:path}/orders", answers),
]

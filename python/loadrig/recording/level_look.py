"""A look at a level of the load by a search: facts of the event that is kept when the look is over."""

from typing import Annotated, Literal

from loadrig.base.documents import Document, Says

LOOK_KIND = "level_judged"
"""Kind of the event whose facts are a LevelLook."""

LevelVerdict = Literal["meets", "fails", "open"]


class LevelLook(Document, frozen=True, kw_only=True):
    """Level that was offered, what was seen there, and between which levels the limit lies since."""

    level: Annotated[float, Says("the level: requests a second, or users")]
    doing: Annotated[str, Says("what the search did there: `ramp`, `search`, `confirm_below`, …")]
    verdict: Annotated[LevelVerdict, Says("whether the goals are met; `open` where it is not sure")]
    leans: Annotated[LevelVerdict, Says("to which side it leans where it is not sure")]
    seconds: Annotated[float, Says("length of the look in seconds")]
    ok_rps: Annotated[float, Says("requests a second that were answered as asked for")]
    response_s: Annotated[float | None, Says("mean response time in seconds; null where nothing ended")]
    at_least: Annotated[float | None, Says("highest level that surely meets the goals, by then")]
    at_most: Annotated[float | None, Says("lowest level above it that surely misses one, by then")]

"""Parts of the answer of a tuning: its stages, its path, the setting that comes nearest to the goals."""

from collections.abc import Mapping
from typing import Annotated, Literal

from loadrig.base.documents import Document, Says
from loadrig.base.setting import Value

StageName = Literal["screen", "doubt", "search", "race", "final race", "confirm"]
Why = Literal["confirmed", "going on", "no setting meets the goals", "nothing works"]


class PathStep(Document, frozen=True):
    """Trial on the path of a tuning."""

    index: Annotated[int, Says("number of the trial, from 1")]
    block: Annotated[int, Says("number of its block, from 0")]
    stage: Annotated[StageName, Says("stage of that block")]
    setting: Annotated[Mapping[str, Value], Says("its knobs and their values")]
    value: Annotated[float | None, Says("objective in its own unit; null where the trial gave none")]
    meets: Annotated[bool | None, Says("whether it met every goal; null where that could not be told")]


class MissedGoal(Document, frozen=True):
    """Goal that a setting misses."""

    goal: Annotated[str, Says("the goal as written")]
    value: Annotated[float, Says("what was measured, on the mean of its trials")]


class NearestSetting(Document, frozen=True):
    """Setting that comes nearest to meeting the goals, where none meets them."""

    setting: Annotated[Mapping[str, Value], Says("its knobs and their values")]
    misses: Annotated[tuple[MissedGoal, ...], Says("the goals that it misses")]

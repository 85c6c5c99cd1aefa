"""Claims of a trial, and what a disturbance does to them: the words of checks, causes and reports.

A disturbance never takes a whole trial away. It weakens the kinds of claims that rest on what it touched,
and leaves the others as they are.
"""

from collections.abc import Iterable, Mapping
from typing import Annotated, Literal, get_args

from loadrig.base.documents import Document, Says

Claim = Literal["facts", "ratios", "rates", "times", "tails", "load"]

CLAIMS: Mapping[Claim, str] = {
    "facts": "what happened: errors by kind, kills, ports used up, overflows",
    "ratios": "shares and costs inside one window: CPU a request, shares of the account",
    "rates": "answers a second, and what the server can do at most",
    "times": "how long requests usually take: the mean and the median",
    "tails": "how long the slowest requests take: p90 and above",
    "load": "that the server had the load that the plan asks for",
}
"""Kinds of claims with the numbers that belong to each, the firmest claim first."""

Effect = Literal["wider", "doubtful", "lost"]

EFFECTS: Mapping[Effect, str] = {
    "wider": "the interval is wider by a known amount, `by`",
    "doubtful": "look at the reason before you believe it; no amount can be given",
    "lost": "nothing can be said of it: the load was not sent, or more than half of the time was taken away",
}
"""Effects of a disturbance on a claim, the mildest first."""


class Weakened(Document, frozen=True):
    """A claim that a disturbance weakened. Made by trial.weakening; read by causes, goals and reports."""

    claim: Annotated[Claim, Says("kind of claim")]
    effect: Annotated[Effect, Says("what the disturbance does to it")]
    by: Annotated[
        float | None,
        Says(
            "share by which the undisturbed figure may be smaller or greater, 0 to 1; null where it is not"
            " known"
        ),
    ]
    checks: Annotated[tuple[str, ...], Says("checks that found the disturbance, the most important first")]
    why: Annotated[str, Says("why, as a sentence")]


def together(shares: Iterable[float]) -> float:
    """Return the share, 0 to 1, that independent disturbances take away together.

    Each takes its share of what the others left.
    """
    remaining = 1.0
    for share in shares:
        remaining *= 1.0 - min(1.0, max(0.0, share))
    return 1.0 - remaining


def graver(first: Effect, second: Effect) -> Effect:
    """Return the graver of two effects."""
    order = get_args(Effect)
    return max(first, second, key=order.index)

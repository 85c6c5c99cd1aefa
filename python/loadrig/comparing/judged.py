"""A comparison: a verdict for each measure and route, and what it would take where there is none.

Two families are judged apart, each with Holm's correction: what decides (the plan's own measure, or those
that the user named, over all routes) and everything beside it (other measures, single routes). Together they
call things different that are not in 2 % of all comparisons at most, however many routes there are.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from loadrig.base.estimate import Estimate
from loadrig.base.units import show_share
from loadrig.comparing import mix as mixes
from loadrig.comparing import refuse
from loadrig.comparing.differences import Difference, differences
from loadrig.comparing.effects import Found, How, Values, effect_of, pairs_of_counts
from loadrig.comparing.noise import Noises
from loadrig.comparing.pairing import Pairing, pairing
from loadrig.comparing.shifts import RouteShift, shifts
from loadrig.comparing.side import Side
from loadrig.comparing.yardsticks import Asked, can_have_route
from loadrig.stats.compare import Effect, holm, known_noise
from loadrig.stats.verdict import Verdict, blocks_to_decide, bound_of
from loadrig.stats.verdict import judge as judge_effect
from loadrig.study.yardstick import Yardstick

ALPHA_DECIDING, ALPHA_BESIDE = 0.015, 0.005
"""A pipeline compares every day: with the customary 5 % it would cry wolf every month."""

LEAST_PAIRS = 6
"""To advise where nothing is known of the noise: fewer know their own spread too badly."""

Word = Literal["better", "worse", "equal", "undecided"]


@dataclass(frozen=True, slots=True)
class Cost:
    """What would decide. pairs: more runs of both, in turns; seconds: how long they take."""

    pairs: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Compared:
    """One measure of one route (None: all of the service), B as against A.

    a, b: what each side reached, with the interval of its own blocks. is_standardised: at the same mix.
    decides: whether the comparison's verdict depends on it. p: adjusted within its family. verdict: None
    where nothing can be said at all. how: see comparing.effects.
    """

    by: Yardstick
    route: str | None
    a: Estimate
    b: Estimate
    effect: Effect | None
    how: How | None
    verdict: Verdict | None
    p: float | None
    decides: bool
    is_standardised: bool = False
    cost: Cost | None = None
    note: str = ""


@dataclass(frozen=True)
class Comparison:
    """Two sides and all that was found. warnings: what weakens it, as sentences."""

    a: Side
    b: Side
    word: Word
    compared: tuple[Compared, ...]
    pairing: Pairing
    mix: mixes.Mix
    shifts: tuple[RouteShift, ...]
    differences: tuple[Difference, ...]
    warnings: tuple[str, ...]

    @property
    def deciding(self) -> tuple[Compared, ...]:
        """Those on which the verdict depends."""
        return tuple(one for one in self.compared if one.decides)

    @property
    def cost(self) -> Cost | None:
        """What would decide all that decides; None where it is decided, or where nobody knows."""
        open_ = [one.cost for one in self.deciding if _word(one) == "undecided"]
        known = [cost for cost in open_ if cost is not None]
        return max(known, key=lambda cost: cost.pairs) if known and len(known) == len(open_) else None


def compare(
    a: Side, b: Side, asked: Asked, known: Noises | None = None, *, with_shifts: bool = True
) -> Comparison:
    """Compare two sides. known: what is known of the noise from elsewhere.

    Raises what comparing.refuse raises, where there is nothing to compare.
    """
    doubts = refuse.check(a, b)
    noises = known or Noises()
    turns = pairing(a, b)
    mix = mixes.mix(a, b)
    compared = _judged(_questions(a, b, asked, mix), a, b, turns, noises)
    notes = (*a.notes, *b.notes, *doubts, *_mixed(mix), *_unpaired(turns, compared, a, b))
    # A search measures each side right below its own capacity: its quantiles are of two loads.
    moved = shifts(a, b, turns) if with_shifts and not a.searched else ()
    return Comparison(
        a, b, word_of(compared), compared, turns, mix, moved, differences(a, b),
        tuple(dict.fromkeys(notes)),
    )  # fmt: skip


def word_of(compared: Sequence[Compared]) -> Word:
    """The verdict of all: one that is worse makes it worse, whatever else is better.

    Only what decides can leave it undecided; what stands beside it can make it worse, if that is proved.
    """
    words = {_word(one) for one in compared}
    deciding = [_word(one) for one in compared if one.decides]
    if "worse" in words:
        return "worse"
    if not deciding or "undecided" in deciding:
        return "better" if deciding and deciding[0] == "better" else "undecided"
    return "better" if "better" in deciding else "equal"


def _word(one: Compared) -> str:
    return "undecided" if one.verdict is None else one.verdict.word


# --- what is asked ------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Question:
    by: Yardstick
    route: str | None
    decides: bool
    weights: tuple[tuple[str, float], ...] = ()


def _questions(a: Side, b: Side, asked: Asked, mix: mixes.Mix) -> list[_Question]:
    """What decides, the same at one mix, what is beside it, and the routes."""
    common = [route for route in a.routes if route in b.routes]
    weights = tuple(mix.weights.items()) if mix.differs else ()
    found: list[_Question] = []
    for by, decides in (*((by, True) for by in asked.deciding), *((by, False) for by in asked.beside)):
        at_one_mix = bool(weights) and mixes.can_be_standardised(by) and _knows(a, b, by, dict(weights))
        # Where the mix differs the same mix decides: else a page asked for more often would be a regression.
        found.append(_Question(by, None, decides and not at_one_mix))
        if at_one_mix:
            found.append(_Question(by, None, decides, weights))
    if len(common) > 1:
        for by in (*asked.deciding, *asked.beside):
            if can_have_route(by):
                found += [_Question(by, route, False) for route in common]
    return sorted(found, key=lambda one: (one.route is not None, not one.decides))


def _knows(a: Side, b: Side, by: Yardstick, weights: dict[str, float]) -> bool:
    """Whether both sides can be brought to one mix. Of a run each only the counts of errors tell anything."""
    if by.name == "errors" and min(len(a.blocks), len(b.blocks)) < 2:
        return False
    return all(mixes.standardised(side.usable[0], by, weights) is not None for side in (a, b))


def _alpha(one: _Question) -> float:
    return ALPHA_DECIDING if one.decides else ALPHA_BESIDE


# --- verdicts -----------------------------------------------------------------------------------


def _judged(
    questions: Sequence[_Question], a: Side, b: Side, turns: Pairing, noises: Noises
) -> tuple[Compared, ...]:
    found: dict[int, Compared] = {}
    for family in (True, False):
        own = [(number, one) for number, one in enumerate(questions) if one.decides is family]
        effects = [(number, one, _effect(one, a, b, turns, noises)) for number, one in own]
        tested = [(number, effect) for number, _, effect in effects if effect is not None and effect.decides]
        adjusted = dict(
            zip([n for n, _ in tested], holm([effect.effect.p for _, effect in tested]), strict=True)
        ) if tested else {}  # fmt: skip
        for number, one, effect in effects:
            p = adjusted.get(number)
            row = _row(one, effect, None if p is None else float(p), len(tested), a, b, turns)
            if row is not None:
                found[number] = row
    return tuple(found[number] for number in sorted(found))


def _effect(one: _Question, a: Side, b: Side, turns: Pairing, noises: Noises) -> Found | None:
    values = _values(one, a, b) if one.weights else None
    return effect_of(a, b, one.by, turns, noises, route=one.route, values=values)


def _values(one: _Question, a: Side, b: Side) -> Values:
    weights = dict(one.weights)
    given = {
        id(trial): mixes.standardised(trial, one.by, weights) for side in (a, b) for trial in side.usable
    }
    return Values(one.by, None, given)


def _row(
    one: _Question, found: Found | None, p: float | None, together: int, a: Side, b: Side, turns: Pairing
) -> Compared | None:
    reached = [_reached(side, one) for side in (a, b)]
    if reached[0] is None or reached[1] is None:
        return None
    if found is None:
        return Compared(one.by, one.route, reached[0], reached[1], None, None, None, None, one.decides,
                        bool(one.weights), note="no number above zero to compare")  # fmt: skip
    verdict, cost = None, None
    if found.decides:
        verdict = judge_effect(
            found.effect, one.by.equal_within, one.by.better, p=p, alpha=_alpha(one), scale=one.by.scale
        )
        verdict = replace(verdict, blocks_to_decide=None)
    if verdict is None or verdict.word == "undecided":
        cost = _cost(found, one, a, b, turns)
    return Compared(
        one.by, one.route, reached[0], reached[1], found.effect, found.how, verdict, p, one.decides,
        bool(one.weights), cost, _note(one, found, verdict, together),
    )  # fmt: skip


def _reached(side: Side, one: _Question) -> Estimate | None:
    """What a side reached: the mean of its blocks; a single trial keeps its own interval."""
    values = _values(one, side, side) if one.weights else Values(one.by, one.route)
    if len(side.usable) == 1 and not one.weights:
        return side.usable[0].with_interval(one.by.name, one.route)
    counts = [trial.estimate(one.by.name, one.route) for trial in side.usable]
    known = [each for each in counts if each is not None]
    if not known:
        return None
    if one.by.name == "errors" and not one.weights:
        n = sum(each.n for each in known)
        total = sum(each.value * each.n for each in known) / n if n else 0.0
        return Estimate(total, one.by.unit, n=n)
    ys = values.of_blocks(side.blocks)
    if not len(ys):
        return None
    centre, blocks = float(ys.mean()), len(ys)
    back = math.exp if one.by.scale == "ratio" else float
    if blocks < 2:
        return Estimate(back(centre), one.by.unit, n=blocks, of="blocks")
    error = float(ys.std(ddof=1)) / math.sqrt(blocks)
    span = known_noise(centre, error, blocks - 1.0, n=blocks)
    return Estimate(back(centre), one.by.unit, back(span.low), back(span.high), n=blocks, of="blocks")


def _cost(found: Found, one: _Question, a: Side, b: Side, turns: Pairing) -> Cost | None:
    """Pairs of runs in turns that would decide with 80 % power, and their time."""
    each_s = a.seconds + b.seconds
    n = max(1, found.effect.n) if turns.pairs else 1
    if found.counts is not None:
        needed = pairs_of_counts(found.counts, one.by.equal_within, _alpha(one))
    elif found.pair_sd is None or found.pair_sd <= 0:
        return Cost(LEAST_PAIRS, round(LEAST_PAIRS * each_s, 1)) if not found.decides else None
    else:
        effect = replace(
            found.effect, standard_error=found.pair_sd / math.sqrt(n), n=n,
            df=max(1.0, n - 1.0) if found.noise is None else float(found.noise.df),
        )  # fmt: skip
        needed = blocks_to_decide(effect, bound_of(one.by.equal_within, one.by.scale), _alpha(one))
    if needed is None:
        return None
    more = max(1, needed - n) if turns.pairs else max(LEAST_PAIRS, needed)
    return Cost(more, round(more * each_s, 1))


def _note(one: _Question, found: Found, verdict: Verdict | None, together: int) -> str:
    parts = []
    if one.weights:
        parts.append("both at the mean of the two mixes")
    if found.how == "within":
        parts.append("a run each: the interval is that within them and knows nothing of the next run")
    elif found.how == "repeats":
        parts.append(
            "a run each, judged by how far repeated runs lie apart, and as much for the time between"
        )
    elif found.how == "history" and found.noise is not None:
        parts.append(f"judged by how far {found.noise.n} earlier runs lie apart")
    elif found.how == "apart":
        parts.append("not in turns: a block's spread is allowed for what changed between the runs")
    if verdict is not None and verdict.is_different and verdict.word == "undecided":
        parts.append("it differs for certain; whether by more than matters is open")
    if together > 1 and verdict is not None:
        parts.append(f"one of {together} judged together (Holm)")
    return "; ".join(parts)


def _mixed(mix: mixes.Mix) -> list[str]:
    if not mix.differs:
        return []
    moved = max(mix.shares, key=lambda one: abs(one.b - one.a))
    shares = f"{show_share(moved.a)} of A's requests, {show_share(moved.b)} of B's"
    return [
        f"the mix of routes differs ({moved.route}: {shares}), so all routes together differ by it, too;"
        " latencies and errors are judged at the same mix, throughput and CPU cannot be"
    ]


def _unpaired(turns: Pairing, compared: Sequence[Compared], a: Side, b: Side) -> list[str]:
    ways = {one.how for one in compared if one.decides}
    found = []
    if "within" in ways:
        found.append(
            "neither side tells how one run differs from the next, so a single run each proves nothing; run"
            " them in turns (A B A B ...), or keep the earlier runs of this plan beside them"
        )
    elif turns.how == "apart" and "apart" in ways:
        found.append(
            f"A's {len(a.blocks)} blocks and B's {len(b.blocks)} did not take turns, so what changed between"
            " the two runs counts as a difference; in turns the same time tells more"
        )
    if turns.is_one_sided:
        found.append(
            "A came first in every pair: what drifts with time favours one of them; draw the order by lot"
        )
    return found

"""A comparison: a verdict for each measure and route, and what it would take where there is none.

Two families are judged apart, each with Holm's correction: what decides (the plan's own measure, or those
that the user named, over all routes) and everything beside it (other measures, single routes). Together they
call things different that are not in 2 % of all comparisons at most, however many routes there are.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from loadrig import __version__
from loadrig.base.documents import finite
from loadrig.base.estimate import Estimate
from loadrig.base.units import show_share
from loadrig.comparing import mix as mixes
from loadrig.comparing import refuse
from loadrig.comparing.differences import differences
from loadrig.comparing.document import (
    ComparedDocument,
    ComparisonDocument,
    Cost,
    MixDocument,
    PairsDocument,
    Reached,
    Word,
)
from loadrig.comparing.effects import ComparedEffect, Values, effect_of, pairs_of_counts
from loadrig.comparing.noise import Noises, off_scale
from loadrig.comparing.pairing import Pairing, pairing
from loadrig.comparing.shifts import shifts
from loadrig.comparing.side import Side
from loadrig.comparing.yardsticks import AskedYardsticks, can_have_route
from loadrig.language.choice import texts_of
from loadrig.language.en.comparing import ComparingJudgedTexts
from loadrig.stats.compare import holm, known_noise
from loadrig.stats.verdict import Verdict, blocks_to_decide, bound_of
from loadrig.stats.verdict import judge as judge_effect
from loadrig.study.yardstick import Yardstick

TEXTS = texts_of(ComparingJudgedTexts)

ALPHA_DECIDING, ALPHA_BESIDE = 0.015, 0.005
"""Shares of comparisons that may wrongly call something different, of what decides and of what stands beside.
A pipeline compares every day: with the customary 5 % it would cry wolf every month."""

LEAST_PAIRS = 6
"""Fewest pairs to advise where nothing is known of the noise: fewer know their own spread too badly."""


def compare(
    a: Side, b: Side, asked: AskedYardsticks, noises: Noises | None = None, *, with_shifts: bool = True
) -> ComparisonDocument:
    """Compare two sides. noises: what is known of the noise from elsewhere.

    Raises what comparing.refuse raises, where there is nothing to compare.
    """
    doubts = refuse.check(a, b)
    turns = pairing(a, b)
    mix = mixes.mix(a, b)
    compared = _judged(_questions(a, b, asked, mix), a, b, turns, noises or Noises())
    notes = (*a.notes, *b.notes, *doubts, *_mixed(mix), *_unpaired(turns, compared, a, b))
    return ComparisonDocument(
        loadrig=__version__,
        verdict=word_of(compared),
        a=a.document,
        b=b.document,
        pairing=PairsDocument(turns.how, len(turns.pairs)),
        compared=compared,
        to_decide=_cost_of_all(compared),
        mix=mix,
        # A search measures each side right below its own capacity, so quantiles are of different loads.
        shift=shifts(a, b, turns) if with_shifts and not a.searched else (),
        differences=differences(a, b),
        warnings=tuple(dict.fromkeys(notes)),
    )


def word_of(compared: Sequence[ComparedDocument]) -> Word:
    """Return the verdict of all rows: one that is worse makes it worse, whatever else is better.

    Only what decides can leave it undecided; what stands beside it can make it worse, if that is proved.
    """
    deciding = [row.verdict for row in compared if row.decides]
    if any(row.verdict == "worse" for row in compared):
        return "worse"
    if not deciding or "undecided" in deciding:
        return "better" if deciding and deciding[0] == "better" else "undecided"
    return "better" if "better" in deciding else "equal"


def _cost_of_all(compared: Sequence[ComparedDocument]) -> Cost | None:
    """Return what would decide every deciding row; None where all are decided, or where nobody knows."""
    needed = [row.to_decide for row in compared if row.decides and row.verdict == "undecided"]
    costs = [cost for cost in needed if cost is not None]
    return max(costs, key=lambda cost: cost.pairs) if costs and len(costs) == len(needed) else None


# --- what is asked ------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Question:
    by: Yardstick
    route: str | None
    decides: bool
    weights: tuple[tuple[str, float], ...] = ()


def _questions(a: Side, b: Side, asked: AskedYardsticks, mix: MixDocument) -> list[_Question]:
    """List what decides, the same measures at one mix, what is beside them, and the routes."""
    common = [route for route in a.routes if route in b.routes]
    weights = tuple(mixes.weights_of(mix).items()) if mix.differs else ()
    questions: list[_Question] = []
    for by, decides in (*((by, True) for by in asked.deciding), *((by, False) for by in asked.beside)):
        at_one_mix = bool(weights) and mixes.can_be_standardised(by) and _knows(a, b, by, dict(weights))
        # Where the mixes differ, figures at one mix decide: else a page asked for more often is a regression.
        questions.append(_Question(by, None, decides and not at_one_mix))
        if at_one_mix:
            questions.append(_Question(by, None, decides, weights))
    if len(common) > 1:
        for by in (*asked.deciding, *asked.beside):
            if can_have_route(by):
                questions += [_Question(by, route, False) for route in common]
    return sorted(questions, key=lambda question: (question.route is not None, not question.decides))


def _knows(a: Side, b: Side, by: Yardstick, weights: dict[str, float]) -> bool:
    """Return whether both sides can be brought to one mix.

    With one run on each side errors are judged by their counts, which cannot be weighted.
    """
    if by.name == "errors" and min(len(a.blocks), len(b.blocks)) < 2:
        return False
    return all(mixes.standardised(side.usable[0], by, weights) is not None for side in (a, b))


def _alpha(question: _Question) -> float:
    return ALPHA_DECIDING if question.decides else ALPHA_BESIDE


# --- verdicts -----------------------------------------------------------------------------------


def _judged(
    questions: Sequence[_Question], a: Side, b: Side, turns: Pairing, noises: Noises
) -> tuple[ComparedDocument, ...]:
    rows: dict[int, ComparedDocument] = {}
    for family in (True, False):
        own = [(number, question) for number, question in enumerate(questions) if question.decides is family]
        effects = [(number, question, _effect(question, a, b, turns, noises)) for number, question in own]
        tested = [(number, effect) for number, _, effect in effects if effect is not None and effect.decides]
        adjusted = dict(
            zip([n for n, _ in tested], holm([effect.effect.p for _, effect in tested]), strict=True)
        ) if tested else {}  # fmt: skip
        for number, question, effect in effects:
            p = adjusted.get(number)
            row = _row(question, effect, None if p is None else float(p), len(tested), a, b, turns)
            if row is not None:
                rows[number] = row
    return tuple(rows[number] for number in sorted(rows))


def _effect(question: _Question, a: Side, b: Side, turns: Pairing, noises: Noises) -> ComparedEffect | None:
    values = _values(question, a, b) if question.weights else None
    return effect_of(a, b, question.by, turns, noises, route=question.route, values=values)


def _values(question: _Question, a: Side, b: Side) -> Values:
    weights = dict(question.weights)
    values = {
        id(trial): mixes.standardised(trial, question.by, weights) for side in (a, b) for trial in side.usable
    }
    return Values(question.by, None, values)


def _row(
    question: _Question,
    effect: ComparedEffect | None,
    p: float | None,
    together: int,
    a: Side,
    b: Side,
    turns: Pairing,
) -> ComparedDocument | None:
    by, reached = question.by, [_reached(side, question) for side in (a, b)]
    if reached[0] is None or reached[1] is None:
        return None
    verdict, cost, note = None, None, TEXTS.no_number_above
    centre, interval = None, None
    if effect is not None:
        if effect.decides:
            verdict = judge_effect(
                effect.effect, by.equal_within, by.better, p=p, alpha=_alpha(question), scale=by.scale
            )
        if verdict is None or verdict.word == "undecided":
            cost = _cost(effect, question, a, b, turns)
        note = _note(question, effect, verdict, together)
        ends = (effect.effect.centre, effect.effect.low, effect.effect.high)
        centre, low, high = (finite(off_scale(y, by.scale)) for y in ends)
        if low is not None and high is not None and effect.effect.standard_error > 0:
            interval = (low, high)
    return ComparedDocument(
        measure=by.name,
        route=question.route,
        standardised=bool(question.weights),
        decides=question.decides,
        unit=by.unit,
        better=by.better,
        equal_within=by.equal_within,
        scale=by.scale,
        a=_document_of(reached[0]),
        b=_document_of(reached[1]),
        effect=centre,
        interval=interval,
        confidence=0.95 if effect is None else effect.effect.confidence,
        verdict="undecided" if verdict is None else verdict.word,
        differs=verdict is not None and verdict.is_different,
        p=finite(p),
        blocks=0 if effect is None else effect.effect.n,
        how=None if effect is None else effect.how,
        to_decide=cost,
        note=note,
    )


def _document_of(estimate: Estimate) -> Reached:
    value, low, high = map(finite, (estimate.value, estimate.low, estimate.high))
    return Reached(value, low, high, estimate.unit, estimate.n, estimate.of)


def _reached(side: Side, question: _Question) -> Estimate | None:
    """Estimate what a side reached: the mean of its blocks; a single trial keeps its own interval."""
    values = _values(question, side, side) if question.weights else Values(question.by, question.route)
    if len(side.usable) == 1 and not question.weights:
        return side.usable[0].with_interval(question.by.name, question.route)
    counts = [trial.estimate(question.by.name, question.route) for trial in side.usable]
    measured = [estimate for estimate in counts if estimate is not None]
    if not measured:
        return None
    if question.by.name == "errors" and not question.weights:
        n = sum(estimate.n for estimate in measured)
        total = sum(estimate.value * estimate.n for estimate in measured) / n if n else 0.0
        return Estimate(total, question.by.unit, n=n)
    ys = values.of_blocks(side.blocks)
    if not len(ys):
        return None
    centre, blocks = float(ys.mean()), len(ys)
    back = math.exp if question.by.scale == "ratio" else float
    if blocks < 2:
        return Estimate(back(centre), question.by.unit, n=blocks, of="blocks")
    error = float(ys.std(ddof=1)) / math.sqrt(blocks)
    span = known_noise(centre, error, blocks - 1.0, n=blocks)
    return Estimate(back(centre), question.by.unit, back(span.low), back(span.high), n=blocks, of="blocks")


def _cost(effect: ComparedEffect, question: _Question, a: Side, b: Side, turns: Pairing) -> Cost | None:
    """Estimate the pairs of runs in turns that would decide with 80 % power, and their time."""
    each_s = a.seconds + b.seconds
    n = max(1, effect.effect.n) if turns.pairs else 1
    if effect.counts is not None:
        needed = pairs_of_counts(effect.counts, question.by.equal_within, _alpha(question))
    elif effect.pair_sd is None or effect.pair_sd <= 0:
        return Cost(LEAST_PAIRS, round(LEAST_PAIRS * each_s, 1)) if not effect.decides else None
    else:
        as_planned = replace(
            effect.effect, standard_error=effect.pair_sd / math.sqrt(n), n=n,
            df=max(1.0, n - 1.0) if effect.noise is None else float(effect.noise.df),
        )  # fmt: skip
        needed = blocks_to_decide(
            as_planned, bound_of(question.by.equal_within, question.by.scale), _alpha(question)
        )
    if needed is None:
        return None
    more = max(1, needed - n) if turns.pairs else max(LEAST_PAIRS, needed)
    return Cost(more, round(more * each_s, 1))


def _note(question: _Question, effect: ComparedEffect, verdict: Verdict | None, together: int) -> str:
    parts = []
    if question.weights:
        parts.append(TEXTS.both_mean_two)
    if effect.how == "within":
        parts.append(TEXTS.run_each_interval)
    elif effect.how == "repeats":
        parts.append(TEXTS.run_each_judged)
    elif effect.how == "history" and effect.noise is not None:
        parts.append(TEXTS.judged_how_far(str(effect.noise.n)))
    elif effect.how == "apart":
        parts.append(TEXTS.not_turns_block)
    if verdict is not None and verdict.is_different and verdict.word == "undecided":
        parts.append(TEXTS.differs_certain_whether)
    if together > 1 and verdict is not None:
        parts.append(TEXTS.judged_together_holm(str(together)))
    return "; ".join(parts)


def _mixed(mix: MixDocument) -> list[str]:
    if not mix.differs:
        return []
    moved = max(mix.shares, key=lambda share: abs(share.b - share.a))
    shares = TEXTS.requests_b(show_share(moved.a), show_share(moved.b))
    return [TEXTS.mix_routes_differs(moved.route, shares)]


def _unpaired(turns: Pairing, compared: Sequence[ComparedDocument], a: Side, b: Side) -> list[str]:
    ways = {row.how for row in compared if row.decides}
    warnings = []
    if "within" in ways:
        warnings.append(TEXTS.neither_side_tells)
    elif turns.how == "apart" and "apart" in ways:
        warnings.append(TEXTS.blocks_b_did(str(len(a.blocks)), str(len(b.blocks))))
    if turns.is_one_sided:
        warnings.append(TEXTS.came_first_every)
    return warnings

"""Strategy of a tuning as a plan asks for it: what is made good, how long a stage is, what a trial does."""

import math
from collections.abc import Sequence
from dataclasses import replace

from loadrig.base.errors import PlanError
from loadrig.base.members import nearest
from loadrig.base.setting import Setting
from loadrig.base.units import show_duration
from loadrig.plan.explain import warming
from loadrig.plan.knobs import catalogue_of
from loadrig.plan.model import Plan
from loadrig.study import fidelity
from loadrig.study.document import StudyDocument
from loadrig.study.strategies import capacity
from loadrig.study.strategies.tune import (
    CAPACITY,
    COST,
    COST_UNIT,
    ERRORS,
    LEAST_BLOCKS,
    LONG_S,
    SEARCH_LONG_S,
    SEARCH_SHORT_S,
    SHORT_S,
    TEXTS,
    Options,
)
from loadrig.study.trials import DoneTrial
from loadrig.study.tuning import result
from loadrig.study.tuning.ground import Ground, cores_of, sizes_for
from loadrig.study.tuning.load import AFTER_SEARCH_S, SEARCH_WARM_UP_S, searching
from loadrig.study.tuning.objective import Objective, Prices, cost_per_request
from loadrig.study.tuning.space import space_of
from loadrig.study.tuning.stages import Tuning
from loadrig.study.yardstick import Yardstick, deciding
from loadrig.trial.spec import TrialSpec


class Tunes(Tuning):
    """Strategy of a tuning, with what a study asks of it beside.

    Made by `strategies.tune`, whose texts and options it shares.
    """

    def __init__(self, plan: Plan, options: Options) -> None:
        self._plan = plan
        name = plan.study.by or options.objective
        self._is_searching = name == CAPACITY and not plan.workload.arrivals.is_closed
        self.by = _yardstick(plan, name)
        self._prices = Prices(options.core_price, options.gib_price)
        second = None if options.front is None else _measured(_yardstick(plan, options.front), self._prices)
        target_knobs = catalogue_of(plan.target)
        space = space_of(plan.knobs, target_knobs, fidelity.catalogue_entries(plan), seed=plan.seed)
        sizes = sizes_for(
            space,
            short_s=float(options.short or (SEARCH_SHORT_S if self._is_searching else SHORT_S)),
            long_s=float(options.long or (SEARCH_LONG_S if self._is_searching else LONG_S)),
            screening=options.screen,
            search=options.search,
            confirm_blocks=max(LEAST_BLOCKS, plan.study.blocks),
        )
        self.window_s = sizes.long_s
        super().__init__(
            Ground(
                plan,
                space,
                _measured(self.by, self._prices),
                sizes,
                margin=margin(self.by),
                target_knobs=target_knobs,
                cores=cores_of(plan) if options.cores is None else options.cores or None,
                model=options.model,
                second=second,
            ),
            prepare=self._searching if self._is_searching else lambda spec: spec,
            budget_s=None if plan.study.budget is None else float(plan.study.budget),
            around_s=float(plan.trial.warm_up.at_most) + 5.0,
        )
        self._second = options.front

    def _searching(self, spec: TrialSpec) -> TrialSpec:
        arrivals = self._plan.workload.arrivals
        return searching(spec, unit="1/s", first=arrivals.first_level, most=capacity.MOST[arrivals.unit])

    @property
    def settings(self) -> Sequence[Setting]:
        """Return all settings that the tuning may ask for."""
        return self.ground.space.settings

    @property
    def seconds(self) -> float:
        """Return the seconds of load measured at the most, in all stages together."""
        return self.ground.seconds

    @property
    def trial_in_words(self) -> str:
        """Return a trial in words: as long as its stage wants; the last stages, which decide, are longer."""
        sizes, warm_up = self.ground.sizes, self._plan.trial.warm_up
        short, long = sizes.short_s, sizes.long_s
        if self._is_searching:
            warm_s = min(float(warm_up.at_most), SEARCH_WARM_UP_S)
            begin = TEXTS.first_level_then(show_duration(warm_s)) if warm_s else ""
            most, last = (TEXTS.at_most(show_duration(seconds + AFTER_SEARCH_S)) for seconds in (short, long))
            text = TEXTS.search_capacity_takes(begin, most)
        else:
            most, last = show_duration(short), show_duration(long)
            text = TEXTS.measured(warming(warm_up), most)
        return text if most == last else TEXTS.final_race_confirmation(text, last)

    def with_figures(self, trial: DoneTrial) -> DoneTrial:
        """Return the trial with its cost by request, where that is what is asked for and it can be told."""
        if COST not in (self.by.name, self._second):
            return trial
        cost = cost_per_request(trial.measures, self._prices)
        return trial if cost is None else replace(trial, measures={**trial.measures, COST: cost})

    def laid_over(self, document: StudyDocument) -> StudyDocument:
        """Return a study's result with what the tuning found; its recommendation replaces the judge's."""
        return result.laid_over(document, self, second=self._second)


def margin(by: Yardstick) -> float:
    """Return within which differences do not matter, on a tuning's scale: logs, or roots."""
    return math.sqrt(by.equal_within) if by.scale == "difference" else math.log1p(by.equal_within)


def _yardstick(plan: Plan, name: str) -> Yardstick:
    within = plan.study.equal_within
    if name == CAPACITY and plan.workload.arrivals.is_closed:
        name = "throughput"
    if name == CAPACITY:
        unit = plan.workload.arrivals.unit
        return Yardstick(name, unit, "higher", capacity.EQUAL_WITHIN if within is None else within)
    if name == COST:
        return Yardstick(name, COST_UNIT, "lower", capacity.EQUAL_WITHIN if within is None else within)
    try:
        return deciding(replace(plan, study=replace(plan.study, by=name)))
    except PlanError:
        close = nearest(name, [CAPACITY, COST])
        if close is None:
            raise
        raise PlanError.of(ERRORS.unknown_objective(name, close), code="study.unknown-measure") from None


def _measured(by: Yardstick, prices: Prices) -> Objective:
    return Objective(by.name, by.better, is_share=by.scale == "difference", prices=prices)

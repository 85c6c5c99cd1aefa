"""Load of a trial of a tuning: so many seconds measured, or a search for the capacity in as many."""

from dataclasses import replace

from loadrig.base.estimate import Estimate
from loadrig.base.units import Seconds
from loadrig.language.choice import texts_of
from loadrig.language.en.study import StudyTuningLoadTexts
from loadrig.plan.model import WarmUp
from loadrig.study.capacity.answer import Unit
from loadrig.study.capacity.experiment import NAME, CapacityExperiment
from loadrig.study.capacity.goals import split
from loadrig.study.capacity.search import Search
from loadrig.trial.spec import TrialSpec

TEXTS = texts_of(StudyTuningLoadTexts)

SEARCH_WARM_UP_S = 3.0
"""Seconds at the first level, before a search begins: the workers of a fresh server come up."""

AFTER_SEARCH_S = 5.0
"""Seconds of room for the last look of a search whose time is up."""

CUT_SHORT = TEXTS.cut_short


class BoundedSearch(CapacityExperiment):
    """Search that also tells how far it came where the time was up before the capacity was known."""

    def estimates(self) -> dict[str, Estimate]:
        """Return the capacity; else the highest load that met the goals for certain, if any did."""
        estimates = super().estimates()
        if estimates:
            return estimates
        self.search.stop()
        met = self.search.answer().at_least
        return {NAME: Estimate(met, "1/s", warnings=(CUT_SHORT,))} if met else {}


def searching(spec: TrialSpec, *, unit: Unit, first: float, most: float) -> TrialSpec:
    """Return the trial as a search for the highest load that meets the goals, within the seconds it measures.

    unit: 1/s or users. first: the level at which it begins; most: no higher one is offered. The overload at
    the end is left out: what is beyond the capacity is no matter for a comparison.
    """
    rules = spec.plan.trial
    budget_s = float(rules.measure.at_most)
    warm_up_s = min(float(rules.warm_up.at_most), SEARCH_WARM_UP_S)
    goals = split(spec.plan.goals)
    search = Search(
        goals, unit=unit, first=first, most=most, budget_s=budget_s, seed=spec.seed, skip_overload=True
    )
    return replace(
        spec,
        plan=spec.plan.lasting(budget_s + AFTER_SEARCH_S, WarmUp(Seconds(0.0), Seconds(warm_up_s))),
        experiment=BoundedSearch(search, goals, warm_up_s=warm_up_s, level_most=most),
    )

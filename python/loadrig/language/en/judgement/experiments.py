"""Sentences of `experiments` in English, a class for each of its files."""

from collections.abc import Mapping
from typing import ClassVar


class JudgementExperimentsResultsTexts:
    measures: ClassVar[Mapping[str, str]] = {
        "throughput": "throughput", "latency": "latency", "dips": "dips", "growth": "growth"
    }  # fmt: skip

    def moved_by(self, title: str, measure: str, change: str) -> str:
        return f"{title}: {measure} {change}"

    def moved_at_least_by(self, title: str, measure: str, change: str) -> str:
        return f"{title}: {measure} at least {change}"

    def went_to(self, title: str, measure: str, unchanged: str, changed: str) -> str:
        return f"{title}: {measure} {unchanged} to {changed}"

    def with_elasticity(self, moved: str, value: str, low: str, high: str) -> str:
        return f"{moved} (elasticity {value}, 95 % {low} to {high})"

    def with_interval(self, moved: str, low: str, high: str) -> str:
        return f"{moved} (95 % {low} to {high})"


class JudgementExperimentsSignalsTexts:
    def time_before(self, signal: str, component: str, before: str, after: str) -> str:
        return f"{signal} of {component}: {before} of the time before the change, {after} with it"


class JudgementExperimentsSuspectsTexts:
    no_profile_taken = "no profile was taken, and only a profile would show it"
    not_seen = "not seen"


class JudgementExperimentsVerdictsTexts:
    what_limits_not = "What limits the server is not known: no experiment changed the harm."
    likely = "Likely: "
    possibly = "Possibly: "
    experiments_cannot_tell = "The experiments cannot tell these causes apart: "

    def moves_nothing(self, says: str) -> str:
        return f"changes nothing: {says}"

    def left_likeliest(self, chance: str, says: str) -> str:
        return f"the likeliest cause after the experiments ({chance}): {says}"

    def what_blames_went(self, says: str) -> str:
        return f"this cause continued while the harm was gone: {says}"

    def is_too(self, rival: str) -> str:
        return f"it may be {rival} too"

    def what_would_decide(self, first: str) -> str:
        return f" To decide: {first}"

    def experiment_shows(self, title: str, component: str) -> str:
        return f"{title} ({component}), as an experiment shows"

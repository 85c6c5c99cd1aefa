"""Sentences of `proving` in English, a class for each of its files."""

from collections.abc import Mapping
from typing import ClassVar


class ProvingAbleTexts:
    def round_trips(self, number: str, name: str) -> str:
        return f"{number} round trips to {name} for each request"


class ProvingChangesTexts:
    title_cpu = "CPU of {}"
    title_cores = "the cores that the busy components share"
    title_delay = "delay in front of {}"
    title_precedence = "{} before all others on its cores"
    the_proof = "the proof"
    towards: ClassVar[Mapping[str, str]] = {"more": "more", "less": "less", "other": "other"}


class ProvingComposeTexts:
    def while_diagnosis_proved(self, lower: str, text: str) -> str:
        return f"While the diagnosis was proved, {lower}{text}"


class ProvingLiveTexts:
    hardly_anything_answered = "hardly any request was answered"
    nothing_could_changed = "nothing could be changed"
    no_change_would = "no further change would tell more"
    nothing_could_changed_any = "nothing could be changed any more"
    what_asked_sure = "the question is answered"
    every_answer_sure = "every answer is sure"
    more_blocks_would = "more blocks would not tell more"
    time_experiments_up = "the time for experiments was up"


class ProvingSideBySideTexts:
    def place_lost(self, name: str, why: str) -> str:
        return f"{name} was lost ({why}): what it had not compared yet runs on another node"


class ProvingTrialsTexts:
    def trials_server_started(self, own: str) -> str:
        return f"{own} trials, each with a restarted server"


class SoakingResultTexts:
    headline = "Nothing was measured."
    cut_short = "it was cut short"


class SoakingSpikeResultTexts:
    spike_not_carried = "The spike was not carried out to its end."
    nothing_measured_before = "Nothing was measured before the spike."


class SoakingStopTexts:
    not_yet_sure = "not yet sure"
    too_few_readings = "too few readings"
    bends_may_something = "the growth slows down: it may fill up to a level"
    seen_once_what = "seen once: a growth that fills up slows down until the next look"
    seen_two_looks = "seen at two looks, with the same size"
    too_few_requests = "too few requests"
    whatever_grows_less = "the growth is less than what matters"
    may_yet_grow = "it may still grow by more than what matters"
    early_what_fills = "it is early: something that fills slowly looks the same"

    def leak_size(self, leaking: str, name: str) -> str:
        return f"{leaking}: a leak, its size known to {name}"

    def no_leak_matters(self, confidence: str, t_s: str) -> str:
        return f"no leak that matters, shown at {confidence} after {t_s}"

    def its_size_is(self, relative_half_width: str) -> str:
        return f"its size is known to {relative_half_width}"

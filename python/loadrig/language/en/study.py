"""Sentences of `study` in English, a class for each of its files."""

from collections.abc import Mapping
from typing import ClassVar


class StudyChooseTexts:
    fewest_processes = "the fewest processes"
    fewest_threads = "the fewest threads"
    least_memory_set = "the least memory set aside"
    least_memory_least = "the least memory ({least})"
    fewest_changes_from = "the fewest changes from the base"
    best_figure_among = "the best figure among equals in cost"

    def has(self, deciding: str) -> str:
        return f"it has {deciding}"


class StudyDoomedTexts:
    def can_no_longer(self, text: str, hits: str) -> str:
        return f"{text} can no longer be met: {hits} broke it"


class StudyFidelityTexts:
    def times_in(self, cycles: str, needs: str) -> str:
        return f", {cycles} times in {needs}"

    def with_text(self, beside: str) -> str:
        return f", with {beside}"

    def load_do_not(
        self,
        window: str,
        knob: str,
        value: str,
        rate: str,
        once: str,
        times: str,
        formula: str,
        word: str,
        needs: str,
    ) -> str:
        return (
            f"{window} of load do not show what {knob} {value} does: at {rate} requests a second it acts"
            f" after {once}{times} ({formula}{word}); measure {needs}, or try smaller values to see its cost"
        )


class StudyJudgeTexts:
    same_setting_twice = "the same setting twice: any difference is noise"


class StudyNodesTexts:
    def nodes_differ(self, better: str, worse: str, change: str, name: str) -> str:
        return (
            f"the base is better on node {better} than on node {worse}, by {change} of its {name}: each"
            " setting is compared with the base on the same node"
        )

    def gains_differ(self, change: str) -> str:
        return (
            f"what a setting gains differs from node to node (standard deviation {change}): intervals are"
            " wider by that, and only more nodes make them narrower"
        )


class StudyNotesTexts:
    base_setting_did = (
        "The base setting did not run twice in any block, so how far noise alone goes was not measured."
    )
    in_block = "in one block"
    lost_because_target = "lost because the target failed"
    no_load_met = "no load met the goals, or the time was up before one was sure to"
    no_answer_good = "no answer of it was good"
    no_setting_run = "no setting was run often enough to know the noise: nothing can be told apart yet"
    no_setting_meets = "no setting meets every goal, so none is recommended"
    no_setting_meet = "no setting is known to meet every goal, so none is recommended"

    def points(self, removesuffix: str) -> str:
        return f"{removesuffix} points"

    def each_blocks(self, pairs: str) -> str:
        return f"in each of {pairs} blocks"

    def base_setting_run(self, times: str, change: str, name: str) -> str:
        return (
            f"The base setting, run twice {times}, differed from itself by {change} of its {name} (root mean"
            " square)."
        )

    def differences_from_base(self, change: str) -> str:
        return (
            f" Differences from the base smaller than about {change} cannot be decided with this number"
            " of trials."
        )

    def real_difference_shown(self, margin: str) -> str:
        return f"a real difference, and shown to be under {margin}"

    def to(self, change: str, low: str, high: str) -> str:
        return f"{change} ({low} to {high})"

    def differs_certain_whether(self, size: str, margin: str) -> str:
        return f"it differs for certain, by {size}; whether by more than {margin} is not decided"

    def judged_together_other(self, together: str, is_singular: bool) -> str:
        return f"judged together with {together} other{'' if is_singular else 's'} (Holm)"

    def worse(self, worse: str) -> str:
        return f"{worse} worse"

    def that_a_goal(self, goals: str, is_singular: bool) -> str:
        return f"{goals} that {'misses' if is_singular else 'miss'} a goal"

    def beside(self, parts: str) -> str:
        return f", beside {parts}"

    def alone_may_best(self, name: str, reached: str, beside: str) -> str:
        return f"it alone may be the best on {name} ({reached}){beside}"

    def settings_cannot_from(self, members: str, name: str) -> str:
        return f"{members} settings are as good as the best on {name} within the measurement error"

    def also_has_best(self, group: str, reason: str, reached: str) -> str:
        return (
            f"{group}. The recommended one was chosen because {reason}; it also has the best figure"
            f" ({reached})"
        )

    def and_these(self, group: str, label: str, reached: str, reason: str) -> str:
        return f"{group} ({label}, {reached}). The recommended one was chosen because {reason}"

    def most_behind(self, loss: str) -> str:
        return f"; it is at most {loss} worse than the best (95 %)"

    def users_wait_their(self, name: str) -> str:
        return (
            f"in a closed load {name} only mirrors throughput (R = N/X - Z): a setting that"
            " answers faster is asked more. Compare throughput, or set a rate below capacity"
        )

    def trials_disturbed_first(
        self, disturbed: str, trials: str, reason: str, index: str, setting: str
    ) -> str:
        return (
            f"{disturbed} of {trials} trials were disturbed and kept: {reason}; first trial {index}"
            f" ({setting})"
        )

    def more_checks_not(self, kinds: str) -> str:
        return f"some trials failed {kinds} more checks"

    def trial(self, index: str, setting: str, reasons: str) -> str:
        return f"trial {index} ({setting}): {reasons}"

    def trials_out(self, lost: str, trials: str, is_singular: bool, words: str, named: str) -> str:
        return f"{lost} of {trials} trials {'is' if is_singular else 'are'} {words} and left out: {named}"

    def trial_of_setting(self, index: str, setting: str) -> str:
        return f"trial {index} ({setting})"

    def does_not_belong(self, trial: str, name: str, value: str, expected: str) -> str:
        return (
            f"{trial} is an outlier: {name} {value} where {expected} was expected. It is"
            " kept: look for a cause outside the knobs"
        )

    def not_tried(self, label: str) -> str:
        return f"{label} was not tried"

    def has_no(self, label: str, name: str, why_unmeasured: str) -> str:
        return f"{label} has no {name}: {why_unmeasured}"

    def more_settings_have(self, sentences: str, name: str) -> str:
        return f"{sentences} more settings have no {name}"

    def trial_differs_from(self, change: str, margin: str) -> str:
        return (
            f"repeated trials differ by {change} (standard deviation). To prove that settings are equal"
            f" within {margin}, run more blocks or longer trials"
        )


class StudyProofTexts:
    def with_text(self, setting: str, change: str) -> str:
        return f"with {setting} {change}"

    def though_signs_stayed(self, text: str) -> str:
        return f"{text}, though its signs stayed"

    def so_resource_short(self, text: str) -> str:
        return f"{text}, so its resource was short, whatever uses it"

    def signs_gone(self, text: str) -> str:
        return f"{text}, and its signs were gone"

    def changed_by_to(self, measure: str, effect: str, low: str, high: str) -> str:
        return f"{measure} changed by {effect} (95 % {low} to {high})"

    def measure_changed_by(self, measure: str, effect: str, low: str, high: str) -> str:
        return f"{measure} changed by {effect} ({low} to {high})"


class StudyRunnerTexts:
    is_void = "is void"
    has_failed = "failed"
    will_repeated_once = "it will be repeated once"
    is_out = "it is left out"

    def stopped_after_trials(self, trials: str) -> str:
        return f"stopped after {trials} trials, as asked"

    def ended_early_hand(self, trials: str, total: str) -> str:
        return f"ended early by hand after {trials} of {total} trials"

    def budget_used_not(self, unrun: str, is_singular: bool) -> str:
        return f"the budget is used; {unrun} {'trial was' if is_singular else 'trials were'} not run"

    def trial(self, index: str, setting: str, what: str, reason: str, then: str) -> str:
        return f"trial {index} ({setting}) {what}{reason}; {then}"


class StudyDealingTexts:
    none_more = "no further trial begins; those that run come to their own end"
    several_at_once = "trials on several nodes run at once, and must have the same load to be compared"

    def node_lost(self, name: str, why: str, index: str) -> str:
        return f"{name} is lost ({why}): trial {index} ran on it and is run again on another node"


class StudyLocalNodeTexts:
    ended = "its process has ended"


class StudyRayNodesTexts:
    def not_ready(self, seconds: str) -> str:
        return f"it was not ready within {seconds} s"


class StudyTrialsTexts:
    no_request_got = "no request got an answer"


class StudySoakExperimentTexts:
    words: ClassVar[Mapping[str, str]] = {"leaks": "leaks", "harmless": "harmless", "open": "open"}

    def nothing_read(self, why: str) -> str:
        return f"{why}: nothing was read"


class StudySoakFollowTexts:
    open_descriptors = "open descriptors"
    limit_descriptors = "its limit of descriptors"
    most_tasks_control = "the most tasks of its control group"


class StudyTuningAnsweringTexts:
    tuning_stopped_before = "The tuning was stopped before its end: nothing is confirmed yet."
    server_worked_no = "The server worked with no setting that was tried."
    no_setting_tried = "No setting that was tried is sure to meet the goals."

    def no_setting_tried_meets(self, near: str, missed: str) -> str:
        return f"No setting that was tried meets the goals; the nearest is {near}, which misses {missed}."

    def and_text(self, others: str, last: str) -> str:
        return f"{others} and {last}"


class StudyTuningConfirmTexts:
    best_finalists = "it is the best of the finalists"

    def equivalent_best_finalists(self, why: str) -> str:
        return f"it is equivalent to the best of the finalists, and {why}"


class StudyTuningLoadTexts:
    cut_short = "the time was up before the capacity was known: it is at least this"


class StudyTuningModelTexts:
    def goal(self, at: str) -> str:
        return f"goal {at}"


class StudyTuningResultTexts:
    note = "from the confirming blocks alone"


class StudyStrategiesCapacityTexts:
    no_higher_load = "No higher load than this is offered: requests or sessions a second, or users."
    overload_server_end = "Overload the server at the end, to see whether it recovers."
    overload_end_included = ", the overload at its end included"

    def first_level_then(self, warm_up_s: str) -> str:
        return f"{warm_up_s} at the first level, then "

    def search_capacity_takes(self, begin: str, most: str, overload: str) -> str:
        return f"{begin}a search for the capacity that takes at most {most}{overload}"

    def judged_right_below(self, text: str) -> str:
        return f"{text} is judged right below the capacity, and has no part in the search for it"


class StudyStrategiesGridTexts:
    most_settings_larger = "Most settings; a larger grid is refused."


class StudyStrategiesSoakTexts:
    how_long_measured = "How long it is measured at most."
    end_before_when = "End before that when the answer is sure."
    every_combination = "Soak every combination of the knobs' values, each once; by default the base alone."
    or_less_once = ", or less once the answer is sure"

    def measured(self, warming: str, length: str, ends: str) -> str:
        return f"{warming}{length} measured{ends}"


class StudyStrategiesSpikeTexts:
    times_usual_load = "Times the usual load that is asked for."
    how_long_spike = "How long the spike lasts."
    usual_load_before = "Usual load before it, to know the base line."
    usual_load_after = "Usual load after it, to see it recover."

    def usual_load_times(
        self, warming: str, before: str, long: str, times: str, after: str, longer: str
    ) -> str:
        return (
            f"{warming}{before} of the usual load, {long} of {times} times as much, and {after} of the usual"
            f" load again, or up to {longer} while requests still wait"
        )


class StudyStrategiesTuneTexts:
    what_make_good = "What to make as good as can be: capacity, cost_per_request or a measure."
    second_measure_trade = "A second measure: the trade-off of both is searched."
    what_says_setting = "What says which setting to try next."
    settings_search_tries = "Settings that the search tries; by default 10 to 30."
    whether_screen_default = "Whether to screen; by default where five knobs or more may be inert."
    measured_trial_screening = (
        "Measured in a trial of screening, search and race; by default 20s, of a capacity 40s."
    )
    measured_trial_final = (
        "Measured in a trial of the final race and the confirmation; by default 30s, of a capacity 60s."
    )
    cores_server_may = "Cores that the server may use; by default those it is held on; 0: no queueing model."
    core_second_cost = "Of a core for a second, in cost_per_request."
    gib_memory_second = "Of a GiB of memory for a second, in cost_per_request."

    def first_level_then(self, warm_s: str) -> str:
        return f"{warm_s} at the first level, then "

    def at_most(self, seconds: str) -> str:
        return f"at most {seconds}"

    def search_capacity_takes(self, begin: str, most: str) -> str:
        return f"{begin}a search for the capacity that takes {most}"

    def measured(self, warming: str, most: str) -> str:
        return f"{warming}{most} measured"

    def final_race_confirmation(self, text: str, last: str) -> str:
        return f"{text}; {last} in the final race and the confirmation"


class StudySpikeExperimentTexts:
    calm = "calm"
    spike_over_watched = "the spike is over and was watched for long enough"

    def requests_still_flight(self, in_flight: str) -> str:
        return f"{in_flight} requests still in flight"


class StudyCapacityExperimentTexts:
    over = "the capacity is known as well as it can be in this time"
    what_had_piled = "what had piled up is worked off"


class StudyCapacityProbeTexts:
    more_came_than = "more came than went"


class StudyCapacityRampTexts:
    full = "more came than went"


class StudyCapacitySearchTexts:
    def what_had_piled(self, took_s: str) -> str:
        return f"what had piled up was not worked off within {took_s} s of hardly any load"

    def generator_could_not(self, level: str) -> str:
        return f"the generator could not offer the {level} of an overload"

    def time_up_before(self, width: str, expm1: str) -> str:
        return f"the time was up before the capacity was known to {width}: it is to {expm1}"

    def time_up_before_any(self, at_s: str, enough_s: str) -> str:
        return (
            f"the time was up before any level was seen to break a goal: {at_s} s are too short, {enough_s}"
            " s and more are needed"
        )

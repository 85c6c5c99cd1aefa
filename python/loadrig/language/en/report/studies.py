"""Sentences of `studies` in English, a class for each of its files."""


class ReportCapacityTexts:
    kind_ramp = "on the way up"
    kind_saturation = "above the limit"
    kind_search = "around the limit"
    kind_confirm_below = "right below the limit"
    kind_confirm_above = "right above the limit"
    kind_recovery = "after the overload"
    meets_goals = "meets the goals"
    misses_goal = "misses a goal"
    not_sure = "not sure"
    longer_look_right = "A longer look right below it met the goals, and one right above it missed them"
    longer_look_right_below = (
        "A longer look right below it met the goals; one right above it did too, so it may be higher"
    )
    longer_look_right_below_missed = "A longer look right below it missed a goal, so it may be lower"
    longer_look_right_below_met = (
        "A longer look right below it met the goals; there was no time for one above it"
    )
    time_up_before = "The time was up before the capacity was found."

    def beyond_missed_first(self, binding: str) -> str:
        return f"; beyond it {binding} is missed first"

    def capacity_highest_load(self, value: str, interval: str, goals: str, limits: str) -> str:
        return f"The capacity is {value}{interval}: the highest load that meets {goals}{limits}."

    def no_load_meets(self, goals: str, nearest: str) -> str:
        return f"No load meets {goals}{nearest}."

    def every_load_up(self, most: str, goals: str) -> str:
        return f"Every load up to {most}, the highest one allowed, meets {goals}."

    def generator_limit_could(self, needed: str, at_least: str, goals: str) -> str:
        return (
            f"The generator was the limit: it could not offer {needed}, and up to {at_least} the server met"
            f" {goals}."
        )

    def nearest_where_requests(self, level: str, share: str, text: str) -> str:
        return f"; nearest was {level}, where {share} of the requests broke {text}"

    def whatever_asked_answers(self, amount: str) -> str:
        return f"it answers at most {amount}, whatever the load"

    def asked_answered(self, asked: str, amount: str) -> str:
        return f"Under a load of {asked} it answered {amount}"

    def failed_what_ended(self, amount: str) -> str:
        return f" and {amount} of the requests failed"

    def whether_recovers_not(self, answered: str) -> str:
        return f"{answered}; whether it recovers was not measured."

    def back_goals_again(self, answered: str, back: str, after: str) -> str:
        return f"{answered}; back at {back} it met its goals again after {after}."

    def back_did_not(self, answered: str, back: str) -> str:
        return f"{answered}; back at {back} it did not recover within the measured time."


class ReportTuningTexts:
    stage_doubt = "screening, checked"
    stage_race = "race of nine"
    stage_final_race = "race of three"
    setting_was = "setting was"
    settings_were = "settings were"
    the_base = "the base"
    runner_up = "the runner-up"
    against_base = "against the base"
    against_runner_up = "against the runner-up"
    not_confirmed = "not confirmed"
    some_knobs_do = (
        "Some knobs act only together: the screening's effect of a knob is its mean over the"
        " values of the others."
    )
    nothing_confirmed_yet = "Nothing is confirmed yet."

    def tried(self, plural: str) -> str:
        return f"{plural} tried"

    def not_matter(self, listed: str, is_singular: bool) -> str:
        return f"; {listed} {'does' if is_singular else 'do'} not matter"

    def in_beside(self, plural: str, beside: str) -> str:
        return f"in {plural} beside {beside}"

    def too_few_blocks(self, label: str) -> str:
        return f"{label}: too few blocks to decide"

    def is_inert(self, knob: str) -> str:
        return f"{knob} is inert"

    def from_sure(self, change: str, low: str, high: str, span: str) -> str:
        return f"{change} from {low} to {high} (90 % sure: {span})"

    def deployment_far_worse(self, names: str) -> str:
        return f"{names}: far worse in one deployment than in the others; it may happen again."

    def no_setting_tried(self, setting: str, misses: str) -> str:
        return f"No setting that was tried meets the goals; the nearest is {setting}, which misses {misses}."

    def reached(self, amount: str) -> str:
        return f"reached {amount}"


class ReportSoakTexts:
    fills_something = "fills up"
    few_rises = "grew in few steps"
    too_little_matter = "too little to matter"
    does_not_grow = "does not grow"
    not_to_be = "not decided"
    in_all = "✓ met in all"
    unsure = "? not decided"
    each_hour = "an hour"

    def an_hour(self, amount: str) -> str:
        return f"{amount} an hour"

    def what_of(self, what: str, component: str, word: str) -> str:
        return f"{what} of {component}, {word}"

    def until(self, text: str) -> str:
        return f"until {text}"

    def days(self, days: str) -> str:
        return f"{days} days"

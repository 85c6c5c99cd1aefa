"""Sentences of `comparing` in English, a class for each of its files."""

from collections.abc import Mapping
from typing import ClassVar


class ComparingDifferencesTexts:
    names: ClassVar[Mapping[str, str]] = {
        "cpu": "cpu", "cores": "cores", "memory": "memory", "architecture": "architecture",
        "kernel": "kernel", "system": "system", "python": "python", "kind": "kind", "cpus": "cpus",
        "command": "command", "runtime": "runtime", "version": "version",
        "program_version": "program version", "workers": "workers", "text": "text",
        "load_made_by": "load made by", "times": "its times count",
    }  # fmt: skip

    def and_text(self, name: str, first: str, second: str) -> str:
        return f"{name}: {first} and {second}"

    def memory_and(self, mine: str, theirs: str) -> str:
        return f"memory: {mine} and {theirs}"


class ComparingHistoryTexts:
    another_plan = "of another plan"
    void_or_failed = "void or failed"
    another_setting = "of another setting"
    under_another_load = "under another load"
    under_other_goals = "under other goals"


class ComparingJudgedTexts:
    no_number_above = "no number above zero to compare"
    both_mean_two = "both at the mean of the two mixes"
    run_each_interval = (
        "one run on each side: the interval covers the variation within a run, not between runs"
    )
    run_each_judged = (
        "one run on each side, judged by the variation of repeated runs, doubled for the time between the two"
    )
    not_turns_block = (
        "the runs did not alternate: the spread of a block is added for what changed between them"
    )
    differs_certain_whether = "it differs for certain; whether by more than the margin is not decided"
    neither_side_tells = (
        "the variation between repeated runs is not known, so one run on each side proves nothing; alternate"
        " the runs (A B A B ...), or keep the earlier runs of this plan in the same folder"
    )
    came_first_every = "A was first in every pair, so a drift over time favours one side; randomise the order"

    def judged_how_far(self, n: str) -> str:
        return f"judged by the variation of {n} earlier runs"

    def judged_together_holm(self, together: str) -> str:
        return f"one of {together} judged together (Holm)"

    def requests_b(self, a: str, b: str) -> str:
        return f"{a} of A's requests, {b} of B's"

    def mix_routes_differs(self, route: str, shares: str) -> str:
        return (
            f"the mix of routes differs ({route}: {shares}), so the totals of all routes differ too;"
            " latencies and errors are judged at the same mix, throughput and CPU cannot be"
        )

    def blocks_b_did(self, blocks_a: str, blocks_b: str) -> str:
        return (
            f"A's {blocks_a} blocks and B's {blocks_b} did not take turns, so what changed between the two"
            " runs counts as a difference; alternating runs decide more in the same time"
        )


class ComparingReadTexts:
    def has_settings_base(self, name: str, settings: str, label: str) -> str:
        return (
            f"{name} has {settings} settings; its base ({label}) is compared. Choose another by its number,"
            f" such as {name}#1"
        )


class ComparingRefuseTexts:
    word_users = "users who wait for their answers"
    word_saturate = "connections without a pause"
    word_rate = "a fixed rate"
    word_sessions = "sessions that arrive"
    word_replay = "a list of times"
    no_reason_recorded = "no reason was recorded"
    no_capacity_no_level_meets = "no load met its goals"
    no_capacity_all_levels_meet = (
        "every load that was offered met its goals, so the capacity is higher than all"
    )
    no_capacity_generator_limited = "the generator was at its limit before the server was"
    no_capacity_budget = "its time was up before the limit was known"
    chosen_what_went = "; the remaining trials are a biased selection"
    users_wait_their = (
        "in a closed load latency mirrors throughput (R = N/X - Z): a server that answers"
        " faster is asked more"
    )
    b_have_different = (
        "A and B have different goals; the measured values are compared, not whether goals were met"
    )

    def trials_ran_several(self, name: str) -> str:
        return f"the trials of {name} ran on several machines; these may be the reason of a difference"

    def b_ran_different(self, what: str) -> str:
        return f"A and B ran on different machines ({what}): the machine may be the reason of a difference"

    def cores_worked_slower(self, by: str, slower: str, faster: str) -> str:
        return (
            f"the cores worked {by} slower for {slower} than for {faster} (core_speed): the machine may be"
            " the reason of a difference; alternate the runs (A B A B ...)"
        )

    def void_trials(self, count: str) -> str:
        return f"{count} void"

    def failed_trials(self, count: str) -> str:
        return f"{count} failed"

    def trials_out(self, name: str, lost: str, trials: str, words: str) -> str:
        return f"{name}: {lost} of {trials} trials are left out ({words})"

    def disturbed_and(self, name: str, disturbed: str, trials: str, is_singular: bool, reason: str) -> str:
        return (
            f"{name}: {disturbed} of {trials} {'trial was' if is_singular else 'trials were'} disturbed and"
            f" kept: {reason}"
        )

    def load_was_by(self, name: str, tool: str) -> str:
        return f"{name}'s load was made by {tool}"

    def service_times_compared(self, makers: str) -> str:
        return f"{makers}: service times are compared, which count from the send"

    def had_requests_second(self, rate_a: str, rate_b: str, sides: str) -> str:
        return (
            f"A had {rate_a} requests a second, B {rate_b}, and the requested load of {sides} is not known:"
            " the load may be the reason of a difference"
        )

    def only_asks(self, name: str) -> str:
        return f"only A requests {name}"

    def only_b_asks(self, name: str) -> str:
        return f"only B requests {name}"

    def figures_all_routes(self, only: str) -> str:
        return f"{only}: the totals of all routes are of different work"

    def what_due_not(self, worst: str) -> str:
        return (
            f"{worst} of the requested load was not answered in time: at or above its capacity a server's"
            " latency measures the backlog, which grows with the length of the test; compare capacities"
        )

"""Sentences of `comparison` in English, a class for each of its files."""


class ReportComparisonTexts:
    area_tier = "behind the server"
    all_routes_together = "All routes together"
    lead = "B compared with A; the deciding measure stands first. A change within its margin does not matter."
    too_little_matter = "too little to matter"
    better_worse_equal = "▲ better, ▼ worse, ≈ equal or too little to matter, ~ undecided."
    route_route = "Route by route"
    all_routes_together_move = "The totals of all routes change with the mix, too."
    answers_moved = "Which responses changed"
    caption = "Share of each route in all requests"
    the_mix = "The mix"
    what_asked_not = "The requested load was not the same."
    any_may_reason = "Each of these may be the reason of a difference."
    what_not_same = "What was not the same"
    runs_apart_what = (
        "runs that did not alternate; what changed between them counts as a difference, and is"
        " added to the interval"
    )
    how_judged = "How it was judged"

    def and_more(self, parts: str, others: str) -> str:
        return f"{parts} and {others} more"

    def more_routes_see(self, more: str) -> str:
        return f"{more} more routes: see the page or the JSON."

    def study_compared_within(self, plural: str) -> str:
        return f"{plural} of one study, compared within each"

    def runs_turns_compared(self, plural: str) -> str:
        return f"{plural} of alternating runs, compared within each"

    def trials(self, name: str, counts: str, seconds: str) -> str:
        return f"{name}: {counts}; {seconds} of trials"


class ReportComparisonFilesTexts:
    routes_moved = "Routes that moved:\n\n"
    what_not_same = "What was not the same"
    not_same = "not the same"
    all_routes = "all routes"

    def and_more(self, moved: str) -> str:
        return f"… and {moved} more."

    def about_runs_turns(self, plural: str) -> str:
        return f"; about {plural} of alternating runs would decide it"


class ReportComparisonWordsTexts:
    better_beside_what = "Better, beside what decides"
    no_reasonable_number = (
        "No reasonable number of runs would decide it: the difference is too near to the margin, or repeated"
        " runs vary too much. A wider margin (--equal-within) or longer trials would decide it."
    )

    def b_than(self, word: str, named: str) -> str:
        return f"B is {word} than A: {named}."

    def within(self, name_of: str, margin: str, change: str) -> str:
        return f"{name_of} within {margin} ({change})"

    def whether_b_differs(self, text: str) -> str:
        return f"Whether B differs from A is undecided{text}."

    def and_more(self, parts: str, more: str) -> str:
        return f"{parts} and {more} more"

    def what_would_tell(self, replace: str, time: str) -> str:
        return f"To decide it: about {replace} of alternating runs{time}."


class ReportHistoryTexts:
    trivial_change = "trivial change"
    no_change = "no change"
    another_machine = "another machine"
    every_measure = "Every measure"
    not_same = "not the same"
    changes_newest_first = "Changes, the newest first"
    run_run = "Run by run"

    def since(self, listed: str, run_of: str) -> str:
        return f"{listed} since {run_of}"

    def became(self, word: str, parts: str) -> str:
        return f"The server became {word}: {parts}."

    def no_change_newest(self, plural: str) -> str:
        return f"No change that matters in the newest {plural}."

    def cannot_tell_change(self, plural: str) -> str:
        return f"{plural} cannot tell a change from noise: three runs on either side of it are needed."

    def out(self, parts: str) -> str:
        return f"Left out: {parts}."

    def to(self, least: str, greatest: str) -> str:
        return f"{least} to {greatest}"


class ReportHistoryFilesTexts:
    not_same = "not the same"
    changes_newest_first = "Changes, the newest first:\n\n"

    def and_more(self, changes: str) -> str:
        return f"… and {changes} more."

    def load(self, plan: str) -> str:
        return f"load of {plan}"

    def now(self, end_of: str) -> str:
        return f"now {end_of}"

    def since(self, effect: str, run_of: str) -> str:
        return f"{effect} since {run_of}"

    def now_not_same(self, now: str, different: str) -> str:
        return f"{now}; not the same: {different}"

    def takes_three_either(self, plural: str) -> str:
        return f"{plural}, and three on either side of a change are needed"

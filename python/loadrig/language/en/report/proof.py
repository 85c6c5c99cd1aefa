"""Sentences of `proof` in English, a class for each of its files."""


class ReportProofTexts:
    more_better = "more is better"
    less_better = "less is better"


class ReportProofWordsTexts:
    no_capacity_limits = "moves it"
    interval_not = "interval not known"
    and_more = "1,000 and more"
    ended_early_answer = "it ended early, as the answer was sure"
    nothing_changed = "Nothing was changed."
    trials_their_own = "trials of their own"
    trials_own = "trials of its own"

    def to(self, low: str, high: str) -> str:
        return f"{low} to {high}"

    def at_least(self, factor: str) -> str:
        return f"at least {factor}"

    def gives(self, in_percent: str, change: str, suffix: str) -> str:
        return f"{in_percent} gives {change}{suffix}"

    def in_all(self, plural: str, whole: str) -> str:
        return f"{plural}, {whole} in all"

    def the_was_given(self, budget_s: str) -> str:
        return f" of its budget of {budget_s}"

    def took(self, took_s: str, within: str, ended: str) -> str:
        return f"The proof took {took_s}{within}{ended}."

    def changed_in(self, things: str, word: str) -> str:
        return f"{things} changed in {word}."

    def more_trials_apart(self, apart: str) -> str:
        return f", {apart} more in trials apart"

    def changed_while_load(self, things: str, word: str) -> str:
        return f"{things} changed while load ran{word}."


class ReportTextCardTexts:
    def not_text(self, rests_on: str, text: str) -> str:
        return f"not {rests_on}: {text}"

    def explains(self, symptoms: str) -> str:
        return f"explains {symptoms}"


class ReportTextProofTexts:
    more_experiment = "more experiment"

    def more_page(self, more: str) -> str:
        return f", and {more} more on the page"

    def done_server(self, word: str) -> str:
        return f"Done to the server{word}:"

    def not_tried_either(self, plural: str) -> str:
        return f"Also not tried: {plural}; the page says why."

    def not_tried(self, title: str, why_untried: str) -> str:
        return f"Not tried: {title}: {why_untried}."

    def on_the_page(self, plural: str) -> str:
        return f"{plural} on the page"

    def fix_to(self, title: str, measure: str, before: str, after: str, change: str) -> str:
        return f"Fix, {title}: {measure} {before} to {after}, {change}"

    def predicted(self, change: str) -> str:
        return f", predicted {change}"


class ReportRivalsTexts:
    text_cleared = "changes nothing, and another of its levers is not sure"
    moves = "moves it"
    moves_nothing_cleared = "changes nothing: cleared"

    def what_seen(self, reason: str) -> str:
        return f"by what was seen: {reason}"

    def is_still(self, get: str, verdict: str) -> str:
        return f"{get}: this cause is still {verdict}"

    def by_what_seen(self, reason: str) -> str:
        return f"; by what was seen: {reason}"

    def moves_nothing(self, more: str) -> str:
        return f"changes nothing{more}"

    def unsure_too_little(self, more: str) -> str:
        return f"not decided: too little was measured{more}"

    def moves_others_do(self, more: str) -> str:
        return f"changes it, as others do too{more}"

    def not_tried(self, why_untried: str) -> str:
        return f"not tried: {why_untried}"

    def not_tried_yet(self, decides: str) -> str:
        return f"not tried{decides}"

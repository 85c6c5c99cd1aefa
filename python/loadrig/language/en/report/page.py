"""Sentences of `page` in English, a class for each of its files."""


class ReportHtmlTexts:
    to_verdict = "To the verdict"
    theme = "Light, dark, or as the system says"
    sections = "Sections"
    charts_of = "Charts of"
    colours_after_okabe = (
        "Colours after Okabe and Ito (2008), told apart with any kind of colour vision; lines differ in dash"
        " too, verdicts in symbol and word. Charts: uPlot 1.6.32 (MIT)."
    )
    same_table = "The same as a table"

    def setting(self, group: str) -> str:
        return f"{group} setting"

    def chart_of(self, title: str) -> str:
        return f"{title}: chart, its table follows"


class ReportHtmlCardTexts:
    what_to_do = "What to do"
    why_nothing_else = "Why nothing else"
    what_would_decide = "What would decide"
    against = "Against it"
    not_seen = "Not seen"
    what_explains = "What it explains"


class ReportKickerTexts:
    kind_capacity = "capacity of"
    kind_tune = "tuning over"
    kind_soak = "soak of"
    kind_spike = "spike on"
    kind_grid = "grid of"
    kind_one_at_a_time = "one knob at a time,"
    study = "study of"

    def trial(self, index: str) -> str:
        return f"trial {index}"

    def measured(self, amount: str) -> str:
        return f"{amount} measured"

    def open_browser(self, short: str) -> str:
        return f"open {short} in a browser"


class ReportRunTexts:
    def trial(self, get: str) -> str:
        return f"trial {get}"

    def trial_of_setting(self, index: str, setting: str) -> str:
        return f"trial {index}: {setting}"


class ReportNumbersTexts:
    and_more = "×1,000 and more"

    def points(self, sign: str, difference: str) -> str:
        return f"{sign}{difference} points"

    def number_of_points(self, removesuffix: str) -> str:
        return f"{removesuffix} points"

    def items_and_more(self, items: str, others: str) -> str:
        return f"{items} and {others} more"

    def joined(self, items: str, last: str) -> str:
        return f"{items} and {last}"


class ReportTopFramesTexts:
    cpu_time_function = "CPU time in the function itself, as a share of the profile."
    cpu_time_function_all = "CPU time in the function and all that it called."

    def cpu_time(self, named: str, split: str) -> str:
        return f"CPU time of {named}: {split}"

    def the(self, component: str) -> str:
        return f"the {component}"

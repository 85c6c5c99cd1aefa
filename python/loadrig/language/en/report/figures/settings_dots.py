class SettingsDotTexts:
    """Sentences about all settings on the measure that decides."""

    no_valid_trial = "no valid trial"
    setting = "setting"
    interval = "interval"
    standing = "standing"
    caption = "Settings on the measure that decides"
    more_is_better = "more is better"
    less_is_better = "less is better"

    def within_best(self, margin: str) -> str:
        return f"within {margin} of the best"

    def title(self, measure: str) -> str:
        return f"{measure} of each setting"

    def about(self, better: str) -> str:
        return f"Dot: estimate of the setting; bar: its 95 % interval; ticks: single trials ({better})."

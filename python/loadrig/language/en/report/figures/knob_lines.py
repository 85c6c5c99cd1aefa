class KnobLineTexts:
    """Sentences about every setting that was tried."""

    title = "Every setting that was tried"
    setting = "setting"
    recommended = ", recommended"
    misses_goal = ", misses a goal"

    def about(self, measure: str) -> str:
        return (
            f"A line a setting: its knobs from left to right, at the right the {measure} that it"
            " reached. Thick: recommended; solid: not to be told from the best; dashed: misses a goal."
            " A knob that does not apply is passed at the bottom."
        )

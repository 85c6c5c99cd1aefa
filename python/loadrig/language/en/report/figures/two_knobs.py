"""Sentences of `two_knobs` in English."""


class TwoKnobTexts:
    """Sentences about every pair of two knobs' values."""

    not_tried = ", not tried"
    misses_goal = ", misses a goal"
    equals_best = ", not to be told from the best"
    recommended = ", recommended"
    misses = "✗ misses a goal"
    may_be_best = "~ may be the best"
    worse = "worse"
    interval = "interval"
    trials = "trials"
    caption = "Pairs that were tried or may be the best"

    def about(self, measure: str, fixed: str) -> str:
        return (
            f"Colour: the {measure} that is believed of each pair, from all trials{fixed}. Outlined: cannot"
            " be told from the best. Dot: was tried. Crossed: misses a goal more likely than not."
        )

    def title(self, measure: str, x: str, y: str) -> str:
        return f"{measure} by {x} and {y}"

    def tried(self, trials: int) -> str:
        return f", {trials:,} trial{'' if trials == 1 else 's'}"

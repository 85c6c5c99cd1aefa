class ForestTexts:
    """Sentences about changes beside the base."""

    base_against_itself = "base against itself"
    noise = "how far noise alone goes"
    base = "the base"
    effect_of_knobs = "Effect of each knob"
    more_is_better = "more is better"
    less_is_better = "less is better"
    compared = "compared"
    change_and_interval = "change and interval"
    blocks = "blocks"
    p_meaning = "Exact two-sided probability of such a difference without any effect"
    verdict = "verdict"
    against_best = "Against the best setting"

    def against_base(self, base: str) -> str:
        return f"Settings against the base, {base}"

    def about_settings(self, measure: str) -> str:
        return f"Change of {measure} against the base, judged in pairs within the same block."

    def about_knobs(self, measure: str) -> str:
        return f"Change of {measure} when one knob takes this step and the others stay."

    def about(self, about: str, better: str) -> str:
        return f"{about} Dot: estimate; bar: 95 % interval; {better}."

    def would_tell(self, blocks: int, time: str) -> str:
        return f"{blocks:,} more block{'' if blocks == 1 else 's'}{time} would tell"

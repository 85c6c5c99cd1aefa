class InterventionTexts:
    """Sentences about what was changed when."""

    title = "What was changed, second by second"
    nothing = "nothing"
    start = "from"
    length = "for"
    block = "block"
    changed = "changed"
    caption = "What was changed when"

    def in_trial(self, trial: int) -> str:
        return f" in its trial {trial}"

    def about(self, measure: str, where: str, better: str) -> str:
        return (
            f"Each mark is the {measure} of one stretch{where}, {better}; a ring where nothing was"
            " changed, filled within the band of what was changed then. The order was drawn by lot"
            " within each block, so that what drifts with time falls on all alike."
        )

    def more_rows(self, number: str) -> str:
        return f"{number} more are in proof.json."

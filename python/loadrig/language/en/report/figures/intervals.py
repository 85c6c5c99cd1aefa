class IntervalTexts:
    """Sentences about a scale of intervals."""

    no_change = "no change"

    def does_not_matter(self, margin: str) -> str:
        return f"within {margin}: does not matter"

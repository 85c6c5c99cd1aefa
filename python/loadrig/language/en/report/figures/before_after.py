class BeforeAfterTexts:
    """Sentences about a fix that was tried."""

    before = "before"
    after = "after"
    gain = "gain"
    predicted = "predicted"
    verified = "verified"
    no_gain = "not verified: the gain cannot be told from none"
    made_worse = "not verified: it made things worse"
    brought_too_little = "not verified: it brought too little"
    brought_less = "not verified: it brought less than was predicted"
    median = "median"
    pair = "pair"
    change = "change"
    caption = "Before and after"

    def title(self, fix: str) -> str:
        return f"The fix, before and after: {fix}"

    def about(self, measure: str, better: str, *, has_prediction: bool) -> str:
        prediction = ", the diamond what was predicted." if has_prediction else "."
        return (
            f"Each thin line joins the {measure} of two measurements that were made as a pair, without and"
            f" with the fix ({better}); the thick one joins their medians. The bar at the right is the 95 %"
            f" interval of the gain{prediction}"
        )

class CeilingTexts:
    """Sentences about the next limits."""

    title = "The next limits, in order"
    about = (
        "Each dot is a second: how much of it was in use at that many requests a second. The line is"
        " what a request costs; where it meets 100 % the tier is full, with the 95 % interval as a bar."
    )
    limit = "limit"
    full_at = "full at"
    used_now = "used now"
    request_takes = "a request takes"

    def limit_of(self, what: str, component: str) -> str:
        return f"{what} of {component}"

    def full_at_rate(self, rate: str) -> str:
        return f"full at {rate}/s"

class CapacityCurveTexts:
    """Sentences about latency against load."""

    title = "Latency against load"
    answers_no_more = "answers no more"
    knee = "knee"
    band_of_capacity = "The band is the interval of the capacity."
    knee_meaning = "At the knee throughput over response time is highest."
    level = "level"
    reason = "for"
    measured = "measured"
    answered = "answered"
    failed = "failed"
    verdict = "verdict"
    caption = "Every level that was offered, in order"

    def goal(self, limit: str) -> str:
        return f"goal {limit}"

    def about(self, measure: str) -> str:
        return (
            f"Each mark is a level of load: the {measure} of its good answers. A dot met the goals, a"
            " cross missed one, a ring was left before it was sure."
        )

class PercentilePlotTexts:
    """Sentences about latency by share of answers."""

    title = "Latency by share of answers"
    share_of_answers = "share of answers"
    caption = "Latency below which this share of the good answers lies"
    about = (
        "Each step to the right leaves a tenth of the slow answers; a line that climbs steeply at the"
        " right has a long tail. Measured part only, good answers only."
    )

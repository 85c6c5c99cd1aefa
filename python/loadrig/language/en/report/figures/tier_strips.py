class TierStripTexts:
    """Sentences about every tier over time."""

    title = "Every tier over time"
    about = (
        "The load and its latency, and below them each tier on the same axis: the cursor is at the same"
        " instant in all. What stood still is in the table."
    )
    answered = "answered"
    failed = "failed"
    load = "Load"
    answers_a_second = "answers a second"
    latency = "Latency"
    of_good_answers = "of good answers"
    busy = "Time not idle, per core."
    tier = "tier"
    metric = "metric"
    subject = "of"
    whole = "whole"
    least = "least"
    median = "median"
    greatest = "greatest"
    caption = "What the probes read, in the measured part"
    note = "What was zero all the time is left out; series.parquet has it."

class LatencyBandTexts:
    """Sentences about latency over time."""

    both = (
        "Response time counts from when a request was due, service time from when it was sent: a gap"
        " between the two is time spent waiting to be sent."
    )
    service_only = "Service time counts from when a request was sent; from when it was due is not known."
    response_p50 = "response p50"
    service_p50 = "service p50"
    service_p99 = "service p99"
    most = "max"
    title = "Latency over time"
    good_answers_only = "Good answers only; p99 needs 100 answers in a column, p99.9 a thousand."
    caption = "Latency of good answers a second, in the measured part"

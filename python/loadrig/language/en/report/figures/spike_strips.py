class SpikeStripTexts:
    """Sentences about the strips of a spike."""

    spike = "the spike"
    back_in_band = "back in its band"
    requests_a_second = "Requests a second"
    asked_for = "asked for"
    answered_well = "answered well"
    failed = "failed"
    in_flight_title = "In flight"
    in_flight = "in flight"
    latency = "Latency"
    p90_of_good_answers = "p90 of the good answers"
    about = "The spike is shaded."
    grey_band = " A grey band is that in which a measure was before it; it is back when it stays there."
    title = "The spike"
    time_since_begin = "time since the begin of the load"

    def at_most(self, number: str) -> str:
        return f"at most {number}"

    def piled_up(self, rate: str) -> str:
        return f"{rate} a second piled up in the spike"

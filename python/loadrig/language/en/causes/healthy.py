"""Sentences of `healthy` in English."""


class HealthyTexts:
    """Sentences of `causes.healthy`."""

    title = "nothing limits the server at this load"
    no_proof = "nothing is wrong that could be moved; a fifth more load shows whether there is room"
    mend = "nothing to mend; to find the limit itself, raise the load"
    decides = "a fifth more load: it should be answered as well"

    def failed_flight_average(self, failed_share: str, waiting: str) -> str:
        return f"{failed_share} failed, {waiting} in flight on average"

    def what_due_answered(self, well: str) -> str:
        return f"{well} of what was due was answered well"

    def next_limit_used(self, what: str, component: str, used_share: str) -> str:
        return f"{what} of {component}, the next limit, was {used_share} used"

    def nothing_limits_s(self, ok_rps: str) -> str:
        return f"nothing limits it at {ok_rps}/s"

    def how_much_room(self, text: str) -> str:
        return f"{text}; how much room there is was not seen"

    def to(self, low: str, high: str) -> str:
        return f"95 % {low} to {high}"

    def headroom_about_times(
        self, text: str, rps: str, what: str, component: str, rps_2: str, span: str
    ) -> str:
        return (
            f"{text}; headroom is about {rps} times that load, where {what} of {component} would be full"
            f" ({rps_2}/s, {span})"
        )

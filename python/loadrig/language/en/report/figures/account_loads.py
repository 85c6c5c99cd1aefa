class AccountLoadsFigureTexts:
    """Sentences about a request's time against the load."""

    title = "A request against the load"
    users = "users"
    sessions_a_second = "sessions a second"
    requests_a_second = "requests a second"
    load = "load"
    ended = "ended"
    request = "a request"
    overloaded = "overloaded"

    def about(self, sentence: str) -> str:
        return (
            f"{sentence} Each mark is a level of the load, in the middle of its 95 % interval; the parts"
            " of a request are stacked in the order of its way."
        )

    def bends(self, load: str, more: str) -> str:
        return f"longer from {load} on, by {more}"

    def takes(self, load: str, time: str) -> str:
        return f"{load}: a request takes {time}"

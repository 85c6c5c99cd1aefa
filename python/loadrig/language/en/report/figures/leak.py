class LeakFigureTexts:
    """Sentences about what grows with every request."""

    title = "What grows with every request"
    at_its_slope = "at its slope"
    what = "what"
    request = "a request"
    in_all = "in all"
    now = "now"
    limit = "limit"
    time_left = "time left"

    def what_of(self, what: str, component: str) -> str:
        return f"{what} of {component}"

    def grows(self, what: str, growth: str, low: str, high: str) -> str:
        return f"{what} grows by {growth} a request (95 % {low} to {high})."

    dashed_line = "The dashed line is the course at that slope, the pale band its interval."

    def growth_a_request(self, growth: str) -> str:
        return f"{growth} a request"

    def restarts_hide(self, lives: int) -> str:
        return f"Restarts hide it: {lives} lives are laid on each other. "

    def reached_in(self, rate: str, limit: str, amount: str, time: str) -> str:
        return f"At {rate}/s {limit} ({amount}) is reached in {time}. "

    def time_to_limit(self, time: str, limit: str) -> str:
        return f", {time} to {limit}"

"""Sentences of `account` in English."""


class AccountFigureTexts:
    """Sentences about the bars of a request's time."""

    title = "A request, part by part"
    low_load = "least load"
    high_load = "most load"
    calm = "between the dips"
    dips = "in the dips"
    not_told_by_route = "in queues, or not told by route"
    by_route = "By route"
    route = "route"
    what_request_does = "what a request does"
    time = "time"
    counted_by = "counted by"
    component = "component"
    share = "share"
    not_accounted_for = "not accounted for"
    beyond_total = "of other clients, or counted twice"
    server_in_words = "the server"
    waiting_for_dependency = "waiting for a dependency"
    answers_unread = "answers unread"
    holding_transaction = "holding a transaction open"
    total_less_lines = "the total less all lines"
    total_less = "the total less"

    def about(self, sentence: str) -> str:
        return (
            f"{sentence} Each bar is the mean time of a request, in the order of its way. A dependency's"
            " bar begins where the server begins to wait for it."
        )

    def about_routes(self, sentence: str, missing: str) -> str:
        return (
            f"{sentence} What a request of a route takes by itself is told where the mix of the routes"
            f" varies enough. Not told by route: {missing}."
        )

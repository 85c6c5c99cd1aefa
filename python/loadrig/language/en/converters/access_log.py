"""Sentences of the converter `access_log` in English: what a log does not hold, and what became of it."""


class ConvertersAccessLogTexts:
    tool = "access log"
    files = "an access log of nginx, Apache, Envoy, Caddy or Traefik, as lines or JSON lines"
    requests = "requests"
    routes = "routes"
    server = "the server"
    headers = "headers and cookies"
    rate = "the rate"
    replayed = "requests to replay in their order"

    # --- left out -------------------------------------------------------------------------------

    no_request = "no entry of an access log that is read"
    no_entry_at_all = "no line is an entry of an access log"
    no_log = "name an access log in the common or combined format, of Envoy, or of JSON lines"
    no_body = "a log does not hold bodies; write it into the plan as a request with its body"
    no_such_method = "a plan has no request of this method"
    upgraded = "what was sent on the connection after it was switched to another protocol is not in the log"
    no_path = "it asks for no path, or for one that is too long for a route"
    secret_path = "its values are secrets, which are not written, or no UTF-8"
    too_many_routes = "the table of routes was full, and their routes were the rarest"
    no_replay_of_all = "they are more than a replay holds; the first ones are in it"

    # --- altered --------------------------------------------------------------------------------

    no_headers = "a log does not hold them; requests are sent without, so answers may be others"
    no_times = "the log has no times, so it is 1/s: write the rate that you mean"

    def in_order(self, plan: str) -> str:
        return (
            f"{plan} beside this plan sends the log's own requests one by one, in its order and at its times"
        )

    def further_requests(self, method: str) -> str:
        return f"{method}, rarer routes"

    def is_rare(self, routes: int) -> str:
        return f"it is not among the {routes} most frequent routes; its share goes to the others"

    def lines(self, count: int) -> str:
        return f"{count:,} {'line' if count == 1 else 'lines'}"

    def requests_of(self, route: str, count: int) -> str:
        return f"{route} ({count:,} {'request' if count == 1 else 'requests'})"

    def further_routes(self, routes: int, requests: int) -> str:
        return f"{routes:,} more routes ({requests:,} requests)"

    def server_to_write(self, server: str, hosts: str) -> str:
        named = f"the requests were for {hosts}" if hosts else "a log names none"
        return f"{named}; write the server that you may load in place of {server}"

    def busiest_rate(self, stretch_s: int, begin: str, mean: str) -> str:
        return f"that of the busiest {stretch_s} s, from {begin} on; over the whole log it is {mean}/s"

    def mean_rate(self, length_s: int) -> str:
        return f"that of the whole log, of {length_s} s"

    def secret_parameter(self, name: str) -> str:
        return f"query parameter {name}"

    def secret_left_out(self, name: str) -> str:
        return f"it is left out, as its values are secrets; if it must be sent, add {name}={{env:NAME}}"

    def route_comment(self, count: int, share: str, statuses: str) -> str:
        return f"{count:,} {'request' if count == 1 else 'requests'} ({share} %); answers {statuses}"

"""Sentences of `words` in English."""


class ReportWordsTexts:
    """Sentences of `report.words`."""

    may_good = "may be as good"
    misses_goal = "misses a goal"
    differs_too_little = "differs, too little to matter"
    cause_named = "Proved cause"
    cause_likely = "Likely cause"
    cause_possible = "Possible cause"
    stands_mean_named = "proved: an experiment moved it"
    stands_mean_likely = "arithmetic and all its signs hold; no experiment was made"
    stands_mean_possible = "something of it was not seen, or little speaks for it"
    ended_sure = "it ended when more of it would have told no more"
    ended_budget = "it ended because its budget was used up"
    ended_unprovable = "it ended without an answer, as no experiment decides about the first suspect"
    ended_nothing_to_prove = "there was nothing to prove"
    ended_gone = "what was wrong was over by then, so no experiment tells of it"
    ended_failed = "it could not be carried to its end"
    ended_interrupted = "it was interrupted"
    validity_mean_valid = "the rig did what the plan asked"
    validity_mean_disturbed = "some claims weaken, all others stand"
    validity_mean_void = "the rig could not run it properly: no word about the server"
    outcome_ok = "answered, and every check passed"
    outcome_http_3xx = "answered with a redirect that was not expected"
    outcome_http_4xx = "answered with a client error"
    outcome_http_5xx = "answered with a server error"
    outcome_check_failed = "answered, but a check on the answer failed"
    outcome_grpc_error = "answered, but with another gRPC status than was expected"
    outcome_timeout = "no whole answer within the time-out"
    outcome_connect_refused = "nothing listened on the port"
    outcome_connect_timeout = "no connection within the connect time-out"
    outcome_connect_reset = "the connection was reset while it was made"
    outcome_connect_failed = "no connection: host or network out of reach"
    outcome_tls_failed = "the TLS handshake failed"
    outcome_reset = "the server reset the connection"
    outcome_closed = "the server closed the connection before the whole answer"
    outcome_stream_reset = "the server reset the request's HTTP/2 stream"
    outcome_go_away = "the server said GOAWAY before it took the request up (HTTP/2)"
    outcome_not_http = "what came was not HTTP"
    outcome_excess_body = "the body was longer than announced"
    outcome_no_ports = "the generator had no local port left"
    outcome_no_descriptors = "the generator had no file descriptor left"
    outcome_failed = "another input or output error"
    outcome_unsent = "due, but never sent"
    each_user_waits = "each user waits for its answer before it asks again"
    requests_due_their = "requests are due at their own times, answered or not"
    partly_open = "partly open"
    users_arrive_rate = "users arrive at a rate, make several requests, and leave"
    requests_due_times = "requests are due at the times of a list"
    every_connection_asks = "every connection asks again as soon as it is answered"
    measure_cpu_per_request = "CPU a request"
    measure_mean = "mean latency"
    measure_max = "slowest answer"
    claim_ratios = "costs and shares"
    claim_rates = "answers a second"
    claim_times = "the usual times"
    claim_tails = "the slowest times"
    claim_load = "the load that was asked for"
    some_connections_without_pause = "Connections without a pause"
    the_load = "The load"
    arrival_model_not = "the arrival model was not recorded"

    def user(self, users: str, is_one: bool) -> str:
        return f"{users} user{'' if is_one else 's'}"

    def requests_second(self, rate: str) -> str:
        return f"{rate} requests a second"

    def sessions_requests_second(self, rate: str) -> str:
        return f"Sessions that made {rate} requests a second"

    def replayed_list_requests(self, rate: str) -> str:
        return f"A replayed list of {rate} requests a second"

    def connections_without_pause(self, users: str) -> str:
        return f"{users} connections without a pause"

    def joined(self, first: str, second: str) -> str:
        return f"{first} and {second}"

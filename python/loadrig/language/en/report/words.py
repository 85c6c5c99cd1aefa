"""Sentences of `words` in English."""

from collections.abc import Mapping
from typing import ClassVar


class ReportWordsTexts:
    may_good = "may be as good"
    misses_goal = "misses a goal"
    differs_too_little = "differs, too little to matter"
    cause_named = "Proved cause"
    cause_likely = "Likely cause"
    cause_possible = "Possible cause"
    stands_mean_named = "proved: an experiment moved it"
    chance_means = "The share of findings like this one that were right, on servers whose truth is known"
    stands_mean_likely = "its arithmetic and all its signs hold; no experiment was made"
    stands_mean_possible = "some of its signs were not observed, or the evidence is weak"
    ended_sure = "it ended when a longer run would have added nothing"
    ended_budget = "it ended because its budget was used up"
    ended_unprovable = "it ended without an answer, as no experiment decides about the first suspect"
    ended_nothing_to_prove = "there was nothing to prove"
    ended_gone = "the harm was over by then, so no experiment can test it"
    ended_failed = "it could not be completed"
    ended_interrupted = "it was interrupted"
    validity_mean_valid = "loadrig did what the plan asks for"
    validity_mean_disturbed = "some claims are less sure, all others stand"
    validity_mean_void = "loadrig could not run it properly: it says nothing about the server"
    outcomes: ClassVar[Mapping[str, str]] = {
        "ok": "answered, and every check passed",
        "http_3xx": "answered with a redirect that was not expected",
        "http_4xx": "answered with a client error",
        "http_5xx": "answered with a server error",
        "check_failed": "answered, but a check on the answer failed",
        "grpc_error": "answered, but with another gRPC status than was expected",
        "timeout": "no whole answer within the time-out",
        "connect_refused": "nothing listened on the port",
        "connect_timeout": "no connection within the connect time-out",
        "connect_reset": "the connection was reset while it was made",
        "connect_failed": "no connection: host or network out of reach",
        "tls_failed": "the TLS handshake failed",
        "reset": "the server reset the connection",
        "closed": "the server closed the connection before the whole answer",
        "stream_reset": "the server reset the request's HTTP/2 stream",
        "go_away": "the server sent GOAWAY before it handled the request (HTTP/2)",
        "not_http": "the response was not HTTP",
        "excess_body": "the body was longer than announced",
        "no_ports": "the generator had no local port left",
        "no_descriptors": "the generator had no file descriptor left",
        "failed": "another input or output error",
        "unsent": "due, but never sent",
    }
    each_user_waits = "each user waits for the response before the next request"
    requests_due_their = "requests are due at their own times, answered or not"
    partly_open = "partly open"
    users_arrive_rate = "users arrive at a rate, make several requests, and leave"
    requests_due_times = "requests are due at the times of a list"
    every_connection_asks = "every connection sends the next request as soon as it gets a response"
    measure_cpu_per_request = "CPU a request"
    measure_mean = "mean latency"
    measure_max = "slowest answer"
    claim_ratios = "costs and shares"
    claim_rates = "answers a second"
    claim_times = "the usual times"
    claim_tails = "the slowest times"
    claim_load = "the requested load"
    some_connections_without_pause = "Connections without a pause"
    the_load = "The load"
    arrival_model_not = "the arrival model was not recorded"

    def about_so_sure(self, word: str, chance: str) -> str:
        return f"{word}, ~{chance}"

    def user(self, users: str, is_singular: bool) -> str:
        return f"{users} user{'' if is_singular else 's'}"

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

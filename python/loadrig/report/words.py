"""The words of the report: what an outcome, a verdict, a standing, a load model is called."""

from collections.abc import Mapping

from loadrig.base import units
from loadrig.report.model import VerdictWords
from loadrig.trial.document import LoadDocument
from loadrig.trial.reasons import Reason

STANDINGS: Mapping[str, VerdictWords] = {
    "best": ("▲", "best", "good"),
    "indistinguishable": ("~", "may be as good", "plain"),
    "worse": ("▼", "worse", "bad"),
    "infeasible": ("✗", "misses a goal", "bad"),
    "undecided": ("?", "undecided", "warn"),
    "void": ("∅", "void", "warn"),
}
"""Symbol, words and tone of a setting's standing."""

COMPARED: Mapping[str, VerdictWords] = {
    "better": ("▲", "better", "good"),
    "worse": ("▼", "worse", "bad"),
    "equivalent": ("≈", "equal", "plain"),
    "trivial": ("≈", "differs, too little to matter", "plain"),
    "undecided": ("~", "undecided", "quiet"),
    "void": ("∅", "void", "warn"),
}
"""Symbol, words and tone of a comparison's verdict."""

STANDS: Mapping[str, VerdictWords] = {
    "named": ("●", "named", "bad"),
    "likely": ("◕", "likely", "bad"),
    "possible": ("◔", "possible", "warn"),
}
"""Symbol, word and tone of how sure a finding is."""

CAUSES: Mapping[str, str] = {
    "named": "Proved cause",
    "likely": "Likely cause",
    "possible": "Possible cause",
}
"""Words in front of the first finding, where it stands in the answer."""

STANDS_MEANS: Mapping[str, str] = {
    "named": "proved: an experiment moved it",
    "likely": "arithmetic and all its signs hold; no experiment was made",
    "possible": "something of it was not seen, or little speaks for it",
}

PROVED: Mapping[str, VerdictWords] = {
    "limits": ("●", "limits", "bad"),
    "shares": ("◐", "shares", "warn"),
    "cleared": ("○", "cleared", "plain"),
    "unsure": ("?", "unsure", "quiet"),
}
"""Symbol, word and tone of what an experiment says of what it changed."""

ENDED: Mapping[str, str] = {
    "sure": "it ended when more of it would have told no more",
    "budget": "it ended because its budget was used up",
    "unprovable": "it ended without an answer, as no experiment decides about the first suspect",
    "nothing_to_prove": "there was nothing to prove",
    "gone": "what was wrong was over by then, so no experiment tells of it",
    "failed": "it could not be carried to its end",
    "interrupted": "it was interrupted",
}
"""Reasons for which a proof ended, as clauses."""

VALIDITY: Mapping[str, VerdictWords] = {
    "valid": ("✓", "valid", "good"),
    "disturbed": ("!", "disturbed", "warn"),
    "void": ("∅", "void", "bad"),
}
"""Symbol, word and tone of a trial's validity."""

VALIDITY_MEANS: Mapping[str, str] = {
    "valid": "the rig did what the plan asked",
    "disturbed": "some claims weaken, all others stand",
    "void": "the rig could not run it properly: no word about the server",
}

OUTCOMES: Mapping[str, str] = {
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
    "go_away": "the server said GOAWAY before it took the request up (HTTP/2)",
    "not_http": "what came was not HTTP",
    "excess_body": "the body was longer than announced",
    "no_ports": "the generator had no local port left",
    "no_descriptors": "the generator had no file descriptor left",
    "failed": "another input or output error",
    "unsent": "due, but never sent",
}
"""Meaning of each outcome, one line each."""

MODELS: Mapping[str, tuple[str, str]] = {
    "users": ("closed", "each user waits for its answer before it asks again"),
    "rate": ("open", "requests are due at their own times, answered or not"),
    "sessions": ("partly open", "users arrive at a rate, make several requests, and leave"),
    "replay": ("open", "requests are due at the times of a list"),
    "saturate": ("closed", "every connection asks again as soon as it is answered"),
}
"""Arrival models: open or closed, and what that means."""

MEASURES: Mapping[str, str] = {
    "throughput": "throughput",
    "capacity": "capacity",
    "errors": "errors",
    "memory": "memory",
    "cpu_per_request": "CPU a request",
    "server_cpu": "server CPU",
    "mean": "mean latency",
    "max": "slowest answer",
}


def measure(name: str) -> str:
    """Return a measure as read: "service_p50" -> "service p50"."""
    return MEASURES.get(name) or name.replace("_", " ")


CLAIMS: Mapping[str, str] = {
    "facts": "facts",
    "ratios": "costs and shares",
    "rates": "answers a second",
    "times": "the usual times",
    "tails": "the slowest times",
    "load": "the load that was asked for",
}
"""Names of the kinds of claims, for a sentence."""


def counted(trials: Mapping[str, int], *verdicts: str) -> str:
    """Return how many trials have each of these verdicts: "2 disturbed, 1 void"; without those of none."""
    return ", ".join(f"{trials[verdict]} {verdict}" for verdict in verdicts if trials.get(verdict))


def reason(reason: Reason) -> str:
    """Return a reason of a validity verdict with the check that found it, and what to do about it."""
    text = f"{reason.text.rstrip('.')} ({reason.check})"
    return f"{text}; mend: {reason.mend}" if reason.mend else text


def counted_remarks(reasons: int, notes: int) -> str:
    """Return how many warnings and notes there are: "3 warnings and 1 note"."""
    counts = ((reasons, "warning"), (notes, "note"))
    parts = [f"{count} {word}{'' if count == 1 else 's'}" for count, word in counts if count]
    return " and ".join(parts)


def load(load: LoadDocument) -> str:
    """Return the load that was asked for, to begin a sentence: "50 users", "1,000 requests a second"."""
    users, rate = load.users or 0, units.show_number(load.offered_rps or 0.0)
    match load.model:
        case "users":
            return f"{users:,} user{'' if users == 1 else 's'}"
        case "rate":
            return f"{rate} requests a second"
        case "sessions":
            return f"Sessions that made {rate} requests a second"
        case "replay":
            return f"A replayed list of {rate} requests a second"
        case "saturate":
            return f"{users:,} connections without a pause" if users else "Connections without a pause"
        case _:
            return "The load"


def model(load: LoadDocument) -> str:
    """Return the arrival model in words: "closed: each user waits for its answer before it asks again"."""
    kind, means = MODELS.get(load.model or "", ("unknown", "the arrival model was not recorded"))
    return f"{kind}: {means}"

"""Pages of outcomes and of the figures of a load in English, for `loadrig explain http_5xx`."""

from collections.abc import Mapping
from typing import ClassVar


class OutcomePagesTexts:
    """Pages of the outcomes of requests: where to look at each. What each means says `ReportWordsTexts`."""

    answered = (
        "It counts as answered, and not as good: its response time is kept apart from that of good answers."
    )
    good = "It counts as answered and as good: throughput and response times are those of such requests."
    not_answered = "It counts as failed: there was no answer."
    of_generator = "It counts as failed, and the cause is the generator or its machine, not the server."
    never_sent = (
        "It counts as unsent, which is no failure of an answer: the load was not made as the plan asks."
    )
    look: ClassVar[Mapping[str, str]] = {
        "ok": "The statuses and the checks that are expected stand under `expect` in the plan.",
        "http_3xx": "Let the request follow it (`follow_redirects`), or expect the status (`expect:"
        " {status: 302}`).",
        "http_4xx": "The run keeps examples of such answers: a wrong path, a login that is missing (401,"
        " 403), or a"
        " server that limits the rate (429). A status that is right is named under `expect: {status: …}`.",
        "http_5xx": "The run keeps examples of such answers, and the server's log says why: a fault of the"
        " application, or one that is overloaded (502, 503, 504). `loadrig diagnose` names causes.",
        "check_failed": "The run keeps examples of what came and of what was wanted: the checks stand under"
        " `expect`,"
        " and a value that is to be taken out of an answer under `extract`.",
        "grpc_error": "The run keeps the status and its message. A status that is right is named under"
        " `expect: {status: …}`.",
        "timeout": "The server is overloaded, or the time-out (`timeout` in the plan) is too short for it."
        " The time"
        " counts from the instant at which the request was due.",
        "connect_refused": "The server is not running, listens at another address or port, or its queue of"
        " new"
        " connections overflows and it answers by refusing.",
        "connect_timeout": "A firewall drops packets, or the server's queue of new connections is full.",
        "connect_reset": "The server or something before it ended connections while they were made, as one"
        " does that"
        " has no descriptor, process or memory left.",
        "connect_failed": "Look at the address, its route and its firewall.",
        "tls_failed": "The certificate is not trusted or of another name, or there is no common version of"
        " TLS. A test"
        " server with its own certificate wants `tls: {ca: FILE}` or `tls: {insecure: true}`.",
        "reset": "The server or a proxy before it gave the request up: a worker that was killed, a limit of"
        " time or"
        " size, or a restart.",
        "closed": "A worker ended in the middle of an answer, or an idle connection was closed just as the"
        " request"
        " was sent.",
        "stream_reset": "The server refused or gave up the one request, often because of a limit on streams.",
        "go_away": "The server ends connections after a number of requests or a time, or restarts.",
        "not_http": "The port is of another protocol, or wants TLS (`https`).",
        "excess_body": "`Content-Length` is less than what the server sent: a fault of the server.",
        "no_ports": "Keep connections open (`connections: {keep_alive: true}`), or widen"
        " net.ipv4.ip_local_port_range.",
        "no_descriptors": "Raise the limit (`ulimit -n`), or use fewer connections.",
        "failed": "The run keeps examples with the error of the operating system.",
        "unsent": "No connection became free in time, or the load ended before. The server is too slow for"
        " the load,"
        " or `connections: {most: …}` is too small; check G1 says which.",
    }
    figures: ClassVar[Mapping[str, str]] = {
        "load.interval_s": "Length of the interval that the other figures of the row are of, in seconds.",
        "load.due": "Requests that were due in the interval, by the schedule.",
        "load.sent": "Requests that were sent in the interval.",
        "load.answered": "Requests that got an answer in the interval, good or not.",
        "load.failed": "Requests that ended without an answer in the interval.",
        "load.unsent": "Requests that were due and were never sent, in the interval.",
        "load.ended": "Requests that ended in the interval, by route and outcome.",
        "load.in_flight": "Requests that were sent and not answered yet, at the end of the interval.",
        "load.users": "Users that were at work, at the end of the interval.",
        "load.bytes_in": "Bytes that were received in the interval.",
        "load.bytes_out": "Bytes that were sent in the interval.",
        "load.opened": "Connections that were opened in the interval.",
        "loadrig_due_per_second": "Requests that were due in the last second, by the schedule.",
        "loadrig_good_per_second": "Requests that were answered as expected in the last second: throughput.",
        "loadrig_failed_per_second": "Requests of the last second that ended in any other way than as"
        " expected.",
        "loadrig_in_flight": "Requests that were sent and not answered yet, at the end of the last second.",
        "loadrig_users": "Users that were at work, at the end of the last second.",
        "loadrig_response_seconds": "Response time of good answers of the last second, in seconds, at the"
        " quantiles"
        " 0.5, 0.95 and 0.99, from when each was due.",
        "loadrig_cores": "CPU time that a component took, in cores.",
        "loadrig_memory_bytes": "Memory of a component, in bytes.",
        "loadrig_requests_total": "Requests that ended since the trial began, by outcome.",
        "loadrig_request_duration_seconds": "Histogram of the response times since the trial began, in"
        " seconds from"
        " when each request was due, by route and outcome.",
    }

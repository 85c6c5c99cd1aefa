"""Sentences of `accept_backlog` in English, and the sections of its page.

## Signature

The listener's queue stands at its backlog, the kernel counts connections turned away (ListenOverflows), and
clients that were turned away try again after 1, 3 and 7 seconds.

## Data

Queue and backlog of each listener (sock_diag), ListenOverflows and ListenDrops, latency, connect time-outs.

## Deciding test

`--prove` raises the server's backlog in turns, where it is a knob (net.core.somaxconn must allow it): the
drops go, and what they did with them. If throughput stays all the same, the workers are the limit.

## Guard

A queue that is full all the time is a server that is too slow: a longer one only makes clients wait in it.
Look at CPU and workers first; the backlog itself is at fault where bursts meet a server that keeps up.

## Fix

Workers first; then backlog (`gunicorn --backlog 2048`) and net.core.somaxconn; keep-alive spares the queue.
"""


class AcceptBacklogTexts:
    title = "connections are turned away: the accept queue is full"
    another_listener_queue = "the accept queue of another listener was fuller"
    nobody_turned_away = "no connection was turned away"
    whether_connections_turned = (
        "whether connections were turned away was not read: nstat -az TcpExtListenOverflows"
    )
    queue_full_most = (
        "the accept queue was full most of the time: connections are accepted too slowly, and in a"
        " longer queue they only wait longer"
    )
    listen_backlog = "listen() with a backlog of"
    requests_got_no = "{} requests got no connection in time"
    decides = (
        "a backlog ten times as long (and net.core.somaxconn): no connection is dropped; if throughput does"
        " not rise, the workers are the limit"
    )

    def kernel_turned_connections(self, away: str) -> str:
        return f"the kernel turned {away} connections away"

    def connections_waited_accepted(self, peak: str, backlog: str) -> str:
        return f"{peak} connections waited to be accepted; the backlog is {backlog}"

    def whether_more_did(self, text: str) -> str:
        return f"{text}; peaks between two readings were not observed (probe_every: 200ms)"

    def used_cpu_accepts(self, name: str, word: str) -> str:
        return f"{name} used {word} of its CPU: it accepts connections late"

    def effect(self, away: str, name: str, backlog: str) -> str:
        return f"{away} attempts to connect to {name} were turned away, with a backlog of {backlog}"

    def mend(self, option: str, longer: str) -> str:
        return f"more workers if all are busy; {option} {longer} and sysctl -w net.core.somaxconn={longer}"

    def turned_away_requests(self, away: str, total: str) -> str:
        return f"{away} turned away, {total} requests sent"

    def slowest_answers_took(self, latency_s: str, mode_s: str) -> str:
        return f"the slowest answers took {latency_s}: a client turned away tries again after {mode_s}"

"""Sentences of `descriptor_limit` in English, and the sections of its page.

## Signature

The open descriptors of a process stand at its limit (RLIMIT_NOFILE); connections wait in the listener's
queue and are not accepted, or requests fail with EMFILE ("Too many open files").

## Data

Open descriptors over the limit, of the process nearest to it; the listener's queue; failures.

## Deciding test

A higher limit: the descriptors rise above the old one, and the failures stop. `prlimit --pid PID --nofile=N`
raises it while the process runs; `--prove` leaves it alone.

## Guard

Descriptors that grow with every request are a leak: a higher limit only puts the end off. A pool or cache
of fixed size may stand near the limit without harm. Accepting over and over without success takes CPU time.

## Fix

LimitNOFILE= of the service, ulimits of the container, worker_rlimit_nofile of nginx; a shorter keep-alive
time-out where idle connections hold them.
"""


class DescriptorLimitTexts:
    title = "the limit of open file descriptors is reached"
    no_proof = (
        "the limit is the process's own; raise it (prlimit --pid PID --nofile=65536) and repeat the run"
    )
    connections_waited_accepted = "{} connections waited to be accepted"
    requests_got_no = "{} requests got no connection"
    decides = "the same load with a higher limit: open descriptors rise above the old limit, failures stop"

    def raise_limit(self, wanted: str, pid: str) -> str:
        return (
            f"raise the limit: LimitNOFILE={wanted} in its unit, docker run --ulimit nofile={wanted}; now:"
            f" prlimit --pid {pid} --nofile={wanted}"
        )

    def process_had_descriptors(self, used: str, at: str) -> str:
        return (
            f"one of its processes had {used} of its descriptors open, and was at the limit {at} of the time"
        )

    def descriptors_could_not(self, connections: str, limit: str) -> str:
        return (
            f"its descriptors could not be counted; {connections} connections are open, the limit is"
            f" {limit}: run loadrig as root, or as its user"
        )

    def limit_of(self, limit: str) -> str:
        return f" of {limit}"

    close_them = (
        "close what a request opens, on every way out of its handler: a higher limit is only reached later"
        " (ls -l /proc/PID/fd shows what is open)"
    )

    def not_closed(self, each: str) -> str:
        return f"; {each} of each request stay open"

    def effect(self, word: str, connections: str) -> str:
        return f"it is at its limit{word} descriptors, with {connections} connections"

    def requests_waited_accepted(self, queued: str, waiting: str) -> str:
        return f"{queued} of {waiting} requests waited to be accepted"

"""Sentences of `time_wait_overflow` in English, and the sections of its page.

## Signature

The count of connections in TIME_WAIT stands at tcp_max_tw_buckets, and TCPTimeWaitOverflow grows; then
connections are reset, as a late packet of an old one meets a new one.

## Data

TIME_WAIT in all and its limit, the counter of those cut short, resets and failures seen by the generator.

## Deciding test

Raise the limit: the count rises and throughput stays the same, so the limit was harmless. Keep connections:
both go away, and so does whatever else opening them cost; so that `--prove` does so decides nothing here.

## Guard

A count that stands at the limit looks like health and is none: how many connections are closed must be read
from the counters. Cutting short costs no throughput; it even hides that ports would run out.

## Fix

Keep connections (a pool, keep-alive); leave the limit alone.
"""


class TimeWaitOverflowTexts:
    title = "the number of TIME_WAIT sockets is at its limit"
    no_proof = "keeping connections open helps more; double net.ipv4.tcp_max_tw_buckets and repeat the run"
    no_request_ended = (
        "no request ended by a reset: a shortened TIME_WAIT did no harm, and the count at its limit says"
        " nothing of how many connections are closed"
    )
    resets_have_many = "resets have many causes, and a shortened TIME_WAIT is seldom one of them"
    limit_not_read = "the limit was not read: sysctl net.ipv4.tcp_max_tw_buckets"
    mend = "keep connections open (a pool, keep-alive); leave net.ipv4.tcp_max_tw_buckets as it is"
    decides = "double net.ipv4.tcp_max_tw_buckets: if resets stay, this is not their cause"

    def time_wait_stood(self, high: str) -> str:
        return f"TIME_WAIT sockets were at {high} of their limit"

    def them(self, peak: str) -> str:
        return f", {peak} sockets"

    def requests_ended_reset(self, resets: str) -> str:
        return f"{resets} requests ended by a reset or a broken connection"

    def cut_short_second(self, rate: str) -> str:
        return f"{rate} TIME_WAIT sockets a second were removed early"

    def effect(self, rate: str, resets: str) -> str:
        return f"{rate} TIME_WAIT sockets/s are removed early; {resets} requests were reset"

    def failures_resets(self, resets: str, failed: str) -> str:
        return f"{resets} of {failed} failures were resets"

"""The kernel cuts TIME_WAIT short because there are too many of them.

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

from collections.abc import Iterator

from loadrig.base.units import show_number, show_share
from loadrig.judgement.about import About
from loadrig.judgement.constants import AT_LIMIT
from loadrig.judgement.evidence import Evidence, Hypothesis, Sign
from loadrig.judgement.facts import observed
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.legs import namespaces

TITLE = "TIME_WAIT is cut short by its limit"
HARMS = frozenset({"failing", "missed"})
ABOUT = About("time_wait", "fact")

NO_PROOF = "keeping connections mends more than this; double net.ipv4.tcp_max_tw_buckets and run it again"

RESETS = ("reset", "closed", "connect_reset", "http_5xx")
"""Outcomes of a request whose connection meets a late packet; 5xx where that connection is behind the
server."""

FEWEST_OVERFLOWS = 3
"""Connections that the kernel ended for want of room, from which on the table was full."""


def examine(case: Case) -> Iterator[Hypothesis]:
    """Yield one hypothesis for each network namespace in which a TIME_WAIT was cut short."""
    for space in namespaces(case):
        cut = space.track("time_wait_overflows")
        if cut is None or cut.grew < 1:
            continue
        share, count = space.track("time_wait_share"), space.track("time_wait_all")
        resets, source = case.load.count(*RESETS), case.load.source("outcomes")
        failed, rate = case.load.total(case.load.failed), show_number(cut.mean)
        is_reset = resets >= FEWEST_OVERFLOWS
        high = share.high() if share is not None else 0.0
        text = f"TIME_WAIT stood at {show_share(high)} of its limit"
        if count is not None:
            text += f", {show_number(count.peak)} of them"
        harm = (
            "no request ended by a reset: cutting TIME_WAIT short cost nothing, and the count at its limit"
            " says nothing of how many connections are closed"
        )
        if is_reset:
            harm = f"{resets:,} requests ended by a reset or a broken connection"
        seldom = "resets have many causes, and a shortened TIME_WAIT is seldom one of them"
        unread = "the limit was not read: sysctl net.ipv4.tcp_max_tw_buckets"
        yield Hypothesis(
            component=space.host,
            signs=(
                Sign(True, f"{rate} were cut short a second", cut.source),
                observed.sign(share, high >= AT_LIMIT, text, unread),
                Sign(is_reset, harm, source),
            ),
            against=(Evidence(seldom, source),),
            effect=f"{rate} TIME_WAITs/s are cut short; {resets:,} requests were reset",
            mend="keep connections (a pool, keep-alive); leave net.ipv4.tcp_max_tw_buckets as it is",
            decides="double net.ipv4.tcp_max_tw_buckets: if resets stay, this is not their cause",
            bound=min(1.0, resets / failed) if failed else None,
            bound_text=f"{resets:,} of {failed:,.0f} failures were resets" if failed else "",
        )

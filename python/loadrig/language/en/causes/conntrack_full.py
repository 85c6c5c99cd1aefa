"""Sentences of `conntrack_full` in English, and the sections of its page.

## Signature

nf_conntrack_count stands at nf_conntrack_max; connecting fails at random, or succeeds after a second or
three; what is connected goes on well.

## Data

Tracked connections over their limit, connect time-outs, segments sent again; the kernel's log says
"nf_conntrack: table full, dropping packet".

## Deciding test

Double nf_conntrack_max, or leave the port untracked: the failures go. The table is one for the whole
machine, so `--prove` leaves it alone.

## Guard

Packet loss looks the same from outside; only the count tells. A table that is not full harms nobody.

## Fix

sysctl -w net.netfilter.nf_conntrack_max=..., shorter time-outs for TIME_WAIT, untracked ports (notrack),
fewer new connections.
"""


class ConntrackFullTexts:
    title = "the table of tracked connections is full"
    no_proof = (
        "the whole machine shares this table; double net.netfilter.nf_conntrack_max by hand and repeat the"
        " run"
    )
    segments_sent_again = "{} segments were retransmitted, as those of dropped new connections are"
    mend = "sysctl -w net.netfilter.nf_conntrack_max=1048576, or leave the port untracked (notrack)"
    decides = "the same load with nf_conntrack_max doubled: failures vanish, or come later"
    whether_connecting_failed = (
        "the number of failed attempts to connect was not read: nstat -az TcpAttemptFails TcpRetransSegs"
    )

    def connections_may_tracked(self, peak: str) -> str:
        return f"the table of tracked connections was {peak} full"

    def entries(self, peak: str) -> str:
        return f": {peak} entries"

    def effect(self, count: str, ok_rps: str) -> str:
        return f"new connections were dropped: {count} requests failed, {ok_rps}/s succeeded"

    def requests_failed_want(self, lost: str) -> str:
        return f"{lost} requests failed because no connection or no response came"

    def attempts_failed_or(self, count: str) -> str:
        return f"{count} attempts to connect failed or were repeated"

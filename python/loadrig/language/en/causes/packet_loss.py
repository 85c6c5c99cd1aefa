"""Sentences of `packet_loss` in English, and the sections of its page.

## Signature

Segments are sent again though nobody was turned away, and the slowest answers take 0.2, 0.4 or 1 s longer
than the rest.

## Data

Segments sent, sent again, and sent again in vain (snmp, netstat), drops and errors of the interfaces,
connections turned away, latency.

## Deciding test

The same load over another path, or from the server's own machine: the slow answers go. `--prove` has no
other path.

## Guard

A full accept queue or a full table of tracked connections loses packets too: they are told apart by their
counters. A receiver that has no core is late with its acknowledgements, and what it had received is sent
again: its duplicate acknowledgements count such repeats, which are left out. They are no loss either where
half of the answers take longer than a repeat.

## Fix

The path: cable, duplex, shaper, driver queues (ethtool -S); larger buffers only where the drops are there.
"""


class PacketLossTexts:
    """Sentences about packets that are lost on the way."""

    title = "packets are lost on the way"
    no_proof = (
        "loadrig does not change the path; repeat the run over another one, such as from the"
        " server's own machine"
    )
    unknown_latency = "not known"
    turned_away_unread = (
        "the number of connections that were turned away was not read: nstat -az TcpExtListenDrops"
    )
    none_answered = "no request succeeded, so no latency shows the loss"
    mend = "look at the path: ip -s link, ethtool -S, tc -s qdisc on both machines and on those between them"
    decides = "the same load over another path, such as from the server's own machine"
    receive_drops = "receive drops"
    send_drops = "send drops"
    receive_errors = "receive errors"
    send_errors = "send errors"
    few_were_late = "fewer than one response in a hundred came late: no goal says whether that is too many"

    def sent_again(self, share: str, number: str) -> str:
        return f"{share} of the segments were retransmitted: {number} in all"

    def turned_away(self, number: str) -> str:
        return f"{number} connections were turned away by listeners"

    def lost(self, share: str, slow: str, median: str) -> str:
        return f"{share} of the segments were lost; p99 was {slow} beside a median of {median}"

    def sent_again_for_requests(self, number: str, requests: str) -> str:
        return f"{number} segments retransmitted for {requests} requests"

    def does_not_stand_out(self, median: str) -> str:
        return (
            f"half of the responses took {median} or more: a delay of 200 ms does not stand out; look at"
            " a lower load"
        )

    def late_enough(self, quantile: str, slow: str, median: str) -> str:
        return f"{quantile} was {slow}, the median {median}: a segment is retransmitted after 200 ms"

    def too_soon(self, quantile: str, slow: str, median: str) -> str:
        return (
            f"{quantile} was {slow}, the median {median}: too fast for a segment that is retransmitted after"
            " 200 ms"
        )

    def core_was_busy(self, idle: str) -> str:
        return f"a core was idle only {idle} of the time: receivers read late"

    def counted(self, interface: str, number: str, what: str) -> str:
        return f"{interface} counted {number} {what}"

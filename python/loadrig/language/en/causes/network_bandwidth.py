"""Sentences of `network_bandwidth` in English, and the sections of its page.

## Signature

Bytes a second stand at one level: that of the link, or of a shaper. What was written waits in send queues,
while both ends have CPU time left and the reader keeps up.

## Data

Bytes by interface and the link's speed, send and receive queues by role (sock_diag), size of answers, CPU.

## Deciding test

`--prove` compresses the answers more, in turns, where that is a knob: with bodies half as large twice as many
requests a second go through.

## Guard

The generator's own network or CPU may be the cap; a reader that is too slow shows in its receive queue. Over
loopback there is no link: there a byte costs CPU time.

## Fix

Compression, smaller answers, a cache nearer to the users, a faster link.
"""


class NetworkBandwidthTexts:
    """Sentences about a network that carries no more bytes."""

    title = "the bandwidth of the network is used up"
    queue_unseen = "what waits to be sent was not observed: sock_diag shows it (modprobe tcp_diag)"
    mend = "compress the answers or send fewer fields; a cache nearer to the users; a faster link"
    decides = "the same load with bodies half as large (Accept-Encoding: gzip): throughput doubles"

    def link_carried(self, link: str, bytes_a_second: str, share: str) -> str:
        return f"{link} carried {bytes_a_second}/s, {share} of its speed"

    def waited_to_be_sent(self, queued: str, bytes_a_second: str, wait: str, median: str) -> str:
        return f"{queued} waited to be sent, at {bytes_a_second} a second: {wait} of a median of {median}"

    def lay_unread(self, size: str) -> str:
        return f"{size} lay unread at the other end"

    def cpu_used(self, program: str, share: str) -> str:
        return f"{program} used {share} of its CPU"

    def bytes_left(self, bytes_a_second: str, program: str, size: str) -> str:
        return f"{program} sent {bytes_a_second} a second, {size} a request, and the network carries no more"

    def is_waiting(self, wait: str, median: str) -> str:
        return f"for {wait} of {median} a response waits to be sent"

    def stood_at_level(self, link: str, bytes_a_second: str, spread: str) -> str:
        return (
            f"{link} carried {bytes_a_second} a second, constant within {spread}: something limits it to"
            " that rate"
        )

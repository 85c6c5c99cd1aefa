"""Sentences of `network_bandwidth` in English."""


class NetworkBandwidthTexts:
    """Sentences of `causes.network_bandwidth`."""

    title = "the network carries no more bytes"
    what_waits_sent = "what waits to be sent was not seen: sock_diag shows it (modprobe tcp_diag)"
    mend = "compress the answers or send fewer fields; a cache nearer to the users; a faster link"
    decides = "the same load with bodies half as large (Accept-Encoding: gzip): requests a second double"

    def carried_s_speed(self, subject: str, mean: str, used: str) -> str:
        return f"{subject} carried {mean}/s, {used} of its speed"

    def waited_sent_second(self, queued: str, bytes_per_s: str, wait_s: str, median_s: str) -> str:
        return f"{queued} waited to be sent, at {bytes_per_s} a second: {wait_s} of a median of {median_s}"

    def lay_unread_other(self, name: str) -> str:
        return f"{name} lay unread at the other end"

    def used_cpu(self, name: str, word: str) -> str:
        return f"{name} used {word} of its CPU"

    def effect(self, bytes_per_s: str, name: str, size: str) -> str:
        return f"{bytes_per_s} a second left {name}, {size} a request, and no more would go through"

    def waiting_sent(self, wait_s: str, median_s: str) -> str:
        return f"{wait_s} of {median_s} is waiting to be sent"

    def carried_second_within(self, subject: str, mean: str, spread: str) -> str:
        return f"{subject} carried {mean} a second, within {spread}"

    def level_something_holds(self, text: str) -> str:
        return f"{text}: a level that something holds"

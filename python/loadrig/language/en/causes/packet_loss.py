"""Sentences of `packet_loss` in English."""


class PacketLossTexts:
    """Sentences of `causes.packet_loss`."""

    title = "packets are lost on the way"
    no_proof = "the path is not ours; run it again over another one, such as from the server's own machine"
    whether_connections_turned = (
        "whether connections were turned away was not read: nstat -az TcpExtListenDrops"
    )
    mend = "look at the path: ip -s link, ethtool -S, tc -s qdisc on both machines and what lies between"
    decides = "the same load over another path, such as from the server's own machine"
    no_request_answered = "no request was answered well, so no latency shows it"
    segment_sent_again = "a segment is sent again"
    too_soon_segment = "too soon for a segment that is sent again"

    def segments_sent_again(self, share: str, count: str) -> str:
        return f"{share} of the segments were sent again: {count} in all"

    def connections_turned_away(self, turned_away: str) -> str:
        return f"{turned_away} connections were turned away by listeners"

    def effect(self, share: str, slow: str, median: str) -> str:
        return f"{share} of the segments were lost; p99 was {slow} beside a median of {median}"

    def segments_sent_again_requests(self, count: str, ended: str) -> str:
        return f"{count} segments sent again for {ended} requests"

    def half_answers_took(self, median_s: str) -> str:
        return f"half of the answers took {median_s} or more: 200 ms do not stand out"

    def look_lower_load(self, text: str) -> str:
        return f"{text}; look at a lower load"

    def was_the_median(self, names: str, slowest_s: str, median_s: str) -> str:
        return f"{names} was {slowest_s}, the median {median_s}"

    def after_ms(self, text: str, how: str) -> str:
        return f"{text}: {how} after 200 ms"

    def core_idle_time(self, mean: str) -> str:
        return f"a core was idle {mean} of the time only: receivers were late"

    def counted(self, interface: str, replace: str) -> str:
        return f"{interface} counted {{}} {replace}"

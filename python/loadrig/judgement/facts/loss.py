"""Segments that were sent again, and how late the slowest answers were beside the time that this takes."""

from dataclasses import dataclass

from loadrig.judgement.constants import TAIL_SHARE
from loadrig.judgement.evidence import SeriesSource
from loadrig.judgement.facts.legs import Namespace
from loadrig.judgement.facts.load import Load

FEWEST_SENT_AGAIN = 20
"""Segments sent again. Below it they are what the end of any load leaves."""

RTO_S = 0.2
"""Least time in seconds after which Linux sends a segment again: TCP_RTO_MIN. Faster repair costs a round
trip."""

SEGMENTS = 3
"""Mean number of segments sent again for a request that meets a loss, at most: most losses are of one
segment."""

LATER_BY = 0.9
"""Share of RTO_S by which a tail must exceed the median: the kernel rounds its timers."""


@dataclass(frozen=True, eq=False)
class SentAgain:
    """Segments of a network namespace that were sent again. share: of all that it sent, 0 to 1."""

    load: Load
    number: float
    share: float
    source: SeriesSource

    @property
    def a_request(self) -> float:
        """Segments that were sent again for each request."""
        return self.number / max(self.load.finished, 1.0)

    @property
    def slowest(self) -> tuple[str, float, bool]:
        """Quantile of the latency that shows the repeats, or should; its seconds; whether it shows them.

        Where more than two requests in a hundred meet a loss p99 must show it.
        """
        is_often = self.a_request / SEGMENTS > 2 * TAIL_SHARE
        names = {0.99: "p99"} if is_often else {0.99: "p99", 0.999: "p99.9"}
        late_s = self.load.latency(0.5) + RTO_S * LATER_BY
        q = next((q for q in names if self.load.latency(q) >= late_s), max(names))
        return names[q], self.load.latency(q), self.load.latency(q) >= late_s


def sent_again(space: Namespace) -> SentAgain | None:
    """Return the segments of a namespace that were sent again; None where there are too few to tell.

    Those that their receiver had already are left out: who reads late acknowledges late, and the kernel sends
    the last segment again after some milliseconds to see whether it was lost. Source: RFC 8985, 7; RFC 2883.
    """
    again, sent = space.track("retransmitted_segments"), space.track("sent_segments")
    if again is None or sent is None:
        return None
    needless = space.track("needless_segments")
    lost = again.grew - (needless.grew if needless is not None else 0.0)
    if lost < FEWEST_SENT_AGAIN:
        return None
    return SentAgain(space.case.load, lost, lost / max(sent.grew + again.grew, 1.0), again.source)

"""The network carries no more bytes: answers wait in the sockets to be sent."""

import math

from loadrig.base.units import show_duration, show_share, show_size
from loadrig.judgement.cause import About, Proof
from loadrig.judgement.constants import FULL_SHARE, MOSTLY, OF_REQUEST, TRACE_BYTES, TRACE_SHARE
from loadrig.judgement.evidence import SLIGHT, STRONG, Claims, Evidence, Hypothesis, Sign
from loadrig.judgement.facts import observed
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.dependencies import IDLE_SHARE
from loadrig.judgement.facts.legs import fullest_link, of_clients, steady_level
from loadrig.language.choice import texts_of
from loadrig.language.en.causes.network_bandwidth import NetworkBandwidthTexts

TEXTS = texts_of(NetworkBandwidthTexts)

ABOUT = About("network", "signs")

PROOFS = (Proof("knob", ("compression",), is_needed=False),)
"""Experiments. Compression is not needed: the load may not take compressed answers, and images get no
smaller."""

LINK_SHARE = 0.85
"""Share of the link's speed, 0 to 1, from which on it is full. Headers, gaps and acknowledgements take 3 to
10 % of it (1,448 of 1,538 bytes)."""

TRACE_WAIT = 0.1
"""Share of the median latency that a byte waits between being written and being acknowledged, 0 to 1, from
which on that is suspected of being the limit."""


def examine(case: Case) -> Claims:
    """Yield one hypothesis for the host that answers, where its links or its clients' queues were in use."""
    load, leg = case.load, of_clients(case)
    link = fullest_link(case, leg.far)
    used = link[0].mean / link[1].median if link is not None else 0.0
    queued, unread = leg.at_listener("send_queue_bytes"), leg.at_source("receive_queue_bytes")
    bytes_per_s, median_s = load.mean(load.bytes), load.latency(0.5)
    # A queue that stood for a moment makes its mean long, and that of the latency, but not the median.
    usual_s = max(median_s, load.waiting / load.ended_rps if load.ended_rps > 0 else 0.0)
    wait_s = observed.figure(queued) / bytes_per_s if bytes_per_s > 0 else math.nan
    is_queue = bytes_per_s >= TRACE_BYTES and wait_s > TRACE_WAIT * usual_s
    if used < TRACE_SHARE and not is_queue:
        return
    wait, median = show_duration(wait_s), show_duration(median_s)
    is_link_full = link is not None and used >= LINK_SHARE
    if link is not None and is_link_full:
        text = TEXTS.link_carried(link[0].subject, show_size(link[0].mean), show_share(used))
        signs = [Sign(True, text, link[0].source, STRONG)]
    else:
        left = show_size(observed.figure(queued))
        text = TEXTS.waited_to_be_sent(left, show_size(bytes_per_s), wait, median)
        is_long = wait_s >= OF_REQUEST * usual_s
        signs = [observed.sign(queued, is_long, text, TEXTS.queue_unseen, STRONG)]
        if queued is not None:
            # A queue that was never filled has no series.
            lay = unread.mean if unread is not None else 0.0
            text = TEXTS.lay_unread(show_size(lay))
            signs.append(Sign(lay < MOSTLY * queued.mean, text, (unread or queued).source, SLIGHT))
    share = 1.0 if is_link_full or not median_s > 0 else min(1.0, wait_s / median_s)
    tier = case.tiers[leg.to]
    text = TEXTS.cpu_used(tier.name, show_share(tier.cpu_share))
    more = []
    if (steady := steady_level(case, leg.far)) is not None:
        level, spread = steady
        stood = TEXTS.stood_at_level(level.subject, show_size(level.mean), show_share(spread))
        more.append(Evidence(stood, level.source))
    if tier.cpu is not None and tier.cpu_share < IDLE_SHARE:
        more.append(Evidence(text, tier.cpu.source, SLIGHT))
    size = show_size(bytes_per_s / load.ended_rps if load.ended_rps else 0.0)
    yield Hypothesis(
        leg.far, tuple(signs), TEXTS.bytes_left(show_size(bytes_per_s), tier.name, size), more=tuple(more),
        against=observed.evidence(tier.cpu, FULL_SHARE * tier.cores, text, STRONG),
        bound=share if math.isfinite(share) else None,
        bound_text=TEXTS.is_waiting(wait, median) if math.isfinite(wait_s) and median_s > 0 else "",
    )  # fmt: skip

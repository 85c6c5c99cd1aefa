"""A program ran out of local ports towards something that it talks to.

## Signature

Its connections to one destination fill the port range, nearly all of them in TIME_WAIT; from then on it
opens no more than are freed, and requests fail or stand still. With a rate of r new connections a second
that comes range / r seconds after the begin.

## Data

Connections by destination (sock_diag), the port range, tcp_tw_reuse, the generator's outcomes.

## Deciding test

`--prove` switches the pool on, in turns, where that is a knob: TIME_WAIT towards the destination goes to
none, and the failures with it.

## Guard

The total of TIME_WAIT says nothing: those at a listener use up no port, and each destination has the whole
range to itself. Many of them far below the range harm nobody. A test that is shorter than range / r cannot
fail; where a port is used again after a second (tcp_tw_reuse, by default on loopback), a test on one machine
hides what two machines would show.

## Fix

Keep connections (a pool). net.ipv4.tcp_tw_reuse=1 and a wider range only buy time.
"""

import math
from collections.abc import Iterator

import numpy as np

from loadrig.base.units import show_duration, show_number, show_share
from loadrig.judgement.about import About
from loadrig.judgement.evidence import CLEAR, STRONG, Evidence, FormulaSource, Hypothesis, Sign
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.legs import PORTS_FULL_SHARE, TIME_WAIT_S, Leg, Ports, legs
from loadrig.judgement.facts.tier import CACHES, Tier
from loadrig.judgement.facts.track import Track
from loadrig.judgement.gains import Law
from loadrig.judgement.own_words import OwnWords
from loadrig.judgement.proofs import Proof
from loadrig.recording.steps import Bools, Floats

TITLE = "the server ran out of local ports towards a dependency"
HARMS = frozenset({"short", "failing", "queueing", "saturated", "tail", "missed", "dips", "drift"})
ABOUT = About("ports", "fact")

OWN_WORDS = (OwnWords("ports", ("exhausted",)),)

PROOFS = (Proof("knob", ("pool",), is_needed=False),)
"""Experiments. A pool is not needed: a trial that is shorter than range / r cannot fail, with a pool or
without."""

GAIN = Law("share", "all")

TRACE_TIME_WAIT = 1_000
"""Connections in TIME_WAIT towards one destination. Below it they are not suspected."""

TRACE_PORTS_SHARE = 0.2
"""Share of the port range in use, 0 to 1, from which on a small range is suspected, too."""

PORTS_FALL = 0.8
"""Share of the earlier connections a second that is still opened, 0 to 1. Below it the range holds the
program back."""

SUSTAINED_SLACK = 1.25
"""Connections opened over the rate at which ports are freed, at most: they come in the bursts in which they
were taken."""

KEPT_BY_OTHERS = "a pool, or an HTTP client with keep-alive"
"""What keeps connections to a program of no kind that is known."""

WENT_WRONG = ("http_5xx", "timeout", "closed", "reset", "check_failed", "http_4xx")


def examine(case: Case) -> Iterator[Hypothesis]:
    """Yield one hypothesis for each destination of a program that a person would suspect."""
    for leg in legs(case):
        if leg.is_of_clients or "/" in leg.address:
            continue
        share, waiting = leg.at_source("port_range_share"), leg.at_source("time_wait")
        if share is None:
            yield from _unseen(case, leg)
        elif share.peak >= TRACE_PORTS_SHARE or (waiting is not None and waiting.peak >= TRACE_TIME_WAIT):
            yield _hypothesis(case, leg, share)
    if case.load.failed_share > 0:
        yield from _of_nobody(case)


def _of_nobody(case: Case) -> Iterator[Hypothesis]:
    """Yield one hypothesis for each destination that holds all ports and that nobody is connected to.

    Where no connect succeeds there is no connection by which to find who opens it: it is the last program of
    the map that answers requests.
    """
    counted = {leg.out for leg in legs(case)}
    for host in (tier for tier in case.tiers.values() if tier.is_host):
        for subject, share in case.subjects(host.name, "tcp_sockets.port_range_share").items():
            if subject in counted or not share.is_known or share.peak < PORTS_FULL_SHARE:
                continue
            address, caller = subject.removeprefix("out:").partition("@")[0], _last_of_chain(case, host)
            waiting = case.track(host.name, "tcp_sockets.time_wait", subject)
            held = f", {show_number(waiting.peak)} of them in TIME_WAIT" if waiting is not None else ""
            seen = f"connections to {address} held {show_share(share.peak)} of the local ports{held}"
            failed = f"{show_share(case.load.failed_share)} of the requests failed, and no connection stood"
            yield Hypothesis(
                component=caller.name,
                signs=(
                    Sign(True, seen, share.source, STRONG),
                    Sign(True, failed, case.load.source("load.failed"), CLEAR),
                ),
                effect=f"{caller.name} had no local port left for {address}",
                mend=f"keep connections to {address}: {KEPT_BY_OTHERS};"
                " as a stop-gap sysctl -w net.ipv4.tcp_tw_reuse=1",
                decides=f"the same load with a pool towards {address}: TIME_WAIT goes to none, and so do the"
                " failures",
                detail=f"TIME_WAIT: {address}",
            )


def _last_of_chain(case: Case, host: Tier) -> Tier:
    """Return the program of a host that the fewest programs lie behind, from the loaded server on."""
    last, passed = case.server, {case.server.name}
    while True:
        behind = [
            tier
            for tier in last.callees
            if tier.name not in passed and tier.host == host.name and not tier.is_database
            and tier.kind not in CACHES
        ]  # fmt: skip
        if not behind:
            return last
        last = behind[0]
        passed.add(last.name)


def _hypothesis(case: Case, leg: Leg, share: Track) -> Hypothesis:
    ports, waiting = leg.ports, leg.at_source("time_wait")
    total = ports.total if ports is not None else math.nan
    held = waiting.peak if waiting is not None else math.nan
    is_full = share.peak >= PORTS_FULL_SHARE
    opened = leg.at_source("opened")
    stuck = _fall(opened.values, share) if opened is not None else None
    answered = _fall(case.load.ok, share)
    signs = [_filled(leg, share, ports, held)]
    if is_full:
        signs.append(_held_back(leg, ports, stuck))
    more: list[Evidence] = []
    if is_full and ports is not None and ports.rate > 0:
        more += _timing(case, share, ports)
    if ports is not None and not ports.is_enough and not is_full:
        text = f"its ports carry {show_number(ports.sustained)} new connections/s for ever"
        formula = f"{show_number(ports.total)} ports / {ports.hold_s:g} s"
        more.append(Evidence(text, FormulaSource(formula), CLEAR))
    if answered is not None and answered[1] < PORTS_FALL * answered[0]:
        text = f"good answers fell from {show_number(answered[0])}/s to {show_number(answered[1])}/s"
        more.append(Evidence(f"{text} when the ports were taken", case.load.source("load.successful_rps")))
    bound = bound_text = gain = None
    if answered is not None and answered[0] > 0:
        gain = answered[0] / case.load.ok_rps if is_full and case.load.ok_rps > 0 else None
        bound = min(1.0, max(0.0, 1 - answered[1] / answered[0]) + case.load.failed_share)
        bound_text = (
            f"{show_number(answered[0])}/s were answered well with free ports,"
            f" {show_number(answered[1])}/s without"
        )
    return Hypothesis(
        component=leg.source,
        signs=tuple(signs),
        more=tuple(more),
        effect=_effect(case, leg, ports, is_full=is_full),
        mend=_mend(case, leg),
        decides=_decides(leg, ports, total, is_full=is_full),
        bound=bound,
        bound_text=bound_text or "",
        detail=f"TIME_WAIT: {leg.to}",
        gain=gain,
    )


def _filled(leg: Leg, share: Track, ports: Ports | None, held: float) -> Sign:
    """Return the sign that the range is taken; not known where the test was too short."""
    seen = f"connections of {leg.source} to {leg.address} held {show_share(share.peak)} of the local ports"
    if math.isfinite(held):
        seen += f", {show_number(held)} in TIME_WAIT"
    if share.peak >= PORTS_FULL_SHARE:
        return Sign(True, seen, share.source, STRONG)
    if ports is None:
        return Sign(False, seen, share.source, STRONG)
    closed = f"{show_number(ports.rate)} closed a second"
    if ports.is_enough:
        kept = "may be used again after 1 s" if ports.is_reused else f"are kept for {TIME_WAIT_S:g} s"
        text = (
            f"{seen}: at {closed} its {show_number(ports.total)} ports, which {kept}, carry"
            f" {show_number(ports.sustained)}/s"
        )
        if ports.is_reused and math.isfinite(ports.empty_after_unhelped_s):
            text += f"; without that they would be gone after {show_duration(ports.empty_after_unhelped_s)}"
        return Sign(False, text, share.source, STRONG)
    text = (
        f"{seen}; at {closed} the range is empty after {show_number(ports.total)} / {show_number(ports.rate)}"
        f" = {show_duration(ports.empty_after_s)}, and the test was too short to see it: run it longer"
    )
    return Sign(None, text, share.source, STRONG)


def _held_back(leg: Leg, ports: Ports | None, stuck: tuple[float, float] | None) -> Sign:
    """Return the sign that the program opened fewer connections once no port was free."""
    opened = leg.at_source("opened")
    if opened is None:
        text = "how many connections it opened was not seen: sock_diag shows it (modprobe tcp_diag)"
        return Sign(None, text, FormulaSource("no series of opened connections"))
    if stuck is not None and stuck[0] > 0:
        text = f"it opened {show_number(stuck[0])}/s with free ports and {show_number(stuck[1])}/s without"
        return Sign(stuck[1] < PORTS_FALL * stuck[0], text, opened.source)
    if ports is None:
        return Sign(None, "the port range was not read: look at ip_local_port_range", opened.source)
    text = (
        f"no port was free from the begin on; it opened {show_number(opened.mean)}/s, and"
        f" {show_number(ports.sustained)}/s are freed"
    )
    return Sign(opened.mean <= SUSTAINED_SLACK * ports.sustained, text, opened.source)


def _timing(case: Case, share: Track, ports: Ports) -> Iterator[Evidence]:
    """Yield evidence where the moment that arithmetic foretells agrees with the moment that was seen."""
    foretold, came = ports.total / ports.rate, float(case.t_s[_is_full(share)][0])
    formula = f"{show_number(ports.total)} ports / {show_number(ports.rate)}/s = {show_duration(foretold)}"
    # Between half and twice that time: the rate rises at first, and falls as the last ports are searched for.
    if 0.5 * foretold - 1 <= came <= 2 * foretold + 1:
        text = (
            f"at {show_number(ports.rate)} new connections/s the range had to be empty after"
            f" {show_duration(foretold)}, and was after about {show_duration(came)}"
        )
        yield Evidence(text, FormulaSource(formula), CLEAR)


def _is_full(share: Track) -> Bools:
    full: Bools = np.nan_to_num(share.values) >= PORTS_FULL_SHARE
    return full


def _fall(values: Floats, share: Track) -> tuple[float, float] | None:
    """Return the rate before the range was full, and its mean while it was; None if not seen."""
    full = _is_full(share)
    if not (full & share.is_inside).any():
        return None
    first = int(np.argmax(full))
    before, during = values[:first], values[full & share.is_inside]
    # In the step in which the last port is taken the range is both free and full.
    during = during[1:] if during.size > 1 else during
    before, during = before[np.isfinite(before)], during[np.isfinite(during)]
    return (float(before.max()), float(during.mean())) if before.size and during.size else None


def _effect(case: Case, leg: Leg, ports: Ports | None, *, is_full: bool) -> str:
    rate = f" at {show_number(ports.rate)} new connections/s" if ports is not None else ""
    if not is_full:
        after = show_duration(ports.empty_after_s) if ports is not None else "a while"
        return f"{leg.source} will have no local port left for {leg.to} after {after}{rate}"
    wrong = case.load.count(*WENT_WRONG)
    text = f"{leg.source} had no local port left for {leg.to}{rate}"
    return (
        f"{text}; {wrong:,} requests failed, {show_number(case.load.waiting)} waited at any time"
        if wrong
        else f"{text}; {show_number(case.load.waiting)} requests waited at any time"
    )


def _mend(case: Case, leg: Leg) -> str:
    pool = {
        "redis": "one ConnectionPool for the process (redis.Redis(connection_pool=POOL))",
        "postgresql": "a connection pool",
        "mariadb": "a connection pool",
        "mysql": "a connection pool",
    }.get(case.tiers[leg.to].kind, KEPT_BY_OTHERS)
    return f"keep connections to {leg.to}: {pool}; as a stop-gap sysctl -w net.ipv4.tcp_tw_reuse=1"


def _decides(leg: Leg, ports: Ports | None, total: float, *, is_full: bool) -> str:
    if not is_full and ports is not None and math.isfinite(ports.empty_after_s):
        longer = show_duration(1.5 * ports.empty_after_s + TIME_WAIT_S / 10)
        return f"the same load for {longer}: it fails once {show_number(total)} ports are taken"
    return f"the same load with a pool towards {leg.to}: TIME_WAIT goes to none, and so do the failures"


def _unseen(case: Case, leg: Leg) -> Iterator[Hypothesis]:
    """Yield the hypothesis of a destination that counts so many connections that ports may run out."""
    opened = leg.opened
    usual = 28_232 / TIME_WAIT_S  # of 32768 to 60999, the kernel's default
    if opened is None or opened.mean < usual or case.load.failed_share == 0:
        return
    accepted = f"{leg.to} accepted {show_number(opened.mean)} connections/s"
    text = (
        f"the ports of {leg.source} were not seen: run loadrig on its machine, or observe it there; a usual"
        f" range carries {show_number(usual)} new connections/s, and {accepted}"
    )
    yield Hypothesis(
        component=leg.source,
        signs=(Sign(None, text, opened.source),),
        more=(Evidence(accepted, opened.source, CLEAR),),
        effect=f"{show_number(opened.mean)} new connections/s to {leg.to} take all ports within a minute",
        mend=_mend(case, leg),
        decides=_decides(leg, None, math.nan, is_full=True),
        detail=f"TIME_WAIT: {leg.to}",
    )

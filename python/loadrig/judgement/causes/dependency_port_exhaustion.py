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
from loadrig.judgement.facts import observed
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.legs import PORTS_FULL_SHARE, TIME_WAIT_S, Leg, Ports, are_ports_full, legs
from loadrig.judgement.facts.tier import CACHES, DATABASES, Tier
from loadrig.judgement.facts.track import Track
from loadrig.judgement.gains import Law
from loadrig.judgement.own_words import OwnWords
from loadrig.judgement.proofs import Proof
from loadrig.language.choice import texts_of
from loadrig.language.en.causes.dependency_port_exhaustion import DependencyPortExhaustionTexts
from loadrig.language.labels import label
from loadrig.recording.steps import Floats

TEXTS = texts_of(DependencyPortExhaustionTexts)

TITLE = TEXTS.title
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

USUAL_RANGE = 28_232
"""Number of local ports by the kernel's default, 32768 to 60999."""

WENT_WRONG = ("http_5xx", "timeout", "closed", "reset", "check_failed", "http_4xx")


def examine(case: Case) -> Iterator[Hypothesis]:
    """Yield one hypothesis for each destination of a program that a person would suspect."""
    for leg in legs(case):
        if leg.is_of_clients or "/" in leg.address:
            continue
        share, waiting = leg.at_source("port_range_share"), leg.at_source("time_wait")
        if share is None:
            yield from _unseen(case, leg)
        elif share.peak >= TRACE_PORTS_SHARE or observed.figure(waiting, "peak") >= TRACE_TIME_WAIT:
            yield _hypothesis(case, leg, share)
    if case.load.failed_share > 0:
        yield from _of_nobody(case)


def _hypothesis(case: Case, leg: Leg, share: Track) -> Hypothesis:
    ports, load = leg.ports, case.load
    is_full = share.peak >= PORTS_FULL_SHARE
    more: tuple[Evidence, ...] = ()
    if ports is not None and not ports.is_enough and not is_full:
        text = TEXTS.ports_carry_new(show_number(ports.sustained))
        more = (Evidence(text, FormulaSource(ports.formula)),)
    decides = _pooled(leg.to)
    rate = TEXTS.new_connections_s(show_number(ports.rate)) if ports is not None else ""
    if is_full:
        wrong = load.count(*WENT_WRONG)
        effect = TEXTS.had_no_local(leg.source, leg.to, rate)
        effect += TEXTS.requests_failed(f"{wrong:,}") if wrong else ""
        effect += TEXTS.requests_waited_any(show_number(load.waiting))
    else:
        after = label("a while")
        if ports is not None:
            after = show_duration(ports.empty_after_s)
            longer_s = 1.5 * ports.empty_after_s + TIME_WAIT_S / 10
            if math.isfinite(longer_s):
                decides = TEXTS.same_load_fails(show_duration(longer_s))
        effect = TEXTS.will_have_no(leg.source, leg.to, after, rate)
    bound, bound_text, gain = None, "", None
    answered = _fall(load.ok, share)
    if answered is not None and answered[0] > 0:
        before, during = answered
        gain = before / load.ok_rps if is_full and load.ok_rps > 0 else None
        bound = min(1.0, max(0.0, 1 - during / before) + load.failed_share)
        bound_text = TEXTS.s_answered_well(show_number(before), show_number(during))
    return Hypothesis(
        component=leg.source,
        signs=(
            _filled(leg, share, ports),
            *((_held_back(leg.at_source("opened"), ports, share),) if is_full else ()),
        ),
        more=more,
        effect=effect,
        mend=_mend(leg.to, case.tiers[leg.to].kind),
        decides=decides,
        bound=bound,
        bound_text=bound_text,
        detail=f"TIME_WAIT: {leg.to}",
        gain=gain,
    )


def _filled(leg: Leg, share: Track, ports: Ports | None) -> Sign:
    """Return the sign that the range is taken; not known where the test was too short."""
    held = observed.figure(leg.at_source("time_wait"), "peak")
    text = _held(TEXTS.connections_to(leg.source, leg.address), share, held)
    holds: bool | None = share.peak >= PORTS_FULL_SHARE
    if not holds and ports is not None:
        text += f"; {ports.text}"
        if not ports.is_enough:
            holds, text = None, TEXTS.run_longer_see(text)
    return Sign(holds, text, share.source, STRONG)


def _held(connections: str, share: Track, in_time_wait: float) -> str:
    text = TEXTS.held_local_ports(connections, show_share(share.peak))
    return TEXTS.time_wait(text, show_number(in_time_wait)) if math.isfinite(in_time_wait) else text


def _held_back(opened: Track | None, ports: Ports | None, share: Track) -> Sign:
    """Return the sign that the program opened fewer connections once no port was free."""
    if opened is None or (stuck := _fall(opened.values, share)) is None or stuck[0] <= 0:
        freed = ports.sustained if ports is not None else math.nan
        rate = observed.figure(opened)
        return observed.sign(
            opened if ports is not None else None,
            rate <= SUSTAINED_SLACK * freed,
            TEXTS.no_port_free(show_number(rate), show_number(freed)),
            TEXTS.how_many_connections,
        )
    text = TEXTS.opened_s_free(show_number(stuck[0]), show_number(stuck[1]))
    return Sign(stuck[1] < PORTS_FALL * stuck[0], text, opened.source)


def _fall(values: Floats, share: Track) -> tuple[float, float] | None:
    """Return the rate before the range was full, and its mean while it was; None if not seen."""
    full = are_ports_full(share)
    if not (full & share.is_inside).any():
        return None
    before, during = values[: int(np.argmax(full))], values[full & share.is_inside]
    # In the step in which the last port is taken the range is both free and full.
    during = during[1:] if during.size > 1 else during
    before, during = before[np.isfinite(before)], during[np.isfinite(during)]
    return (float(before.max()), float(during.mean())) if before.size and during.size else None


def _of_nobody(case: Case) -> Iterator[Hypothesis]:
    """Yield one hypothesis for each destination that holds all ports and that nobody is connected to.

    Where no connect succeeds there is no connection by which to find who opens it: it is the last program of
    the map that answers requests.
    """
    counted = {leg.out for leg in legs(case)}
    for host in (tier for tier in case.tiers.values() if tier.is_host):
        for subject, share in host.parts("tcp_sockets.port_range_share").items():
            if subject in counted or share.peak < PORTS_FULL_SHARE:
                continue
            address, caller = subject.removeprefix("out:").partition("@")[0], _last_of_chain(case, host)
            in_time_wait = observed.figure(host.track("tcp_sockets.time_wait", subject), "peak")
            failed = TEXTS.requests_failed_no(show_share(case.load.failed_share))
            yield Hypothesis(
                component=caller.name,
                signs=(
                    Sign(
                        True,
                        _held(TEXTS.connections_to_address(address), share, in_time_wait),
                        share.source,
                        STRONG,
                    ),
                    Sign(True, failed, case.load.source("load.failed"), CLEAR),
                ),
                effect=TEXTS.effect(caller.name, address),
                mend=_mend(address),
                decides=_pooled(address),
                detail=f"TIME_WAIT: {address}",
            )


def _last_of_chain(case: Case, host: Tier) -> Tier:
    """Return the program of a host that the fewest programs lie behind, from the loaded server on."""
    last, passed = case.server, {case.server.name}
    while behind := [
        tier
        for tier in last.callees
        if tier.name not in passed and tier.host == host.name and tier.kind not in DATABASES | CACHES
    ]:
        last = behind[0]
        passed.add(last.name)
    return last


def _unseen(case: Case, leg: Leg) -> Iterator[Hypothesis]:
    """Yield the hypothesis of a destination that counts so many connections that ports may run out."""
    opened, usual = leg.opened, USUAL_RANGE / TIME_WAIT_S
    if opened is None or opened.mean < usual or case.load.failed_share == 0:
        return
    accepted = TEXTS.accepted_connections_s(leg.to, show_number(opened.mean))
    text = TEXTS.ports_not_seen(leg.source, show_number(usual), accepted)
    yield Hypothesis(
        component=leg.source,
        signs=(Sign(None, text, opened.source),),
        more=(Evidence(accepted, opened.source, CLEAR),),
        effect=TEXTS.new_connections_s_take(show_number(opened.mean), leg.to),
        mend=_mend(leg.to, case.tiers[leg.to].kind),
        decides=_pooled(leg.to),
        detail=f"TIME_WAIT: {leg.to}",
    )


def _mend(to: str, kind: str = "") -> str:
    pool = TEXTS.connection_pool if kind in DATABASES else TEXTS.pool_or_http
    if kind == "redis":
        pool = TEXTS.connectionpool_process_redis
    return TEXTS.keep_connections_stop(to, pool)


def _pooled(to: str) -> str:
    return TEXTS.same_load_pool(to)

"""The load itself makes the dips: logins or other requests that come all at once.

## Signature

What is asked for changes at the dips: tokens that expire together are asked for anew, one expensive route
comes in bursts, or the users all pause at the same moment. The dips come as regularly as that does.

## Data

The generator's own counts by route, logins and status codes, second by second, laid beside the dips.

## Deciding test

`--prove` renews the tokens at random moments of their lives, or sets the knob of their expiry, in turns: the
dips flatten, though the server does the same work. Bursts of one route: the same load without it. Users who
pause together a person gives think times that differ.

## Guard

Where a server restarts and forgets its sessions, logins follow the dip and did not make it. Where logins come
evenly and are slow all the time, the server is too slow for them: that is no artefact. A collection or a
checkpoint at the same moment is bounded by the time that it took.

## Fix

Change the load as real users differ: tokens of different ages, users that start apart. Report the bursts
apart. A real server gives every token a little random lifetime more.
"""

from collections.abc import Iterator

import numpy as np

from loadrig.base.units import show_duration, show_number, show_share
from loadrig.judgement.about import About
from loadrig.judgement.evidence import CLEAR, SLIGHT, STRONG, Evidence, FormulaSource, Hypothesis, Sign
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.streams import LOAD
from loadrig.judgement.gains import Law, without
from loadrig.judgement.harms import dips
from loadrig.judgement.harms.dips import Aligned, Dips
from loadrig.judgement.proofs import Proof
from loadrig.stats.dips import bursts

TITLE = "the load itself makes the dips"
HARMS = frozenset({"dips"})
ABOUT = About("load", "size")

PROOFS = (
    # Where a server lets all tokens end at the same moment of the clock, no load can spread them.
    Proof("load", ("spread_logins",), is_needed=False, of=("tokens",)),
    # Tokens that live twice as long make half of the dips, which is hard to tell from chance.
    Proof("knob", ("expiry",), "other", is_needed=False, of=("tokens",)),
    Proof("load", ("without",), of=("route",)),
)

SHOWS_IN = "dips"
"""Harm that the cause shows in, whatever the mean throughput is."""

GAIN = Law("share", "all")

AT_EACH = 0.25
"""Spread of the spaces between bursts over their median. Above it bursts are not regular."""

ENDS = frozenset({"worker_died", "process_died", "oom_kill", "restarted"})
"""Events with which a server forgets its sessions: logins after such an event are its consequence."""


def examine(case: Case) -> Iterator[Hypothesis]:
    """Yield one hypothesis of the load, where there are dips and the load has bursts or pauses."""
    dipped = dips.of(case)
    if dipped is None or not dipped.is_harm:
        return
    own = next((aligned for aligned in dipped.aligned if aligned.stream.is_load), None)
    if own is not None:
        yield _bursts(case, dipped, own)
    elif not case.load.is_open and dipped.in_flight_ratio < dips.LEAST_CONCURRENCY_FALL:
        yield _pauses(case, dipped)


def _bursts(case: Case, dipped: Dips, best: Aligned) -> Hypothesis:
    stream, share = best.stream, dipped.met_share(best)
    amounts, fewer = stream.amounts[case.is_inside], show_number(-dipped.change(case.load.ok))
    excess = show_number(float(amounts[dipped.is_around].mean() - np.median(amounts)))
    text = f"in the dips {excess}/s more {stream.text} and {fewer}/s fewer answers of the service"
    more = [Evidence(text, stream.source)]
    if best.unique > 0:
        text = f"{stream.text} alone explain {show_share(best.unique)} of the variance of what was lost"
        more.append(Evidence(text, FormulaSource("regression on all streams together")))
    spaces = np.diff([first for first, _ in bursts(amounts)]) * dipped.step_s
    if spaces.size >= 2 and np.std(spaces) <= AT_EACH * np.median(spaces):
        every = show_duration(round(float(np.median(spaces)), 1))
        more.append(Evidence(f"{stream.text} come every {every}", stream.source))
    mend = (
        "give the tokens of the scenario different ages, as those of real users have; in the server, add a"
        " random part to the lifetime of each token"
    )
    decides = "expiry staggered over one lifetime: if this is the cause, the dips flatten"
    if stream.kind == "route":
        mend = f"spread the requests of {stream.subject} over time, or measure them apart from the rest"
        decides = f"the same load without {stream.subject}: if it is the cause, the dips are gone"
    return Hypothesis(
        component=LOAD,
        signs=(Sign(best.is_close, dips.beside(best), stream.source, STRONG),),
        more=tuple(more),
        against=tuple(_against(dipped, best)),
        effect=f"{stream.text} come in bursts of {show_number(float(amounts.max()))}/s; meanwhile the service"
        f" does {fewer}/s less, and {show_share(dipped.lost_share)} of the throughput is lost",
        mend=mend,
        decides=decides,
        bound=share,
        bound_text=f"the dips with {stream.text} hold {show_share(share)} of what was lost",
        gain=without(dipped.lost_share * share),
        detail=f"route: {stream.subject}" if stream.kind == "route" else "tokens",
    )


def _against(dipped: Dips, best: Aligned) -> Iterator[Evidence]:
    """Yield evidence where something that is not of the load is close to the dips, too."""
    close = (aligned for aligned in dipped.aligned if aligned.is_close and not aligned.stream.is_load)
    rival = next(close, None)
    if rival is None:
        return
    if rival.stream.kind in ENDS:
        text = f"{dips.beside(rival)}: a server that starts anew forgets who was logged in"
        yield Evidence(text, rival.stream.source, STRONG + CLEAR)
    elif rival.rank > best.rank:
        yield Evidence(dips.beside(rival), rival.stream.source, STRONG)
    elif rival.bound is None or rival.bound >= 0.5:
        yield Evidence(dips.beside(rival), rival.stream.source, SLIGHT)


def _pauses(case: Case, dipped: Dips) -> Hypothesis:
    load, ratio = case.load, dipped.in_flight_ratio
    failed = load.failed[case.is_inside]
    fails = float(failed[dipped.is_low].mean()) > 2 * float(failed[~dipped.is_low].mean()) + 0.5
    less = f"in the dips {show_share(ratio)} as many requests were in flight as between them"
    regular = "as regularly as users who think for the same time" if dipped.is_regular else "not regularly"
    failing = "no more requests failed in the dips than between them"
    if fails:
        failing = "requests failed in the dips: users waited before they tried again"
    return Hypothesis(
        component=LOAD,
        signs=(
            Sign(True, f"{less}: less was asked for", load.source("load.in_flight"), STRONG),
            # While the rig itself is held up nothing is in flight either, but not at regular moments.
            Sign(
                dipped.is_regular,
                f"throughput dipped {dipped.lasted}, {regular}",
                load.source("load.successful_rps"),
            ),
            Sign(not fails, failing, load.source("load.failed"), SLIGHT),
        ),
        effect=f"the users pause together {dipped.lasted}; {show_share(dipped.lost_share)} is lost by that",
        mend="start the users apart and let their think times differ (think: {exponential: ...})",
        decides="think times that differ: the dips vanish, though the server is the same",
        gain=without(dipped.lost_share),
        detail="users",
    )

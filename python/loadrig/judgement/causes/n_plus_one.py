"""Each request asks a database or cache many small things one after the other: N + 1 queries."""

from collections.abc import Iterator

from loadrig.base.units import show_duration, show_number, show_share
from loadrig.judgement.cause import OF_ANY_LIMIT, About, Law, Proof
from loadrig.judgement.constants import BATCH_SPARES, OF_REQUEST
from loadrig.judgement.evidence import CLEAR, SLIGHT, STRONG, Evidence, Hypothesis, Sign, by_arithmetic
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.dependencies import DependencyLink, a_request, links, repeated, unseen
from loadrig.judgement.facts.statements import Asked, asked_of, seldom_woken, share_of, traces_of_loop
from loadrig.judgement.gains import without
from loadrig.language.choice import texts_of
from loadrig.language.en.causes.n_plus_one import NPlusOneTexts

TEXTS = texts_of(NPlusOneTexts)

ABOUT = About("cpu", "signs", refines="database_cpu", harms=OF_ANY_LIMIT - {"tail"})

PROOFS = (
    # A knob of that name may be of other statements than these.
    Proof("knob", ("batch",), is_needed=False),
    # Where the CPU cost of asking is the limit, a little more waiting moves nothing.
    Proof("delay", is_needed=False, is_own=False),
)

GAIN = Law("share", "all")

TRACE_STATEMENTS = 3.0
"""Statements a request. Below it there is no loop of them to suspect."""

VERY_MANY = 20.0
"""Statements a request from which on no page needs them one by one."""

CHEAP_CALL_S = 2e-3
"""CPU time of another service for one call, in seconds, above which calls are expensive by what they do: a
framework in Python needs 0.2 to 1 ms to answer with one thing."""

CHEAP_S = 0.3e-3
"""CPU time of the dependency for one statement, in seconds, above which statements are expensive by what they
do and not by their number: lookups by key took 1 µs (redis), 40 µs (MariaDB) and 25 to 130 µs (PostgreSQL),
a sum over some hundred rows 475 µs."""


def examine(case: Case) -> Iterator[Hypothesis]:
    """Yield one hypothesis for each program that asks a dependency more than a few things a request."""
    if case.load.ended_rps <= 0:
        return
    for link in links(case):
        asked = asked_of(case, link)
        if asked is not None and asked.most >= TRACE_STATEMENTS:
            yield _hypothesis(case, link, asked)


def _hypothesis(case: Case, link: DependencyLink, asked: Asked) -> Hypothesis:
    tier, count = link.to, show_number(asked.count)
    share, share_text = share_of(case, link, asked.count)
    in_loops = share if share is None or asked.route is None else share * asked.route.part
    text = TEXTS.round_trips(count, tier.name) + (TEXTS.most_are(asked.top) if asked.top else "")
    text += asked.route.text if asked.route is not None else ""
    dissimilar = Evidence(TEXTS.alike_at_most(show_share(asked.top_share)), asked.top_source)
    together = TEXTS.by_pipeline if tier.is_store else TEXTS.by_list
    return Hypothesis(
        link.owner.name, tuple(_signs(case, link, asked, share, share_text)),
        effect=f"{text}: {share_text}" if share_text else text,
        mend=TEXTS.mend(TEXTS.by_join if tier.is_database else together),
        decides=TEXTS.decides(tier.name, count), more=tuple(traces_of_loop(case, tier, asked)),
        against=(dissimilar,) if asked.is_mixed else (), bound=in_loops, bound_text=share_text,
        detail=f"{asked.by}: {tier.name}",
        gain=None if in_loops is None else without(in_loops * BATCH_SPARES),
    )  # fmt: skip


def _signs(
    case: Case, link: DependencyLink, asked: Asked, share: float | None, share_text: str
) -> Iterator[Sign]:
    """Yield the signs that statements are many, cheap, much of a request, and come one by one."""
    tier, count = link.to, asked.count
    doubt = TEXTS.kind_unread if tier.is_database else TEXTS.in_pieces
    text = TEXTS.asks(show_number(count), asked.by, tier.name)
    text += asked.route.text if asked.route is not None else ""
    text += "" if asked.is_sure else doubt
    if (again := repeated(case, tier)) is not None:
        yield Sign(False, TEXTS.made_again(show_number(again.a_request)), again.track.source)
    yield Sign(asked.are_many(share), text, asked.source, STRONG if asked.most >= VERY_MANY else CLEAR)
    if tier.cpu is not None:
        theirs = a_request(case, tier.cpu)
        is_cheap = theirs / count <= (CHEAP_S if tier.is_store else CHEAP_CALL_S)
        costs = TEXTS.costs(show_duration(theirs / count), tier.name)
        yield by_arithmetic(is_cheap, costs, formula=f"{theirs:.3g} s / {count:.3g}")
    if share is not None:
        yield by_arithmetic(share >= OF_REQUEST, share_text, SLIGHT)
    else:
        yield Sign(None, unseen(case, link.owner, TEXTS.cpu_unseen(link.owner.name)), asked.source)
    if (woken := seldom_woken(case, tier, count)) is not None:
        yield Sign(None, TEXTS.woken(show_number(a_request(case, woken))), woken.source)

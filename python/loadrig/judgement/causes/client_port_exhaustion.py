"""The generator ran out of local ports towards the server."""

from loadrig.base.units import show_share
from loadrig.judgement.cause import About, Law, Proof
from loadrig.judgement.constants import AT_LIMIT, TRACE_SHARE
from loadrig.judgement.evidence import CLEAR, SLIGHT, STRONG, Claims, Evidence, Hypothesis, Sign
from loadrig.judgement.facts import observed
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.dependencies import CHURN
from loadrig.judgement.facts.legs import GENERATOR, Leg, of_clients
from loadrig.judgement.gains import without
from loadrig.language.choice import texts_of
from loadrig.language.en.causes.client_port_exhaustion import ClientPortExhaustionTexts

TEXTS = texts_of(ClientPortExhaustionTexts)

ABOUT = About("rig", "fact", harms=frozenset())
OF_THE_RIG = True

PROOFS = (Proof("load", ("keep_alive",), is_needed=False, is_own=False),)
"""Experiments. Keeping connections is not needed, as a server may close them all, and not its own proof, as
it spares the server work besides."""

GAIN = Law("share", "all")

OUTCOME = "no_ports"


def examine(case: Case) -> Claims:
    """Yield one hypothesis where a request failed for lack of a port, or half of the range was used."""
    leg, load = of_clients(case), case.load
    failed, share, ports = load.count(OUTCOME), leg.at_source("port_range_share"), leg.ports
    used = share.peak if share is not None else 0.0
    if not failed and used < TRACE_SHARE:
        return
    held = TEXTS.connections_held_local(leg.address)
    weight = CLEAR if used >= AT_LIMIT else SLIGHT
    more = observed.evidence(share, 0, held, weight, statistic="peak", show=show_share)
    if ports is not None and not ports.is_enough:
        more += (Evidence(ports.text, ports.source),)
    effect = TEXTS.requests_failed_generator(f"{failed:,}", f"{load.finished:,.0f}")
    text = TEXTS.requests_no_free(f"{failed:,}")
    if not failed:
        effect = TEXTS.generator_held_local(show_share(used))
        text = TEXTS.held_local_ports(show_share(used))
    signs = (Sign(failed > 0, text, load.source("outcomes"), STRONG),)
    gain = without(failed / load.finished) if failed else None
    yield Hypothesis(GENERATOR, signs, effect, _mend(case, leg), more=more, gain=gain)


def _mend(case: Case, leg: Leg) -> str:
    ways = TEXTS.use_more_source
    if not case.load.keep_alive:
        return TEXTS.keep_connections_alive(ways)
    if (leg.opened_a_request or 0.0) > CHURN:
        return TEXTS.server_closes_every(ways)
    return ways

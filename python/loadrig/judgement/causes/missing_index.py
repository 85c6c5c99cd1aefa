"""Statements go through whole tables for a few rows: an index is missing."""

import math

from loadrig.base.units import show_duration, show_number, show_share
from loadrig.judgement.cause import OF_ANY_LIMIT, About, Law, Proof
from loadrig.judgement.constants import FULL_SHARE, OF_REQUEST
from loadrig.judgement.evidence import SLIGHT, STRONG, Claims, Evidence, Hypothesis, Sign, by_arithmetic
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.cores import busy_cores
from loadrig.judgement.facts.dependencies import IDLE_SHARE, a_request, at_work, fullness, working
from loadrig.judgement.facts.observed import machine
from loadrig.judgement.facts.statements import Scans, scans_of
from loadrig.judgement.facts.tier import Tier
from loadrig.language.choice import texts_of
from loadrig.language.en.causes.missing_index import MissingIndexTexts

TEXTS = texts_of(MissingIndexTexts)

ABOUT = About("cpu", "signs", refines="database_cpu", harms=OF_ANY_LIMIT | {"drift"})

PROOFS = (Proof("knob", ("index",)), Proof("cpu", is_own=False))

GAIN = Law("share", "CPU")

TRACE_ROWS = 50.0
"""Rows examined by a statement. Below it reading all of them costs less than sending an answer."""

MANY_ROWS = 1000.0
"""Rows read for each request, from which on an index may be missing. A thousand take 0.1 to 0.2 ms: about
what a statement costs anyhow, and tables below that an optimiser rightly reads whole."""

SURELY_ROWS = 5000.0
"""Rows read for each request that are enough where the number sent is not known: a page with so many rows
would be odd."""

RATIO = 50.0
"""Rows read for each row sent, from which on an index is missing; a page of a list filtered by half has 2, a
look-up by an index 1."""

READING, PARTLY = 0.6, 0.25
"""Shares of the database's CPU time spent on reading rows, 0 to 1: from the first on reading is what takes
its time; below the second computing from the rows does; between them both may."""

SHARED = 0.2
"""Share of what full cores do for the database, 0 to 1, from which on it matters: as much of them would be
free."""

ROW_BYTES, THROWN_AWAY = 12.0, 10.0
"""Bytes that a row takes on its way, at least: the head of PostgreSQL's message, and one short column. Rows
read for each that can have been sent, from which on most were read for nothing."""

LEAST_SENT = 0.1
"""Rows sent by a request that are supposed where fewer were: hardly any row is needed then."""


def examine(case: Case) -> Claims:
    """Yield one hypothesis for each SQL database that goes through tables."""
    for tier in case.programs:
        scans = scans_of(case, tier) if tier.is_database else None
        if scans is not None and scans.most >= TRACE_ROWS:
            yield _hypothesis(case, tier, scans)


def _hypothesis(case: Case, tier: Tier, scans: Scans) -> Hypothesis:
    rate, demand_s = case.load.ended_rps, a_request(case, tier.cpu)
    rows, statement, report = show_number(scans.rows), scans.statement, _report(case, tier, scans)
    is_sent_known = math.isfinite(scans.sent)
    are_few_sent = not is_sent_known or scans.rows >= RATIO * max(scans.sent, LEAST_SENT)
    text = TEXTS.read_and_sent(rows, show_number(scans.sent)) if is_sent_known else TEXTS.read(rows)
    text += scans.route.text if scans.route is not None else ""
    are_read = Sign(scans.most >= MANY_ROWS and are_few_sent, text, scans.source, STRONG)
    signs = [are_read, _matters(case, tier, demand_s)]
    if scans.has_index:
        signs.append(Sign(False, TEXTS.needs_all(scans.report, statement), scans.source))
    effect, share = TEXTS.rows_a_second(show_number(scans.rows * rate), show_number(rate)), None
    if math.isfinite(demand_s):
        reading_s = min(scans.rows * scans.row_s, demand_s)
        share = reading_s / demand_s if demand_s > 0 else None
        is_reading = None if share is None or PARTLY <= share < READING else share >= READING
        effect += TEXTS.cpu_each(show_duration(demand_s))
        text = TEXTS.reading_takes(show_duration(reading_s), show_duration(demand_s))
        formula = TEXTS.formula_of_reading(rows, show_duration(scans.row_s))
        signs.append(by_arithmetic(is_reading, text, SLIGHT, formula))
    # One of several routes may need to read much, and a good median does not show that route.
    some_slow = TEXTS.some_slow if set(case.harms) <= {"tail"} else ""
    is_unread = not is_sent_known and scans.most < SURELY_ROWS
    unread = TEXTS.sent_unread if is_unread and not _are_thrown_away(case, tier, scans) else ""
    signs += [Sign(None, doubt, scans.source) for doubt in (report, some_slow, unread) if doubt]
    to_find = TEXTS.mend_postgresql if tier.kind == "postgresql" else TEXTS.mend
    mend = TEXTS.mend_statement(statement) if statement else to_find
    more = (Evidence(TEXTS.statement_is(statement), scans.source),) if statement and not report else ()
    return Hypothesis(tier.name, tuple(signs), effect, mend, more=more, bound=share)


def _are_thrown_away(case: Case, tier: Tier, scans: Scans) -> bool:
    """Return whether far fewer bytes came over the network than the rows would take that were read."""
    received = machine(tier).parts("network.received_bytes").values()
    bytes_each = sum(interface.mean for interface in received) / case.load.ended_rps
    return bool(received) and scans.rows >= THROWN_AWAY * bytes_each / ROW_BYTES


def _matters(case: Case, tier: Tier, demand_s: float) -> Sign:
    """Return the sign that requests wait for the database's work."""
    if tier.cpu is None or not math.isfinite(demand_s):
        share = at_work(tier) / case.load.waiting if case.load.waiting else math.nan
        if math.isnan(share):
            return Sign(None, TEXTS.busy_unseen, working(tier))
        return by_arithmetic(share >= OF_REQUEST, TEXTS.at_work(show_share(min(1.0, share))))
    p50, full, busy = case.load.latency(0.5), fullness(case, tier), busy_cores(case, tier)
    of_request = demand_s / p50 if p50 > 0 else 0.0
    of_busy = tier.cpu.mean / busy if busy >= FULL_SHARE * tier.places else 0.0
    text = TEXTS.used_cpu(show_share(full))
    if of_request >= OF_REQUEST:
        text += TEXTS.of_median(show_duration(demand_s), show_duration(p50))
    if of_busy >= SHARED:
        text += TEXTS.of_full_cores(show_share(min(1.0, of_busy)))
    matters = full >= IDLE_SHARE or of_request >= OF_REQUEST or of_busy >= SHARED
    return Sign(matters, text, tier.cpu.source)


def _report(case: Case, tier: Tier, scans: Scans) -> str:
    """Return what makes the statement look like a report, which has to read many rows; empty for none."""
    if scans.report and not scans.has_index:
        return TEXTS.may_be_report(scans.report, scans.statement)
    tables = a_request(case, tier.track("mariadb.temporary_tables"))
    return TEXTS.made_tables(show_number(tables)) if tables >= 0.5 and not scans.statement else ""

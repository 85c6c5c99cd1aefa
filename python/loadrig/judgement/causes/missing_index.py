"""Statements go through whole tables for a few rows: an index is missing.

## Signature

For each request the database reads thousands of rows without an index, and sends next to none of them;
reading them is what its CPU time goes into.

## Data

Rows read by going through tables, rows sent, scans (MariaDB: Handler_read_rnd_next, Select_scan; PostgreSQL:
tup_returned less tup_fetched); by statement where performance_schema or pg_stat_statements is there.

## Deciding test

`--prove` adds the index, in turns, where that is a knob of the plan: the database's CPU time for each request
falls more than twofold. That its CPU moves throughput is needed, and proves no index. By hand: EXPLAIN of the
statement, and the index in a copy.

## Guard

A report reads many rows by right: it makes temporary tables or returns sums. Going through a small table is
what an optimiser should do. Rows that cost the CPU nothing next to what is computed from them are no cause.

## Fix

CREATE INDEX on the columns of the WHERE or JOIN; EXPLAIN shows whether it is used.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

from loadrig.base.units import show_duration, show_number, show_share
from loadrig.judgement.about import About
from loadrig.judgement.constants import FULL_SHARE
from loadrig.judgement.evidence import SLIGHT, STRONG, Evidence, FormulaSource, Hypothesis, SeriesSource, Sign
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.cores import busy_cores
from loadrig.judgement.facts.dependencies import a_request, at_work, costliest, fullness
from loadrig.judgement.facts.tier import Tier
from loadrig.judgement.gains import Law
from loadrig.judgement.proofs import Proof
from loadrig.language.choice import texts_of
from loadrig.language.en.causes.missing_index import MissingIndexTexts

TEXTS = texts_of(MissingIndexTexts)

TITLE = TEXTS.title
HARMS = frozenset({"short", "failing", "queueing", "saturated", "tail", "missed", "drift"})
ABOUT = About("cpu", "signs", refines="database_cpu")

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

ROW_S, ROW_OF_POSTGRESQL_S = 0.3e-6, 0.1e-6
"""CPU time in seconds of reading one row and comparing it, at most. 0.15 µs was measured with MariaDB 10.11
and 0.065 µs with PostgreSQL 15, for rows of 50 bytes in memory; to group and sum them takes 0.35 and 0.2
µs."""

MOSTLY, PARTLY = 0.6, 0.25
"""Shares of the database's CPU time spent on reading rows, 0 to 1: from the first on reading is what takes
its time; below the second computing from the rows does; between them both may."""

OF_REQUEST = 0.3
"""Share of a request's time that passes in the database, 0 to 1, from which on the database matters."""

SHARED = 0.2
"""Share of what full cores do for the database, 0 to 1, from which on it matters: as much of them would be
free."""

REPORTS = ("GROUP BY", "COUNT(", "SUM(", "AVG(", "MAX(", "MIN(", "GROUP_CONCAT(")

LEAST_SENT = 0.1
"""Rows sent by a request that are supposed where fewer were: hardly any row is needed then."""

BUSY_DATABASE = 0.7
"""Share of its CPU that a database uses, 0 to 1, from which on its work matters to those who ask it."""


@dataclass(frozen=True)
class _Scan:
    """Rows read for each request. sent: rows sent, NaN where not read. text: text of the statement."""

    rows: float
    sent: float
    source: SeriesSource
    text: str = ""


def examine(case: Case) -> Iterator[Hypothesis]:
    """Yield one hypothesis for each SQL database that goes through tables."""
    for tier in case.programs:
        scan = _scan(case, tier) if tier.is_database else None
        if scan is not None and scan.rows >= TRACE_ROWS:
            yield _hypothesis(case, tier, scan)


def _scan(case: Case, tier: Tier) -> _Scan | None:
    scanned = tier.track("mariadb.rows_scanned")
    if scanned is not None:
        sent = a_request(case, tier.track("mariadb.rows_sent"))
        top = costliest(tier, "mariadb.digest_rows_examined")
        text = top[0] if top is not None and top[1].mean >= 0.5 * scanned.mean else ""
        return _Scan(a_request(case, scanned), sent, scanned.source, text)
    returned, fetched = tier.track("postgresql.rows_scanned"), tier.track("postgresql.rows_fetched")
    if returned is None or fetched is None:
        return None
    rows = a_request(case, returned) - a_request(case, fetched)
    statements = tier.parts("postgresql.statement_rows")
    sent = sum(a_request(case, rows_sent) for rows_sent in statements.values()) if statements else math.nan
    top = costliest(tier, "postgresql.statement_s")
    return _Scan(rows, sent, returned.source, top[0] if top is not None else "")


def _hypothesis(case: Case, tier: Tier, scan: _Scan) -> Hypothesis:
    rate = case.load.ended_rps
    demand_s = tier.cpu.mean / rate if tier.cpu is not None and rate else math.nan
    row_s = ROW_OF_POSTGRESQL_S if tier.kind == "postgresql" else ROW_S
    reading_s = min(scan.rows * row_s, demand_s)
    share = reading_s / demand_s if demand_s > 0 else math.nan
    is_sent_known = math.isfinite(scan.sent)
    rows = show_number(scan.rows)
    text = TEXTS.read_and_sent(rows, show_number(scan.sent)) if is_sent_known else TEXTS.read(rows)
    few_sent = not is_sent_known or scan.rows >= RATIO * max(scan.sent, LEAST_SENT)
    signs = [
        Sign(scan.rows >= MANY_ROWS and few_sent, text, scan.source, STRONG),
        _matters(case, tier, demand_s),
    ]
    effect = TEXTS.rows_a_second(show_number(scan.rows * rate), show_number(rate))
    if math.isfinite(demand_s):
        effect += TEXTS.cpu_each(show_duration(demand_s))
        text = TEXTS.reading_takes(show_duration(reading_s), show_duration(demand_s))
        holds = True if share >= MOSTLY else None if share >= PARTLY or math.isnan(share) else False
        formula = FormulaSource(TEXTS.formula_of_reading(rows, show_duration(row_s)))
        signs.append(Sign(holds, text, formula, SLIGHT))
    report = _report(case, tier, scan)
    doubts = [report] if report else []
    if set(case.harms) <= {"tail"}:
        # One of several routes may need to read much, and a good median does not show that route.
        doubts.append(TEXTS.some_slow)
    if not is_sent_known and scan.rows < SURELY_ROWS:
        doubts.append(TEXTS.sent_unread)
    signs += [Sign(None, doubt, scan.source) for doubt in doubts]
    is_named = bool(scan.text) and not report
    return Hypothesis(
        component=tier.name,
        signs=tuple(signs),
        more=(Evidence(TEXTS.statement_is(scan.text), scan.source),) if is_named else (),
        effect=effect,
        mend=TEXTS.mend_statement(scan.text) if scan.text else TEXTS.mend,
        decides=TEXTS.decides,
        bound=share if math.isfinite(share) else None,
    )


def _matters(case: Case, tier: Tier, demand_s: float) -> Sign:
    """Return the sign that requests wait for the database's work."""
    p50 = case.load.latency(0.5)
    if tier.cpu is not None and math.isfinite(demand_s):
        full, share = fullness(case, tier), demand_s / p50 if p50 > 0 else 0.0
        text = TEXTS.used_cpu(show_share(full))
        if share >= OF_REQUEST:
            text += TEXTS.of_median(show_duration(demand_s), show_duration(p50))
        busy = busy_cores(case, tier)
        of_busy = tier.cpu.mean / busy if busy >= FULL_SHARE * tier.places else 0.0
        if of_busy >= SHARED:
            text += TEXTS.of_full_cores(show_share(min(1.0, of_busy)))
        return Sign(full >= BUSY_DATABASE or share >= OF_REQUEST or of_busy >= SHARED, text, tier.cpu.source)
    share = at_work(tier) / case.load.waiting if case.load.waiting else math.nan
    if math.isfinite(share):
        text = TEXTS.at_work(show_share(min(1.0, share)))
        return Sign(share >= OF_REQUEST, text, FormulaSource(text))
    return Sign(None, TEXTS.busy_unseen, SeriesSource(tier.name, "process.cpu_s", "tree"))


def _report(case: Case, tier: Tier, scan: _Scan) -> str:
    """Return what makes the statement look like a report, which has to read many rows; empty for none."""
    mark = next((mark for mark in REPORTS if mark in scan.text.upper()), "")
    if mark:
        return TEXTS.may_be_report(mark.strip("("), scan.text)
    tables = a_request(case, tier.track("mariadb.temporary_tables"))
    if scan.text or not tables >= 0.5:
        return ""
    return TEXTS.made_tables(show_number(tables))

"""Databases: their CPU, scans, locks."""

from dataclasses import replace as replace_case

import pytest
from msgspec.structs import replace
from syrupy.assertion import SnapshotAssertion

from loadrig.judgement.diagnose import diagnose
from loadrig.judgement.evidence import SeriesSource
from loadrig.judgement.rank import slowest
from loadrig.judgement.roots import flat
from loadrig.testing.cases import ACase
from tests.judgement.causes._shop import accused, cleared, diagnosed, first, shop


def full_database(behind: str = "mariadb", **more: float) -> ACase:
    """Return a database that uses nine tenths of the core that it shares with the one that asks it."""
    case = shop(behind, **{"ok": 40.0, "connections": 15.0, "its_cpu": 0.9, "own_cpu": 0.08, **more})  # type: ignore[arg-type]
    if behind == "mariadb":
        case.gauge("mariadb", "mariadb.threads_running", "", 14.0)
    else:
        case.gauge("postgresql", "postgresql.sessions", "active", 13.5)
        case.gauge("postgresql", "postgresql.sessions", "idle", 1.5)
    return case.counter(behind, "process.run_delay_s", "tree", 13.0)


def scanning(behind: str = "mariadb", *, rows: float = 50_000.0, sent: float = 10.0, **more: float) -> ACase:
    """Return the same, because it reads a whole table for each request."""
    case = full_database(behind, **{"ok": 120.0, **more})
    ok = case.load.ok_rps
    if behind == "mariadb":
        case.counter("mariadb", "mariadb.rows_scanned", "", rows * ok)
        case.counter("mariadb", "mariadb.rows_sent", "", sent * ok)
        case.counter("mariadb", "mariadb.questions", "", ok)
        case.counter("mariadb", "mariadb.full_scans", "", ok)
    else:
        case.counter("postgresql", "postgresql.rows_scanned", "", (rows + 20) * ok)
        case.counter("postgresql", "postgresql.rows_fetched", "", 20 * ok)
    return case


def locked(behind: str = "mariadb") -> ACase:
    """Return forty requests for one row."""
    case = shop(behind, ok=80.0, connections=40.0)
    if behind == "mariadb":
        case.counter("mariadb", "mariadb.row_lock_s", "", 38.0)
        case.counter("mariadb", "mariadb.row_lock_waits", "", 80.0)
        case.gauge("mariadb", "mariadb.threads_running", "", 39.0)
    else:
        case.gauge("postgresql", "postgresql.sessions", "active", 39.0)
        case.gauge("postgresql", "postgresql.waits", "Lock:tuple", 37.0)
        case.gauge("postgresql", "postgresql.waits", "Lock:transactionid", 1.0)
        case.gauge("postgresql", "postgresql.lock_waiters", "", 38.0)
    return case


@pytest.mark.parametrize(
    ("holder", "is_told"), [("client:10.0.0.9 nightly", True), ("client:server shop", False)]
)
def test_another_program_that_holds_the_lock_is_named(holder: str, is_told: bool) -> None:
    case = locked("postgresql")
    case.gauge("postgresql", "postgresql.lock_pairs", f"client:server shop behind {holder}", 30.0)
    case.gauge("postgresql", "postgresql.lock_pairs", "client:server shop behind client:server shop", 2.0)
    finding = first(case)
    assert finding.cause == "row_lock"
    assert ("nightly" in finding.effect and "nightly" in finding.mend) is is_told


def test_waits_for_the_log_of_a_database_are_no_waits_for_rows() -> None:
    case = shop("postgresql", rate=300.0, ok=300.0, connections=20.0, alone_s=0.002)
    case.gauge("postgresql", "postgresql.sessions", "active", 0.6)
    case.gauge("postgresql", "postgresql.waits", "LWLock:WALWrite", 0.5)
    assert accused(case) <= {"healthy"}


@pytest.mark.parametrize("behind", ["mariadb", "postgresql"])
def test_a_full_database_is_named_first(behind: str, snapshot: SnapshotAssertion) -> None:
    finding = first(full_database(behind))
    assert (finding.cause, finding.component, finding.verdict) == ("database_cpu", behind, "likely")
    assert finding.weight >= 3
    assert finding.effect == snapshot


@pytest.mark.parametrize("kind", ["mongodb", "clickhouse"])
def test_a_full_database_that_no_probe_asks_is_named_as_such(kind: str) -> None:
    case = shop("postgresql", ok=40.0, connections=15.0, its_cpu=0.9, own_cpu=0.08).build()
    components = [replace(each, kind=kind) if each.kind == "postgresql" else each for each in case.components]
    finding = diagnose(replace_case(case, components=tuple(components))).findings[0]
    assert (finding.cause, finding.component) == ("database_cpu", "postgresql")


def test_full_pools_and_busy_workers_are_its_symptoms() -> None:
    case = full_database()
    case.gauge("server", "hikari.limit", "pool:p", 15.0).gauge("server", "hikari.active", "pool:p", 15.0)
    case.gauge("server", "hikari.waiting", "pool:p", 25.0)
    findings = diagnosed(case).findings
    assert [finding.cause for finding in findings] == ["database_cpu"]


def test_who_uses_the_shared_core_is_accused() -> None:
    case = shop(ok=300.0, own_cpu=0.8, its_cpu=0.15)
    assert "database_cpu" not in accused(case)


@pytest.mark.parametrize("share", [0.3, 0.6, 0.85])
def test_a_busy_database_that_keeps_up_is_not_accused(share: float) -> None:
    case = shop(rate=100.0 * share, ok=100.0 * share, its_cpu=0.9 * share, own_cpu=0.1 * share)
    case.counter("mariadb", "mariadb.rows_scanned", "", 50_000.0)
    case.counter("mariadb", "mariadb.rows_sent", "", 100.0)
    case.counter("mariadb", "mariadb.row_lock_s", "", 0.2)
    assert accused(case) == {"healthy"}


@pytest.mark.parametrize("behind", ["mariadb", "postgresql"])
def test_whole_tables_for_a_few_rows_explain_the_full_cpu(behind: str, snapshot: SnapshotAssertion) -> None:
    finding = first(scanning(behind))
    assert (finding.cause, finding.component, finding.verdict) == ("missing_index", behind, "likely")
    assert "database_cpu" in [symptom.cause for symptom in finding.symptoms]
    assert finding.evidence[0].source == SeriesSource(behind, f"{behind}.rows_scanned")
    assert finding.evidence[0].text == snapshot


def test_statements_are_held_against_no_rows_that_nobody_walked() -> None:
    case = scanning(rows=0.0).counter("mariadb", "mariadb.digest_rows_examined", "digest:SELECT ?", 10.0)
    assert not [unseen for unseen in diagnosed(case).unseen if "missing_index" in unseen.what]


def test_scans_on_a_core_that_it_shares_explain_that_it_is_full() -> None:
    """Give the database two fifths of the core, the server the rest: without the scans there is room."""
    case = scanning(rows=3_000.0, sent=1.0, its_cpu=0.39, own_cpu=0.6, ok=415.0)
    finding = first(case)
    assert (finding.cause, finding.component, finding.verdict) == ("missing_index", "mariadb", "likely")
    assert "host_cpu" in [symptom.cause for symptom in finding.symptoms]


def test_the_statement_is_named_where_it_is_known(snapshot: SnapshotAssertion) -> None:
    text = "SELECT id, name FROM items WHERE owner = ?"
    case = scanning().counter("mariadb", "mariadb.digest_rows_examined", f"digest:{text}", 50_000.0 * 120)
    assert first(case).mend == snapshot


@pytest.mark.parametrize(
    ("behind", "shown_by"), [("mariadb", "performance_schema"), ("postgresql", "pg_stat_statements")]
)
def test_where_no_statement_is_known_it_is_told_how_to_find_it(behind: str, shown_by: str) -> None:
    assert shown_by in first(scanning(behind)).mend


@pytest.mark.parametrize("walk", ["rows_read_along_index", "rows_read_backwards"])
def test_an_index_that_is_walked_along_for_a_few_rows_is_not_the_one_that_is_missing(walk: str) -> None:
    """Read the newest rows of a customer by the index of dates: it ends after thousands of others' rows."""
    case = full_database("mariadb", ok=120.0).counter("mariadb", "mariadb.rows_scanned", "", 0.0)
    case.counter("mariadb", "mariadb.rows_sent", "", 10 * 120.0)
    assert first(case).cause == "database_cpu"
    case.counter("mariadb", f"mariadb.{walk}", "", 50_000 * 120.0)
    assert (first(case).cause, first(case).verdict) == ("missing_index", "likely")


@pytest.mark.parametrize(("messages", "cause"), [(1, "missing_index"), (100, "n_plus_one")])
def test_rows_that_postgresql_fetches_by_the_thousand_for_a_statement_are_walked_past(
    messages: int, cause: str
) -> None:
    """Fetch 50,000 rows by an index for each request: for one statement, or 500 for each of a hundred."""
    case = full_database("postgresql", ok=120.0)
    for name in ("scanned", "fetched"):
        case.counter("postgresql", f"postgresql.rows_{name}", "", 50_000 * 120.0)
    role = next(edge.role for edge in case.build().edges if edge.to == "postgresql")
    case.counter("server", "socket_stages.segments", role, messages * 120.0, "1")
    assert first(case).cause == cause


def test_a_report_is_not_called_a_missing_index() -> None:
    text = "SELECT grp, COUNT(*) FROM items GROUP BY grp"
    case = scanning().counter("mariadb", "mariadb.digest_rows_examined", f"digest:{text}", 50_000.0 * 120)
    assert first(case).cause == "database_cpu"
    case = scanning().counter("mariadb", "mariadb.temporary_tables", "", 120.0)
    assert first(case).cause == "database_cpu"


TOTALS = "SELECT customer, SUM(total) FROM orders GROUP BY customer ORDER BY SUM(total) LIMIT ?"


def going_through(text: str, series: str, *, along: float = 0.0) -> ACase:
    """Return a database at work on a statement that reads 50,000 rows, so many of them along an index."""
    behind = series.partition(".")[0]
    case = scanning(behind).counter("mariadb", "mariadb.rows_read_along_index", "", along * 120.0)
    case.counter("mariadb", "mariadb.rows_scanned", "", (50_000.0 - along) * 120.0)
    kind = case.gauge if "mean" in series else case.counter
    kind(behind, series, f"statement:{text}", 50_000.0 * 120)
    return case


@pytest.mark.parametrize("text", [TOTALS, "select id, name from product order by rand() limit ?"])
@pytest.mark.parametrize(
    "series",
    ["mariadb.digest_rows_examined", "mariadb.mean_statements", "postgresql.mean_statements"],
)
def test_a_statement_that_computes_from_every_row_lacks_no_index(series: str, text: str) -> None:
    """Group all orders by customer, or draw some at random: whatever index there is, each row is needed."""
    case = going_through(text, series)
    assert "missing_index" not in accused(case)
    assert first(case).cause == "database_cpu"


@pytest.mark.parametrize(
    ("text", "along", "verdict"),
    [
        ("SELECT SUM(total) FROM orders WHERE customer = ?", 50_000.0, None),
        ("SELECT SUM(total) FROM orders WHERE customer = ?", 0.0, "possible"),
        ("SELECT MAX(total) FROM orders WHERE customer = ?", 50_000.0, "possible"),
        ("SELECT SUM(price), … BY customer", 0.0, "possible"),
        ("SELECT id FROM orders WHERE customer = ? ORDER BY day LIMIT ?", 50_000.0, "likely"),
        ("SELECT id FROM orders ORDER BY day LIMIT ?", 0.0, "likely"),
    ],
    ids=["led by an index", "through the table", "one row would do", "cut off", "wrong index", "no index"],
)
def test_rows_that_a_computing_statement_needs_are_those_it_names_or_is_led_to(
    text: str, along: float, verdict: str | None
) -> None:
    case = going_through(text, "mariadb.digest_rows_examined", along=along)
    verdicts = {finding.cause: finding.verdict for finding in flat(diagnosed(case).findings)}
    assert verdicts.get("missing_index") == verdict


def test_a_statement_that_is_seen_at_work_is_named_without_an_account_of_statements(
    snapshot: SnapshotAssertion,
) -> None:
    case = full_database().gauge("mariadb", "mariadb.mean_statements", f"statement:{TOTALS}", 9.0)
    assert first(case).mend == snapshot


def test_rows_that_cost_little_next_to_what_is_computed_are_cleared(snapshot: SnapshotAssertion) -> None:
    """3,000 rows through SHA2 take 5 ms; to read them takes half of one."""
    case = scanning(rows=3000.0, sent=1.0, its_cpu=0.9, ok=120.0)
    assert first(case).cause == "database_cpu"
    assert cleared(case, "missing_index").why == snapshot


def test_two_thousand_rows_may_all_have_been_sent(snapshot: SnapshotAssertion) -> None:
    case = scanning("postgresql", rows=2000.0, its_cpu=0.88, own_cpu=0.08, ok=4000.0)
    assert first(case).cause == "database_cpu"
    (finding,) = [each for each in diagnosed(case).findings if each.cause == "missing_index"]
    assert finding.missing[0] == snapshot
    case.counter("postgresql", "postgresql.statement_rows", "statement:SELECT name FROM items", 4000.0)
    assert first(case).cause == "missing_index"


@pytest.mark.parametrize(("bytes_each", "is_sure"), [(1_500.0, True), (20_000.0, False)])
def test_two_thousand_rows_that_came_over_no_network_were_not_sent(bytes_each: float, is_sure: bool) -> None:
    case = scanning("postgresql", rows=2000.0, its_cpu=0.88, own_cpu=0.08, ok=4000.0)
    case.counter("host", "network.received_bytes", "lo", 4000.0 * bytes_each, "B")
    assert (first(case).cause == "missing_index") is is_sure


def test_rows_that_are_summed_may_be_a_report() -> None:
    """48,000 rows in groups take 9.6 ms of PostgreSQL's CPU, three times what comparing them takes."""
    case = scanning("postgresql", rows=48_000.0, ok=93.0, its_cpu=0.895)
    assert first(case).cause == "database_cpu"
    assert [finding.verdict for finding in diagnosed(case).findings if finding.cause == "missing_index"] == [
        "possible"
    ]


def test_small_tables_and_long_lists_are_cleared() -> None:
    assert first(scanning(rows=400.0)).cause == "database_cpu"
    assert first(scanning(rows=5000.0, sent=2000.0)).cause == "database_cpu"


def test_one_slow_route_of_a_mix_is_at_most_possible() -> None:
    case = scanning(rows=15_000.0, rate=40.0, ok=40.0, its_cpu=0.2, alone_s=0.01, p99_s=0.5)
    findings = diagnosed(case).findings
    assert findings[0].cause == "healthy"
    assert [finding.verdict for finding in findings if finding.cause == "missing_index"] == ["possible"]


def test_a_long_tail_alone_does_not_accuse_a_busy_database() -> None:
    case = full_database(rate=40.0, ok=40.0, alone_s=0.02, p99_s=0.5)
    assert accused(case) == {"healthy"}


def test_scans_of_a_database_that_idles_are_not_the_cause() -> None:
    case = scanning(rows=2000.0, sent=1.0, its_cpu=0.05)
    assert "missing_index" not in accused(case)


@pytest.mark.parametrize("behind", ["mariadb", "postgresql"])
def test_forty_requests_for_one_row_wait_for_each_other(behind: str, snapshot: SnapshotAssertion) -> None:
    finding = first(locked(behind))
    assert (finding.cause, finding.component, finding.verdict) == ("row_lock", behind, "likely")
    assert finding.weight >= 3
    assert finding.bound == pytest.approx(38 / 40)
    assert finding.effect == snapshot
    assert "pool_too_small" not in accused(locked(behind))


@pytest.mark.parametrize(("waiting", "are_most"), [(1.0, True), (0.3, False)])
def test_waits_for_locks_that_take_most_of_the_time_are_told_though_nothing_is_wrong(
    waiting: float, are_most: bool
) -> None:
    case = shop(rate=200.0, ok=200.0, in_flight=1.6, connections=11.0)
    case.counter("mariadb", "mariadb.row_lock_s", "", waiting)
    case.gauge("mariadb", "mariadb.threads_running", "", 1.4)
    assert not case.build().harms
    findings = [(finding.cause, finding.verdict) for finding in slowest(case.build())]
    assert findings == [("row_lock", "possible")] * are_most


def test_lock_waits_in_a_full_database_are_not_the_root() -> None:
    case = full_database().counter("mariadb", "mariadb.row_lock_s", "", 10.0)
    assert first(case).cause == "database_cpu"


def test_a_few_short_waits_are_no_cause(snapshot: SnapshotAssertion) -> None:
    case = shop(ok=80.0, connections=40.0)
    case.counter("mariadb", "mariadb.row_lock_s", "", 0.3).gauge(
        "mariadb", "mariadb.threads_running", "", 5.0
    )
    assert "row_lock" not in accused(case)
    clearance = cleared(case, "row_lock")
    assert clearance.source == SeriesSource("mariadb", "mariadb.row_lock_s")
    assert clearance.why == snapshot


def test_lock_waits_are_read_off_the_titles_of_a_database_that_lets_nobody_in() -> None:
    case = shop(ok=80.0, connections=40.0, behind="postgresql")
    for state, sessions in (("waiting", 36.0), ("working", 1.0), ("committing", 0.0), ("idle", 3.0)):
        case.gauge("postgresql", "session_titles.sessions", state, sessions)
    finding = first(case)
    assert (finding.cause, finding.component, finding.verdict) == ("row_lock", "postgresql", "likely")
    assert SeriesSource("postgresql", "session_titles.sessions", "waiting") in {
        evidence.source for evidence in finding.evidence
    }


def test_a_table_lock_shows_in_what_sessions_do() -> None:
    case = shop(ok=80.0, connections=40.0)
    case.gauge("mariadb", "mariadb.threads_running", "", 38.0)
    case.gauge("mariadb", "mariadb.sessions", "Query:Waiting for table level lock", 36.0)
    case.gauge("mariadb", "mariadb.sessions", "Query:Executing", 1.0)
    assert first(case).cause == "row_lock"


def test_locks_that_may_not_be_read_are_possible(snapshot: SnapshotAssertion) -> None:
    case = shop(ok=80.0, connections=40.0, alone_s=0.45)
    case.not_seen("mariadb", "mariadb", "mariadb does not let us in: access denied for user root")
    by_cause = {
        finding.cause: finding for root in diagnosed(case).findings for finding in (root, *root.symptoms)
    }
    assert by_cause["row_lock"].verdict == "possible"
    assert by_cause["row_lock"].missing == snapshot


@pytest.mark.parametrize(("rolled_back", "is_repeated"), [(3.0, True), (0.9, False)])
def test_transactions_that_are_made_again_are_no_design_of_a_request(
    rolled_back: float, is_repeated: bool
) -> None:
    """Sixty serializable transactions conflict: forty statements a request are four tries of ten."""
    case = full_database("postgresql", ok=100.0, connections=60.0)
    case.counter("postgresql", "postgresql.commits", "", 100.0)
    case.counter("postgresql", "postgresql.rollbacks", "", 100.0 * rolled_back)
    case.counter("postgresql", "postgresql.statement_calls", "UPDATE accounts", 4000.0)
    details = {finding.cause: finding.detail for finding in flat(diagnosed(case).findings)}
    assert (details.get("pool_too_large") == "conflicts: postgresql") is is_repeated
    assert ("n_plus_one" in details) is not is_repeated

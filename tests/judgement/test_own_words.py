"""Words of a server itself: they speak for a cause, often enough, and accuse whom they are about."""

import tomllib
from importlib import resources

import pytest
from syrupy.assertion import SnapshotAssertion

from loadrig.base import members
from loadrig.judgement.declarations import ROOM
from loadrig.judgement.diagnose import Diagnosis, diagnose
from loadrig.judgement.own_words import events_of_answers
from loadrig.language.en.log_mends import LogMendTexts
from loadrig.recording.frame import Frame
from loadrig.recording.frame_document import live
from loadrig.testing.cases import ACase


def failing(speaker: str, line: tuple[str, str, str], count: int, **tiers: str) -> Diagnosis:
    """Diagnose a server of which one request in ten fails: 300; its tiers by name and kind; one's words."""
    case = ACase(seconds=30, users=20, ok=90.0, failed={"http_5xx": 10.0}, in_flight=20.0)
    case.tier("server", runtime="cpython")
    for number, (name, kind) in enumerate(tiers.items()):
        case.tier(name, kind=kind).edge("server", name, f"127.0.0.1:{9000 + number}")
    system, resource, what = line
    facts = {"system": system, "resource": resource, "what": what, "count": count, "numbers": {}}
    case.event(10.0, "server_fact", speaker, f"{system}: a sentence", **facts)
    return diagnose(case.build())


def accused(diagnosis: Diagnosis) -> set[tuple[str, str]]:
    return {(finding.cause, finding.component) for finding in diagnosis.findings}


@pytest.mark.parametrize(
    ("speaker", "line", "cause", "component"),
    [
        ("server", ("sqlalchemy", "pool", "timed_out"), "pool_too_small", "server"),
        ("server", ("linux", "descriptors", "exhausted"), "descriptor_limit", "server"),
        ("server", ("nginx", "connections", "full"), "descriptor_limit", "server"),
        ("server", ("postgresql", "connections", "full"), "pool_too_large", "server"),
        ("db", ("postgresql", "connections", "full"), "pool_too_large", "server"),
        ("server", ("redis-py", "dependency", "timed_out"), "slow_dependency", "cache"),
        ("server", ("node-postgres", "dependency", "timed_out"), "slow_dependency", "db"),
        ("db", ("postgresql", "locks", "timed_out"), "row_lock", "db"),
        ("server", ("postgresql", "locks", "conflict"), "row_lock", "db"),
        ("server", ("sqlite", "locks", "timed_out"), "lock_contention", "server"),
        ("server", ("go", "names", "failed"), "slow_dependency", "dns"),
        ("server", ("php-fpm", "workers", "timed_out"), "worker_timeouts", "server"),
        ("server", ("node", "threads", "refused"), "process_limit", "server"),
        ("server", ("waitress", "workers", "full"), "too_few_workers", "server"),
        ("server", ("java", "workers", "full"), "too_few_workers", "server"),
        ("server", ("axios", "dependency", "timed_out"), "slow_dependency", "stock"),
        ("server", ("lettuce-redis", "dependency", "timed_out"), "slow_dependency", "cache"),
        ("server", ("php", "memory", "exhausted"), "memory_pressure", "server"),
    ],
)
def test_what_is_said_often_enough_accuses_whom_it_is_about(
    speaker: str, line: tuple[str, str, str], cause: str, component: str
) -> None:
    diagnosis = failing(speaker, line, 200, db="postgresql", cache="redis", stock="program")
    assert (cause, component) in accused(diagnosis)
    assert diagnosis.findings[0].verdict == "likely"


def test_a_finding_of_words_alone_can_be_read(snapshot: SnapshotAssertion) -> None:
    finding = failing("server", ("sqlalchemy", "pool", "timed_out"), 200).findings[0]
    assert (finding.title, finding.effect, finding.mend, finding.decides) == snapshot


@pytest.mark.parametrize(
    ("line", "knob"),
    [
        (("php-fpm", "workers", "timed_out"), "request_terminate_timeout"),
        (("uwsgi", "workers", "timed_out"), "harakiri"),
        (("postgresql", "connections", "full"), "max_connections"),
        (("gunicorn", "workers", "timed_out"), "gunicorn"),
    ],
)
def test_a_mend_names_the_knob_of_the_program_that_spoke(line: tuple[str, str, str], knob: str) -> None:
    finding = failing("server", line, 200, db="postgresql").findings[0]
    assert knob in finding.mend


def test_every_mend_is_of_a_line_that_is_known() -> None:
    table = tomllib.loads(resources.files("loadrig.probes._logs").joinpath("known.toml").read_text("utf-8"))
    assert LogMendTexts.mends.keys() <= {".".join(row[:3]) for row in table["rows"]}


def test_a_few_lines_among_many_failures_accuse_nobody() -> None:
    few = failing("server", ("sqlalchemy", "pool", "timed_out"), 20)
    assert "pool_too_small" not in {cause for cause, _ in accused(few)}


def test_what_is_said_once_for_all_counts_once() -> None:
    once = failing("server", ("php-fpm", "workers", "full"), 1)
    assert ("too_few_workers", "server") in accused(once)


def test_whom_a_line_is_about_is_not_guessed() -> None:
    line = ("nginx", "dependency", "timed_out")
    two = failing("server", line, 200, first="program", second="program")
    assert "slow_dependency" not in {cause for cause, _ in accused(two)}
    replicas = failing("server", line, 200, first="gunicorn", second="gunicorn")
    assert ("slow_dependency", "first") in accused(replicas)
    beside_a_database = failing("server", line, 200, db="postgresql", first="program")
    assert ("slow_dependency", "first") in accused(beside_a_database)


@pytest.mark.parametrize(("kind", "is_accused"), [("redis", False), ("mariadb", True), ("program", True)])
def test_a_database_speaks_only_to_who_may_ask_one(kind: str, is_accused: bool) -> None:
    diagnosis = failing("server", ("mariadb", "connections", "full"), 200, behind=kind)
    assert (("pool_too_large", "server") in accused(diagnosis)) is is_accused


def test_what_a_proxy_passes_on_are_the_words_of_the_program_behind_it() -> None:
    case = ACase(seconds=30, users=20, ok=90.0, failed={"http_5xx": 10.0}, in_flight=20.0)
    case.tier("server", kind="nginx").tier("app", kind="php-fpm").tier("db", kind="mariadb")
    case.edge("server", "app", "127.0.0.1:9000").edge("app", "db", "127.0.0.1:3306")
    facts = {"system": "mariadb", "resource": "connections", "what": "full", "count": 200, "numbers": {}}
    case.event(10.0, "server_fact", "server", "mariadb: a sentence", **facts)
    assert ("pool_too_large", "app") in accused(diagnose(case.build()))


@pytest.mark.parametrize(("opened", "is_accused"), [(0.0, True), (90.0, False)])
def test_a_pool_is_accused_of_a_full_database_only_where_connections_are_kept(
    opened: float, is_accused: bool
) -> None:
    case = ACase(seconds=30, users=20, ok=90.0, failed={"http_5xx": 10.0}, in_flight=20.0)
    case.tier("server", runtime="cpython").tier("db", kind="postgresql")
    case.edge("server", "db", "127.0.0.1:5432", 5)
    case.counter("host", "tcp_sockets.opened", "out:127.0.0.1:5432", opened, "1")
    facts = {"system": "postgresql", "resource": "connections", "what": "full", "count": 200, "numbers": {}}
    case.event(10.0, "server_fact", "db", "postgresql: a sentence", **facts)
    assert (("pool_too_large", "server") in accused(diagnose(case.build()))) is is_accused


@pytest.mark.parametrize(("refused_s", "is_accused"), [(44.0, True), (20.0, False)])
def test_connections_that_are_let_in_for_each_answer_are_no_pools(refused_s: float, is_accused: bool) -> None:
    """A pool asks again for what a full database refuses; what it was let in for stays open."""
    case = ACase(seconds=30, rate=100, ok=10.0, failed={"http_5xx": 90.0}, in_flight=20.0)
    case.tier("server", runtime="cpython").tier("db", kind="postgresql")
    case.edge("server", "db", "127.0.0.1:5432", 5)
    case.counter("host", "tcp_sockets.opened", "out:127.0.0.1:5432", 45.0, "1")
    refused = {"count": round(30 * refused_s), "numbers": {}}
    facts = {"system": "postgresql", "resource": "connections", "what": "full", **refused}
    case.event(10.0, "server_fact", "db", "postgresql: a sentence", **facts)
    assert (("pool_too_large", "server") in accused(diagnose(case.build()))) is is_accused


@pytest.mark.parametrize(("cpu", "is_accused"), [(0.3, True), (0.97, False)])
def test_a_pool_that_runs_out_beneath_a_full_cpu_is_held_for_long(cpu: float, is_accused: bool) -> None:
    """A larger pool lets more requests wait for the same core."""
    case = ACase(seconds=30, users=20, ok=90.0, failed={"http_5xx": 10.0}, in_flight=20.0)
    facts = {"system": "redis-py", "resource": "pool", "what": "exhausted", "count": 200, "numbers": {}}
    case.event(10.0, "server_fact", "server", "redis-py: a sentence", **facts)
    case.tier("server", cpus=(1,)).counter("server", "process.cpu_s", "tree", cpu).host_cpu([0.1, cpu])
    assert (("pool_too_small", "server") in accused(diagnose(case.build()))) is is_accused


def test_every_declared_line_is_one_that_is_known() -> None:
    table = tomllib.loads(resources.files("loadrig.probes._logs").joinpath("known.toml").read_text("utf-8"))
    lines = {(resource, what) for _, resource, what, *_ in table["rows"]}
    declared = {
        (words.resource, what)
        for cause in members.names(ROOM)
        for words in getattr(members.load(ROOM, cause), "OWN_WORDS", ())
        for what in words.what
    }
    assert declared
    assert declared <= lines


def a_frame(count: int, *details: str, outcome: str = "http_5xx") -> Frame:
    """Return a frame in which so many requests failed, of which some answers were kept."""
    row = {"route": "GET /", "class": "service", "outcome": outcome, "count": count}
    examples = [{"t_ns": 5, "route": "GET /", "outcome": outcome, "detail": detail} for detail in details]
    row_of_frame = {"n": 0, "t_ns": 0, "len_ns": 1, "in_flight_s": 0.0, "status": {}, "routes": [row]}
    row_of_frame |= dict.fromkeys(("sent", "answered", "failed", "in_flight"), 0)
    return Frame.of(live({**row_of_frame, "examples": examples}))


def test_failed_answers_speak_for_their_share_of_all_that_failed() -> None:
    full = "status 503: too many open files"
    (event,) = events_of_answers(
        [a_frame(700, full, full, full), a_frame(100, "status 500: a page of its own")]
    )
    assert (event.kind, event.component) == ("server_fact", "server")
    assert (event.facts["resource"], event.facts["what"]) == ("descriptors", "exhausted")
    assert event.facts["count"] == 600  # three of the four answers of 800 that failed


def test_what_the_generator_itself_met_is_not_the_servers_word() -> None:
    assert list(events_of_answers([a_frame(9, "Cannot assign requested address", outcome="no_ports")])) == []
    assert list(events_of_answers([a_frame(9)])) == []

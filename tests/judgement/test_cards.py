"""The arithmetic cards: the user's own numbers, and none for what was not seen."""

from syrupy.assertion import SnapshotAssertion

from loadrig.judgement.cards import ArithmeticCard, cards
from loadrig.testing.cases import ACase
from tests.judgement.causes._sockets import REDIS, flask, leg, stack


def cards_by_id(case: ACase) -> dict[str, ArithmeticCard]:
    return {card.id: card for card in cards(case.build())}


def test_ports_say_when_the_range_is_empty_and_that_a_shorter_test_cannot_fail(
    snapshot: SnapshotAssertion,
) -> None:
    case = flask("10.0.0.5:6379", seconds=10, users=20, ok=1_800.0)
    stack(case, ports=30_001)
    card = cards_by_id(leg(case, "10.0.0.5:6379", 1_800.0, ports=30_001))["ports:redis"]
    assert (card.formula, card.says) == snapshot


def test_ports_on_loopback_say_what_they_hide(snapshot: SnapshotAssertion) -> None:
    card = cards_by_id(leg(flask(seconds=10, users=20, ok=1_800.0), REDIS, 1_800.0))["ports:redis"]
    assert (card.formula, card.says) == snapshot


def test_a_quota_says_its_limit_and_how_long_threads_stand_still(snapshot: SnapshotAssertion) -> None:
    case = ACase(seconds=20, rate=100.0, ok=50.0)
    case.tier("server", kind="program", runtime="go", cpus=(0, 1), limits={"cores": 0.25})
    case.counter("server", "process.cpu_s", "tree", 0.25).gauge("server", "process.threads", "tree", 8.0)
    case.counter("server", "cgroup.periods", "/a", 10.0).counter(
        "server", "cgroup.throttled_periods", "/a", 9.0
    )
    card = cards_by_id(case)["quota:server"]
    assert (card.formula, card.says) == snapshot


def pooled(active: float, ok: float = 200.0, rate: float = 200.0) -> ACase:
    case = ACase(seconds=20, rate=rate, ok=ok)
    case.tier("server", kind="tomcat", runtime="jvm")
    case.gauge("server", "hikari.active", "pool", active).gauge("server", "hikari.limit", "pool", 15.0)
    return case.gauge("server", "hikari.waiting", "pool", 36.0 if active >= 15 else 0.0)


def test_a_pool_with_room_says_how_many_should_wait(snapshot: SnapshotAssertion) -> None:
    card = cards_by_id(pooled(10.0))["pool:server:connectionspool"]
    assert (card.formula, card.says) == snapshot


def test_a_full_pool_says_what_it_carries(snapshot: SnapshotAssertion) -> None:
    card = cards_by_id(pooled(15.0, ok=100.0, rate=150.0))["pool:server:connectionspool"]
    assert (card.formula, card.says) == snapshot


def test_collections_say_the_most_that_they_can_cost(snapshot: SnapshotAssertion) -> None:
    case = ACase(seconds=20, rate=100.0, ok=100.0).tier("server", kind="tomcat", runtime="jvm", cpus=(1,))
    case.counter("server", "process.cpu_s", "tree", 0.5).counter("server", "gc_log.pause_s", "", 0.02)
    card = cards_by_id(case)["gc:server"]
    assert (card.formula, card.says) == snapshot


def test_the_interpreters_lock_says_what_threads_and_processes_bring(snapshot: SnapshotAssertion) -> None:
    case = flask(seconds=20, users=20, ok=50.0, cpu=1.0)
    case.counter("server", "process.cpu_s", "101", 1.0)
    case.counter("server", "python.looks", "", 4.0).counter("server", "python.held_looks", "", 4.0)
    card = cards_by_id(case)["serial:server"]
    assert (card.formula, card.says) == snapshot


def test_bytes_say_when_the_link_is_full(snapshot: SnapshotAssertion) -> None:
    case = ACase(seconds=20, rate=100.0, ok=100.0).tier("server", address="10.0.0.9:80")
    case.load.bytes[:] = 1e6
    case.counter("host", "network.sent_bytes", "eth0", 1.1e6, "B")
    case.gauge("host", "network.link_bytes", "eth0", 12.5e6, "B")
    card = cards_by_id(case)["bandwidth:server"]
    assert (card.formula, card.says) == snapshot


def test_what_was_not_seen_has_no_card() -> None:
    assert cards(ACase(seconds=20, users=5, ok=100.0).build()) == ()
    assert cards(ACase(seconds=20, users=5, ok=0.0).build()) == ()

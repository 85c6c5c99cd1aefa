"""Simulated servers against what is known of them, one search, and the tables."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from syrupy.assertion import SnapshotAssertion

from bench.capacity import coverage, searches, truth, users
from bench.capacity.queues import QueueLaw, RunningQueue
from bench.capacity.servers import SERVERS
from bench.diagnosis.ledger import BenchLedger
from bench.modes import capacity


def late(law: QueueLaw, level: float, limit_s: float, requests: int, seed: int = 1) -> float:
    """Return the share of answers later than the limit, in the long run."""
    running = RunningQueue(law, (limit_s,), np.random.default_rng(seed))
    running.advance(20.0, level)
    hits = total = 0
    while total < requests:
        count = running.advance(10.0, level).counts[0]
        hits, total = hits + count.hits, total + count.total
    return hits / total


def test_one_place_is_late_as_often_as_the_formula_says() -> None:
    # M/M/1: P(R > L) = exp(-(mu - lambda) L).
    # Late answers come in clusters of some eighty: four million requests know their share to about 1 %.
    share = late(QueueLaw(0.001), 800.0, 0.01, 4_000_000)
    assert share == pytest.approx(math.exp(-200 * 0.01), rel=0.05)


def test_several_places_wait_as_often_as_erlang_says() -> None:
    # M/M/4 at use a / 4 = 0.8: Erlang C; P(R > L) by summing the wait over an exponential service.
    a, m, mu = 3.2, 4, 250.0
    blocked = a**m / math.factorial(m) / (1 - a / m)
    c = blocked / (sum(a**k / math.factorial(k) for k in range(m)) + blocked)
    rate, limit_s = m * mu - 800.0, 0.012
    wait = c * mu / (mu - rate) * (math.exp(-rate * limit_s) - math.exp(-mu * limit_s))
    expected = math.exp(-mu * limit_s) + wait
    assert late(QueueLaw(0.004, 1.0, 4), 800.0, limit_s, 400_000) == pytest.approx(expected, rel=0.05)


def test_one_place_and_many_give_the_same_where_there_is_one() -> None:
    # The bound on the line is never met, but takes the other way through the code.
    shares = [late(QueueLaw(0.001, most_wait_s=wait_s), 700.0, 0.01, 300_000) for wait_s in (math.inf, 1e6)]
    assert shares[0] == pytest.approx(shares[1], rel=0.1)


def test_all_requests_are_accounted_for() -> None:
    for law in (
        QueueLaw(0.005, 0.5, 4, timeout_s=0.1, attempts=3),
        QueueLaw(0.002, 0.5, 2, most_wait_s=0.02),
        QueueLaw(0.002),
    ):
        running = RunningQueue(law, (0.05,), np.random.default_rng(2))
        due = done = 0
        for level in (100.0, 2_000.0, 50.0, 0.0, 0.0):
            tick = running.advance(5.0, level)
            due, done = due + tick.due, done + tick.done
            assert due == done + tick.in_flight
            assert tick.done == tick.good + tick.failed


def test_a_pause_makes_all_wait_that_come_in_it() -> None:
    # A tenth of the time stands still, in pauses of 100 ms: a tenth comes in one, half of it later than half
    # of it.
    law = QueueLaw(1e-5, 0.0, pause_every_s=0.9, pause_s=0.1)
    assert late(law, 500.0, 0.05, 200_000) == pytest.approx(0.05, rel=0.15)


def test_retries_keep_an_overload_going_after_the_load_has_gone() -> None:
    law = QueueLaw(0.005, 0.5, 4, timeout_s=0.15, attempts=3)
    running = RunningQueue(law, (0.12,), np.random.default_rng(3))
    calm = running.advance(10.0, 600.0)
    running.advance(4.0, 1_100.0)
    after = running.advance(10.0, 600.0)
    assert calm.failed < 0.01 * calm.done
    assert after.failed > 0.5 * after.done


def test_what_is_cold_takes_longer_at_first() -> None:
    running = RunningQueue(
        QueueLaw(0.001, 0.0, cold=1.0, warm_after=2_000), (0.0015,), np.random.default_rng(4)
    )
    first = running.advance(2.0, 200.0).counts[0]
    running.advance(200.0, 200.0)
    last = running.advance(20.0, 200.0).counts[0]
    assert first.hits / first.total > 0.9
    assert last.hits / last.total < 0.4


def test_users_obey_the_interactive_law() -> None:
    law = users.ClosedLaw(0.01, 0.5, 2, 0.1)
    running = users.RunningUsers(law, (0.05,), np.random.default_rng(5))
    running.advance(10.0, 30)
    ticks = [running.advance(0.25, 30) for _ in range(400)]
    per_second = sum(tick.done for tick in ticks) / 100
    in_flight = float(np.mean([tick.in_flight for tick in ticks]))
    # N = X (R + Z), and R by Little's law.
    assert per_second * law.think_s + in_flight == pytest.approx(30, rel=0.03)
    assert per_second == pytest.approx(2 / 0.01, rel=0.05)


def test_users_that_go_are_gone_and_none_is_lost() -> None:
    running = users.RunningUsers(users.ClosedLaw(0.01, 0.5, 2, 0.1), (0.05,), np.random.default_rng(6))
    for count in (40, 3, 17):
        running.advance(5.0, count)
        tick = running.advance(0.25, count)
        assert tick.in_flight <= count
        assert len(running._thinking) + len(running._asked) == count


def test_every_server_has_a_truth_that_was_made_for_it() -> None:
    truths = truth.recorded_truths()
    assert {server.name for server in SERVERS if truths[server.name]["key"] == truth.key(server)} == {
        server.name for server in SERVERS
    }
    exact = truths["one slow core, 10 ms, exponential"]
    # M/M/1: mu - ln(1 / share) / L.
    assert exact["capacity"] == pytest.approx(100 - math.log(20) / 0.3, rel=0.005)
    assert all(row["relative_error"] < 0.01 for row in truths.values())


def table_of(rows: list[coverage.Row]) -> str:
    """Return the tables of these searches."""
    summary = capacity.summarise({"rows": rows, "truth": coverage.truths()})
    return "\n\n".join(capacity.tables(summary))


def test_a_search_is_a_row_and_is_not_made_twice(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    ledger = BenchLedger(tmp_path)
    rows = coverage.run(ledger, 1, only="one slow core")
    assert [row["server"] for row in rows] == ["one slow core, 10 ms, exponential"]
    before = (tmp_path / "ledger.jsonl").read_text()
    again = coverage.run(BenchLedger(tmp_path), 1, only="one slow core")
    assert (tmp_path / "ledger.jsonl").read_text() == before
    assert json.dumps(rows) == json.dumps(again)
    text = table_of(rows)
    cells = [line.split("|")[1].strip() for line in text.splitlines() if line.startswith("| ")]
    goals = [line.partition(": ")[0] for line in text.splitlines() if line.startswith("- ")]
    assert [*cells, *goals] == snapshot


def test_a_search_that_finds_nothing_is_counted_as_one_that_missed(snapshot: SnapshotAssertion) -> None:
    row = searches.search(SERVERS[11], 1)
    lost = row | {"capacity": math.nan, "low": math.nan, "high": math.nan, "careless": {}}
    text = table_of([row, lost])
    assert [line for line in text.splitlines() if line.startswith("- ")] == snapshot

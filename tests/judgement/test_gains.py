"""Gains that are foretold of a mend, against laws of queues that are worked out apart."""

import json
import math
import types
from typing import Any

import pytest
from msgspec import structs
from syrupy.assertion import SnapshotAssertion

from loadrig.base.documents import plain
from loadrig.judgement.cause import About, Law
from loadrig.judgement.declarations import Cause
from loadrig.judgement.diagnose import diagnose
from loadrig.judgement.document import findings_of
from loadrig.judgement.evidence import CLEAR, STRONG, Finding, Hypothesis, LoadSource, Sign
from loadrig.judgement.gains import Accusation, predicted, whole, without
from loadrig.judgement.limits.ceilings import Ceiling
from loadrig.judgement.weigh import judge
from loadrig.testing.cases import ACase

SOURCE = LoadSource("load.achieved_rps")


def finding(cause: str, component: str = "server", **facts: Any) -> Accusation:
    return Accusation(cause, component, **facts)


def ceiling(component: str, rps: float, what: str = "CPU") -> Ceiling:
    return Ceiling(component, what, rps, rps, rps, 0.5, 1 / rps, 1.0, "process.cpu_s")


def gain(prediction: tuple[float, str] | None) -> float:
    assert prediction is not None
    return prediction[0]


# --- in proportion --------------------------------------------------------------------------------


def test_a_database_with_twice_the_cpu_does_twice_as_much(snapshot: SnapshotAssertion) -> None:
    ceilings = [ceiling("mariadb", 100.0), ceiling("server", 1100.0)]
    # Its bound says what share of its cores was in use, and not how many requests wait.
    value, why = predicted(finding("database_cpu", "mariadb", bound=0.4), ceilings, 100.0, 2.0) or (0.0, "")
    assert value == 2.0
    assert why == snapshot


def test_no_further_than_to_the_next_limit_which_is_named(snapshot: SnapshotAssertion) -> None:
    ceilings = [ceiling("mariadb", 100.0), ceiling("server", 130.0)]
    value, why = predicted(finding("database_cpu", "mariadb"), ceilings, 100.0, 2.0) or (0.0, "")
    assert value == pytest.approx(1.3)
    assert why == snapshot


def test_a_pool_that_is_full_of_waiting_for_the_database_does_not_end_what_the_database_gains() -> None:
    ceilings = [ceiling("server", 110.0, "connections"), ceiling("server", 115.0, "threads")]
    assert gain(predicted(finding("database_cpu", "mariadb"), ceilings, 100.0, 2.0)) == 2.0


def test_of_an_open_load_nothing_is_answered_beyond_what_is_due(snapshot: SnapshotAssertion) -> None:
    prediction = predicted(finding("host_cpu"), [], 100.0, 2.0, 150.0)
    assert prediction is not None
    assert prediction[0] == pytest.approx(1.5)
    assert prediction[1] == snapshot


def test_a_part_of_the_capacity_that_is_taken_away_costs_as_much() -> None:
    assert gain(predicted(finding("cpu_quota", bound=0.75), [], 100.0, 0.8)) == pytest.approx(0.8)


# --- slots ----------------------------------------------------------------------------------------


def throughput(users: int, slots: int, hold_s: float, cpu_s: float, cores: int) -> float:
    """Return that of a closed load without pauses: bounded by users, slots, cores, each full at its bound."""
    return min(min(users, slots) / hold_s, cores / cpu_s)


@pytest.mark.parametrize("users", [8, 16, 64])
@pytest.mark.parametrize("more", [3, 4, 8, 32])
@pytest.mark.parametrize("cpu_s", [0.001, 0.02, 0.04])
def test_more_slots_gain_what_the_law_of_the_queue_says(users: int, more: int, cpu_s: float) -> None:
    before = throughput(users, 2, 0.1, cpu_s, 1)
    after = throughput(users, more, 0.1, cpu_s, 1)
    accused = finding("too_few_workers", bound=1 - 2 / users)
    value = gain(predicted(accused, [ceiling("server", 1 / cpu_s)], before, more / 2))
    assert value == pytest.approx(after / before)


def test_connections_behind_end_what_more_threads_gain_and_threads_do_not_end_what_connections_gain() -> None:
    waits = finding("too_few_workers", bound=0.9)
    behind = [ceiling("server", 150.0, "connections"), ceiling("server", 100.0, "threads")]
    assert gain(predicted(waits, behind, 100.0, 4.0)) == pytest.approx(1.5)
    waits = finding("pool_too_small", bound=0.9)
    assert gain(predicted(waits, behind, 100.0, 4.0)) == 4.0


def test_threads_that_queue_for_the_cpu_gain_less_than_in_proportion(snapshot: SnapshotAssertion) -> None:
    # As measured: 5 threads of a Tomcat did 313/s, 10 did 529/s, and its CPU is full at 933/s.
    held = structs.replace(ceiling("server", 320.0, "threads"), servers=5.0, used_share=1.0)
    ceilings = [held, ceiling("server", 933.0), ceiling("mariadb", 9750.0)]
    waits = finding("too_few_workers", bound=0.92)
    value, why = predicted(waits, ceilings, 313.0, 2.0) or (0.0, "")
    assert 1.7 < value < 1.95
    assert why == snapshot
    # Threads that are not all held say nothing of what one does.
    idle = [structs.replace(held, used_share=0.5), *ceilings[1:]]
    assert gain(predicted(waits, idle, 313.0, 2.0)) == 2.0


# --- shares ---------------------------------------------------------------------------------------


def test_what_compression_takes_is_free_without_it(snapshot: SnapshotAssertion) -> None:
    ceilings = [ceiling("server", 100.0), ceiling("redis", 900.0)]
    accused = finding("request_overhead", bound=0.78, detail="compression")
    value, why = predicted(accused, ceilings, 100.0, None) or (0.0, "")
    assert value == pytest.approx(1 / 0.22)
    assert why == snapshot


def test_a_gain_that_the_cause_has_worked_out_goes_before_its_bound() -> None:
    """Judge connections by their usual cost, and clear them by the most that it could be."""
    accused = finding("connection_churn", "redis", bound=0.9, gain=1.5, detail="to a dependency: redis")
    assert gain(predicted(accused, [ceiling("server", 100.0)], 100.0, None)) == pytest.approx(1.5)


@pytest.mark.parametrize("share", [0.1, 0.3, 0.7])
@pytest.mark.parametrize("ratio", [1.0, 2.0, 8.0])
def test_more_heap_leaves_as_much_less_of_what_collecting_takes(share: float, ratio: float) -> None:
    work_s = 0.01
    before, after = (1 - share) / work_s, (1 - share / ratio) / work_s
    accused = finding("gc_pressure", bound=share, gain=without(share))
    value = gain(predicted(accused, [ceiling("server", before)], before, ratio))
    assert value == pytest.approx(after / before)


# --- nothing is foretold --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("accused", "ratio"),
    [
        (finding("database_cpu", "mariadb"), None),
        (finding("too_few_workers", bound=0.5), None),
        (finding("conntrack_full", "host"), 2.0),
        (finding("leak", bound=0.5), 2.0),
        (finding("cache_bottleneck", "redis", detail="too small"), 2.0),
        (finding("request_overhead", detail="TLS"), None),
        (finding("gc_pressure", gain=1.5), 0.5),
        (finding("database_cpu", "mariadb"), math.inf),
        (finding("database_cpu", "mariadb"), 0.0),
    ],
    ids=lambda parameter: parameter.cause if isinstance(parameter, Accusation) else str(parameter),
)
def test_where_arithmetic_says_nothing_nothing_is_foretold(accused: Any, ratio: float | None) -> None:
    assert predicted(accused, [ceiling("server", 500.0)], 100.0, ratio) is None


def test_nothing_is_foretold_where_nothing_is_answered() -> None:
    assert predicted(finding("host_cpu"), [], 0.0, 2.0) is None
    assert whole(Law("capacity", "CPU"), "server", None, [ceiling("redis", 500.0)], 0.0) is None


def test_a_whole_share_has_no_gain_and_an_unknown_one_neither() -> None:
    assert without(1.0) is None
    assert without(math.nan) is None
    assert without(0.5) == 2.0


# --- in a diagnosis -------------------------------------------------------------------------------


def judged(case: ACase, law: Law | None, **facts: Any) -> Finding:
    module = types.ModuleType("cause")
    module.__dict__.update(TEXTS=types.SimpleNamespace(title="it is so"), ABOUT=About("cpu", "size"))
    if law is not None:
        module.__dict__["GAIN"] = law
    signs = (Sign(True, "it shows", SOURCE, STRONG), Sign(True, "it shows", SOURCE, CLEAR))
    hypothesis = Hypothesis(
        "mariadb", signs, "it costs half", "take it away", "take it away and see", **facts
    )
    claim = judge(Cause("some_cause", module), hypothesis, case.build())
    assert isinstance(claim, Finding)
    return claim


def shop(**load: Any) -> ACase:
    """Return a server that uses a fifth of its core, and a database that uses all of its own."""
    case = ACase(seconds=20, **{"users": 40.0, "ok": 100.0, "latency_s": 0.4, **load})
    case.tier("server", kind="gunicorn", cpus=(0,)).counter("server", "process.cpu_s", "tree", 0.2)
    case.tier("mariadb", kind="mariadb", cpus=(1,)).counter("mariadb", "process.cpu_s", "tree", 0.99)
    return case


def test_a_finding_says_its_bound_and_how_far_the_next_limit_is() -> None:
    claim = judged(shop(), Law("capacity", "CPU"), bound=0.99)
    assert claim.bound == 0.99
    assert claim.gain == pytest.approx(5.0, rel=0.01)


def test_a_gain_ends_at_what_is_due_and_at_what_the_cause_can_explain() -> None:
    open_load = shop(rate=150.0, failed={"timeout": 50.0})
    assert judged(open_load, Law("capacity", "CPU")).gain == pytest.approx(1.5, rel=0.01)
    assert judged(shop(), Law("slots", "CPU"), bound=0.5).gain == pytest.approx(2.0)
    assert judged(shop(), Law("share", "CPU"), bound=0.5, gain=1.2).gain == pytest.approx(1.2)


def test_where_a_cause_foretells_nothing_its_finding_does_not() -> None:
    assert judged(shop(), None, bound=0.5).gain is None
    assert judged(shop(), Law("share", "all"), bound=1.0).gain is None
    # That no more is due says nothing of what the cause would let through.
    blind = ACase(seconds=20, rate=150.0, ok=100.0, failed={"timeout": 50.0})
    assert judged(blind, Law("capacity", "CPU")).gain is None


def test_a_real_cause_tells_it_and_its_json_has_no_odd_numbers() -> None:
    case = shop()
    case.edge("server", "mariadb", "127.0.0.1:3306", 20).host_cpu([0.2, 1.0])
    case.gauge("mariadb", "mariadb.threads_running", "", 18.0)
    root = findings_of(diagnose(case.build()))[0]
    assert root.cause == "database_cpu"
    document = json.loads(json.dumps(plain(root), allow_nan=False))
    assert 0 < document["bound"] < 1
    assert document["gain"] > 1
    assert gain(predicted(root.accusation, [], 100.0, 2.0)) == 2.0

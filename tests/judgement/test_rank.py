"""The place of bottlenecks among the findings: roots by what their mends bring; what an account clears."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from syrupy.assertion import SnapshotAssertion

from loadrig.account.population import Held
from loadrig.account.trial_account import account
from loadrig.judgement.causes import pool_too_small
from loadrig.judgement.diagnose import Diagnosis, diagnose
from loadrig.judgement.evidence import Evidence, Finding, FormulaSource
from loadrig.judgement.facts.case import GoalAnswer
from loadrig.judgement.harms import table
from loadrig.judgement.limits.bottlenecks import Bottleneck, judgement_of
from loadrig.judgement.limits.holders import Holder
from loadrig.judgement.limits.kinds import Kind, Resource
from loadrig.judgement.rank import ranked, suspected
from loadrig.judgement.words import effect_of, name_of, use_of
from loadrig.testing.cases import ACase
from tests.account.made import a_call, a_component, a_load
from tests.judgement.scenes import scene
from tests.judgement.test_bottlenecks import N, pooled
from tests.judgement.test_holders import writing
from tests.wording import holding, numbers


def test_a_bottleneck_is_the_first_finding_with_its_gain_and_its_arithmetic() -> None:
    case = pooled(17, 6)
    first = diagnose(case).findings[0]
    assert (first.cause, first.component, first.verdict) == ("pool_too_small", "server", "likely")
    assert first.gain == pytest.approx(24 / 17, rel=0.15)
    assert first.evidence
    assert first.mend
    assert first.decides


def test_what_waits_for_a_full_resource_is_its_symptom() -> None:
    case = scene(100.0, {"in_hand": 2.0, "unread": 22.0}, cpu=0.99, held=2.0)
    diagnosis = diagnose(case)
    assert [finding.cause for finding in diagnosis.findings if finding.verdict == "likely"] == ["host_cpu"]


@pytest.mark.parametrize(
    ("harms", "order"),
    [(("saturated", "tail"), ["accept_backlog", "host_cpu"]), (("saturated",), ["host_cpu"])],
)
def test_what_explains_a_harm_that_a_full_resource_cannot_bring_is_no_symptom_of_it(
    harms: tuple[str, ...], order: list[str]
) -> None:
    case = scene(100.0, {"in_hand": 2.0, "unread": 22.0}, cpu=0.99)
    door = replace(accused("accept_backlog"), harms=harms)
    full = replace(accused("host_cpu"), harms=("saturated",), symptoms=(door,))
    findings = ranked(case, (full,), judgement_of(case))
    assert [finding.cause for finding in findings] == order


def test_each_piece_of_evidence_is_told_once_where_it_was_first() -> None:
    case = scene(100.0, {"in_hand": 2.0, "unread": 22.0}, cpu=0.99)
    pieces = tuple(Evidence(text, FormulaSource(text), 1.0) for text in ("a", "b", "a", "c", "b"))
    full = replace(accused("host_cpu"), harms=("saturated",), evidence=pieces)
    (finding,) = ranked(case, (full,), judgement_of(case))
    assert [piece.text for piece in finding.evidence if len(piece.text) == 1] == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("cause", "harms", "first"),
    [
        ("leak", ("drift", "growth"), "leak"),
        ("leak", ("growth",), "noisy_neighbour"),
        ("accept_backlog", ("drift", "growth"), "noisy_neighbour"),
    ],
)
def test_what_explains_all_that_a_full_resource_does_and_more_comes_first(
    cause: str, harms: tuple[str, ...], first: str
) -> None:
    """Requests become dearer beside a neighbour: who explains only what else is wrong stands behind it.

    So does a queue ahead of the full cores, whatever it explains.
    """
    server = {"in_hand": 24.0, "runnable": 10.0}
    case = scene(600.0, server, cpu=0.55, busy=1.0, strangers={"cpu1:nightly job": 0.35})
    case = replace(case, load=replace(case.load, ok=np.linspace(900.0, 300.0, 30)))
    assert {"saturated", "drift"} <= set(case.harms)
    judgement = judgement_of(case)
    assert "drift" in ranked(case, (), judgement)[0].harms
    findings = ranked(case, (replace(accused(cause), harms=harms),), judgement)
    assert findings[0].cause == first


@pytest.mark.parametrize(
    ("harms", "detail", "first"),
    [
        ({"tail"}, "misses together", "cache_bottleneck"),
        ({"tail"}, "too small", "host_cpu"),
        ({"tail", "queueing"}, "misses together", "host_cpu"),
    ],
)
def test_what_comes_in_bursts_is_behind_what_is_full_for_moments(
    harms: set[str], detail: str, first: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = scene(100.0, {"in_hand": 2.0, "unread": 22.0}, cpu=0.99, held=2.0)
    judgement = judgement_of(case)
    monkeypatch.setattr(table, "harms_of", lambda _: dict.fromkeys(harms, "a harm"))
    herd = replace(accused("cache_bottleneck"), detail=detail, harms=("tail",))
    assert ranked(replace(case), (herd,), judgement)[0].cause == first


def accused(cause: str) -> Finding:
    """Return a cause that stands by signs of its own."""
    return Finding(cause, "server", "likely", "a title", "an effect", "a mend", "a test", 2.0, ())


def test_a_cause_whose_resource_has_room_is_cleared() -> None:
    call = a_call("upstream", 22.5, n=N, idle=4.0)
    diagnosis = diagnose(scene(600.0, {"in_hand": 24.0, "calls": (call,), "unread": 0.0}, cpu=0.5))
    assert diagnosis.findings == ()
    assert {"host_cpu", "pool_too_small"} <= {cleared.cause for cleared in diagnosis.cleared}


def test_without_an_account_what_is_full_is_told_and_no_holder_of_it() -> None:
    case = scene(100.0, {"in_hand": 2.0, "unread": 22.0}, cpu=0.99, held=2.0)
    findings = diagnose(replace(case, account=None)).findings
    assert [(finding.cause, finding.verdict) for finding in findings] == [("host_cpu", "likely")]


def test_a_cause_that_is_known_to_fill_a_resource_comes_before_it() -> None:
    case = pooled(17, 6, cpu=0.98)
    root, *others = ranked(case, (accused("restarts_in_step"),), judgement_of(case))
    assert (root.cause, others) == ("restarts_in_step", [])
    assert [symptom.cause for symptom in root.symptoms] == ["host_cpu"]


def test_where_nothing_is_full_the_account_is_the_answer() -> None:
    call = a_call("upstream", 22.5, n=N, idle=4.0)
    case = scene(600.0, {"in_hand": 24.0, "calls": (call,)}, cpu=0.5)
    diagnosis = diagnose(case)
    assert diagnosis.findings == ()
    assert "waiting for upstream" in diagnosis.sentence


def waiting_for(
    quotes_ms: float,
    *,
    goal: bool | None = None,
    cpu: float = 0.02,
    proxy: bool = False,
    median_s: float | None = None,
) -> Diagnosis:
    """Diagnosis of a server that keeps up with ten users, and waits so long for `quotes` each time.

    median_s: of a mix in which p99 is 253 ms; without it all take equally long.
    """
    rps, total_s = 20.0, quotes_ms / 1e3 + 0.005
    quotes = a_component("quotes", n=N, total=rps * total_s, in_hand=rps * quotes_ms / 1e3, cores=1.0)
    call = a_call("quotes", rps * quotes_ms / 1e3, n=N)
    server = a_component("server", n=N, total=rps * total_s, in_hand=rps * total_s, calls=(call,), cores=1.0)
    case = ACase(seconds=N, users=10, ok=rps, in_flight=rps * total_s, latency_s=total_s)
    case.tier("server", kind="nginx" if proxy else "", cpus=(1,), address="127.0.0.1:8000")
    case.tier("quotes", kind="program", cpus=(1,)).edge("server", "quotes", "127.0.0.1:9000")
    case.counter("server", "process.cpu_s", "tree", 0.02).counter("quotes", "process.cpu_s", "tree", cpu)
    case.host_cpu([0.1, 0.1])
    if median_s is not None:
        case.load = replace(case.load, quantiles={0.5: median_s, 0.95: 0.2, 0.99: 0.253})
    goals = () if goal is None else (GoalAnswer("p99 < 1 s", goal),)
    whole = account([server, quotes], a_load(rps, rps * total_s, n=N))
    return diagnose(replace(case.build(), account=whole, goals=goals))


def test_where_nothing_is_wrong_the_dependency_that_takes_most_of_a_request_is_possible() -> None:
    first, second = waiting_for(30.0).findings
    assert (first.cause, first.component, first.verdict) == ("slow_dependency", "quotes", "possible")
    assert second.cause == "healthy"


@pytest.mark.parametrize(("median_s", "is_told"), [(0.0044, True), (0.014, False)])
def test_a_tail_lies_at_the_dependency_for_which_requests_wait_longer_than_half_of_them_take(
    median_s: float, is_told: bool
) -> None:
    """Four calls of a hundred take 250 ms: each request waits 9.8 ms for them on average."""
    diagnosis = waiting_for(9.8, median_s=median_s)
    assert set(diagnosis.harms) == {"tail"}
    first = diagnosis.findings[0]
    assert ((first.cause, first.verdict) == ("slow_dependency", "likely")) is is_told


@pytest.mark.parametrize(
    "diagnosis",
    [
        lambda: waiting_for(30.0, goal=True),
        lambda: waiting_for(3.0),
        lambda: waiting_for(30.0, cpu=0.5),
        lambda: waiting_for(30.0, proxy=True),
    ],
    ids=["a goal is met", "it is quick", "it computes", "it stands behind a proxy"],
)
def test_a_dependency_that_is_no_news_is_not_told(diagnosis: Callable[[], Diagnosis]) -> None:
    assert [finding.cause for finding in diagnosis().findings] == ["healthy"]


def nearly_full(cpu: float) -> Diagnosis:
    """Diagnose a server all of whose users wait, though no core is full on average."""
    return diagnose(scene(600.0, {"in_hand": 24.0, "unread": 0.0}, cpu=cpu))


def test_where_nothing_is_full_what_is_nearest_to_that_is_suspected() -> None:
    (suspect,) = nearly_full(0.85).findings
    assert (suspect.cause, suspect.component, suspect.verdict) == ("host_cpu", "server", "possible")
    assert nearly_full(0.5).findings == ()
    # How full it was speaks for it: the doubt does not say the same figure again.
    assert [numbers(text) for text in suspect.missing] == [[]]
    assert 85 in numbers(suspect.evidence[0].text)


def test_a_pool_of_as_many_connections_as_there_are_requests_is_not_suspected() -> None:
    """Let 24 users have a connection each, all the time: nobody waits for one."""
    call = a_call("postgresql", 4.0, in_transaction=20.0, idle=0.0, n=N)
    case = scene(600.0, {"in_hand": 24.0, "calls": (call,)}, cpu=0.4)
    assert case.account is not None
    (pool,) = (slot for slot in case.account.components[0].slots.slots if slot.slot == "connections")
    assert pool.full_share == 1
    assert "pool_too_small" not in {finding.cause for finding in diagnose(case).findings}


def test_what_waits_for_pages_that_memory_has_no_room_for_is_a_symptom_of_the_memory(tmp_path: Path) -> None:
    """Let two workers be taken all the time, by requests that wait for pages to be read back."""
    case = writing(tmp_path, 0.01)
    watched = ACase(seconds=N).counter("server", "process.major_faults", "tree", 300.0, "1")
    watched.gauge("server", "cgroup.memory_bytes", "/shop", 60.9e6, "B")
    watched.gauge("server", "cgroup.memory_limit_bytes", "/shop", 61e6, "B")
    watched.counter("host", "memory.stalled_some_s", "", 0.28)
    case = replace(
        case,
        series={**case.series, **watched.build().series},
        held=(Held("server", 2.0, 100.0, 100.0, 100.0, 1.0),),
    )
    judgement = judgement_of(case)
    workers = replace(judgement.harmful[0], cause="too_few_workers", gain=9.0, holder=None)
    judgement = replace(judgement, harmful=(workers, *judgement.harmful))
    (first, *_) = ranked(case, (), judgement)
    assert first.cause == "memory_pressure"
    assert "too_few_workers" in [symptom.cause for symptom in first.symptoms]


@pytest.mark.parametrize(
    ("others", "cause"), [(0.25, "noisy_neighbour"), (0.05, "host_cpu")], ids=["much", "little"]
)
def test_who_makes_a_core_nearly_full_is_suspected_rather_than_the_server(others: float, cause: str) -> None:
    """The server uses what another program leaves of 85 %: alone it has room, or it has not."""
    strangers = {"cpu1:batch, process 7": others}
    own = 0.85 - others
    case = scene(600.0, {"in_hand": 24.0, "unread": 0.0}, cpu=own, busy=0.85, strangers=strangers)
    (suspect,) = diagnose(case).findings
    assert (suspect.cause, suspect.verdict) == (cause, "possible")


@pytest.mark.parametrize(("waits_in", "is_suspected"), [("burst", True), ("calm", False)])
def test_a_core_that_is_wanted_only_where_requests_pile_up_is_suspected_of_a_tail(
    monkeypatch: pytest.MonkeyPatch, waits_in: str, *, is_suspected: bool
) -> None:
    monkeypatch.setattr(table, "HARMS", {"tail": table.KindOfHarm(lambda _: "p99 was 130 ms", "tails")})
    case = scene(600.0, {"in_hand": 24.0, "unread": 0.0}, cpu=0.3)
    is_burst = np.arange(N) % 3 == 0
    waited_s = np.where(is_burst, 3.0, 0.0)
    series = ACase(seconds=N).counter("server", "process.run_delay_s", "tree", waited_s).build().series
    in_flight = np.where(is_burst == (waits_in == "burst"), 60.0, 1.0)
    load = replace(case.load, in_flight=in_flight)
    case = replace(case, load=load, series={**case.series, **series}, remembered={})
    findings = suspected(case, judgement_of(case))
    assert (("host_cpu", "possible") in [(each.cause, each.verdict) for each in findings]) == is_suspected


def test_what_was_full_before_a_server_stood_still_is_suspected(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "no request was answered well in the last 5 s"
    monkeypatch.setattr(table, "HARMS", {**table.HARMS, "stopped": table.KindOfHarm(lambda _: text, "facts")})
    (suspect,) = diagnose(scene(100.0, {"in_hand": 24.0}, cpu=0.99)).findings
    assert (suspect.cause, suspect.component, suspect.verdict) == ("host_cpu", "server", "possible")
    assert suspect.missing


@pytest.mark.parametrize(
    ("kind", "number", "name"),
    [
        ("cores", 1.0, "the core that server may use"),
        ("cores", 4.0, "the 4 cores that server may use"),
        ("slots", 1.1, "the one worker or thread of server"),
        ("slots", 8.0, "the 8 workers or threads of server"),
    ],
)
def test_a_resource_of_one_is_told_in_the_singular(kind: Kind, number: float, name: str) -> None:
    assert name_of(Resource(kind, "server", number, number, True)) == name


def test_shared_cores_are_told_as_those_of_the_program_that_the_sentence_is_about() -> None:
    cores = Resource("cores", "redis", 1.0, 1.0, True, sharers=("redis", "server"))
    collecting = Holder("gc_pressure", "server", 0.4, "its collector")
    held = Bottleneck("gc_pressure", "server", cores, 1.6, 0.4, collecting)
    assert not holding((effect_of(held), use_of(held)), "redis")
    assert holding((use_of(Bottleneck("host_cpu", "redis", cores, 1.6, 1.0)),), "redis")


def test_a_pool_that_nobody_knows_is_told_by_where_it_leads(snapshot: SnapshotAssertion) -> None:
    pool = Resource("places", "server", 5.0, 5.0, True, of="postgresql")
    assert [name_of(pool), name_of(replace(pool, of=""))] == snapshot


def test_words_that_fail_cost_no_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool_too_small, "wording", lambda *_: 1 / 0)
    first = diagnose(pooled(17, 6)).findings[0]
    assert (first.cause, first.verdict) == ("pool_too_small", "likely")
    assert first.effect
    assert "ZeroDivisionError" in first.evidence[-1].text


def test_where_requests_fail_and_nothing_is_full_the_failures_are_what_is_told() -> None:
    case = ACase(seconds=30, rate=100.0, ok=0.0, failed={"http_5xx": 100.0}, in_flight=0.1, latency_s=0.001)
    case = case.tier("server", cpus=(1,)).counter("server", "process.cpu_s", "tree", 0.05)
    tiers = [a_component(n=30, total=0.1, cores=1.0, in_hand=0.1, running=0.05)]
    failing = replace(case.host_cpu([0.2, 0.1]).build(), account=account(tiers, a_load(100.0, 0.1, n=30)))
    diagnosis = diagnose(failing)
    assert diagnosis.findings == ()
    assert diagnosis.harms["failing"] in diagnosis.sentence

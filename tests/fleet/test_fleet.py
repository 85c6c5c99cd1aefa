"""A fleet as one generator: begun at one instant, heard as one, steered as one, and not silent on a loss."""

import threading
import time
from typing import Any

import pytest

from loadrig.base.documents import typed
from loadrig.base.errors import PlanError, TargetError, VoidError
from loadrig.fleet import fleet as fleet_module
from loadrig.fleet.fleet import GeneratorFleet, check_connections
from loadrig.fleet.hosts import Hosts
from loadrig.fleet.takeover import can_be_taken_over
from loadrig.recording.fleet_document import FleetDocument
from loadrig.testing.engine_frames import engine_config, frame_message, row
from tests.fleet.made_up import MadeUpHosts

NS = 1_000_000_000
DAY_NS = 86_400 * NS

Json = dict[str, Any]


def begun(hosts: MadeUpHosts) -> tuple[GeneratorFleet, int]:
    """Return a fleet that has begun, and when."""
    fleet = GeneratorFleet(hosts, len(hosts.ahead_ns))
    fleet.__enter__()
    fleet.prepare(engine_config(["search"], "rate", 10.0))
    at_ns = time.monotonic_ns() + fleet.lead_ns
    fleet.begin(at_ns)
    return fleet, at_ns


def frame(hosts: MadeUpHosts, index: int, n: int, start_ns: int, **more: Any) -> None:
    """Let a generator say a frame, on its own clock."""
    t_ns = start_ns + n * NS + hosts.ahead_ns[index]
    hosts.says(index, {"frame": frame_message(n, t_ns, NS, [row("ok", [0.1, 0.2])], **more)})


def end(hosts: MadeUpHosts, index: int, t_ns: int, why: str = "time") -> None:
    totals = {"due": 2, "sent": 2, "answered": 2, "failed": 0, "unsent": 0}
    hosts.says(
        index,
        {"end": {"why": why, "t_ns": t_ns + hosts.ahead_ns[index], "totals": totals, "max_rss_bytes": 5}},
    )


def test_a_transport_is_what_the_protocol_asks_for() -> None:
    hosts: Hosts = MadeUpHosts([0])
    assert hosts.last_words(0)


def test_each_gets_its_part_and_nothing_else_of_its_own() -> None:
    hosts = MadeUpHosts([0, 0, 0])
    fleet, _ = begun(hosts)
    configs = [sent[0] for sent in hosts.sent]
    # On other machines no cores are named.
    assert [config.pop("cpus") for config in configs] == [[]] * 3
    assert [config.pop("part") for config in configs] == [{"index": n, "of": 3} for n in range(3)]
    assert configs[0] == configs[1] == configs[2]
    assert {**configs[0], "cpus": [1]} == engine_config(["search"], "rate", 10.0)
    fleet.close()
    assert hosts.closed


@pytest.mark.parametrize(
    ("cpus", "dealt"), [([], [[], []]), ([1], [[1, 1], [1, 1]]), ([1, 2, 3], [[1, 2], [3, 1]])]
)
def test_generators_of_this_machine_share_its_cores(cpus: list[int], dealt: list[list[int]]) -> None:
    hosts = MadeUpHosts([0, 0], pid=1)
    fleet = GeneratorFleet(hosts, 2)
    fleet.__enter__()
    fleet.prepare({**engine_config(["search"], "rate", 10.0), "cpus": cpus, "threads": 2})
    assert [sent[0]["cpus"] for sent in hosts.sent] == dealt


def test_hosts_are_those_that_are_not_this_machine() -> None:
    assert begun(MadeUpHosts([0, 0]))[0].hosts == ("127.0.0.1", "127.0.0.2")
    assert begun(MadeUpHosts([0, 0], pid=1))[0].hosts == ()
    # A process of this machine may have a network of its own.
    hosts = MadeUpHosts([0, 0], pid=1)
    hosts.sources = ["127.0.0.9", "192.0.2.7"]
    assert begun(hosts)[0].hosts == ("192.0.2.7",)


def test_all_start_at_one_instant_of_our_clock() -> None:
    hosts = MadeUpHosts([5 * DAY_NS, -3 * DAY_NS], slow_ns=1_000)
    _, at_ns = begun(hosts)
    starts = [sent[1]["start_at_ns"] - ahead for sent, ahead in zip(hosts.sent, hosts.ahead_ns, strict=True)]
    assert all(abs(start_ns - at_ns) <= 1_000 for start_ns in starts)


def test_what_all_say_is_heard_as_one_on_our_clock() -> None:
    hosts = MadeUpHosts([5 * DAY_NS, -3 * DAY_NS])
    fleet, at_ns = begun(hosts)
    for index in (0, 1):
        frame(hosts, index, 0, at_ns)
        end(hosts, index, at_ns + NS)
    merged = fleet.next_frame()
    assert merged is not None
    assert (merged.answered, merged.t_ns) == (4, at_ns)
    assert abs(merged.len_ns - NS) < NS // 100
    assert fleet.is_whole
    assert fleet.next_frame() is None
    assert fleet.end is not None
    assert fleet.end.totals["due"] == 4
    assert fleet.end.t_ns is not None
    assert abs(fleet.end.t_ns - at_ns - NS) < NS // 100


def test_facts_are_those_of_each_by_its_name() -> None:
    hosts = MadeUpHosts([7_000_000, 0], slow_ns=2_000)
    fleet, at_ns = begun(hosts)
    frame(hosts, 0, 0, at_ns)
    frame(hosts, 1, 0, at_ns, ports=2_823)
    end(hosts, 0, at_ns + NS)
    end(hosts, 1, at_ns + NS)
    while fleet.next_frame() is not None:
        pass
    facts = typed(FleetDocument, fleet.facts()["fleet"], "manifest.json")
    assert [each.name for each in facts.generators] == ["g1", "g2"]
    assert [each.requests for each in facts.generators] == [2, 2]
    first, second = facts.generators
    assert first.clock_offset_us.low <= 7_000.0 <= first.clock_offset_us.high
    assert first.clock_offset_after_us is not None
    assert second.ports_share == pytest.approx(0.1, rel=0.01)
    assert first.lag_us is not None
    assert first.lag_us.p50 == pytest.approx(20.0, rel=0.01)
    assert not first.lost


def test_hosts_of_a_label_have_a_sum_of_their_own() -> None:
    hosts = MadeUpHosts([0, 0, 0])
    labels = {"127.0.0.1": "eu", "127.0.0.2": "us", "127.0.0.3": "eu"}
    fleet = GeneratorFleet(hosts, 3, labels)
    fleet.__enter__()
    fleet.prepare(engine_config(["search"], "rate", 10.0))
    at_ns = time.monotonic_ns() + fleet.lead_ns
    fleet.begin(at_ns)
    for index, long_s in enumerate((0.1, 0.2, 0.4)):
        rows = [row("ok", [long_s] * 3), row("http_5xx", [long_s] * 2)]
        hosts.says(index, {"frame": frame_message(0, at_ns, NS, rows)})
        end(hosts, index, at_ns + NS)
    while fleet.next_frame() is not None:
        pass
    eu, us = typed(FleetDocument, fleet.facts()["fleet"], "manifest.json").labels
    assert [(each.label, each.generators, each.due, each.ok) for each in (eu, us)] == [
        ("eu", 2, 10, 6),
        ("us", 1, 5, 3),
    ]
    assert eu.response_us is not None
    assert us.response_us is not None
    assert (eu.response_us.p50, eu.response_us.p99) == pytest.approx((100e3, 400e3), rel=0.01)
    assert us.response_us.p99 == pytest.approx(200e3, rel=0.01)


def test_without_two_labels_there_is_no_sum_but_the_total_and_a_label_of_nobody_is_refused() -> None:
    fleet, _ = begun(MadeUpHosts([0, 0]))
    assert fleet.facts()["fleet"]["labels"] == []
    hosts = MadeUpHosts([0, 0])
    with pytest.raises(PlanError) as caught:
        GeneratorFleet(hosts, 2, {"10.0.0.1": "eu"}).__enter__()
    assert caught.value.problems[0].code == "fleet.no-such-host"
    assert hosts.closed


def test_one_that_cannot_have_had_the_start_in_time_says_by_how_much() -> None:
    hosts = MadeUpHosts([0, 0])
    fleet = GeneratorFleet(hosts, 2)
    fleet.__enter__()
    fleet.prepare(engine_config(["search"], "rate", 10.0))
    fleet.begin(time.monotonic_ns() - NS)
    assert all(each["start_late_us"] >= 1e6 for each in fleet.facts()["fleet"]["generators"])


def test_orders_reach_all_at_one_instant_and_what_it_took_is_measured() -> None:
    hosts = MadeUpHosts([DAY_NS, 0])
    fleet, at_ns = begun(hosts)
    fleet.level(20.0, at_ns + 5 * NS)
    fleet.renew("deploy")
    fleet.stop("enough")
    for sent, ahead_ns in zip(hosts.sent, hosts.ahead_ns, strict=True):
        level, renew, stop = sent[2:]
        assert level["level"]["to"] == 20.0
        assert abs(level["level"]["at_ns"] - ahead_ns - at_ns - 5 * NS) < NS // 100
        assert (renew, stop) == ({"renew": "deploy"}, {"stop": "enough"})
    facts = fleet.facts()["fleet"]
    assert facts["orders"] == 3
    assert 0 <= facts["order_us"] < 1e6


@pytest.mark.parametrize("order", ["level", "renew", "stop"])
def test_one_that_may_not_have_had_an_order_is_lost_by_name(order: str) -> None:
    hosts = MadeUpHosts([0, 0])
    fleet, at_ns = begun(hosts)
    hosts.mute.add(1)
    if order == "level":
        fleet.level(20.0, at_ns)
    else:
        getattr(fleet, order)("enough")
    assert order in hosts.sent[1][-1]
    assert [(seat.name, how) for seat, how in fleet.losses] == [("g2", "it is gone")]
    assert hosts.stopped == {1}


def test_a_lost_one_is_named_and_what_it_measured_stays() -> None:
    hosts = MadeUpHosts([0, 0, 0])
    fleet, at_ns = begun(hosts)
    for index in (0, 1, 2):
        frame(hosts, index, 0, at_ns)
    hosts.loses(1, "gone")
    for index in (0, 2):
        frame(hosts, index, 1, at_ns)
        end(hosts, index, at_ns + 2 * NS)
    first = fleet.next_frame()
    assert first is not None
    assert first.answered == 6
    assert fleet.is_whole
    second = fleet.next_frame()
    assert second is not None
    assert second.answered == 4
    assert not fleet.is_whole
    assert fleet.next_frame() is None
    assert [(seat.name, how) for seat, how in fleet.losses] == [("g2", "gone")]
    assert hosts.stopped == {1}
    lost = fleet.facts()["fleet"]["generators"][1]
    assert (lost["lost"], lost["requests"]) == ("gone", 2)
    assert lost["lost_after_s"] == pytest.approx(1.0)
    assert fleet.end is not None
    assert fleet.end.totals["answered"] == 6


def test_a_spare_takes_over_the_part_of_a_lost_one_where_it_began() -> None:
    hosts = MadeUpHosts([0, DAY_NS])
    hosts.spares = 1
    fleet, at_ns = begun(hosts)
    for index in (0, 1):
        frame(hosts, index, 0, at_ns, in_flight=3)
    hosts.loses(1, "gone")
    frame(hosts, 0, 1, at_ns)
    frame(hosts, 0, 2, at_ns)
    assert fleet.next_frame() is not None
    waits = threading.Event()
    # The fresh one says that it is ready as it gets its config, and its first frame holds what was missed.
    fleet.next_frame(lambda: late(hosts, at_ns, waits))
    config, start = hosts.sent[1][-2:]
    assert config["part"] == {"index": 1, "of": 2}
    assert config["resume_s"] == pytest.approx(1.0)
    assert abs(start["start_at_ns"] - DAY_NS - at_ns) < NS // 100
    end(hosts, 0, at_ns + 3 * NS)
    end(hosts, 1, at_ns + 3 * NS)
    assert fleet.next_frame() is None
    assert (fleet.loss, fleet.losses, fleet.is_whole) == ("", (), True)
    facts = typed(FleetDocument, fleet.facts()["fleet"], "manifest.json").generators[1]
    assert (facts.lost, facts.missed, facts.unanswered) == ("gone", 5, 3)
    assert facts.lost_after_s == pytest.approx(1.0)
    assert facts.taken_over_after_s is not None
    assert fleet.end is not None
    # Its own end tells of 2 requests; with those before it were 2 in each of its frames, and what was missed.
    assert fleet.end.totals["due"] == 2 + 2 + 2 + 5


def awaiting(hosts: MadeUpHosts) -> tuple[GeneratorFleet, int]:
    """Return a fleet whose second generator was lost after a frame, and a fresh one asked for."""
    hosts.is_slow_to_replace = True
    fleet, at_ns = begun(hosts)
    for index in (0, 1):
        frame(hosts, index, 0, at_ns, in_flight=3)
    hosts.loses(1, "gone")
    assert fleet.next_frame() is not None
    while not hosts.asked_again:
        fleet._take(hosts.hear(0.1)[0])
    return fleet, at_ns


def test_a_spare_on_another_host_takes_over_by_its_own_clock() -> None:
    hosts = MadeUpHosts([0, DAY_NS])
    fleet, at_ns = awaiting(hosts)
    hosts.replaces(1, "127.0.0.9", -2 * DAY_NS)
    frame(hosts, 0, 1, at_ns)
    frame(hosts, 0, 2, at_ns)
    waits = threading.Event()
    assert fleet.next_frame(lambda: late(hosts, at_ns, waits)) is not None
    config, start = hosts.sent[1][-2:]
    assert config["resume_s"] == pytest.approx(1.0)
    assert abs(start["start_at_ns"] + 2 * DAY_NS - at_ns) < NS // 100
    end(hosts, 0, at_ns + 3 * NS)
    end(hosts, 1, at_ns + 3 * NS)
    assert fleet.next_frame() is None
    assert (fleet.losses, fleet.is_whole) == ((), True)
    facts = typed(FleetDocument, fleet.facts()["fleet"], "manifest.json").generators[1]
    assert (facts.host, facts.missed, facts.unanswered) == ("127.0.0.9", 5, 3)
    assert "gone" in facts.lost
    assert "127.0.0.2" in facts.lost
    assert fleet.end is not None
    assert abs((fleet.end.t_ns or 0) - at_ns - 3 * NS) < NS // 100


@pytest.mark.parametrize("reason", ["none", "order", "stop"])
def test_one_that_none_takes_over_in_time_is_lost_as_it_was(reason: str) -> None:
    hosts = MadeUpHosts([0, 0])
    fleet, at_ns = awaiting(hosts)
    sent = len(hosts.sent[1])
    if reason == "none":
        hosts.loses(1, "no room")
    elif reason == "order":
        fleet.level(20.0, at_ns)
    else:
        fleet.stop("enough")
    if reason != "none":
        hosts.replaces(1, "127.0.0.9", 0)
    frame(hosts, 0, 1, at_ns)
    end(hosts, 0, at_ns + 2 * NS)
    while fleet.next_frame() is not None:
        pass
    assert [(seat.name, how) for seat, how in fleet.losses] == [("g2", "gone")]
    assert not fleet.is_whole
    assert len(hosts.sent[1]) == sent


def late(hosts: MadeUpHosts, at_ns: int, is_past: threading.Event) -> None:
    """Let the fresh one say its first frame, once."""
    if is_past.is_set():
        return
    is_past.set()
    missed: Json = {"unsent_why": {"missed": 5}, "unsent": 5, "due": 7}
    whole = {"t_ns": at_ns + NS + hosts.ahead_ns[1], "len_ns": 2 * NS}
    hosts.says(1, {"frame": frame_message(0, 0, NS, [row("ok", [0.1, 0.2])], **missed) | whole})


def test_what_is_lost_after_an_order_or_for_the_second_time_stays_lost() -> None:
    for order in (True, False):
        hosts = MadeUpHosts([0, 0])
        hosts.spares = 2
        fleet, at_ns = begun(hosts)
        if order:
            fleet.level(20.0, at_ns)
        for index in (0, 1):
            frame(hosts, index, 0, at_ns)
        hosts.loses(1, "gone")
        if not order:
            hosts.loses(1, "gone again")
        frame(hosts, 0, 1, at_ns)
        end(hosts, 0, at_ns + 2 * NS)
        while fleet.next_frame() is not None:
            pass
        assert [seat.name for seat, _ in fleet.losses] == ["g2"]
        assert hosts.spares == (2 if order else 1)


@pytest.mark.parametrize(
    "change",
    [
        {"arrivals": {"users": {"line": [[0.0, 2.0]], "loops": None}}},
        {"stop": {"after_s": 60.0, "requests": 9}},
        {"feeds": [{"order": "sequential", "name": "id", "counter": 0}]},
    ],
)
def test_a_load_whose_due_requests_depend_on_the_past_is_not_taken_over(change: Json) -> None:
    config = engine_config(["search"], "rate", 10.0)
    assert can_be_taken_over(config)
    assert not can_be_taken_over({**config, **change})


@pytest.mark.parametrize("order", ["unique", "arrival"])
def test_values_that_belong_to_a_user_or_an_arrival_are_taken_over(order: str) -> None:
    config = engine_config(["search"], "replay", 10.0)
    assert can_be_taken_over({**config, "feeds": [{"order": order, "name": "id", "counter": 0}]})


def test_one_that_falls_silent_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fleet_module, "SILENT_FOR_S", -0.9)
    hosts = MadeUpHosts([0, 0])
    fleet, at_ns = begun(hosts)
    frame(hosts, 0, 0, at_ns)
    end(hosts, 0, at_ns + NS)
    assert fleet.next_frame() is not None
    assert [seat.name for seat, _ in fleet.losses] == ["g2"]


def test_nobody_is_silent_while_we_are_busy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fleet_module, "SILENT_FOR_S", -0.8)
    hosts = MadeUpHosts([0, 0])
    fleet, at_ns = begun(hosts)
    for n in (0, 1):
        for index in (0, 1):
            frame(hosts, index, n, at_ns)
    assert fleet.next_frame() is not None
    time.sleep(0.5)
    assert fleet.next_frame() is not None
    assert fleet.losses == ()


def test_where_all_are_lost_the_run_is_void() -> None:
    hosts = MadeUpHosts([0, 0])
    fleet, _ = begun(hosts)
    hosts.loses(0)
    hosts.loses(1)
    with pytest.raises(VoidError) as caught:
        fleet.next_frame()
    assert caught.value.problems[0].code == "engine.broken"
    assert caught.value.problems[0].detail


def test_a_refusal_of_one_is_that_of_the_fleet() -> None:
    hosts = MadeUpHosts([0, 0])
    fleet = GeneratorFleet(hosts, 2)
    fleet.__enter__()
    refused = {"code": "engine.config", "what": "no", "where": "threads", "mend": "more"}
    hosts.says(1, {"refused": refused})
    with pytest.raises(PlanError) as caught:
        fleet.prepare(engine_config(["search"], "rate", 10.0))
    assert caught.value.problems[0].code == "engine.config"


def test_one_that_ends_before_it_is_ready_is_named() -> None:
    hosts = MadeUpHosts([0, 0])
    fleet = GeneratorFleet(hosts, 2)
    fleet.__enter__()
    hosts.loses(0)
    with pytest.raises(VoidError):
        fleet.prepare(engine_config(["search"], "rate", 10.0))


def test_hosts_that_cannot_connect_are_named_before_any_gets_its_part() -> None:
    hosts = MadeUpHosts([0, 0, 0])
    hosts.walled = {1: "refused", 2: "refused"}
    fleet = GeneratorFleet(hosts, 3)
    fleet.__enter__()
    with pytest.raises(TargetError) as caught:
        fleet.prepare(engine_config(["search"], "rate", 10.0))
    (problem,) = caught.value.problems
    assert problem.code == "fleet.no-way-to-target"
    assert problem.mend
    assert problem.where is not None
    assert problem.where.file.endswith("127.0.0.2, 127.0.0.3")
    assert hosts.sent == [[], [], []]


def test_a_host_is_known_by_the_address_from_which_it_connects() -> None:
    hosts = MadeUpHosts([0, 0])
    hosts.sources = ["192.0.2.7"]
    fleet = GeneratorFleet(hosts, 2)
    fleet.__enter__()
    hosts.loses(0)
    with pytest.raises(VoidError):
        fleet.prepare(engine_config(["search"], "rate", 10.0))
    assert fleet.hosts == ("127.0.0.1", "127.0.0.2", "192.0.2.7")


def test_a_load_has_a_connection_for_each_generator() -> None:
    check_connections(3, 3)
    with pytest.raises(PlanError) as caught:
        check_connections(2, 3)
    assert caught.value.problems[0].mend

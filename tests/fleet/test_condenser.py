"""Mergers with processes of their own: the fleet has what it has without them, byte for byte."""

import time
from typing import Any

import msgspec
import pytest

from loadrig.base import known_secrets
from loadrig.base.units import Count
from loadrig.fleet.dealing import dealt
from loadrig.fleet.fleet import GeneratorFleet
from loadrig.fleet.places import ALONE_MOST, BUNDLE, mergers_of
from loadrig.plan.fleet_rules import FleetRules
from loadrig.testing.engine_frames import engine_config, frame_message, row
from tests.fleet.condensed import CondensedHosts
from tests.fleet.made_up import MadeUpHosts

NS = 1_000_000_000
DAY_NS = 86_400 * NS
AHEAD_NS = (0, DAY_NS, -3 * NS, 7, 0)
LABELS = {f"127.0.0.{number}": "eu" if number % 2 else "us" for number in range(1, 6)}

Json = dict[str, Any]


def begun(hosts: MadeUpHosts) -> GeneratorFleet:
    fleet = GeneratorFleet(hosts, len(AHEAD_NS), LABELS)
    fleet.__enter__()
    fleet.prepare(engine_config(["search", "cart"], "rate", 10.0))
    return fleet


def speaks(hosts: MadeUpHosts, index: int, n: int, start_ns: int, **more: Any) -> None:
    """Let a generator say a frame that no other says."""
    rows = [
        row("ok", [0.01 * (index + 1), 0.02 * (n + 1)]),
        row("http_5xx", [0.3] * index, route="cart"),
    ]
    t_ns = start_ns + n * NS + hosts.ahead_ns[index]
    example = {"t_ns": t_ns, "route": "cart", "outcome": "http_5xx", "detail": f"{index} of s3cr3t-word"}
    whole = frame_message(n, t_ns, NS, rows, ports=index, in_flight=index + n, examples=[example], **more)
    hosts.says(index, {"frame": whole})


def ended(hosts: MadeUpHosts, index: int, t_ns: int) -> None:
    totals = {"due": 6, "sent": 6, "answered": 6, "failed": 0, "unsent": 0}
    end = {"why": "time", "t_ns": t_ns + hosts.ahead_ns[index], "totals": totals, "max_rss_bytes": 5}
    hosts.says(index, {"end": end})


def played(hosts: MadeUpHosts, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return all that a fleet gave, as text: its clocks stand still, as two runs have two."""
    monkeypatch.setattr(time, "monotonic_ns", lambda: 5 * NS)
    fleet = begun(hosts)
    fleet.begin(5 * NS)
    for n in range(3):
        for index in (3, 1, 0, 4, 2):
            if (n, index) == (2, 4):
                hosts.loses(4, "gone")
            elif index != 4 or n < 2:
                speaks(hosts, index, n, 5 * NS)
    for index in range(4):
        ended(hosts, index, 8 * NS)
    frames = []
    while (frame := fleet.next_frame()) is not None:
        frames.append((frame, fleet.is_whole))
    return msgspec.json.encode([frames, fleet.end, fleet.facts(), fleet.loss]).decode()


@pytest.mark.parametrize("mergers", [1, 2, 3, 5])
def test_a_tree_gives_byte_for_byte_what_one_merger_gives(
    monkeypatch: pytest.MonkeyPatch, mergers: int
) -> None:
    monkeypatch.setattr(known_secrets, "hidden", lambda text: text.replace("s3cr3t-word", "***"))
    alone = played(MadeUpHosts(AHEAD_NS), monkeypatch)
    assert "s3cr3t" not in alone
    assert played(CondensedHosts(AHEAD_NS, mergers), monkeypatch) == alone


def test_a_fresh_generator_goes_on_by_its_own_clock_in_a_tree_too() -> None:
    texts = []
    for hosts in (MadeUpHosts(AHEAD_NS), CondensedHosts(AHEAD_NS, 2)):
        hosts.is_slow_to_replace = True
        fleet = begun(hosts)
        at_ns = time.monotonic_ns() + fleet.lead_ns
        fleet.begin(at_ns)
        for index in range(5):
            speaks(hosts, index, 0, at_ns)
        hosts.loses(3, "gone")
        while not hosts.asked_again:
            for each in hosts.hear(0.1):
                fleet._take(each)
        hosts.replaces(3, "127.0.0.9", -DAY_NS)
        for index in (0, 1, 2, 4):
            speaks(hosts, index, 1, at_ns)
            ended(hosts, index, at_ns + 2 * NS)
        assert fleet.next_frame() is not None
        while len(hosts.sent[3]) < 4:
            for each in hosts.hear(0.1):
                fleet._take(each)
        # A fresh one numbers its frames from the first.
        speaks(hosts, 3, 0, at_ns + NS, unsent=4, unsent_why={"missed": 4})
        ended(hosts, 3, at_ns + 2 * NS)
        while fleet.next_frame() is not None:
            pass
        (facts,) = (each for each in fleet.facts()["fleet"]["generators"] if each["lost"])
        assert fleet.end is not None
        texts.append((facts["missed"], facts["unanswered"], facts["requests"], fleet.end.totals))
        assert fleet.is_whole
    assert texts[0] == texts[1]
    assert texts[0][:2] == (4, 3)


def test_generators_are_lost_with_their_merger_and_what_they_measured_stays() -> None:
    hosts = CondensedHosts(AHEAD_NS, 2)
    fleet = begun(hosts)
    at_ns = time.monotonic_ns() + fleet.lead_ns
    fleet.begin(at_ns)
    for index in range(5):
        speaks(hosts, index, 0, at_ns)
    hosts.loses_merger(1)
    for index in hosts.groups[0]:
        speaks(hosts, index, 1, at_ns)
        ended(hosts, index, at_ns + 2 * NS)
    frames = []
    while (frame := fleet.next_frame()) is not None:
        frames.append(frame)
    assert (frames[0].t_ns, frames[0].in_flight) == (at_ns, sum(range(5)))
    assert not fleet.is_whole
    assert [seat.index for seat, _ in fleet.losses] == list(hosts.groups[1])


def second_frames(hosts: CondensedHosts, at_ns: int) -> None:
    """Let all say their second frame and end; those of the second merger are fresh, and it is their first."""
    for index in range(5):
        second = 0 if index in hosts.groups[1] else 1
        speaks(hosts, index, second, at_ns + (1 - second) * NS)
        ended(hosts, index, at_ns + 2 * NS)


def test_the_parts_of_a_lost_merger_go_on_where_it_was_and_nothing_counts_twice() -> None:
    hosts = CondensedHosts(AHEAD_NS, 2)
    hosts.is_slow_to_replace = True
    fleet = begun(hosts)
    at_ns = time.monotonic_ns() + fleet.lead_ns
    fleet.begin(at_ns)
    for index in range(5):
        speaks(hosts, index, 0, at_ns)
    # The merger has this frame and waits for the others', when it is lost.
    speaks(hosts, 3, 1, at_ns)
    hosts.loses_merger(1)
    frames = [fleet.next_frame()]
    while len(hosts.asked_again) < 3:
        for each in hosts.hear(0.1):
            fleet._take(each)
    hosts.replaces_merger(1)
    for index in hosts.groups[1]:
        hosts.replaces(index, "127.0.0.9", -DAY_NS)
    while any(len(hosts.sent[index]) < 4 for index in hosts.groups[1]):
        for each in hosts.hear(0.1):
            fleet._take(each)
    second_frames(hosts, at_ns)
    while (frame := fleet.next_frame()) is not None:
        frames.append(frame)
    assert (fleet.losses, fleet.is_whole) == ((), True)
    assert fleet.end is not None
    facts = fleet.facts()["fleet"]
    for index, each in enumerate(facts["generators"]):
        assert each["requests"] == 2 * (2 + index)
        assert bool(each["lost"]) == (index in hosts.groups[1])
    assert [frame.answered for frame in frames if frame is not None] == [20, 20]
    resumed = [hosts.sent[index][-2]["resume_s"] for index in hosts.groups[1]]
    assert resumed == pytest.approx([1.0] * 3)
    assert sum(each["ok"] for each in facts["labels"]) == 20


def test_a_frame_that_a_lost_merger_held_counts_once_for_its_label_too() -> None:
    hosts = CondensedHosts(AHEAD_NS, 2)
    hosts.is_slow_to_replace = True
    fleet = begun(hosts)
    at_ns = time.monotonic_ns() + fleet.lead_ns
    fleet.begin(at_ns)
    # The merger has two frames of this one before the first of the others, so its bundle leaves out one.
    speaks(hosts, 3, 0, at_ns)
    speaks(hosts, 3, 1, at_ns)
    for index in (0, 1, 2, 4):
        speaks(hosts, index, 0, at_ns)
    assert fleet.next_frame() is not None
    hosts.loses_merger(1)
    while len(hosts.asked_again) < 3:
        for each in hosts.hear(0.1):
            fleet._take(each)
    hosts.replaces_merger(1)
    for index in hosts.groups[1]:
        hosts.replaces(index, "127.0.0.9", 0)
    while any(len(hosts.sent[index]) < 4 for index in hosts.groups[1]):
        for each in hosts.hear(0.1):
            fleet._take(each)
    second_frames(hosts, at_ns)
    frames = []
    while (frame := fleet.next_frame()) is not None:
        frames.append(frame)
    facts = fleet.facts()["fleet"]
    assert fleet.is_whole
    assert sum(frame.answered for frame in frames) == 20
    for name in ("due", "sent"):
        every = sum(each[name] for each in facts["generators"])
        assert every == 2 * 20
        assert sum(each[name] for each in facts["labels"]) == every


def test_a_fresh_one_goes_on_after_what_its_merger_has_heard_and_not_said_yet(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("loadrig.fleet.condenser.SEEN_EVERY_S", 3600.0)
    hosts = CondensedHosts(AHEAD_NS, 2)
    hosts.is_slow_to_replace = True
    fleet = begun(hosts)
    at_ns = time.monotonic_ns() + fleet.lead_ns
    fleet.begin(at_ns)
    for index in range(5):
        speaks(hosts, index, 0, at_ns)
    # It waits for the frames of the others, and nothing is said of it.
    speaks(hosts, 3, 1, at_ns)
    assert fleet.next_frame() is not None
    for each in hosts.hear(0.1):
        fleet._take(each)
    # It falls silent, so its merger does not say either that it has ended.
    fleet._lose(3, "silent")
    hosts.replaces(3, "127.0.0.9", 0)
    while len(hosts.sent[3]) < 3:
        for each in hosts.hear(0.1):
            fleet._take(each)
    assert hosts.sent[3][-1]["resume_s"] == pytest.approx(2.0)


def test_what_comes_of_a_lost_one_after_it_was_given_up_is_in_no_sum() -> None:
    outcomes = []
    for hosts in (MadeUpHosts(AHEAD_NS), CondensedHosts(AHEAD_NS, 2)):
        fleet = begun(hosts)
        at_ns = time.monotonic_ns() + fleet.lead_ns
        fleet.begin(at_ns)
        for index in range(5):
            speaks(hosts, index, 0, at_ns)
        frames = [fleet.next_frame()]
        fleet._lose(3, "silent")
        for index in (0, 1, 2, 4):
            speaks(hosts, index, 1, at_ns)
        frames.append(fleet.next_frame())
        # Its host was cut off, and is there again.
        speaks(hosts, 3, 1, at_ns)
        for index in (0, 1, 2, 4):
            ended(hosts, index, at_ns + 2 * NS)
        while (frame := fleet.next_frame()) is not None:
            frames.append(frame)
        facts = fleet.facts()["fleet"]
        counts = [[each["due"] for each in facts[kind]] for kind in ("generators", "labels")]
        outcomes.append((counts, [frame.due for frame in frames if frame], fleet.losses))
    assert outcomes[0] == outcomes[1]
    assert outcomes[0][1] == [20, 15]


@pytest.mark.parametrize("mergers", [0, 2])
def test_a_frame_counts_once_and_one_that_never_came_is_a_loss(mergers: int) -> None:
    hosts = CondensedHosts(AHEAD_NS, mergers) if mergers else MadeUpHosts(AHEAD_NS)
    fleet = begun(hosts)
    at_ns = time.monotonic_ns() + fleet.lead_ns
    fleet.begin(at_ns)
    for index in range(5):
        speaks(hosts, index, 0, at_ns)
    # On its way it was doubled.
    speaks(hosts, 1, 0, at_ns)
    for index in (0, 1, 2, 4):
        speaks(hosts, index, 1, at_ns)
    # The one before it never came.
    speaks(hosts, 3, 2, at_ns)
    for index in (0, 1, 2, 4):
        ended(hosts, index, at_ns + 2 * NS)
    due = []
    while (frame := fleet.next_frame()) is not None:
        due.append(frame.due)
    assert due == [20, 15]
    assert [each["due"] for each in fleet.facts()["fleet"]["generators"]] == [4, 6, 8, 5, 12]
    ((seat, how),) = fleet.losses
    assert seat.index == 3
    assert "1" in how


@pytest.mark.parametrize(
    ("generators", "asked", "expected"),
    [
        (ALONE_MOST, None, 0),
        (ALONE_MOST + 1, None, 2),
        (10 * BUNDLE, None, 10),
        (10 * BUNDLE, 1, 0),
        (4, 2, 2),
        (2, 5, 2),
    ],
)
def test_there_are_as_many_mergers_as_one_has_no_room_or_is_asked_for(
    generators: int, asked: int | None, expected: int
) -> None:
    mergers = None if asked is None else Count(asked)
    assert mergers_of(FleetRules(Count(generators), mergers=mergers)) == expected


def test_generators_are_dealt_evenly() -> None:
    assert list(map(len, dealt(10, 3))) == [3, 3, 4]
    assert [index for group in dealt(10, 3) for index in group] == list(range(10))
    assert dealt(2, 3) == [range(1), range(1, 2)]

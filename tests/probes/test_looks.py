"""Looks at random instants: their means, their budget, and who the clients of a database are."""

import os
import socket
import statistics
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from loadrig.base.component import Component
from loadrig.probes._databases import looks as _looks
from loadrig.probes._databases.clients import Clients, owners
from loadrig.probes._databases.looks import DatabaseLook, Looks, LookTally
from loadrig.probes._session import Lost


def test_means_and_deviations_are_those_of_all_looks() -> None:
    tally = LookTally()
    counts = [3.0, 0.0, 1.0, 4.0]
    for count in counts:
        tally.add(DatabaseLook({("active", "a"): count} if count else {}))
    looked = tally.take()
    assert looked["looks", ""] == 4
    assert looked["active", "a"] == statistics.fmean(counts)
    assert looked["active_sd", "a"] == pytest.approx(statistics.stdev(counts))
    assert tally.take() == {("looks", ""): 0}, "nothing is known, which is not zero"


def test_ages_are_pooled_and_bounded() -> None:
    tally = LookTally()
    for oldest in (5.0, 7.0):
        tally.add(DatabaseLook(ages={("idle", "a"): [1.0, oldest]}))
    tally.add(DatabaseLook(ages={("idle", "b"): [2.0] * (_looks.MOST_AGES + 5)}))
    looked = tally.take()
    assert (looked["idle_median_s", "a"], looked["idle_oldest_s", "a"]) == (3.0, 7.0)
    assert looked["idle_oldest_s", "b"] == 2.0


def test_dear_looks_are_seldom_and_never_stop() -> None:
    looks = Looks(DatabaseLook)
    assert looks.mean_gap_s() == 1 / _looks.LOOKS_PER_S
    looks._recent.extend([0.5] * _looks.FEWEST)
    assert looks.mean_gap_s() == _looks.SELDOM_S
    looks._recent.append(0.02)  # the others waited for a server that was busy
    assert looks.mean_gap_s() == pytest.approx(1.0)


def test_a_look_that_fails_is_none_and_the_next_one_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_looks, "RETRY_S", 0.01)
    asked = threading.Event()
    answers: Iterator[bool] = iter([False, True])

    def look() -> DatabaseLook:
        if not next(answers, True):
            raise Lost("gone", "wait", "probe.no-answer")
        asked.set()
        return DatabaseLook({("active", ""): 1.0})

    looks = Looks(look)
    assert looks.take() == {("looks", ""): 0}
    assert asked.wait(20)
    looks.close(20)
    assert looks.take()["active", ""] == 1


@contextmanager
def connected() -> Iterator[tuple[str, int]]:
    """Yield the end of a connection that this process has opened, as its server sees it."""
    with (
        socket.create_server(("127.0.0.1", 0)) as listener,
        socket.create_connection(listener.getsockname()) as here,
        listener.accept()[0],
    ):
        yield here.getsockname()


def test_a_client_is_the_component_that_holds_the_connection() -> None:
    shop = Component("shop", "program", pid=os.getpid())
    with connected() as end, connected() as other:
        assert owners({end}, [shop], None) == {end: "shop"}
        clients = Clients(lambda: (shop,), None)
        assert clients.names("", [end, other]) == ["client:shop"] * 2
        # One that is gone before anybody could look for it is taken for what its like are.
        assert clients.names("", [("127.0.0.1", 1)]) == ["client:shop"]
        assert clients.names("psql", [("127.0.0.1", 1)]) == ["client:127.0.0.1 psql"]


def test_a_client_of_elsewhere_is_its_address_and_what_it_calls_itself() -> None:
    clients = Clients(tuple, None)
    assert clients.names("billing 4711", [("10.0.0.7", 5000)]) == ["client:10.0.0.7 billing *"]
    assert clients.names("", [("", -1)]) == ["client:unix"]
    (name,) = clients.names("x" * 500, [("10.0.0.7", 5000)])
    assert len(name) < 70


def test_owners_are_not_searched_for_at_every_look(monkeypatch: pytest.MonkeyPatch) -> None:
    searches: list[float] = []

    def search(*_: object) -> dict[tuple[str, int], str]:
        searches.append(time.monotonic())
        return {}

    monkeypatch.setattr("loadrig.probes._databases.clients.owners", search)
    clients = Clients(tuple, None)
    for port in range(1, 100):
        clients.names("", [("10.0.0.7", port)])
    assert len(searches) == 1

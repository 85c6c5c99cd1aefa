"""Account of each route: its time always, what it takes where the mix varies, and no queue ever."""

import pytest
from syrupy.assertion import SnapshotAssertion

from loadrig.account import route_words
from loadrig.account.compose import document_of
from loadrig.account.routes import QUEUES, RouteAccount, routes
from loadrig.account.trial_account import account
from loadrig.base.documents import ABSENT
from tests.account.routed import AWAITS_MS, QUEUE_MS, RUNS_MS, scene


def by_route(**more: object) -> dict[str, RouteAccount]:
    return {route.route: route for route in routes(*scene(**more))}  # type: ignore[arg-type]


def lines(route: RouteAccount) -> dict[tuple[str, str], float]:
    return {(line.state, line.of): line.ms for line in route.lines}


def test_where_the_mix_varies_each_route_has_what_it_takes() -> None:
    component = by_route()
    assert list(component) == ["/report", "/home"]
    for name, route in component.items():
        truth = RUNS_MS[name] + AWAITS_MS[name] + QUEUE_MS + 2.0
        assert route.total_ms == pytest.approx(truth, rel=0.03)
        line_ms = lines(route)
        assert line_ms["generator", ""] == pytest.approx(2.0, abs=0.3)
        assert line_ms["running", ""] == pytest.approx(RUNS_MS[name], abs=1.0)
        assert line_ms["awaiting", "mariadb"] == pytest.approx(AWAITS_MS[name], abs=max(1.0, 0.1 * truth))
        assert route.rest_ms == pytest.approx(QUEUE_MS, abs=3.0)


def test_queues_are_never_divided_and_that_is_said() -> None:
    for route in by_route().values():
        assert not {line.state for line in route.lines} & {"unread", "accept_queue", "runnable", "inside"}
        assert route.unseen[0].what == QUEUES


def test_where_the_mix_hardly_varies_only_the_generator_tells() -> None:
    for name, route in by_route(varies=0.002).items():
        assert set(lines(route)) <= {("generator", ""), ("running", "")}, name
        assert "awaiting mariadb" in {missing.what for missing in route.unseen}


def test_routes_that_take_as_long_are_not_told() -> None:
    assert by_route(same=True) == {}


def test_one_route_has_nothing_to_differ_from() -> None:
    server, load, timed = scene()
    assert routes(server, load, timed[:1]) == ()


def test_they_are_told_in_one_sentence_and_in_the_document(snapshot: SnapshotAssertion) -> None:
    server, load, timed = scene()
    component = routes(server, load, timed)
    assert route_words.routes_sentence(component) == snapshot
    whole = account([server], load)
    assert whole is not None
    document = document_of(whole, routes=component)
    assert document.routes
    assert [route.route for route in document.routes] == ["/report", "/home"]
    assert document.routes_sentence == route_words.routes_sentence(component)
    assert document_of(whole).routes is ABSENT

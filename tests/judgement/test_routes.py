"""Routes of a mix: what the requests of one of them take, though counters have no route on them."""

from dataclasses import replace

import numpy as np
import pytest

from loadrig.judgement.facts.routes import heaviest
from loadrig.recording.steps import Floats
from loadrig.testing.cases import ACase
from tests.judgement.causes._shop import accused, first, shop

SECONDS, RPS, LIST_SHARE = 30, 2_000, 0.2
LIST, ITEM = "GET /list", "GET /item"


def drawn_mix() -> tuple[Floats, Floats]:
    """Return the requests of two routes for each second, as users draw them."""
    lists = np.random.default_rng(7).binomial(RPS, LIST_SHARE, SECONDS).astype(float)
    return lists, RPS - lists


def mixed(case: ACase) -> ACase:
    """Give a case of that many requests two routes."""
    lists, items = drawn_mix()
    case.load = replace(case.load, routes={LIST: lists, ITEM: items})
    return case


def asking(of_list: float, of_item: float) -> Floats:
    """Return what is asked a second where a list asks for so much and an item for so much."""
    lists, items = drawn_mix()
    noise = np.random.default_rng(11).normal(1.0, 0.02, SECONDS)
    return (of_list * lists + of_item * items) * noise


def test_the_route_that_asks_for_more_is_known_by_how_the_mix_varies() -> None:
    part = heaviest(mixed(ACase(ok=float(RPS))).build(), asking(40.0, 1.0))
    assert part is not None
    assert part.route == LIST
    assert part.amount == pytest.approx(40.0, rel=0.15)
    assert part.part == pytest.approx(40 * LIST_SHARE / (40 * LIST_SHARE + 1 - LIST_SHARE), abs=0.15)


def test_routes_that_ask_for_the_same_are_not_told_apart() -> None:
    assert heaviest(mixed(ACase(ok=float(RPS))).build(), asking(5.0, 5.0)) is None


def test_a_single_route_is_no_mix() -> None:
    assert heaviest(ACase(ok=float(RPS)).build(), asking(40.0, 1.0)) is None


def shopping(of_list: float, of_item: float) -> ACase:
    """Return a shop whose database is asked for so many rows by key, one after the other."""
    case = mixed(shop("mariadb", ok=float(RPS), own_cpu=0.6, its_cpu=0.2, users=20.0))
    asked = asking(of_list, of_item)
    case.counter("mariadb", "mariadb.questions", "", asked)
    return case.counter("mariadb", "mariadb.rows_sent", "", asked)


def test_a_page_of_thirty_statements_that_is_one_request_of_five_is_asked_in_a_loop() -> None:
    finding = first(shopping(30.0, 1.0))
    assert (finding.cause, finding.component, finding.verdict) == ("n_plus_one", "server", "likely")
    assert LIST in finding.effect


def test_seven_statements_for_every_request_are_no_loop() -> None:
    assert "n_plus_one" not in accused(shopping(6.8, 6.8))


def scanning(of_list: float, of_item: float) -> ACase:
    """Return a shop whose database is full and goes through so many rows."""
    case = mixed(shop("mariadb", ok=float(RPS), own_cpu=0.25, its_cpu=0.7, users=20.0))
    case.counter("mariadb", "mariadb.rows_scanned", "", asking(of_list, of_item))
    return case.counter("mariadb", "mariadb.rows_sent", "", float(RPS))


def test_a_table_that_is_read_for_one_request_of_five_lacks_an_index() -> None:
    finding = first(scanning(4_800.0, 1.0))
    assert (finding.cause, finding.component) == ("missing_index", "mariadb")
    assert first(scanning(960.0, 960.0)).cause == "database_cpu"

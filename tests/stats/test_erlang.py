"""Servers that serve one request each: published values, the sum itself, and what always holds."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loadrig.stats.erlang import erlang_c, servers_needed


@pytest.mark.parametrize(
    ("servers", "offered", "wait"),
    [
        (1, 0.7, 0.7),  # M/M/1: the utilisation
        (2, 1.0, 1 / 3),  # M/M/2 at one half: 2ρ²/(1 + ρ)
        (5, 4.0, 0.5541),  # Gross and Harris, Fundamentals of Queueing Theory, M/M/5 at 0.8
        (10, 8.0, 0.4092),
        (14, 10.0, 0.1741),  # the usual example of call centres: 10 Erlangs, 14 agents
        (4, 4.0, 1.0),
        (3, 0.0, 0.0),
    ],
)
def test_erlang_c_has_the_published_values(servers: int, offered: float, wait: float) -> None:
    assert erlang_c(servers, offered) == pytest.approx(wait, abs=5e-5)


@given(st.integers(1, 60), st.floats(0.01, 0.99))
def test_erlang_c_agrees_with_its_sum(servers: int, use: float) -> None:
    offered = use * servers
    term, total = 1.0, 0.0
    for k in range(servers):
        total += term
        term *= offered / (k + 1)
    tail = term / (1 - use)
    assert erlang_c(servers, offered) == pytest.approx(tail / (total + tail), rel=1e-9)


@given(st.integers(1, 20_000), st.floats(0.0, 1.5))
def test_erlang_c_is_a_probability_however_many_there_are(servers: int, use: float) -> None:
    assert 0.0 <= erlang_c(servers, use * servers) <= 1.0


@given(st.integers(1, 2_000), st.floats(0.1, 0.98))
def test_one_server_more_never_makes_more_wait(servers: int, use: float) -> None:
    offered = use * servers
    assert erlang_c(servers + 1, offered) <= erlang_c(servers, offered) + 1e-12


@given(st.floats(1.0, 5_000.0))
def test_of_the_needed_few_have_to_wait(offered: float) -> None:
    assert erlang_c(servers_needed(offered), offered) < 0.1


def test_no_pool_has_no_probability() -> None:
    with pytest.raises(ValueError, match="no pool"):
        erlang_c(0, 1.0)

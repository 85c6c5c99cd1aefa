"""Waiting that the instants of the load bring about by themselves."""

from dataclasses import replace

import numpy as np
import pytest

from loadrig.judgement.declarations import cause_of
from loadrig.judgement.facts.bursts import burst_waits
from loadrig.judgement.facts.case import Case
from loadrig.testing.cases import ACase

AT_ONCE = np.full(39, 1e-4)
EVENLY = np.full(39, 0.025)


def server(gaps_s: np.ndarray, *, latency_s: float = 0.04, rate: float = 40.0) -> Case:
    """Return forty requests a second at a server that takes 2 ms for each, sent with these gaps."""
    case = ACase(seconds=20, rate=rate, ok=rate, latency_s=latency_s, in_flight=rate * latency_s)
    case.tier("server", kind="go", cpus=(1,)).counter("server", "process.cpu_s", "tree", rate * 0.002)
    built = case.host_cpu([0.05, rate * 0.002]).build()
    return replace(built, load=replace(built.load, gaps_s=[gaps_s] * 20))


def test_requests_sent_at_once_wait_for_each_other_and_evenly_sent_ones_for_nobody() -> None:
    at_once, evenly = burst_waits(server(AT_ONCE), 0.002), burst_waits(server(EVENLY), 0.002)
    assert at_once is not None
    assert evenly is not None
    assert at_once.as_sent_s == pytest.approx(19.5 * (0.002 - 1e-4))
    assert evenly.as_sent_s == 0
    assert at_once.at_random_s == pytest.approx(0.08 * 0.002 / (2 * 0.92))


def test_random_instants_wait_as_long_as_the_formula_of_pollaczek_and_khinchine_says() -> None:
    gaps_s = np.random.default_rng(1).exponential(0.004, 200_000)
    waits = burst_waits(server(gaps_s, rate=250.0), 0.002)
    assert waits is not None
    assert waits.as_sent_s == pytest.approx(waits.at_random_s, rel=0.1)


def test_no_wait_is_foretold_of_a_queue_that_grows() -> None:
    assert burst_waits(server(EVENLY), 0.026) is None


def test_the_load_is_accused_of_a_queue_that_its_instants_make_and_of_no_other() -> None:
    load = cause_of("workload_artefact")
    [claim] = load.claims(server(AT_ONCE))
    assert (claim.component, claim.detail) == ("load", "instants")
    assert claim.bound == pytest.approx(0.926, abs=0.01)
    assert load.claims(server(EVENLY)) == []
    assert load.claims(server(AT_ONCE, latency_s=0.2)) == [], "most of the time is spent elsewhere"

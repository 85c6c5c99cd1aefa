"""Tests of when a program counts as nearly full, from samples as the probes bring them."""

import pytest

from loadrig.account import fullness
from loadrig.account.fullness import Fullness
from loadrig.base.clock import NS
from loadrig.base.component import SERVER, Component
from loadrig.base.series import Sample

Rates = dict[tuple[str, str, str], float]

TREE, WORKER = ("process", "cpu_s", "tree"), ("process", "cpu_s", "pid:7")
THREAD = ("thread_states", "thread_cpu_s", "7 worker")
THREAD_DELAY = ("thread_states", "thread_run_delay_s", "7 worker")
DELAY = ("process", "run_delay_s", "tree")


def server(runtime: str = "native", cpus: int = 4, **limits: float) -> Component:
    return Component(SERVER, "program", runtime=runtime, pid=7, limits=limits, cpus=tuple(range(cpus)))


def heard(rates: Rates, seconds: int = 2) -> Fullness:
    """Return what is known after readings each second of counters that grow at these rates."""
    fullness = Fullness()
    for second in range(seconds + 1):
        samples = [Sample(second * NS, *key, rate * second) for key, rate in rates.items()]
        fullness.hear(samples, SERVER)
    return fullness


@pytest.mark.parametrize(
    ("component", "rates", "what"),
    [
        (server(), {TREE: 3.9}, "cores"),
        (server(), {TREE: 3.0}, None),
        (server(), {TREE: 3.0, DELAY: 0.9}, "cores"),
        (server(), {TREE: 1.9, DELAY: 0.9}, None),
        (server(cores=1.5), {TREE: 1.45}, "quota"),
        (server(cores=1.5), {TREE: 1.2}, None),
        # One interpreter of several fills its core; of native code that fills nothing.
        (server("cpython"), {TREE: 1.3, WORKER: 0.95}, "process"),
        (server("native"), {TREE: 1.3, WORKER: 0.95}, None),
        (server("cpython"), {TREE: 1.3, WORKER: 0.65}, None),
        (server(), {TREE: 1.0, THREAD: 0.97}, "thread"),
        # Others took the core for a part of the time.
        (server("cpython"), {TREE: 0.7, WORKER: 0.7, DELAY: 0.25}, "process"),
        (server("cpython"), {TREE: 2.0, WORKER: 0.5, DELAY: 0.8}, None),
        (server(), {TREE: 0.7, THREAD: 0.65, THREAD_DELAY: 0.3}, "thread"),
        (server(), {TREE: 0.8, DELAY: 0.7}, "waiting"),
        (server(), {TREE: 0.1, DELAY: 0.1}, None),
    ],
)
def test_what_is_nearly_full(component: Component, rates: Rates, what: str | None) -> None:
    assert heard(rates).full(component, 2 * NS) == what


def test_one_reading_tells_nothing() -> None:
    assert heard({TREE: 4.0}, seconds=0).full(server(), 0) is None


def test_what_was_full_and_is_not_any_more_is_not_told() -> None:
    fullness_heard = heard({TREE: 4.0})
    assert fullness_heard.full(server(), 2 * NS) == "cores"
    fullness_heard.hear([Sample(3 * NS, *TREE, 8.1)], SERVER)
    assert fullness_heard.full(server(), 3 * NS) is None


def test_old_readings_tell_nothing_of_now() -> None:
    assert heard({TREE: 4.0}).full(server(), int((2 + fullness.STALE_S + 1) * NS)) is None


def test_quick_readings_must_be_full_for_a_whole_second() -> None:
    fullness_of_process = Fullness()
    for tick in range(4):
        fullness_of_process.hear([Sample(tick * NS // 10, *TREE, 0.4 * tick)], SERVER)
        assert fullness_of_process.full(server(), tick * NS // 10) is None
    for tick in range(4, 12):
        fullness_of_process.hear([Sample(tick * NS // 10, *TREE, 0.4 * tick)], SERVER)
    assert fullness_of_process.full(server(), 11 * NS // 10) == "cores"

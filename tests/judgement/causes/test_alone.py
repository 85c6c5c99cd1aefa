"""Requests that were worked on at once, and those that a server can work on."""

import math
from dataclasses import replace

import pytest

from loadrig.judgement.facts.concurrency import alone
from loadrig.judgement.facts.slots import is_loop, slots_of
from tests.judgement.causes._workers import routes, server


def test_throughput_times_time_alone_is_the_number_at_once() -> None:
    estimate = alone(server(ok=30.0, users=20.0, alone_s=0.1).build())
    assert estimate is not None
    assert estimate.at_once == pytest.approx(3.0)


def test_each_route_counts_with_its_own_time() -> None:
    case = routes(server(ok=89.0), {"fast": (80.0, 0.001, 0.2, 0.4), "slow": (9.0, 0.1, 0.2, 0.4)})
    estimate = alone(case.build())
    assert estimate is not None
    assert estimate.at_once == pytest.approx(80 * 0.001 + 9 * 0.1)
    assert (estimate.fastest_s, max(estimate.by_route.values())) == (0.001, 0.1)


def test_what_all_waited_for_while_measuring_is_taken_off_by_what_came_before() -> None:
    """Look at a lock with 16 users: while measured each waited for the others, the very first did not."""
    case = server(ok=50.0, users=16.0, alone_s=0.32)
    case.load = replace(case.load, latency_by_step=lambda _: case.load.ok * 0 + 0.02)
    estimate = alone(case.build())
    assert estimate is not None
    assert estimate.at_once == pytest.approx(1.0)


def test_nothing_is_said_where_most_failed_or_nothing_was_answered() -> None:
    assert alone(server(ok=30.0, failed={"timeout": 30.0}).build()) is None
    assert alone(server(ok=0.0).build()) is None


@pytest.mark.parametrize(
    ("kind", "settings", "number"),
    [
        ("gunicorn", {}, 1),
        ("gunicorn", {"--workers": "4"}, 4),
        ("gunicorn", {"-w": "2", "--threads": "4"}, 8),
        ("gunicorn", {"WEB_CONCURRENCY": "3"}, 3),
        ("gunicorn", {"GUNICORN_CMD_ARGS": "--workers=3 --threads 2"}, 6),
        ("gunicorn", {"GUNICORN_CMD_ARGS": "-w 5", "--workers": "2"}, 2),
        ("gunicorn", {"--workers": "2", "-k": "gevent"}, math.inf),
        ("gunicorn", {"--worker-class": "uvicorn.workers.UvicornWorker"}, math.inf),
        ("uvicorn", {"--workers": "2"}, math.inf),
        ("waitress", {}, 4),
        ("waitress", {"--threads": "16"}, 16),
        ("uwsgi", {"--processes": "2", "--threads": "3"}, 6),
        ("flask", {"--without-threads": ""}, 1),
    ],
)
def test_slots_by_settings(kind: str, settings: dict[str, str], number: float) -> None:
    case = server(kind, settings=settings, accept_queue=19.0).build()
    slots = slots_of(case.server)
    assert slots is not None
    assert slots.number == number
    assert is_loop(case.server) == math.isinf(number)


def test_threads_that_code_sets_are_seen() -> None:
    case = server("waitress", threads=33.0, users=20.0).build()
    slots = slots_of(case.server)
    assert slots is not None
    assert slots.number == 32


@pytest.mark.parametrize("kind", ["flask", "program", "http.server"])
def test_slots_that_nothing_tells(kind: str) -> None:
    case = server(kind, threads=20.0).build()
    assert slots_of(case.server) is None
    assert not is_loop(case.server)


@pytest.mark.parametrize("kind", ["program", "waitress"])
def test_a_program_that_holds_many_connections_in_one_thread_is_a_loop(kind: str) -> None:
    case = server(kind, threads=1.0, users=20.0).build()
    assert is_loop(case.server)


def test_a_configuration_file_leaves_the_class_to_what_is_seen() -> None:
    asynchronous = server(users=20.0, settings={"--config": "g.py"}, accept_queue=0.0).build()
    assert is_loop(asynchronous.server)
    sync = server(users=20.0, settings={"--config": "g.py"}, accept_queue=19.0).build()
    assert not is_loop(sync.server)


@pytest.mark.parametrize(
    ("kind", "runtime", "loops"),
    [
        ("program", "native", True),
        ("program", "", True),
        ("program", "go", False),
        ("vertx", "jvm", True),
        ("netty", "jvm", True),
        ("php-fpm", "native", False),
        ("nginx", "native", False),
        ("redis", "native", False),
    ],
)
def test_a_program_in_any_language_may_be_a_loop_but_none_that_serves_otherwise(
    kind: str, runtime: str, *, loops: bool
) -> None:
    case = server("program", threads=1.0, users=20.0).build()
    assert is_loop(replace(case.server, kind=kind, runtime=runtime)) is loops

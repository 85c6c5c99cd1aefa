"""Generators that share one load: what a server sees of them is what it would see of one."""

import time
from contextlib import ExitStack

import pytest

from tests.native.test_config import feed, route
from tests.native.test_process import DEADLINE_S, against, generator, shop

pytestmark = pytest.mark.integration

GENERATORS = 3
REQUESTS = 50
"""Requests of the whole load: no multiple of the generators, so that their parts differ."""


def test_a_fleet_makes_the_requests_of_the_load_and_draws_no_value_twice() -> None:
    feeds = [{key: value for key, value in feed(name="n", counter=1).items() if key != "values"}]
    ends = []
    with shop() as (port, requests), ExitStack() as stack:
        talks = [stack.enter_context(generator()) for _ in range(GENERATORS)]
        for index, talk in enumerate(talks):
            whole = against(
                port,
                part={"index": index, "of": GENERATORS},
                feeds=feeds,
                routes=[route(target="/items/{n}")],
                stop={"after_s": 60.0, "requests": REQUESTS},
            )
            whole["arrivals"] = {
                "rate": {"line": [[0.0, 200.0]], "spacing": "constant", "identities": GENERATORS}
            }
            talk.say(whole)
        for talk in talks:
            assert talk.hear()["ready"]["threads"] == 1
        start_ns = time.monotonic_ns()
        for talk in talks:
            talk.say({"start_at_ns": start_ns})
        for talk in talks:
            ends.append(talk.hear_out()[1])
            assert talk.process.wait(DEADLINE_S) == 0
    assert [end["totals"]["answered"] for end in ends] == [17, 17, 16]
    assert sorted(int(path.rpartition("/")[2]) for path, _, _ in requests) == list(range(1, REQUESTS + 1))

"""Two routes whose truth is known, for accounts by route."""

import numpy as np

from loadrig.account.load import LoadSeries
from loadrig.account.observations import Observations
from loadrig.account.routes import Timed
from tests.account.made import a_call, a_component, a_load

SECONDS = 60
RUNS_MS = {"/report": 8.0, "/home": 1.0}
AWAITS_MS = {"/report": 40.0, "/home": 0.0}
QUEUE_MS = 6.0


def scene(
    *, varies: float = 0.4, seed: int = 1, same: bool = False
) -> tuple[Observations, LoadSeries, list[Timed]]:
    """Return two routes of 60 and 40 requests a second; of one each request asks the database for 40 ms."""
    rng = np.random.default_rng(seed)
    rates = {
        "/report": 40.0 * (1 + varies * rng.uniform(-1, 1, SECONDS)),
        "/home": 60.0 * (1 + varies * rng.uniform(-1, 1, SECONDS)),
    }
    wobble = 1 + 0.05 * rng.standard_normal(SECONDS)
    runs = sum(rate * RUNS_MS[name] / 1e3 for name, rate in rates.items()) * wobble
    awaits = sum(rate * AWAITS_MS[name] / 1e3 for name, rate in rates.items()) * wobble
    timed = []
    for name, rate in rates.items():
        own_ms = 30.0 if same else RUNS_MS[name] + AWAITS_MS[name] + QUEUE_MS
        service = rate * own_ms / 1e3 * (1 + 0.05 * rng.standard_normal(SECONDS))
        timed.append(Timed(name, rate, service + rate * 0.002, service))
    n = SECONDS
    rate = rates["/report"] + rates["/home"]
    total = timed[0].response + timed[1].response
    server = a_component(
        n=n, total=total, unread=rate * QUEUE_MS / 1e3, in_hand=runs + awaits, running=runs,
        calls=(a_call("mariadb", awaits, n=n),),
    )  # fmt: skip
    return server, a_load(rate, total, n=n), timed

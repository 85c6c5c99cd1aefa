"""A closed network of queues and a delay, with a number of customers that never idle, solved exactly.

Each customer waits for nobody for `delay_s`, then queues at each station for its turn; so with few of them
throughput grows in proportion, and levels off before the busiest station is full, where bounds alone would
let it grow up to the edge.
Sources: Reiser & Lavenberg 1980, Journal of the ACM 27, 313-322 (mean value analysis); Lazowska, Zahorjan,
Graham & Sevcik 1984, Quantitative System Performance, ch. 6.
"""

from collections.abc import Sequence

from loadrig.stats.roots import zero_between

MOST_CUSTOMERS = 4_096


def throughput(customers: int, delay_s: float, demands_s: Sequence[float]) -> float:
    """Return the customers served per second.

    demands_s: for each station, seconds of its one server a customer.

    Raises ValueError where nothing takes any time.
    """
    if not (delay_s > 0 or any(demand > 0 for demand in demands_s)):
        raise ValueError("a customer who needs no time is served without end")
    queues = [0.0] * len(demands_s)
    per_second = 0.0
    for n in range(1, min(customers, MOST_CUSTOMERS) + 1):
        times = [demand * (1 + queue) for demand, queue in zip(demands_s, queues, strict=True)]
        per_second = n / (delay_s + sum(times))
        queues = [per_second * seconds for seconds in times]
    return per_second


def delay_of(customers: int, per_second: float, demands_s: Sequence[float]) -> float:
    """Return the delay with which a number of customers has a throughput.

    0 where the queues alone allow no more.
    """
    most_s = customers / per_second
    if not any(demand > 0 for demand in demands_s):
        return most_s
    if throughput(customers, 0.0, demands_s) <= per_second:
        return 0.0
    return zero_between(lambda delay_s: throughput(customers, delay_s, demands_s) - per_second, 0.0, most_s)

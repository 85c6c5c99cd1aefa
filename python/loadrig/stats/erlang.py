"""Servers that serve one request each: how likely a request waits for one, and how many are enough."""

import math

from loadrig.stats.special import gammaln, pdtr


def erlang_c(servers: int, offered: float) -> float:
    """Return the probability that a request waits for one of m servers (M/M/m), 0…1; 1 where m is too small.

    offered: mean number of servers in use, X·S, in Erlangs. Arrivals are random; service times are taken to
    be exponential, which is a little pessimistic for steadier work.
    Computed by way of Erlang B as a ratio of Poisson probabilities in logarithms, so that thousands of
    servers neither overflow nor cancel. Source: Erlang 1917; Cooper 1981, Introduction to Queueing Theory,
    ch. 3.
    Raises ValueError where servers < 1 or offered < 0.
    """
    if servers < 1 or offered < 0:
        raise ValueError(f"{servers} servers and a load of {offered} are no pool")
    if offered >= servers:
        return 1.0
    if offered == 0:
        return 0.0
    log_all_busy = servers * math.log(offered) - offered - float(gammaln(servers + 1))
    blocked = math.exp(log_all_busy - math.log(float(pdtr(servers, offered))))
    return blocked / (1 - offered / servers * (1 - blocked))


def servers_needed(offered: float) -> int:
    """Return the number of servers with which waiting is rare: offered + 2 √offered (the square-root rule).

    Source: Halfin and Whitt 1981, Operations Research 29, 567-588: at a factor of 2 less than 3 % wait.
    """
    return max(1, math.ceil(offered + 2 * math.sqrt(offered)))

"""Sentences of `dependency_port_exhaustion` in English, and the sections of its page.

## Signature

Its connections to one destination fill the port range, nearly all of them in TIME_WAIT; from then on it
opens no more than are freed, and requests fail or stand still. With a rate of r new connections a second
that comes range / r seconds after the begin.

## Data

Connections by destination (sock_diag), the port range, tcp_tw_reuse, the generator's outcomes.

## Deciding test

`--prove` switches the pool on, in turns, where that is a knob: TIME_WAIT towards the destination goes to
none, and the failures with it.

## Guard

The total of TIME_WAIT says nothing: those at a listener use up no port, and each destination has the whole
range to itself. Many of them far below the range harm nobody. A test that is shorter than range / r cannot
fail; where a port is used again after a second (tcp_tw_reuse, by default on loopback), a test on one machine
hides what two machines would show.

## Fix

Keep connections (a pool). net.ipv4.tcp_tw_reuse=1 and a wider range only buy time.
"""


class DependencyPortExhaustionTexts:
    title = "the server ran out of local ports towards a dependency"
    connection_pool = "a connection pool"
    pool_or_http = "a pool, or an HTTP client with keep-alive"
    connectionpool_process_redis = "one ConnectionPool for the process (redis.Redis(connection_pool=POOL))"

    def ports_carry_new(self, sustained: str) -> str:
        return f"its ports suffice for {sustained} new connections/s for ever"

    def new_connections_s(self, rate: str) -> str:
        return f" at {rate} new connections/s"

    def had_no_local(self, source: str, to: str, rate: str) -> str:
        return f"{source} had no local port left for {to}{rate};"

    def requests_failed(self, wrong: str) -> str:
        return f" {wrong} requests failed,"

    def requests_waited_any(self, waiting: str) -> str:
        return f" {waiting} requests waited at a time"

    def same_load_fails(self, longer_s: str) -> str:
        return f"the same load for {longer_s}: it fails once all ports are taken"

    def will_have_no(self, source: str, to: str, after: str, rate: str) -> str:
        return f"{source} will have no local port left for {to} after {after}{rate}"

    def s_answered_well(self, before: str, during: str) -> str:
        return f"{before}/s succeeded with free ports, {during}/s without"

    def connections_to(self, source: str, address: str) -> str:
        return f"connections of {source} to {address}"

    def run_longer_see(self, text: str) -> str:
        return f"{text}: a longer run shows it"

    def held_local_ports(self, connections: str, peak: str) -> str:
        return f"{connections} held {peak} of the local ports"

    def time_wait(self, text: str, in_time_wait: str) -> str:
        return f"{text}, {in_time_wait} in TIME_WAIT"

    def requests_failed_no(self, failed_share: str) -> str:
        return f"{failed_share} of the requests failed, and no connection was established"

    def connections_to_address(self, address: str) -> str:
        return f"connections to {address}"

    def effect(self, name: str, address: str) -> str:
        return f"{name} had no local port left for {address}"

    def accepted_connections_s(self, to: str, mean: str) -> str:
        return f"{to} accepted {mean} connections/s"

    def ports_not_seen(self, source: str, usual: str, accepted: str) -> str:
        return (
            f"the ports of {source} were not observed: run loadrig on its machine, or observe it there; a"
            f" usual range suffices for {usual} new connections/s, and {accepted}"
        )

    def new_connections_s_take(self, mean: str, to: str) -> str:
        return f"{mean} new connections/s to {to} take all ports within a minute"

    def keep_connections_stop(self, to: str, pool: str) -> str:
        return f"keep connections to {to} open: {pool}; as a stop-gap sysctl -w net.ipv4.tcp_tw_reuse=1"

    def same_load_pool(self, to: str) -> str:
        return f"the same load with a connection pool to {to}: no TIME_WAIT and no failures"

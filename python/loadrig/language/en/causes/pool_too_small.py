"""Sentences of `pool_too_small` in English, and the sections of its page.

## Signature

All connections of the pool are in use, their number stays at a limit, requests wait for one, and neither the
server nor the dependency behind the pool is busy.

## Data

The pool's own figures (HikariCP, Go's database/sql); else connections to the dependency against requests that
the server works on, how many of these were served at once (throughput times the time that a request takes
alone), sessions at work in the database, CPU time on both sides.

## Deciding test

`--prove` makes the pool larger, in turns, where its size is a knob: throughput rises in proportion, and the
time of a statement stays. A delay in front of the dependency, by which each connection is held longer,
lowers throughput; where it moves nothing, the connections were enough.

## Guard

A busy or locked dependency fills every pool in front of it: then waiting for a connection is queueing behind
it. A server with as many workers as connections waits for workers. Connections that are never given back
look the same at first. A client that sends many requests over one connection needs no more of them.

## Fix

Connections = rate x time that one is held + 2 x the root of that (Erlang C, so that few wait); or hold them
for less time.
"""


class PoolTooSmallTexts:
    title = "the connection pool is too small"

    def requests_waited_connections(self, waiting: str, count: str, name: str) -> str:
        return f"{waiting} requests waited for one of {count} connections to {name}"

    def each_then_held(self, waiting: str) -> str:
        return f": each waited {waiting}, and then held the connection for"

    def mend(self, owner: str, wanted: str, dependency: str) -> str:
        return (
            f"make the pool of {owner} larger: about {wanted} connections to {dependency} for this load, as"
            f" long as {dependency} has room"
        )

    def mend_calls(self, owner: str, wanted: str, dependency: str) -> str:
        return (
            f"let {owner} make about {wanted} calls to {dependency} at a time for this load, as long as"
            f" {dependency} has room: a larger pool of its client, or of a semaphore or limiter ahead of it"
        )

    def decides(self, ceil: str) -> str:
        return f"the same load with {ceil} connections: throughput rises"

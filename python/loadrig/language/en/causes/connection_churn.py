"""Sentences of `connection_churn` in English, and the sections of its page.

## Signature

On one leg (generator to server, or a program to something behind it) about as many connections are opened
as there are requests, and what that costs is a part of a request that matters. Fewer are enough where they
are dear and take a fifth of a CPU that is full: a session of PostgreSQL is a process.

## Data

Connections opened by destination and who closes them first (sock_diag), the generator's own count, CPU time
of both ends, round trips, a profile where there is one.

## Deciding test

`--prove` keeps the connections of that leg, in turns: the pool towards a dependency, the server's keep-alive
(or another worker class), or the load's. Throughput rises by what opening them cost.

## Guard

A slow request does not notice a connection more. Connections that follow failures, that fill a pool, or that
the load itself asks for (keep_alive: false, a visitor each) are nobody's fault. TIME_WAIT that it leaves at
a listener harms nobody.

## Fix

A pool towards the dependency; keep-alive on both sides, and a worker class that can (gunicorn's sync cannot).
"""


class ConnectionChurnTexts:
    title = "connections are opened anew instead of being kept"
    load_asks_new = "the plan asks for new connections: whether real clients keep theirs is not known"
    rises_if_cause = "rises if this is the cause"
    if_real_clients = "if real clients keep connections, let the load do so (connections: {keep_alive: true})"
    gunicorn_sync_workers = (
        "gunicorn's sync workers close every connection: -k gthread --threads 8 --keep-alive 10"
    )
    let_server_keep = (
        "let the server keep connections (keep-alive timeout, requests a connection), or its proxy"
    )

    def connections_s_from(self, rate: str, name: str, ended_rps: str, a_request: str) -> str:
        return (
            f"{rate} new connections/s from {name} for {ended_rps} requests/s: {a_request} for each request"
        )

    def should_rise_up(self, rises: str) -> str:
        return f"should rise by up to {rises}"

    def takes_about(self, formula: str) -> str:
        return f"; opening them takes about {formula}"

    def effect(self, rate: str, name: str, a_request: str, takes: str) -> str:
        return f"{name} opens {rate} connections/s, {a_request} for each request{takes}"

    def decides(self, name: str, gain: str) -> str:
        return f"the same load while {name} keeps its connections: throughput {gain}"

    def redis_connectionpool_process(self, to: str) -> str:
        return f"one redis.ConnectionPool for the process, instead of a connection per request to {to}"

    def pool_keeps_idle(self, source: str, to: str) -> str:
        return (
            f"let {source} keep as many idle connections to {to} as are in use at once: one pool or client"
            " for all requests, with keep-alive"
        )

    def pool_of_go(self, source: str, to: str) -> str:
        return (
            f"let the pool of {source} keep as many idle connections to {to} as are in use at once"
            " (SetMaxIdleConns; of HTTP MaxIdleConnsPerHost, with every answer read to its end)"
        )

    def pool_or_http(self, source: str, to: str) -> str:
        return f"a pool (or an HTTP client with keep-alive) from {source} to {to}"

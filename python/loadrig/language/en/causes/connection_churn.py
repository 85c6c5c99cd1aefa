"""Sentences of `connection_churn` in English."""


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
            f"let the pool of {source} keep as many idle connections to {to} as are in use at once (Go:"
            " SetMaxIdleConns)"
        )

    def pool_or_http(self, source: str, to: str) -> str:
        return f"a pool (or an HTTP client with keep-alive) from {source} to {to}"

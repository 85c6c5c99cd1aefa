"""Loads as configs of our generator, the same as its peers are asked for."""

from typing import Any

Config = dict[str, Any]

EXPECT_NOTHING: Config = {
    "status": [], "contains": [], "matches": [], "json": [], "size_min": None, "size_max": None,
    "time_s": None,
}  # fmt: skip
WORDS = 1_000
"""Values of the scenario's feed: enough that no request is the same as the one before."""


def closed(url: str, connections: int, seconds: float) -> Config:
    """Users without think time on a keep-alive connection each, one thread on core 0."""
    host = url.split("/")[2]
    name, port = host.split(":")
    tls = {"server_name": "localhost", "insecure": True, "ca_pem": None} if url.startswith("https") else None
    return {
        "version": 1, "seed": 1, "threads": 1, "cpus": [0],
        "server": {
            "scheme": url.split(":")[0], "host": name, "port": int(port), "addresses": [host],
            "host_header": host, "unix": None, "tls": tls,
        },
        "source_addresses": [],
        "connections": {"most": connections, "keep_alive": True},
        "arrivals": {"users": {"line": [[0.0, float(connections)]], "loops": None}},
        "stop": {"after_s": float(seconds), "requests": None},
        "timeouts": {"request_s": 10.0, "connect_s": 5.0, "drain_s": 5.0},
        "frame_s": 1.0, "gap_sample": 200, "cookies": True, "feeds": [],
        "routes": [_route("root", "/", [["Host", host]])],
        "scenarios": [{"name": "root", "weight": 1.0, "steps": [0]}],
        "login": None,
        "think": {"constant": 0.0},
    }  # fmt: skip


def http2(url: str, connections: int, streams: int, seconds: float) -> Config:
    """As many users as there are streams, over few connections."""
    config = closed(url, connections, seconds)
    config["connections"] |= {"protocol": "http2", "streams": streams}
    config["arrivals"]["users"]["line"] = [[0.0, float(connections * streams)]]
    return config


def fixed_rate(url: str, connections: int, rate: float, seconds: float) -> Config:
    """Requests due at a constant interval, the first at once, over at most so many connections."""
    config = closed(url, connections, seconds)
    config["arrivals"] = {
        "rate": {"line": [[0.0, float(rate)]], "spacing": "constant", "identities": connections}
    }
    return config


def scenario(url: str, connections: int, seconds: float) -> Config:
    """Two steps: a search with holes in path and header, a check and an extraction; then what it found.

    Both are answered by the same 40 bytes of JSON, so that the limit client can be asked for the same.
    """
    config = closed(url, connections, seconds)
    host = [["Host", url.split("/")[2]], ["X-Visitor", "{visitor}"]]
    search = _route("search", "/item?q={word}", host)
    search["expect"] = {**EXPECT_NOTHING, "status": [200], "json": [["$.ok", True]]}
    search["extract"] = [{"into": "id", "json": "$.id"}]
    item = _route("item", "/item?id={id}&q={word}", host)
    config["feeds"] = [
        {"name": "word", "order": "shuffled", "values": [f"word{n}" for n in range(WORDS)]},
        {"name": "visitor", "counter": 1, "order": "sequential"},
    ]
    config["routes"] = [search, item]
    config["scenarios"] = [{"name": "find an item", "weight": 1.0, "steps": [0, 1]}]
    return config


def _route(name: str, target: str, headers: list[list[str]]) -> Config:
    return {
        "name": name, "class": "service", "timeout_s": None, "method": "GET", "target": target,
        "headers": headers, "body": None, "expect": EXPECT_NOTHING, "extract": [], "think": None,
        "redirects": 0,
    }  # fmt: skip

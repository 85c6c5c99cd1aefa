"""Page counters in redis: the server of this lab.

POOL=1 keeps connections to redis and uses them again; without it every request opens one and closes it.
REDIS_PORT: where redis listens.
"""

import os
from typing import Any

import redis
from flask import Flask, g

app = Flask(__name__)

PORT = int(os.environ.get("REDIS_PORT", "6379"))
IS_POOLED = os.environ.get("POOL") == "1"
KEPT_S = 60
"""Seconds for which the text of a page stays in redis: the cache warms while the first requests come."""

pool = redis.ConnectionPool(host="127.0.0.1", port=PORT, socket_timeout=5, decode_responses=True)


def store() -> Any:
    """Return redis for this request: over a connection of the pool, or over one of its own."""
    if "store" not in g:
        if IS_POOLED:
            g.store = redis.Redis(connection_pool=pool)
        else:
            g.store = redis.Redis(host="127.0.0.1", port=PORT, socket_timeout=5, decode_responses=True)
    return g.store


@app.teardown_appcontext
def close(error: BaseException | None) -> None:
    """End a connection that was opened for this request."""
    del error
    if not IS_POOLED and "store" in g:
        g.store.close()


@app.get("/page/<int:number>")
def page(number: int) -> dict[str, Any]:
    """Return a page with its number of visits; its text is made once a minute and kept in redis."""
    connection = store()
    visits = connection.incr(f"visits:{number}")
    text = connection.get(f"text:{number}")
    if text is None:
        text = f"page {number} " * 40
        connection.set(f"text:{number}", text, ex=KEPT_S)
    return {"page": number, "visits": visits, "text": text}


@app.get("/health")
def health() -> dict[str, bool]:
    """Answer without redis whether the server is up."""
    return {"ok": True}

"""Four heavy routes and a leak: the server of this lab.

LEAK: bytes that each request leaves behind, 0 by default. CACHE=1: a cache of answers that fills up while
the first thousands of requests come, and then stays as it is.
"""

import hashlib
import json
import os
import time
from typing import Any

from flask import Flask, request

app = Flask(__name__)

LEAK_BYTES = int(os.environ.get("LEAK", "0"))
IS_CACHING = os.environ.get("CACHE") == "1"
CACHED_MOST = 500
CACHED_BYTES = 20_000

trail: list[bytes] = []
cache: dict[int, bytes] = {}


@app.before_request
def note() -> None:
    """Keep a trail of requests, for an audit that nobody ever makes: this is the leak."""
    if LEAK_BYTES:
        trail.append(os.urandom(LEAK_BYTES))
    if IS_CACHING and len(cache) < CACHED_MOST:
        cache[len(cache)] = os.urandom(CACHED_BYTES)


def burn(rounds: int) -> str:
    """Use some milliseconds of CPU time that hold the interpreter's lock, and return a digest."""
    digest = request.path.encode()
    for _ in range(rounds):
        digest = hashlib.sha256(digest).digest()
    return digest.hex()


@app.get("/cpu")
def cpu() -> dict[str, str]:
    """Compute for a while."""
    return {"digest": burn(6000)}


@app.get("/io")
def io() -> dict[str, bool]:
    """Wait, as for a slow disk or another server."""
    time.sleep(0.03)
    return {"ok": True}


@app.get("/mixed")
def mixed() -> dict[str, str]:
    """Wait a little and compute a little."""
    time.sleep(0.015)
    return {"digest": burn(3000)}


@app.get("/json")
def long_list() -> Any:
    """Make a document, read it again and send it."""
    rows = [{"id": number, "name": f"row {number}", "price": number * 1.5} for number in range(800)]
    return {"rows": json.loads(json.dumps(rows))}


@app.get("/health")
def health() -> dict[str, bool]:
    """Answer whether the server is up; leak as all other routes do."""
    return {"ok": True}


if __name__ == "__main__":
    # The development server, as in the first line of every tutorial.
    app.run(host="127.0.0.1", port=int(os.environ["PORT"]), threaded=True)

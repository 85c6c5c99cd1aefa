"""A store under gunicorn: Flask, redis as a cache, PostgreSQL behind it. It takes its numbers from a file.

GET /item/N   looks N up in the cache, then in the database, and works on it a little
GET /list     twenty items
"""

import contextlib
import json
import os
import queue
import random
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pg8000.native
import redis
from flask import Flask, Response, jsonify

held: list[bytes] = []
cached: dict[int, bytes] = {}


class StoreDatabase:
    """A process's connections to PostgreSQL: at most `pool` at a time, kept open, or new each time."""

    def __init__(self, account: dict[str, Any], pool: int, renewed: float) -> None:
        self._account, self._renewed = account, renewed
        self._idle: queue.LifoQueue[pg8000.native.Connection | None] = queue.LifoQueue()
        for _ in range(pool):
            self._idle.put(None)

    @contextlib.contextmanager
    def connection(self) -> Iterator[pg8000.native.Connection]:
        """Yield one of them, once one is free."""
        connection = self._idle.get()
        try:
            if connection is not None and random.random() < self._renewed:
                connection.close()
                connection = None
            if connection is None:
                connection = pg8000.native.Connection(**self._account)
            yield connection
        finally:
            self._idle.put(connection)


def create_app() -> Flask:
    """Return the application, by the file that STORE_SETTINGS names."""
    dials = json.loads(Path(os.environ["STORE_SETTINGS"]).read_text(encoding="utf-8"))
    _spend(dials["import_s"])
    app = Flask(__name__)
    account = {**dials["database"], "port": dials["db_port"]}
    database = StoreDatabase(account, dials["pool"], dials["renewed"])
    pool = redis.ConnectionPool(port=dials["redis_port"])
    items = dials["items"]

    def cache() -> redis.Redis:
        if dials["redis_pooled"]:
            return redis.Redis(connection_pool=pool)
        return redis.Redis(port=dials["redis_port"])

    def look_up(number: int) -> list[Any]:
        rows: list[Any] = []
        with database.connection() as connection:
            if dials["hot_s"] is not None and random.random() < dials["hot_share"]:
                connection.run("BEGIN")
                connection.run("UPDATE counters SET n = n + 1 WHERE id = 1")
                time.sleep(dials["hot_s"])
                connection.run("COMMIT")
            for step in range(dials["queries"]):
                sql = f"SELECT id, name, price FROM items WHERE {dials['where']} = :wanted"
                rows += connection.run(sql, wanted=(number + step) % items + 1)
            time.sleep(dials["hold_s"])
        return rows

    @app.get("/item/<int:number>")
    def item(number: int) -> Response:
        client = cache()
        cached_text = client.get(f"item:{number}")
        if not dials["redis_pooled"]:
            client.close()
        rows = look_up(number)
        time.sleep(dials["io_s"])
        if random.random() < dials["slow_share"]:
            time.sleep(dials["slow_s"])
        if dials["keep_bytes"]:
            held.append(os.urandom(int(dials["keep_bytes"])))
        if dials["cache_items"]:
            cached[number % dials["cache_items"]] = os.urandom(8_000)
        return jsonify(id=number, name=rows[0][1], cached=bool(cached_text), sum=work(dials["rounds"]))

    @app.get("/list")
    def several() -> Response:
        with database.connection() as connection:
            rows = connection.run("SELECT id, name, price FROM items WHERE id <= 20")
        time.sleep(dials["io_s"])
        return jsonify(items=rows, sum=work(dials["rounds"]))

    return app


def work(rounds: int) -> int:
    """So much of the interpreter's time, and its lock all the while."""
    total = 0
    for n in range(int(rounds)):
        total += n * n % 7
    return total


def _spend(seconds: float) -> None:
    end = time.process_time() + seconds
    while time.process_time() < end:
        work(1000)

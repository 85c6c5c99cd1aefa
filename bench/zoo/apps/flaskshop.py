"""A shop in Flask: PostgreSQL, perhaps memcached before it, and a service of quotes. It reads settings.json.

GET /orders/N   an order    GET /orders   the first twenty
"""

import contextlib
import http.client
import json
import logging
import os
import queue
import random
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg2
from flask import Flask, Response, jsonify
from pymemcache.client.base import PooledClient
from spending import begin_statistics, work

DIALS = json.loads(Path("settings.json").read_text(encoding="utf-8"))
LOG = logging.getLogger("shop")
local = threading.local()
held: list[bytes] = []
report_lock = threading.Lock()


class ZooDatabase:
    """A process's connections to PostgreSQL."""

    def __init__(self, size: int) -> None:
        self._idle: queue.LifoQueue[Any] = queue.LifoQueue()
        for _ in range(size):
            self._idle.put(None)

    @contextlib.contextmanager
    def connection(self) -> Iterator[Any]:
        """Yield a connection, as soon as there is a free one."""
        connection = self._idle.get()
        try:
            if connection is None or connection.closed:
                connection = psycopg2.connect(DIALS["database"])
                connection.autocommit = True
            yield connection
        finally:
            if DIALS["fresh_database"] and connection is not None:
                connection.close()
                connection = None
            self._idle.put(connection)


def spend(seconds: float) -> None:
    """Read templates and translations, as an application does at its start."""
    end = time.process_time() + seconds
    while time.process_time() < end:
        work(1000)


def quote(number: int) -> str:
    """Return a price of the service of quotes."""
    if DIALS["fresh_quotes"] or getattr(local, "quotes", None) is None:
        local.quotes = http.client.HTTPConnection("127.0.0.1", DIALS["quotes_port"], timeout=10)
    local.quotes.request("GET", f"/quote/{number}")
    text = local.quotes.getresponse().read().decode()
    if DIALS["fresh_quotes"]:
        local.quotes.close()
    return str(text)


def create_app() -> Flask:
    """Make the application."""
    spend(DIALS["import_s"])
    app = Flask(__name__)
    database = ZooDatabase(DIALS["pool"])
    cache = None
    if DIALS["cache_port"]:
        cache = PooledClient(("127.0.0.1", DIALS["cache_port"]), max_pool_size=64, timeout=5)
    if DIALS["log_lines"]:
        logging.basicConfig(
            filename="shop.log", level=logging.DEBUG, format="%(asctime)s %(name)s %(message)s"
        )
    begin_statistics(DIALS["statistics"])

    def look_up(number: int) -> list[Any]:
        row: list[Any] = []
        with database.connection() as connection, connection.cursor() as cursor:
            if DIALS["hot_ms"]:
                cursor.execute("BEGIN")
                cursor.execute("UPDATE stock SET n = n + 1 WHERE id = 1")
                time.sleep(DIALS["hot_ms"] / 1e3)
                cursor.execute("COMMIT")
            for step in range(DIALS["queries"]):
                text = f"SELECT id, name, price FROM orders WHERE {DIALS['column']} = %s"
                cursor.execute(text, ((number + step) % DIALS["orders"] + 1,))
                row = list(cursor.fetchone())
            for _ in range(DIALS["sums"]):
                cursor.execute("SELECT sum(price) FROM orders WHERE id <= 4000")
            if DIALS["write"]:
                cursor.execute("INSERT INTO visits (item) VALUES (%s)", (number,))
            if DIALS["held"]:
                quote(number)
        return row

    def cached(number: int) -> list[Any]:
        assert cache is not None
        key = f"order:{number % DIALS['keys']}"
        if (text := cache.get(key)) is not None:
            return list(json.loads(text)["row"])
        row = look_up(number)
        cache.set(
            key, json.dumps({"row": row, "text": "x" * DIALS["value_bytes"]}), expire=DIALS["expires_s"]
        )
        return row

    @app.get("/orders/<int:number>")
    def order(number: int) -> Response:
        row = cached(number) if cache is not None else look_up(number)
        price = quote(number) if DIALS["quotes_port"] and not DIALS["held"] else ""
        if random.random() < DIALS["report_share"]:
            with report_lock:
                time.sleep(DIALS["report_s"])
        if DIALS["kept_bytes"]:
            held.append(os.urandom(DIALS["kept_bytes"]))
        for step in range(DIALS["log_lines"]):
            LOG.debug("order %d, step %d: %s, quote %s, worker %d", number, step, row, price, os.getpid())
        work(DIALS["work"])
        return jsonify(id=row[0], name=row[1], price=row[2], quote=price)

    @app.get("/orders")
    def several() -> Response:
        with database.connection() as connection, connection.cursor() as cursor:
            cursor.execute("SELECT id, name, price FROM orders WHERE id <= 20")
            return jsonify(cursor.fetchall())

    return app

"""A shop in FastAPI: PostgreSQL by asyncpg, and a service of quotes. It reads settings.json.

GET /orders/N   an order    GET /orders   the first twenty
"""

import asyncio
import gc
import json
import logging
import os
import random
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import asyncpg
from fastapi import FastAPI
from pydantic import BaseModel

DIALS = json.loads(Path("settings.json").read_text(encoding="utf-8"))
LOG = logging.getLogger("shop")
state: dict[str, Any] = {}
held: list[bytes] = []
live: list[dict[str, int]] = []


class Line(BaseModel):
    """A line of an order."""

    number: int
    name: str
    price: float


class OrderBody(BaseModel):
    """An order with its lines."""

    id: int
    name: str
    price: float
    lines: list[Line]


@asynccontextmanager
async def lifespan(app: FastAPI) -> AsyncIterator[None]:
    """Connect to the database, and disconnect."""
    live.extend({"number": n, "next": n + 1} for n in range(DIALS["live"]))
    if DIALS["log_lines"]:
        logging.basicConfig(
            filename="shop.log", level=logging.DEBUG, format="%(asctime)s %(name)s %(message)s"
        )
    state["pool"] = await asyncpg.create_pool(DIALS["database"], min_size=1, max_size=DIALS["pool"])
    yield
    await state["pool"].close()


app = FastAPI(lifespan=lifespan)


@asynccontextmanager
async def connection() -> AsyncIterator[Any]:
    """Yield a connection of the pool, or a new one."""
    if DIALS["fresh_database"]:
        fresh = await asyncpg.connect(DIALS["database"])
        try:
            yield fresh
        finally:
            await fresh.close()
    else:
        async with state["pool"].acquire() as connection:
            yield connection


async def quote(number: int) -> str:
    """Return a price of the service of quotes, over a connection that is kept or a new one."""
    line = (
        None
        if DIALS["fresh_quotes"]
        else (state.setdefault("lines", []).pop() if state.get("lines") else None)
    )
    reader, writer = line or await asyncio.open_connection("127.0.0.1", DIALS["quotes_port"])
    writer.write(f"GET /quote/{number} HTTP/1.1\r\nHost: quotes\r\n\r\n".encode())
    head = await reader.readuntil(b"\r\n\r\n")
    length = int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0])
    text = (await reader.readexactly(length)).decode()
    if DIALS["fresh_quotes"]:
        writer.close()
    else:
        state.setdefault("lines", []).append((reader, writer))
    return text


@app.get("/orders/{number}")
async def order(number: int) -> OrderBody:
    """Look an order up."""
    async with connection() as database:
        rows = []
        for step in range(DIALS["queries"]):
            text = f"SELECT id, name, price FROM orders WHERE {DIALS['column']} = $1"
            rows.append(await database.fetchrow(text, (number + step) % DIALS["orders"] + 1))
        if DIALS["held"]:
            await quote(number)
    if DIALS["quotes_port"] and not DIALS["held"]:
        await quote(number)
    if random.random() < DIALS["block_share"]:
        time.sleep(DIALS["block_ms"] / 1e3)
    if random.random() < DIALS["collected"]:
        gc.collect()
    if DIALS["kept_bytes"]:
        held.append(os.urandom(DIALS["kept_bytes"]))
    for step in range(DIALS["log_lines"]):
        LOG.debug("order %d, step %d: %s", number, step, rows[0])
    row = rows[0]
    lines = [Line(number=n, name=f"lamp {n}", price=n * 1.37) for n in range(DIALS["lines"])]
    return OrderBody(id=row["id"], name=row["name"], price=row["price"], lines=lines)


@app.get("/orders")
async def several() -> list[dict[str, Any]]:
    """Return the first twenty."""
    async with connection() as database:
        return [
            dict(row) for row in await database.fetch("SELECT id, name, price FROM orders WHERE id <= 20")
        ]


@app.get("/reports/{number}")
def report(number: int) -> dict[str, Any]:
    """Return a report, made in a thread."""
    time.sleep(DIALS["report_ms"] / 1e3)
    return {"id": number}

"""A feed under uvicorn: Starlette, redis, and a service of exchange rates, all awaited.

GET /item/N   a value from redis, and a rate
GET /list     a value from redis
"""

import asyncio
import json
import os
import random
import time
from pathlib import Path
from typing import Any

import redis.asyncio as redis
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

dials: dict[str, Any] = json.loads(Path(os.environ["FEED_SETTINGS"]).read_text(encoding="utf-8"))
held: list[bytes] = []
pool = redis.ConnectionPool(port=dials["redis_port"])
idle: list[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = []


async def item(request: Request) -> JSONResponse:
    """Return one of them."""
    value = await _value(int(request.path_params["number"]))
    if random.random() < dials["block_share"]:
        time.sleep(dials["block_s"])
    rate = await _rate() if dials["rates_port"] else {}
    if dials["keep_bytes"]:
        held.append(os.urandom(int(dials["keep_bytes"])))
    return JSONResponse({"value": len(value), **rate, "sum": _work(dials["rounds"])})


async def several(_: Request) -> JSONResponse:
    """Return a cheap one."""
    return JSONResponse({"value": len(await _value(1)), "sum": _work(dials["rounds"])})


async def _value(number: int) -> Any:
    is_new = random.random() < dials["redis_renewed"]
    client = redis.Redis(port=dials["redis_port"]) if is_new else redis.Redis(connection_pool=pool)
    try:
        if dials["redis_list"]:
            return await client.sort("feed", start=0, num=1, by="nothing_*", get=["#"])
        return await client.get(f"item:{number % 1000}") or b""
    finally:
        if is_new:
            await client.aclose()


async def _rate() -> dict[str, Any]:
    pair = idle.pop() if idle else await asyncio.open_connection("127.0.0.1", dials["rates_port"])
    reader, writer = pair
    writer.write(b"GET /rate HTTP/1.1\r\nHost: rates\r\n\r\n")
    head = await reader.readuntil(b"\r\n\r\n")
    length = int(head.lower().partition(b"content-length: ")[2].split()[0])
    rates: dict[str, Any] = json.loads(await reader.readexactly(length))
    idle.append(pair)
    return rates


def _work(rounds: int) -> int:
    total = 0
    for n in range(int(rounds)):
        total += n * n % 7
    return total


app = Starlette(routes=[Route("/item/{number:int}", item), Route("/list", several)])

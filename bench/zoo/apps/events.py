"""A shop in aiohttp, which asks a service of quotes. It reads settings.json.

GET /items/N   an item with a quote    GET /items   the first twenty
"""

import asyncio
import json
import os
import random
import time
from collections.abc import AsyncIterator
from pathlib import Path

from aiohttp import ClientSession, ClientTimeout, TCPConnector, web

DIALS = json.loads(Path("settings.json").read_text(encoding="utf-8"))
held: list[bytes] = []
SESSION = web.AppKey("session", ClientSession)
LEDGER = web.AppKey("ledger", asyncio.Lock)


async def client(app: web.Application) -> AsyncIterator[None]:
    """Hold a session with the service of quotes for as long as the application runs."""
    connector = TCPConnector(limit=DIALS["lines"], force_close=DIALS["fresh_quotes"])
    async with ClientSession(connector=connector, timeout=ClientTimeout(30)) as session:
        app[SESSION], app[LEDGER] = session, asyncio.Lock()
        yield


async def item(request: web.Request) -> web.Response:
    """Look an item up."""
    number = int(request.match_info["number"])
    price = ""
    if DIALS["quotes_port"]:
        try:
            async with request.app[SESSION].get(
                f"http://127.0.0.1:{DIALS['quotes_port']}/quote/{number}"
            ) as answer:
                price = await answer.text()
        except OSError as failure:
            return web.Response(status=503, text=str(failure))
    if random.random() < DIALS["block_share"]:
        time.sleep(DIALS["block_ms"] / 1e3)
    if DIALS["lock_ms"]:
        async with request.app[LEDGER]:
            await asyncio.sleep(DIALS["lock_ms"] / 1e3)
    if DIALS["kept_bytes"]:
        held.append(os.urandom(DIALS["kept_bytes"]))
    total = sum(n * n % 7 for n in range(DIALS["work"]))
    return web.json_response({"id": number, "name": f"lamp {number}", "quote": price, "sum": total})


async def several(request: web.Request) -> web.Response:
    """Return the first twenty."""
    return web.json_response([{"id": n, "name": f"lamp {n}"} for n in range(20)])


if __name__ == "__main__":
    app = web.Application()
    app.cleanup_ctx.append(client)
    app.add_routes([web.get("/items/{number}", item), web.get("/items", several)])
    web.run_app(
        app, host="127.0.0.1", port=DIALS["port"], backlog=DIALS["backlog"], access_log=None, print=None
    )

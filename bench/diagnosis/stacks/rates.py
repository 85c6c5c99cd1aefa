"""A service that others ask for exchange rates: it waits a while, and answers. It keeps connections.

Started with the path of a file of numbers: {"wait_s": mean wait, "port": 0 for a free one}.
"""

import asyncio
import json
import random
import sys
from pathlib import Path

ANSWER = b'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 13\r\n\r\n{"rate": 1.5}'


async def main() -> None:
    """Serve until it is killed."""
    dials = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while await reader.readuntil(b"\r\n\r\n"):
                await asyncio.sleep(dials["wait_s"] * random.uniform(0.7, 1.3))
                writer.write(ANSWER)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", dials["port"], backlog=1024)
    print(f"listening on {server.sockets[0].getsockname()[1]}", flush=True)
    await server.serve_forever()


asyncio.run(main())

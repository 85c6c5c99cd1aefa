"""A room that answers what it is told, over WebSockets: python3 chat.py PORT.

Nothing but the standard library: the upgrade and the frames of RFC 6455 are done by hand, for
short texts. Each message is JSON, {"say": …}, and is answered {"heard": …, "number": …}.
"""

import asyncio
import base64
import hashlib
import json
import sys

GUID = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"  # RFC 6455, section 1.3
TEXT, CLOSE, PING, PONG = 1, 8, 9, 10


async def upgrade(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
    """Answer the head of a request; whether it was an upgrade."""
    head = await reader.readuntil(b"\r\n\r\n")
    fields = (line.partition(b":") for line in head.split(b"\r\n")[1:])
    named = {name.strip().lower(): value.strip() for name, _, value in fields}
    key = named.get(b"sec-websocket-key")
    if key is None:
        writer.write(b"HTTP/1.1 426 Upgrade Required\r\nUpgrade: websocket\r\nContent-Length: 0\r\n\r\n")
        return False
    accept = base64.b64encode(hashlib.sha1(key + GUID).digest())
    writer.write(
        b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        b"Sec-WebSocket-Accept: " + accept + b"\r\n\r\n"
    )
    return True


async def receive(reader: asyncio.StreamReader) -> tuple[int, bytes]:
    """Return one frame: its opcode, and its payload without the mask that a client must put on it."""
    first, second = await reader.readexactly(2)
    length = second & 0x7F
    if length == 126:
        length = int.from_bytes(await reader.readexactly(2), "big")
    elif length == 127:
        length = int.from_bytes(await reader.readexactly(8), "big")
    mask = await reader.readexactly(4)
    payload = await reader.readexactly(length)
    return first & 0x0F, bytes(byte ^ mask[i % 4] for i, byte in enumerate(payload))


def frame(opcode: int, payload: bytes) -> bytes:
    """Return a whole message in one frame."""
    if len(payload) < 126:
        return bytes([0x80 | opcode, len(payload)]) + payload
    return bytes([0x80 | opcode, 126]) + len(payload).to_bytes(2, "big") + payload


async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Answer messages until the visitor leaves."""
    number = 0
    try:
        while await upgrade(reader, writer):
            while True:
                opcode, payload = await receive(reader)
                if opcode == CLOSE:
                    writer.write(frame(CLOSE, payload[:2]))
                    return
                if opcode == PING:
                    writer.write(frame(PONG, payload))
                elif opcode == TEXT:
                    number += 1
                    answer = {"heard": json.loads(payload)["say"], "number": number}
                    writer.write(frame(TEXT, json.dumps(answer).encode()))
    except (asyncio.IncompleteReadError, ConnectionError):
        pass  # the visitor left without a word
    finally:
        writer.close()


async def main(port: int) -> None:
    """Serve until the process is ended."""
    server = await asyncio.start_server(talk, "127.0.0.1", port, backlog=1024)
    async with server:
        await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1])))

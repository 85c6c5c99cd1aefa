"""The bundled chat speaks WebSocket as RFC 6455 has it, so that an example's errors are never its own."""

import asyncio
import importlib.util
import json
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

FILE = Path(__file__).parents[2] / "examples" / "chat" / "chat.py"
SPEC = importlib.util.spec_from_file_location("chat", FILE)
assert SPEC is not None
assert SPEC.loader is not None
chat: Any = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(chat)

# The example of RFC 6455, section 1.3.
KEY, ACCEPT = b"dGhlIHNhbXBsZSBub25jZQ==", b"s3pPLMBiTxaQ9kYGzzhZRbK+xOo="
MASK = b"\x37\xfa\x21\x3d"


def masked(opcode: int, payload: bytes) -> bytes:
    """Return a frame as a client sends it."""
    head: bytes = chat.frame(opcode, payload)
    body = bytes(byte ^ MASK[i % 4] for i, byte in enumerate(payload))
    start = head[: len(head) - len(payload)]
    return start[:1] + bytes([start[1] | 0x80]) + start[2:] + MASK + body


async def answer_to(frames: bytes, upgrade: bytes = b"Sec-WebSocket-Key: " + KEY) -> bytes:
    """Return all that the server says to these frames after an upgrade, until it closes."""
    server = await asyncio.start_server(chat.talk, "127.0.0.1", 0)
    async with server:
        reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
        writer.write(b"GET /room HTTP/1.1\r\nHost: x\r\n" + upgrade + b"\r\n\r\n" + frames)
        writer.write_eof()
        answer = await asyncio.wait_for(reader.read(), timeout=20)
        writer.close()
        await writer.wait_closed()
        return answer


def test_an_upgrade_is_accepted_and_each_message_answered() -> None:
    hello, again = (masked(chat.TEXT, json.dumps({"say": word}).encode()) for word in ("hello", "x" * 200))
    answer = asyncio.run(answer_to(hello + masked(chat.PING, b"p") + again + masked(chat.CLOSE, b"\x03\xe8")))
    head, _, frames = answer.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 101 ")
    assert ACCEPT in head
    expected = [
        chat.frame(chat.TEXT, json.dumps({"heard": "hello", "number": 1}).encode()),
        chat.frame(chat.PONG, b"p"),
        chat.frame(chat.TEXT, json.dumps({"heard": "x" * 200, "number": 2}).encode()),
        chat.frame(chat.CLOSE, b"\x03\xe8"),
    ]
    assert frames == b"".join(expected)


def test_what_is_no_upgrade_is_told_so() -> None:
    answer = asyncio.run(answer_to(b"", upgrade=b"Accept: */*"))
    assert answer.startswith(b"HTTP/1.1 426 ")


@given(payload=st.binary(max_size=300) | st.integers(60_000, 70_000).map(bytes))
def test_a_frame_is_read_whatever_its_length(payload: bytes) -> None:
    async def read() -> tuple[int, bytes]:
        reader = asyncio.StreamReader()
        reader.feed_data(masked(chat.TEXT, payload) if len(payload) < 65_536 else long(payload))
        frame: tuple[int, bytes] = await chat.receive(reader)
        return frame

    assert asyncio.run(read()) == (chat.TEXT, payload)


def long(payload: bytes) -> bytes:
    """Return a frame with its length in eight bytes, which the server itself never sends."""
    body = bytes(byte ^ MASK[i % 4] for i, byte in enumerate(payload))
    return bytes([0x80 | chat.TEXT, 0x80 | 127]) + len(payload).to_bytes(8, "big") + MASK + body

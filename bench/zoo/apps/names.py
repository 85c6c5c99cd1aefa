"""A name server: each name is 127.0.0.1, after a while. It reads settings.json."""

import json
import socket
import threading
import time
from pathlib import Path

WAIT_S = json.loads(Path("settings.json").read_text(encoding="utf-8"))["wait_ms"] / 1e3
HEADER, NAME_AT = 12, b"\xc0\x0c"


def answer(listener: socket.socket, question: bytes, asker: tuple[str, int]) -> None:
    """Answer a question of one name: an address for A, nothing for others."""
    time.sleep(WAIT_S)
    end = question.index(b"\0", HEADER) + 5
    is_address = question[end - 4 : end - 2] == b"\0\1"
    head = question[:2] + b"\x81\x80\0\1" + (b"\0\1" if is_address else b"\0\0") + b"\0\0\0\0"
    record = NAME_AT + b"\0\1\0\1\0\0\0\0\0\4\x7f\0\0\1" if is_address else b""
    listener.sendto(head + question[HEADER:end] + record, asker)


listener = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
listener.bind(("127.0.0.1", 53))
Path("ready").touch()
while True:
    text, client = listener.recvfrom(512)
    threading.Thread(target=answer, args=(listener, text, client)).start()

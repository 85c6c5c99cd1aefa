"""Link between two network namespaces on which every frame takes the same time, each way.

    python -m tests.fleet.delayed_link NEAR FAR DELAY_S

It makes two devices (TAP), says so by a line, and carries what one is given to the other until its input
closes. Who started it puts one of them into another namespace. Linux itself delays by a queue (netem) that
not every kernel has.
"""

import fcntl
import os
import struct
import sys
import time
from collections import deque
from contextlib import suppress
from selectors import EVENT_READ, DefaultSelector

TUNSETIFF = 0x400454CA
IFF_TAP, IFF_NO_PI = 0x0002, 0x1000
"""Request of Linux that makes a device, and its kind: Ethernet frames without a header of their own."""

FRAME_BYTES = 1 << 16
"""Most bytes of a frame: a read gives one frame, and cuts off what is longer."""


def tap(name: str) -> int:
    """Make a device; return the descriptor that holds it."""
    device = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(device, TUNSETIFF, struct.pack("16sH", name.encode(), IFF_TAP | IFF_NO_PI))
    return device


def carry(near: int, far: int, delay_s: float) -> None:
    """Carry frames both ways until our input closes. They leave in the order in which they came."""
    opposite = {near: far, far: near}
    waiting: deque[tuple[float, int, bytes]] = deque()
    with DefaultSelector() as selector:
        for descriptor in (near, far, sys.stdin.fileno()):
            selector.register(descriptor, EVENT_READ)
        while True:
            within_s = max(0.0, waiting[0][0] - time.monotonic()) if waiting else None
            for key, _ in selector.select(within_s):
                if key.fd not in opposite:
                    return
                with suppress(OSError):  # it is down
                    frame = os.read(key.fd, FRAME_BYTES)
                    waiting.append((time.monotonic() + delay_s, opposite[key.fd], frame))
            while waiting and waiting[0][0] <= time.monotonic():
                _, device, frame = waiting.popleft()
                with suppress(OSError):
                    os.write(device, frame)


def main(near: str, far: str, delay_s: float) -> None:
    devices = tap(near), tap(far)
    print("made", flush=True)
    carry(*devices, delay_s)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], float(sys.argv[3]))

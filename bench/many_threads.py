"""Makes many threads that wait, for `bench.modes.threads`: python -m bench.many_threads COUNT.

A quarter each waits for a lock, sleeps, reads from a pipe, and reads from a socket of a peer that never
answers. Prints "ready", and ends when its standard input is closed.
"""

import os
import socket
import sys
import threading
import time

STACK_BYTES = 64 << 10
"""The least that Python takes: the stacks of 5,000 threads are 320 MB of addresses, hardly any of memory."""


def main(count: str) -> None:
    """Make them, say so, hold them."""
    threading.stack_size(STACK_BYTES)
    lock = threading.Lock()
    lock.acquire()
    readable, writable = os.pipe()
    listener = socket.create_server(("127.0.0.1", 0))
    peer = socket.create_connection(listener.getsockname())
    waits = (
        lock.acquire,
        lambda: time.sleep(3600),
        lambda: os.read(readable, 1),
        lambda: peer.recv(1),
    )
    for number in range(int(count)):
        threading.Thread(target=waits[number % len(waits)], daemon=True).start()
    print("ready", flush=True)
    sys.stdin.read()
    # Not by a return: that would wait for nothing, and take apart what the threads use.
    os.close(writable)
    os._exit(0)


if __name__ == "__main__":
    main(sys.argv[1])

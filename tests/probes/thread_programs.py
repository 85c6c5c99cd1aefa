"""Programs whose threads do what is known, for the tests of `thread_states`."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

HEAD = """
import asyncio, os, socket, sys, threading, time

def start(work, times, name="worker"):
    are_named = threading.Barrier(times + 1)
    def named(number):
        with open(f"/proc/self/task/{threading.get_native_id()}/comm", "w") as comm:
            comm.write(f"{name}-{number}")
        are_named.wait()
        work()
    for number in range(times):
        threading.Thread(target=named, args=(number,), daemon=True).start()
    are_named.wait()

def burn():
    while True:
        pass

def ready():
    print("ready", flush=True)
    sys.stdin.read()
"""
"""start(work, times): so many threads at a piece of work. ready(): the main thread waits for its input."""

BURN = "start(burn, 1, 'burner'); ready()"

BURN_FOUR = "start(burn, 4); ready()"

LOCKED = "import fcntl; start(lambda: fcntl.flock(open(sys.argv[1]), fcntl.LOCK_EX), 1, 'waiter'); ready()"
SLEEP = "start(lambda: time.sleep(600), 3, 'sleeper'); ready()"

LOOP = """
async def serve():
    print("ready", flush=True)
    await asyncio.sleep(600)
asyncio.run(serve())
"""

SYNC = """
def sync():
    with open(sys.argv[1], "wb") as file:
        while True:
            file.write(b"x")
            file.flush()
            os.fsync(file.fileno())
start(sync, 1, "syncer"); ready()
"""

READ = """
def read():
    with socket.create_connection(("127.0.0.1", int(sys.argv[1]))) as peer:
        peer.recv(1)
def read_with_timeout():
    with socket.create_connection(("127.0.0.1", int(sys.argv[1])), timeout=600) as peer:
        peer.recv(1)
start(read, 4, "reader"); start(read_with_timeout, 2, "patient"); ready()
"""
"""argv: the port of a peer that never answers."""

READ_UNIX = """
peer = socket.socket(socket.AF_UNIX)
peer.connect(sys.argv[1])
start(lambda: peer.recv(1), 1, "reader"); ready()
"""

WRITE = """
def write():
    with socket.create_connection(("127.0.0.1", int(sys.argv[1]))) as peer:
        peer.sendall(b"x" * (1 << 28))
start(write, 1, "writer"); ready()
"""

ACCEPT = """
listener = socket.create_server(("127.0.0.1", 0))
start(listener.accept, 1, "listener")
print(listener.getsockname()[1], flush=True); ready()
"""

BURN_TWO_ON_A_CORE = """
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
child = os.fork()
if child == 0:
    burn()
print("ready", flush=True)
burn()
"""


@contextmanager
def running(source: str, *argv: str) -> Iterator[tuple[int, str]]:
    """Python that runs a program: its pid and its first line, from when it has said that.

    Ended afterwards, with its children.
    """
    command = [sys.executable, "-c", f"{HEAD}\n{source}", *argv]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as child:
        try:
            assert child.stdout is not None
            yield child.pid, child.stdout.readline().strip()
        finally:
            os.killpg(child.pid, signal.SIGKILL)

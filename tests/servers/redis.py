"""A real redis-server."""

import contextlib
import socket
from collections.abc import Iterator
from pathlib import Path

from tests.servers._daemon import Daemon, free_port, program, running


@contextlib.contextmanager
def started_redis(
    folder: Path, *options: str, password: str = "", port: int | None = None, unix: bool = False
) -> Iterator[Daemon]:
    """Yield a redis that keeps nothing on disk. options: more of the command line ("--maxmemory", "64mb").

    password: what it asks for; none by default. unix: also listen on the file redis.sock in the folder.
    """
    redis = program("redis-server", "apt-get install redis-server")
    where, log, path = port or free_port(), folder / f"redis-{port or 0}.log", folder / "redis.sock"
    argv = [redis, "--bind", "127.0.0.1", "--port", str(where), "--save", "", "--appendonly", "no"]
    argv += ["--dir", str(folder), *(("--unixsocket", str(path)) if unix else ()), *options]
    if password:
        argv += ["--requirepass", password]
    with running(argv, log, lambda: _answers(where), folder=folder) as process:
        yield Daemon(process, where, folder, log, path if unix else None, "", password)


def _answers(port: int) -> bool:
    """Return whether it says PONG, or that it wants a password first."""
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=1.0) as connection:
            connection.sendall(b"PING\r\n")
            return connection.recv(64).startswith((b"+PONG", b"-NOAUTH"))
    except OSError:
        return False

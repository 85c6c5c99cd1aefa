"""A real memcached."""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from tests.servers._daemon import Daemon, free_port, listens, listens_at, program, running


@contextlib.contextmanager
def started_memcached(
    folder: Path, *options: str, port: int | None = None, unix: bool = False
) -> Iterator[Daemon]:
    """Yield a memcached of 8 MB. options: more of the command line ("-c", "50").

    unix: on a file instead of a port.
    """
    memcached = program("memcached", "apt-get install memcached")
    where, log, path = port or free_port(), folder / f"memcached-{port or 0}.log", folder / "memcached.sock"
    argv = [memcached, "-m", "8", *(("-s", str(path)) if unix else ("-l", "127.0.0.1", "-p", str(where)))]
    argv += [*(("-u", "root") if os.getuid() == 0 else ()), *options]
    with running(argv, log, lambda: listens_at(path) if unix else listens(where), folder=folder) as process:
        yield Daemon(process, where, folder, log, path if unix else None)

"""Threads of a JVM by their names: which are its own, and which server runs in it.

A class path tells only what might run.
"""

import contextlib
import os
import re
from collections.abc import Collection
from pathlib import Path

from loadrig.base import kernel_files

_SERVERS = (
    ("tomcat", (
        "http-nio-", "http-nio2-", "http-apr-", "https-jsse-", "https-openssl-", "ajp-nio-",
        "Catalina-utilit",
    )),
    ("jetty", ("qtp",)),
    ("undertow", ("XNIO-",)),
    ("vertx", ("vert.x-eventloo", "vert.x-acceptor")),
    ("helidon", ("helidon-", "server-@default")),
    ("grizzly", ("grizzly-http-", "grizzly-nio-")),
    ("netty", ("reactor-http-",)),
    ("", ("HTTP-Dispatcher",)),
    ("netty", ("nioEventLoopGr", "epollEventLoopG", "multiThreadIoEv")),
)  # fmt: skip
"""Beginnings of the names of a server's threads, of which the kernel keeps 15 letters; the first row counts.

The JDK's own server has no kind. It stands behind the servers beside which it often shows figures, and before
the names that clients made with Netty use too.
"""


COMPILERS = ("C# CompilerThre", "Graal Compiler")
"""Groups of threads that compile what runs often, as the kernel cuts their names, numbers taken out."""

_CLEANERS = ("Sweeper thread", "G# ", "GC Thread", "VM Thread")
"""Beginnings of the names of threads that collect garbage and sweep compiled code, written likewise."""


def is_of_the_runtime(name: str) -> bool:
    """Return whether a thread is the JVM's own: what it does for the program's work ends by itself."""
    return re.sub(r"\d+", "#", name).startswith((*COMPILERS, *_CLEANERS))


def names(process: Path) -> frozenset[str]:
    """Return the names of a process's threads. process: its folder in /proc."""
    threads: list[str] = []
    with contextlib.suppress(OSError):  # it has ended
        threads = os.listdir(process / "task")
    texts = (kernel_files.read(process / "task" / thread / "comm") for thread in threads)
    return frozenset(text.strip() for text in texts if text)


def server_of(threads: Collection[str]) -> str | None:
    """Return the kind of server that a JVM runs, by the names of its threads; "" where none is known.

    None where the threads bear no names of their own, as those of a JDK 8 do not, so that they tell nothing.
    """
    if len(threads) < 2:
        return None
    return next(
        (kind for kind, beginnings in _SERVERS if any(name.startswith(beginnings) for name in threads)), ""
    )

"""Starting the servers of known truth, and reading their books when they have ended.

Each has its standard input from us, so that it ends with us, whatever becomes of us.
"""

import contextlib
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.account.cells import GO, JAVA, LOOP, NODE, THREADS
from bench.costs import Failed
from bench.programs import need

ROOT = Path(__file__).parents[2]
SOURCES = Path(__file__).parent / "servers"
CACHE = ROOT / ".tools" / "account"
"""Folder of what is compiled, kept from run to run; git ignores it."""

SETTLES_S = 0.1
"""A server enters a request when its answer is written, which is a moment after its client has read it."""

ENDS_S = 20.0
"""Seconds that a server may take to write its book and end."""

JVM = ("-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto")
"""A JVM of few threads that is warm soon."""

RIVAL = """
import os, sys, time
share, parent, period_s = float(sys.argv[1]), os.getppid(), 0.1
while os.getppid() == parent:
    end = time.monotonic() + share * period_s
    while time.monotonic() < end:
        pass
    time.sleep((1 - share) * period_s) if share < 1 else None
"""
"""Program of a competitor for a core: busy for a share of each tenth of a second, until its parent ends."""

Book = dict[str, Any]


@dataclass
class Served:
    """A server that runs. port: 0 where it listens at a Unix socket. book: what it has written at its end."""

    pid: int
    port: int
    book: Book = field(default_factory=dict)


def command(runtime: str) -> list[str]:
    """Return the command of a runtime's server, compiled where it must be; its cell comes behind."""
    if runtime in (THREADS, LOOP):
        name = {THREADS: "threads", LOOP: "loop"}[runtime]
        return [sys.executable, "-m", f"bench.account.servers.{name}"]
    if runtime == NODE:
        return [need("node", "nodejs"), str(SOURCES / "server.cjs")]
    if runtime == GO:
        return [str(_go() / "slots")]
    assert runtime == JAVA, runtime
    return [need("java", "openjdk-17-jdk-headless"), *JVM, "-cp", str(_java()), "Slots"]


def _go() -> Path:
    sources = [SOURCES / "slots.go", SOURCES / "book.go"]
    # Nothing may be fetched: the sources need the standard library only.
    offline = {**os.environ, "GOFLAGS": "-mod=mod", "GOPROXY": "off", "GOTOOLCHAIN": "local"}
    program = [need("go", "golang-go"), "build", "-trimpath", "-o", "{folder}/slots"]
    return _compiled("go", sources, program, offline)


def _java() -> Path:
    sources = [SOURCES / name for name in ("Slots.java", "Book.java", "Cell.java")]
    program = [need("javac", "openjdk-17-jdk-headless"), "--release", "17", "-d", "{folder}"]
    return _compiled("java", sources, program)


def _compiled(
    name: str, sources: Sequence[Path], program: Sequence[str], env: dict[str, str] | None = None
) -> Path:
    """Return the folder of what a compiler makes of sources, made where they have changed."""
    digest = hashlib.sha256(b"\0".join(source.read_bytes() for source in sources)).hexdigest()[:12]
    executable = CACHE / f"{name}-{digest}"
    if executable.is_dir():
        return executable
    CACHE.mkdir(parents=True, exist_ok=True)
    fresh = Path(tempfile.mkdtemp(prefix=f"{executable.name}-", dir=CACHE))
    try:
        argv = [word.format(folder=fresh) for word in program]
        done = subprocess.run(
            [*argv, *map(str, sources)], capture_output=True, text=True, check=False, env=env
        )
        if done.returncode:
            raise Failed(f"{sources[0].name} does not compile: {done.stderr[-800:]}")
        # Another run may have made it meanwhile: what is there then is the same.
        with contextlib.suppress(OSError):
            fresh.rename(executable)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
    return executable


@contextlib.contextmanager
def served(runtime: str, cell: str, cores: Sequence[int]) -> Iterator[Served]:
    """Yield a server on its cores, until the block ends; then its book is there.

    cell: as `cells.spec` writes it. Raises Failed where it does not listen or does not end.
    """
    argv = [need("taskset", "util-linux"), "-c", ",".join(map(str, cores)), *command(runtime), cell]
    with tempfile.TemporaryFile("w+") as errors:
        process = subprocess.Popen(
            argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, text=True, cwd=ROOT
        )
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            line = process.stdout.readline()
            if not line:
                errors.seek(0)
                raise Failed(f"the server in {runtime} does not listen: {errors.read()[-800:]}")
            server = Served(process.pid, int(json.loads(line)["port"]))
            yield server
            time.sleep(SETTLES_S)
            # All that it writes at its end; it fits into no pipe, so it is read before the wait.
            written, _ = process.communicate(timeout=ENDS_S)
            errors.seek(0)
            if not written:
                raise Failed(f"the server in {runtime} left no book: {errors.read()[-800:]}")
            server.book.update(json.loads(written))
        except subprocess.TimeoutExpired as late:
            raise Failed(f"the server in {runtime} did not end within {ENDS_S:g} s") from late
        finally:
            process.kill()
            process.wait()
            process.stdin.close()
            process.stdout.close()


@contextlib.contextmanager
def rival(share: float, core: int) -> Iterator[None]:
    """Yield a competitor that takes a share of a core, until the block ends; none for a share of 0."""
    if not share:
        yield
        return
    argv = [need("taskset", "util-linux"), "-c", str(core), sys.executable, "-I", "-S", "-c", RIVAL]
    process = subprocess.Popen([*argv, f"{share:g}"], stdin=subprocess.DEVNULL)
    try:
        yield
    finally:
        process.kill()
        process.wait()

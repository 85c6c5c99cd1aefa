"""Go servers for tests, built from the sources beside this file; see go/work.go for their routes."""

import os
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from tests.servers._announced import Announced, announced
from tests.servers._daemon import program

SOURCES = Path(__file__).with_name("go")


def go() -> str:
    """Return the path of the go command; skip the test where there is none."""
    return program("go", "apt-get install golang-go", "/usr/local/go/bin")


def version() -> str:
    """Return the version of Go that builds here: "1.26.8"."""
    output = subprocess.run([go(), "env", "GOVERSION"], capture_output=True, text=True, check=True)
    return output.stdout.strip().removeprefix("go")


def build(name: Literal["watched", "plain"], folder: Path) -> Path:
    """Build a server into a folder: `watched` (pprof, expvar) or `plain`. Once a session is enough."""
    binary = folder / name
    sources = [str(SOURCES / "work.go"), str(SOURCES / f"{name}.go")]
    # Nothing may be fetched: the sources need the standard library only.
    offline = {**os.environ, "GOFLAGS": "-mod=mod", "GOPROXY": "off", "GOTOOLCHAIN": "local"}
    subprocess.run(
        [go(), "build", "-trimpath", "-o", str(binary), *sources], check=True, cwd=folder, env=offline
    )
    return binary


@contextmanager
def started_go(
    built: Path, folder: Path, environment: Mapping[str, str] | None = None
) -> Iterator[Announced]:
    """Yield a built server that runs; folder: where its log is written."""
    with announced([str(built)], folder, "go", version(), environment) as server:
        yield server

"""Node servers for tests; see node/work.cjs for their routes."""

import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from tests.servers._announced import Announced, announced
from tests.servers._daemon import program

SOURCES = Path(__file__).with_name("node")


def node() -> str:
    """Return the path of the node command; skip the test where there is none."""
    return program("node", "apt-get install nodejs")


def version() -> str:
    """Return the version of Node here: "20.20.2"."""
    output = subprocess.run([node(), "--version"], capture_output=True, text=True, check=True)
    return output.stdout.strip().removeprefix("v")


@contextmanager
def started_node(
    name: Literal["classic.cjs", "module.mjs", "cluster.cjs"],
    folder: Path,
    *flags: str,
    environment: Mapping[str, str] | None = None,
) -> Iterator[Announced]:
    """Yield a server that runs.

    flags: Node's own, "--inspect=127.0.0.1:0"; folder: where its log is written.
    """
    with announced([node(), *flags, str(SOURCES / name)], folder, "node", version(), environment) as server:
        yield server

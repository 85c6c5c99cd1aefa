"""A bare Python program as a server: what it does is written in the test."""

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from loadrig.base import processes
from loadrig.base.component import SERVER, Component


@contextmanager
def program(
    code: str, environment: Mapping[str, str] | None = None, interpreter: str = sys.executable
) -> Iterator["subprocess.Popen[str]"]:
    """Yield a program that says a line when it is up; kill it at the end."""
    process = subprocess.Popen(
        [interpreter, "-c", code],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, **(environment or {})},
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        assert process.stdout.readline() == "up\n"
        yield process
    finally:
        process.kill()
        process.stdin.close()
        process.stdout.close()
        process.wait()


def to_its_end(process: "subprocess.Popen[str]") -> str:
    """Close its input, and wait for it. Returns what it said after it was up."""
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.close()
    output = process.stdout.read()
    process.wait(30)
    return output


def as_component(process: "subprocess.Popen[str]", *, is_ours: bool = False) -> Component:
    start = processes.start_of(process.pid)
    return Component(SERVER, "program", "cpython", pid=process.pid, start=start, is_ours=is_ours)

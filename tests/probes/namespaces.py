"""Programs in a network namespace of their own, for the tests of probes."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from shutil import which

import pytest

BECOME_NOBODY = """
import ctypes, os
os.setgroups([])
os.setresgid(65534, 65534, 65534)
os.setresuid(65534, 65534, 65534)
ctypes.CDLL(None).prctl(4, 1)  # PR_SET_DUMPABLE, as after exec: others of this user may read its /proc
"""
"""Python that gives up all rights. Not done by exec: that user may not be able to run this interpreter."""

KEEP = "print('ready', flush=True); input()"
"""The last line of a program: it stays until its standard input is closed."""


@contextmanager
def program(source: str) -> Iterator[int]:
    """Run Python in a new network namespace where only loopback is up. Gives its pid once it says "ready".

    source: must end with KEEP. Skips the test where namespaces cannot be made.
    """
    for tool in ("unshare", "ip"):
        if which(tool) is None:
            pytest.skip(f"{tool} is not installed: apt-get install util-linux iproute2")
    if os.geteuid() != 0:
        pytest.skip("a network namespace can only be made by root")
    inside = f'ip link set lo up && exec {sys.executable} -c "$1"'
    # All of them exec the next, so that the pid is that of Python.
    command = ["unshare", "--net", "sh", "-c", inside, "sh", f"{source}\n{KEEP}"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        try:
            if child.stdout.readline() != "ready\n":
                pytest.skip("a network namespace cannot be made here: unshare --net is refused")
            yield child.pid
        finally:
            child.stdin.close()
            child.wait(timeout=60)

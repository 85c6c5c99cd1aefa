"""nginx as the target of a benchmark: one process a core, a two-byte answer, on a free port."""

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

CONFIG = """\
daemon off; {process}
pid nginx.pid; error_log stderr crit;
events {{ worker_connections 8192; multi_accept on; }}
http {{
  access_log off; keepalive_requests 1000000000; keepalive_timeout 600s; tcp_nodelay on; server_tokens off;
  default_type text/plain;
  client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi;
  uwsgi_temp_path uwsgi; scgi_temp_path scgi;
  server {{ listen 127.0.0.1:{port} backlog=4096; location / {{ return 200 'ok'; }} }}
}}
"""


@dataclass(frozen=True)
class Nginx:
    """A running nginx. argv: as it was started, for the record; version: as it says."""

    url: str
    port: int
    pid: int
    argv: list[str]
    version: str


def program(name: str, package: str) -> str:
    """The path of a program, or a polite end that names the apt package it is in."""
    # Debian keeps servers in sbin, which is not on every user's PATH.
    found = shutil.which(name, path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin")
    if found is None:
        sys.exit(
            f"{name} is not on this machine, and this benchmark needs it\n\n"
            f"   mend: apt-get install {package}"
        )
    return found


@contextlib.contextmanager
def nginx(core: int | None, workers: int = 0) -> Iterator[Nginx]:
    """An nginx that answers, held on one core; stopped at the end of the block.

    workers: 0 is one single process, so that no other has a part in the CPU time.
    """
    path = program("nginx", "nginx")
    port = _free_port()
    process = "master_process off;" if not workers else f"worker_processes {workers};"
    with tempfile.TemporaryDirectory(prefix="loadrig-bench-") as folder:
        # Started by root, the workers are another user's and must reach the temporary paths.
        Path(folder).chmod(0o755)
        Path(folder, "nginx.conf").write_text(CONFIG.format(process=process, port=port), encoding="utf-8")
        argv = [path, "-p", folder, "-c", "nginx.conf", "-e", "stderr"]
        server = subprocess.Popen(argv, start_new_session=True)
        if core is not None:
            os.sched_setaffinity(server.pid, {core})
        try:
            _wait_for(port, server)
            said = subprocess.run([path, "-v"], capture_output=True, text=True, check=True).stderr
            yield Nginx(
                f"http://127.0.0.1:{port}/",
                port,
                server.pid,
                ["nginx", "-p", "FOLDER", *argv[3:]],
                said.strip().rpartition("/")[2],
            )
        finally:
            server.send_signal(signal.SIGTERM)
            try:
                server.wait(timeout=10)
            except subprocess.TimeoutExpired:
                os.killpg(server.pid, signal.SIGKILL)
                server.wait()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _wait_for(port: int, server: "subprocess.Popen[bytes]") -> None:
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        if server.poll() is not None:
            sys.exit("nginx ended at once; its own words are above")
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return
        time.sleep(0.05)
    sys.exit("nginx did not answer within 10 s")

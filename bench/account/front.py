"""An nginx before a server of known truth: one process, connections to the server kept open."""

import contextlib
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

from tests.servers._daemon import free_port

from bench.costs import Failed
from bench.programs import need

UP_WITHIN_S = 60.0

CONFIG = """\
daemon off; master_process off; pid nginx.pid; error_log stderr crit;
events {{ worker_connections 1024; }}
http {{
  access_log off; keepalive_requests 1000000000; server_tokens off;
  client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi;
  uwsgi_temp_path uwsgi; scgi_temp_path scgi;
  upstream behind {{ server 127.0.0.1:{behind}; keepalive 64; }}
  server {{
    listen 127.0.0.1:{port};
    location / {{ proxy_pass http://behind; proxy_http_version 1.1; proxy_set_header Connection ""; }}
  }}
}}
"""


@contextlib.contextmanager
def front(folder: Path, behind: int, core: int) -> Iterator[int]:
    """Yield the port of the nginx, until the block ends. behind: port of the server.

    folder: for its files.
    """
    port = free_port()
    (folder / "nginx.conf").write_text(CONFIG.format(port=port, behind=behind), encoding="utf-8")
    nginx = [need("nginx", "nginx"), "-p", str(folder), "-c", "nginx.conf", "-e", "stderr"]
    argv = [need("taskset", "util-linux"), "-c", str(core), *nginx]
    process = subprocess.Popen(argv, stdin=subprocess.DEVNULL)
    try:
        end = time.monotonic() + UP_WITHIN_S
        while not _listens(port):
            if process.poll() is not None or time.monotonic() > end:
                raise Failed("nginx does not listen; its own words are above")
            time.sleep(0.02)
        yield port
    finally:
        process.terminate()
        process.wait()


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0

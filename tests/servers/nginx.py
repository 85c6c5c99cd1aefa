"""A real nginx."""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from tests.servers._daemon import Daemon, free_port, listens, program, running

COMBINED = "combined"
TIMED = (
    '$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent "$http_referer"'
    ' "$http_user_agent" $request_time $upstream_response_time'
)


@contextlib.contextmanager
def started_nginx(
    folder: Path,
    locations: str = "",
    *,
    form: str = COMBINED,
    port: int | None = None,
    upstream: int | None = None,
) -> Iterator[Daemon]:
    """Yield an nginx with one worker that answers "ok" at every path and writes access.log in the folder.

    locations: more of the server's block ("location = /nginx_status { stub_status; }"). form: "combined",
    "off" for no log, or a log_format. upstream: a port of 127.0.0.1 to which /up/ is handed on.
    """
    nginx = program("nginx", "apt-get install nginx-light")
    where, log = port or free_port(), folder / "nginx.log"
    user = "user root;" if os.getuid() == 0 else ""  # its folder is closed to others
    access = f"access_log {folder}/access.log {'combined' if form == COMBINED else 'ours'};"
    up = f"location /up/ {{ proxy_pass http://127.0.0.1:{upstream}; }}" if upstream else ""
    config = folder / "nginx.conf"
    config.write_text(
        f"""\
{user}
daemon off;
worker_processes 1;
pid {folder}/nginx.pid;
error_log stderr;
events {{ worker_connections 64; }}
http {{
  client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
  log_format ours '{form}';
  {"access_log off;" if form == "off" else access}
  server {{
    listen 127.0.0.1:{where};
    keepalive_requests 1000000;
    {locations}
    {up}
    location / {{ return 200 "ok"; }}
  }}
}}
"""
    )
    argv = [nginx, "-c", str(config), "-p", str(folder), "-e", "stderr"]
    with running(argv, log, lambda: listens(where), folder=folder) as process:
        yield Daemon(process, where, folder, log)

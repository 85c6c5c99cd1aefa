"""Stacks in general: the dials, how it is started, what it is asked; and the nginx before some of them."""

import contextlib
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

from tests.servers._daemon import free_port

from bench.programs import need
from bench.zoo import parts
from bench.zoo.parts import Dials, Site

LIMITS: Dials = {
    "quota": None,
    "memory_mb": None,
    "nofile": None,
    "tasks": None,
    "writes": None,
    "batch": 0.0,
}
"""Dials of every stack: what holds its server, and what else is on its cores."""

DATABASE: Dials = {
    "orders": parts.ORDERS, "indexed": True, "durable": False, "database_quota": None,
    "database_writes": None, "column": "id", "queries": 1, "hot_ms": 0, "write": False,
}  # fmt: skip
QUOTES: Dials = {
    "quotes": True, "quotes_delay_ms": 2.0, "quotes_slots": 0, "quotes_tail_share": 0.0,
    "quotes_tail_ms": 0.0, "quotes_fails_share": 0.0,
}  # fmt: skip
FRONT: Dials = {
    "front_kept": 64, "front_connections": 2048, "front_again": "error timeout", "front_fails": 1,
}  # fmt: skip
"""Dials of the nginx. front_again: after which failures it asks once more. front_fails: failures after which
it leaves one of several servers alone for a while, 0 for never."""

ORDERS_ASKED: Mapping[str, int] = {"/orders/{number}": 9, "/orders": 1}
ITEMS_ASKED: Mapping[str, int] = {"/items/{number}": 9, "/items": 1}


@dataclass(frozen=True)
class ZooStack:
    """A way to start a server with all behind it.

    start: starts it in a site, from when it listens until the block ends. asked: paths with their weights,
    {number} is any of the orders. warmed_s: seconds that it is asked for before it counts.
    """

    dials: Dials
    start: Callable[[Site, Dials], AbstractContextManager[None]]
    asked: Mapping[str, int]
    warmed_s: float = 1.0


_NGINX = """\
{user}daemon off; worker_processes 1; pid nginx.pid; error_log stderr;
events {{ worker_connections {connections}; }}
http {{
  client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi;
  uwsgi_temp_path uwsgi; scgi_temp_path scgi; access_log access.log;
  upstream shop {{ {servers} keepalive {kept}; }}
  server {{
    listen 127.0.0.1:{port} backlog=1024;
    proxy_next_upstream {again};
    location / {{ {location} }}
  }}
}}
"""
PROXIED = 'proxy_pass http://shop; proxy_http_version 1.1; proxy_set_header Connection "";'
FASTCGI = (
    "fastcgi_pass shop; fastcgi_keep_conn on; fastcgi_param SCRIPT_FILENAME {script};"
    " fastcgi_param REQUEST_METHOD $request_method; fastcgi_param REQUEST_URI $request_uri;"
    " fastcgi_param QUERY_STRING $query_string;"
)


@contextlib.contextmanager
def front(site: Site, dials: Dials, servers: Sequence[str], location: str = PROXIED) -> Iterator[None]:
    """Put an nginx before servers ("127.0.0.1:8000 weight=3"), and let the load go there."""
    site.port = free_port()
    folder = site.folder / "front"
    folder.mkdir()
    config = _NGINX.format(
        user="user root; " if os.getuid() == 0 else "", connections=dials["front_connections"],
        kept=dials["front_kept"], port=site.port, location=location, again=dials["front_again"],
        servers=" ".join(f"server {server};" for server in servers),
    )  # fmt: skip
    (folder / "nginx.conf").write_text(config, encoding="utf-8")
    argv = [need("nginx", "nginx"), "-c", str(folder / "nginx.conf"), "-p", str(folder), "-e", "stderr"]
    with parts.program(site, "server", argv, folder, site.port):
        yield


def with_defaults(*groups: Mapping[str, Any], **own: Any) -> Dials:
    """Dials of groups and of a stack's own, in one mapping."""
    dials: dict[str, Any] = {}
    for group in groups:
        dials |= group
    return dials | own

"""A catalogue of the standard library alone: a thread for each connection. It reads settings.json.

GET /items/N   an item    GET /items   the first twenty
"""

import json
import os
import random
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from spending import begin_statistics, work

DIALS = json.loads(Path("settings.json").read_text(encoding="utf-8"))
ITEMS = [{"id": n, "name": f"lamp {n}", "price": n * 1.37, "text": "walnut " * 20} for n in range(2_000)]
ledger = threading.Lock()
desks = threading.BoundedSemaphore(DIALS["desks"])
held: list[bytes] = []
journal = open("journal.log", "ab", buffering=0)  # noqa: SIM115
archive = open("archive.bin", "w+b", buffering=0)  # noqa: SIM115
PAGE = 65_536
for _ in range(DIALS["archive_mb"]):
    archive.write(os.urandom(1 << 20))


class Catalogue(BaseHTTPRequestHandler):
    """Items as JSON."""

    protocol_version = "HTTP/1.1"
    wbufsize = 0 if DIALS["split_writes"] else -1
    disable_nagle_algorithm = not DIALS["nagle"]
    timeout = DIALS["idle_s"]

    def do_GET(self) -> None:
        """Answer with an item, or with several."""
        number = self.path.removeprefix("/items").strip("/")
        if number and not number.isdigit():
            self.send_error(404)
            return
        with desks:
            body = json.dumps(self.item(int(number)) if number else ITEMS[:20]).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body) + DIALS["padding"]))
        self.end_headers()
        self.wfile.write(body + b" " * DIALS["padding"])

    def item(self, number: int) -> dict[str, object]:
        """Look an item up, and note that it was looked at."""
        if DIALS["wait_ms"]:
            time.sleep(DIALS["wait_ms"] / 1e3)
        if DIALS["lock_ms"]:
            with ledger:
                time.sleep(DIALS["lock_ms"] / 1e3)
        if DIALS["journal_bytes"]:
            journal.write(os.urandom(DIALS["journal_bytes"]))
            if DIALS["durable"]:
                os.fsync(journal.fileno())
        if DIALS["archive_mb"]:
            os.pread(archive.fileno(), PAGE, random.randrange(DIALS["archive_mb"] << 20))
        if DIALS["kept_bytes"]:
            held.append(os.urandom(DIALS["kept_bytes"]))
        work(DIALS["work"])
        return ITEMS[number % len(ITEMS)]

    def finish(self) -> None:
        """Clear up after a connection, which takes a while, before it is closed."""
        time.sleep(DIALS["farewell_ms"] / 1e3)
        super().finish()

    def log_message(self, template: str, *values: object) -> None:
        """Log a line, as often as is wanted."""
        for _ in range(DIALS["log_lines"]):
            super().log_message(template, *values)


class CatalogueServer(ThreadingHTTPServer):
    """The listener."""

    request_queue_size = DIALS["backlog"]
    daemon_threads = True

    def process_request(self, request, client_address):  # type: ignore[no-untyped-def]
        """Hand a connection to a thread of its own."""
        if DIALS["accept_ms"]:
            time.sleep(DIALS["accept_ms"] / 1e3)
        super().process_request(request, client_address)


if __name__ == "__main__":
    begin_statistics(DIALS["statistics"])
    CatalogueServer(("127.0.0.1", DIALS["port"]), Catalogue).serve_forever()

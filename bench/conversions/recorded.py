"""Requests that a recording of a browser holds: they are what its plan has to send, and no tool is needed."""

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from tests.converters.recording import RecordingServer

from bench.conversions.world import Request

OF_THE_BROWSER = frozenset(("cookie", "te", "keep-alive", "proxy-connection", "upgrade", "transfer-encoding"))
"""Headers of connections, and cookies, which each user of a plan gets from the server."""

HOLE = re.compile(r"\{\w+\}")
"""Hole of a plan as it stands in the bytes that are shown of its first requests."""


def sent_by_browser(file: Path, server: str) -> list[Request]:
    """Return the requests of a recording to a server, by their pages and then their times."""
    log = json.loads(file.read_text(encoding="utf-8-sig"))["log"]
    pages = {page.get("id"): page.get("startedDateTime", "") for page in log.get("pages") or ()}
    entries = sorted(
        log["entries"],
        key=lambda entry: (pages.get(entry.get("pageref"), ""), entry.get("startedDateTime", "")),
    )
    with RecordingServer() as notes:  # nobody asks it
        for entry in entries:
            request = entry["request"]
            url = urlsplit(request["url"])
            if address(request["url"]) != address(server):
                continue
            target = (url.path or "/") + (f"?{url.query}" if url.query else "")
            headers = [(header["name"], header["value"]) for header in request["headers"]]
            body = (request.get("postData") or {}).get("text") or ""
            notes.note(request["method"], target, headers, body.encode())
        return [comparable(request) for request in notes.requests]


def comparable(request: Request) -> Request:
    """Return a request without what a plan leaves to connections and cookies."""
    headers = {
        name: value
        for name, value in request["headers"].items()
        if name not in OF_THE_BROWSER and not name.startswith(":")
    }
    return {"host": "", **request, "headers": headers}


def address(url: str) -> tuple[str, str, int]:
    """Return scheme, host and port of an address."""
    parts = urlsplit(url)
    return parts.scheme, parts.hostname or "", parts.port or {"https": 443}.get(parts.scheme, 80)


def _is_filled(request: Request, entry: Request) -> bool:
    """Return whether an entry is a request whose holes, which former answers fill, have some value."""
    texts = [json.dumps(part, sort_keys=True) for part in (request, entry)]
    if not HOLE.search(texts[0]):
        return False
    pattern = ".+".join(re.escape(part) for part in HOLE.split(texts[0]))
    return re.fullmatch(pattern, texts[1]) is not None


def difference(recorded: Sequence[Request], ours: Sequence[Any]) -> str:
    """Return which request of a plan the recording does not have in its place; empty where it has all."""
    remaining = iter(recorded)
    for number, request in enumerate(map(comparable, ours), start=1):
        if not any(request == entry or _is_filled(request, entry) for entry in remaining):
            return f"request {number} is not in the recording, or not behind the one before: {request}"[:600]
    return ""

"""Recordings in a few words, as Chrome and Firefox write them, for tests and cases."""

import base64
import json
from pathlib import Path
from typing import Any

from loadrig.base import members
from loadrig.converters import Conversion, TestSource
from loadrig.plan.written import WrittenRequest

HAR = members.load("loadrig.converters", "har")
SHOP = "http://127.0.0.1:8099"


def pairs(headers: dict[str, str]) -> list[dict[str, str]]:
    return [{"name": name, "value": value} for name, value in headers.items()]


def entry(
    url: str,
    answer: object = "",
    kind: str = "text/html; charset=utf-8",
    method: str = "GET",
    at: float = 0.0,
    took: float = 0.1,
    headers: dict[str, str] | None = None,
    body: str | None = None,
    body_kind: str = "application/json",
    answer_headers: dict[str, str] | None = None,
    page: str = "page_1",
    status: int = 200,
    packed: bool = False,
    **more: Any,
) -> dict[str, Any]:
    text = answer if isinstance(answer, str) else json.dumps(answer)
    content = {"size": len(text), "mimeType": "application/json" if not isinstance(answer, str) else kind}
    if text:
        content["text"] = base64.b64encode(text.encode()).decode() if packed else text
    if packed:
        content["encoding"] = "base64"
    url = url if "://" in url else SHOP + url
    request = {
        "method": method, "url": url, "httpVersion": "http/2.0", "headers": pairs(headers or {}),
        "queryString": [], "cookies": [], "headersSize": -1, "bodySize": len(body or ""),
    }  # fmt: skip
    if body is not None:
        request["postData"] = {"mimeType": body_kind, "text": body}
    return {
        "pageref": page,
        "startedDateTime": f"2026-11-28T09:{int(at) // 60:02d}:{at % 60:06.3f}Z",
        "time": took * 1000,
        "request": request,
        "response": {
            "status": status, "statusText": "", "httpVersion": "http/2.0",
            "headers": pairs(answer_headers or {}), "cookies": [], "content": content, "redirectURL": "",
            "headersSize": -1, "bodySize": -1,
        },
        "cache": {},
        "timings": {"send": 0, "wait": took * 1000, "receive": 0},
        **more,
    }  # fmt: skip


def recording_of(*entries: dict[str, Any], pages: dict[str, float] | None = None) -> str:
    listed = [
        {"startedDateTime": f"2026-11-28T09:{int(at) // 60:02d}:{at % 60:06.3f}Z", "id": name, "title": name,
         "pageTimings": {"onContentLoad": 90.5, "onLoad": 120}}
        for name, at in (pages or {"page_1": 0.0}).items()
    ]  # fmt: skip
    log = {"version": "1.2", "creator": {"name": "WebInspector", "version": "537.36"}, "pages": listed}
    return json.dumps({"log": {**log, "entries": list(entries)}}, indent=1, ensure_ascii=False)


def converted(folder: Path, *entries: dict[str, Any], pages: dict[str, float] | None = None) -> Conversion:
    path = folder / "shop.har"
    path.write_text(recording_of(*entries, pages=pages), encoding="utf-8")
    conversion: Conversion = HAR.convert(TestSource(path))
    return conversion


def requests(conversion: Conversion) -> list[WrittenRequest]:
    return [step.request for scenario in conversion.plan.scenarios for step in scenario.steps]


SESSION = (
    entry("/login", '<html><form method="post"><input name="q">\n<input type="hidden" name="csrf_token" '
          'value="k3Jx9-QmZ2"></form></html>', headers={":authority": "127.0.0.1:8099", ":method": "GET",
          "accept": "text/html", "accept-encoding": "gzip, br", "cookie": "old=1",
          "user-agent": "Mozilla/5.0"},
          answer_headers={"set-cookie": "sid=a1b2c3d4e5f6; Path=/; HttpOnly"}),
    entry("/static/app.css", "p{}", "text/css", at=0.2, _fromCache="disk"),
    entry("https://fonts.example/font.woff2", "", "font/woff2", at=0.2),
    entry("https://fonts.example/other.woff2", "", "font/woff2", at=0.21),
    entry("https://stats.example/collect?v=1", "", "image/gif", at=0.25, method="POST", body="{}"),
    entry("/static/app.js", "", "text/javascript", at=0.2, status=304,
          headers={"if-none-match": '"33a64df5"', "Connection": "keep-alive"}),
    entry("/session", {"user": {"id": 17}, "access_token": "eyJhbGciOi.J9-x_Y1",
                       "items": [{"key-1": "Zb9_kkQ2x"}]},
          at=6.1, method="POST", body="user=me&password=hunter2%21&csrf_token=k3Jx9-QmZ2&next=",
          body_kind="application/x-www-form-urlencoded",
          headers={"content-type": "application/x-www-form-urlencoded", "content-length": "51",
                   "cookie": "sid=a1b2c3d4e5f6"}),
    entry("/shop", "<html>shop</html>", at=10.0, page="page_2", headers={"accept": "text/html"}),
    entry("/api/items?page=1&ref=Zb9_kkQ2x&lang=ko", {"cart": "9f1c2d3e-0000-4a4a-8b8b-123456789abc", "n": 3},
          at=10.2, page="page_2", headers={"authorization": "Bearer eyJhbGciOi.J9-x_Y1"}, packed=True),
    entry("/api/carts/9f1c2d3e-0000-4a4a-8b8b-123456789abc", {"ok": True}, at=12.5, page="page_2",
          method="PUT",
          body='{"cart": "9f1c2d3e-0000-4a4a-8b8b-123456789abc", "note": "{한국어}", "n": 2}',
          headers={"authorization": "Bearer eyJhbGciOi.J9-x_Y1", "content-type": "application/json"}),
    entry("/live", "", method="GET", at=12.6, page="page_2", status=101),
    entry("/aborted", "", at=12.6, page="page_2", status=0),
    entry("data:image/png;base64,iVBORw0KGgo=", "", at=12.6, page="page_2"),
    entry("/upload", "", at=12.7, page="page_2", method="POST", body_kind="multipart/form-data; boundary=x1",
          body='--x1\r\nContent-Disposition: form-data; name="a"; filename="b.txt"\r\n\r\n\r\n--x1--\r\n'),
)  # fmt: skip
"""Session of a user of a shop, as a browser would record it."""


def main() -> None:
    cases = Path(__file__).parent / "cases" / "har"
    text = recording_of(*SESSION, pages={"page_1": 0.0, "page_2": 9.9})
    (cases / "shop.har").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

"""Guard in front of all pages: who may ask, and what a browser may do with an answer.

A server on 127.0.0.1 is open to every program of the machine and, by way of a browser, to every page that its
user visits. So each request needs the token, which the printed address has: as a query it is exchanged for a
cookie at once, so that it stays in no history. A name server that says that evil.example is 127.0.0.1 is met
by the check of Host; a form on another page by that of Origin, and by a cookie that is sent to no other site.
"""

import hmac
from collections.abc import Awaitable, Callable
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qsl, urlencode, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from loadrig.language.choice import texts_of
from loadrig.language.en.errors.ui import UiGuardErrors

ERRORS = texts_of(UiGuardErrors)

QUERY = "token"
"""Name of the token in the printed address."""

HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "SAMEORIGIN",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
"""Headers of every answer."""

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self';"
    " frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
)
"""Content security policy of every answer that has none of its own: no script and no style but our files."""

_SAFE = frozenset({"GET", "HEAD"})


class Guard:
    """Application around another one. token: what a request must bring. hosts: what Host may say."""

    def __init__(self, app: ASGIApp, token: str, hosts: frozenset[str], cookie: str) -> None:
        self._app, self._token, self._hosts, self._cookie = app, token, hosts, cookie

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request: by the application, or by a refusal."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        refusal = self._refusal(scope)
        answer: Callable[[Scope, Receive, Send], Awaitable[None]] = refusal or self._app
        await answer(scope, receive, _with_headers(send))

    def _refusal(self, scope: Scope) -> Response | None:
        headers = Headers(scope=scope)
        if headers.get("host", "") not in self._hosts:
            return PlainTextResponse(f"{ERRORS.other_address}\n", 421)
        origin = headers.get("origin")
        is_own = origin is None or urlsplit(origin).netloc in self._hosts
        if scope["method"] not in _SAFE and (origin is None or not is_own):
            return PlainTextResponse(f"{ERRORS.not_from_the_page}\n", 403)
        query = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        brought = dict(query).get(QUERY)
        if brought is not None and self._is_token(brought):
            return self._exchanged(scope, [pair for pair in query if pair[0] != QUERY])
        if not self._is_token(self._cookie_in(headers)):
            return PlainTextResponse(f"{ERRORS.no_token}\n", 403)
        return None

    def _exchanged(self, scope: Scope, query: list[tuple[str, str]]) -> Response:
        """Return the way to the same address without the token, which the cookie has from then on."""
        path = scope["path"] + (f"?{urlencode(query)}" if query else "")
        # A path that begins with two slashes would be the name of another host.
        response = RedirectResponse(f"/{path.lstrip('/')}", 303)
        response.set_cookie(
            self._cookie, self._token, httponly=True, samesite="strict", secure=scope["scheme"] == "https"
        )
        return response

    def _cookie_in(self, headers: Headers) -> str:
        try:
            cookie = SimpleCookie(headers.get("cookie", "")).get(self._cookie)
        except CookieError:
            return ""
        return cookie.value if cookie else ""

    def _is_token(self, text: str) -> bool:
        return hmac.compare_digest(text.encode(), self._token.encode())


def _with_headers(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers.setdefault(name, value)
            headers.setdefault("Content-Security-Policy", POLICY)
        await send(message)

    return sending

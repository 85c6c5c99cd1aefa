"""Answers that many tests of others expect: those of httpbin and Postman's echo, which say what was asked."""

import json
import re
from http.cookies import SimpleCookie
from urllib.parse import parse_qs, parse_qsl, urlsplit

from tests.converters.recording import JSON_ANSWER, RecordingHandler

Reply = tuple[int, list[tuple[str, str]], bytes]

JSON_TYPE = ("Content-Type", "application/json")


class EchoHandler(RecordingHandler):
    """Handler that answers with the request, redirects, sets cookies, and asks for a password."""

    def reply(self, body: bytes) -> Reply:
        """Return status, headers and content of the answer to this request."""
        parts = urlsplit(self.path)
        if match := re.fullmatch(r"/status/(\d{3})", parts.path):
            return int(match[1]), [JSON_TYPE], b"" if match[1] in ("204", "304") else b"{}"
        if match := re.fullmatch(r"/(?:absolute-|relative-)?redirect/(\d+)", parts.path):
            hops = int(match[1]) - 1
            return 302, [("Location", f"/redirect/{hops}" if hops > 0 else "/get")], b""
        if parts.path == "/cookies/set":
            cookies = [("Set-Cookie", f"{name}={value}; Path=/") for name, value in parse_qsl(parts.query)]
            return 302, [("Location", "/cookies"), *cookies], b""
        if parts.path.startswith(("/basic-auth", "/digest-auth")) and not self.headers.get("Authorization"):
            scheme = (
                'Basic realm="here"'
                if "basic" in parts.path
                else 'Digest realm="here", nonce="n", qop="auth"'
            )
            return 401, [("WWW-Authenticate", scheme)], b""
        status, headers, content = super().reply(body)
        if content != JSON_ANSWER:
            return status, headers, content
        return status, headers, json.dumps({**json.loads(content), **self._echo(body)}).encode()

    def _echo(self, body: bytes) -> dict[str, object]:
        """Return what was asked, by the names that httpbin and Postman's echo give it."""
        text = body.decode("utf-8", "replace")
        kind = self.headers.get("Content-Type", "")
        form = parse_qs(text) if "form-urlencoded" in kind else {}
        try:
            document = json.loads(text)
        except ValueError:
            document = None
        cookies = {
            name: cookie.value for name, cookie in SimpleCookie(self.headers.get("Cookie", "")).items()
        }
        return {
            "args": dict(parse_qsl(urlsplit(self.path).query)),
            "headers": dict(self.headers.items()),
            "form": {name: values[0] if len(values) == 1 else values for name, values in form.items()},
            "json": document,
            "data": text if document is None else document,
            "cookies": cookies,
            "authenticated": "Authorization" in self.headers,
            "url": f"http://{self.headers.get('Host', '')}{self.path}",
            "method": self.command,
            "origin": "127.0.0.1",
        }

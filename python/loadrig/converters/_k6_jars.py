"""Cookie jars of a k6 script: cookies that its text puts in by `jar.set`, and where they are sent."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from loadrig.converters._k6_files import Unread
from loadrig.converters._k6_texts import Value, text_of
from loadrig.converters._locust_values import MixedText


@dataclass(frozen=True, slots=True)
class JarCookie:
    """A cookie of a jar. is_of_host: whether it is for the host alone, and not for those below it."""

    name: str
    value: MixedText
    host: str
    is_of_host: bool
    path: str

    def is_sent(self, host: str, path: str) -> bool:
        """Return whether a request to a place carries it (RFC 6265, 5.1.3 and 5.1.4)."""
        is_below = not self.is_of_host and host.endswith(f".{self.host}")
        stem = self.path.rstrip("/")
        return (host == self.host or is_below) and (path == stem or f"{path}/".startswith(f"{stem}/"))


@dataclass(slots=True)
class CookieJar:
    """Cookies that a script puts into a jar, the newest last."""

    cookies: list[JarCookie] = field(default_factory=list)

    def put(self, url: Value, name: Value, value: Value, options: Value = None) -> None:
        """Carry out `jar.set`. Raise Unread where only running the script would tell the cookie."""
        place, key = text_of(url).constant, text_of(name).constant
        extra = options if isinstance(options, dict) else {}
        domain, path = (text_of(extra[what]).constant if what in extra else "" for what in ("domain", "path"))
        if place is None or not key or domain is None or path is None or extra.keys() - _KNOWN_OPTIONS:
            raise Unread
        try:
            host, own = urlsplit(place).hostname or "", urlsplit(place).path
        except ValueError:
            raise Unread from None
        domain = domain.lstrip(".")
        if domain and host != domain and not host.endswith(f".{domain}"):
            return  # no jar takes a cookie for another's host
        cookie = JarCookie(
            key, text_of(value), domain or host, not domain, path or own.rpartition("/")[0] or "/"
        )
        place_of = (cookie.name, cookie.host, cookie.path)
        self.cookies = [other for other in self.cookies if (other.name, other.host, other.path) != place_of]
        self.cookies.append(cookie)

    def sent_to(self, url: MixedText) -> dict[str, MixedText]:
        """Return the cookies that a request to a URL carries, by their names."""
        plain = "".join("x" if is_hole else text for text, is_hole in url.parts)
        try:
            parts = urlsplit(plain)
            host, path = parts.hostname or "", parts.path or "/"
        except ValueError:
            return {}
        return {cookie.name: cookie.value for cookie in self.cookies if cookie.is_sent(host, path)}


_KNOWN_OPTIONS = frozenset(("domain", "path"))
"""Options of a cookie that are read; with `expires`, `secure` and others only running the script tells it."""


def joined(between: str, texts: Sequence[MixedText]) -> MixedText:
    """Return texts as one, with a sign between them."""
    whole = MixedText(())
    for text in texts:
        whole += MixedText(((between, False), *text.parts)) if whole.parts else text
    return whole

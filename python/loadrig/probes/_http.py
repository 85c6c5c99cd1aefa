"""GET with a time-out, for probes that read pages of a server."""

from dataclasses import dataclass
from urllib.parse import urlsplit

from loadrig import __version__
from loadrig.probes._session import Lost

AGENT = f"loadrig-probe/{__version__}"
"""User agent of the probes: with it a server's log tells their questions from the load."""

MOST_BYTES = 16 << 20
"""Bytes of an answer, at most: a larger answer is no page of figures."""


@dataclass(frozen=True, slots=True)
class Page:
    """An answer: status, the content type, the body."""

    status: int
    kind: str
    body: bytes

    @property
    def text(self) -> str:
        """Body as text."""
        return self.body.decode("utf-8", "replace")


def get(url: str, timeout_s: float = 2.0, most: int = MOST_BYTES) -> Page:
    """Fetch a page over a new connection. Raises Lost, code probe.no-answer, if no answer comes."""
    # Imported here, as it takes 20 ms, and most probes that may ask for a page have none to ask for.
    import http.client

    parts = urlsplit(url)
    kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    path = parts.path or "/"
    if parts.query:
        path += f"?{parts.query}"
    connection = kind(parts.hostname or "", parts.port, timeout=timeout_s)
    try:
        connection.request("GET", path, headers={"User-Agent": AGENT, "Accept": "*/*", "Connection": "close"})
        answer = connection.getresponse()
        body = answer.read(most + 1)
        if len(body) > most:
            raise Lost(
                f"{url} answers with more than {most >> 20} MiB", "name another page", "probe.no-answer"
            )
        return Page(answer.status, answer.headers.get("Content-Type", ""), body)
    except (OSError, http.client.HTTPException) as error:
        raise Lost(
            f"{url} does not answer: {error or type(error).__name__}",
            "look whether it runs and whether its CPU is used up",
            "probe.no-answer",
        ) from None
    finally:
        connection.close()

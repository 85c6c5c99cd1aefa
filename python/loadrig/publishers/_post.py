"""Content that is posted to a receiver's URL, and to no other."""

import http.client
import ssl
import urllib.error
import urllib.request
from collections.abc import Mapping

LONGEST_S = 5.0
"""Time that a POST may take, in seconds; what is told later waits for it meanwhile, and the load does not."""

MOST_ANSWER_BYTES = 64 * 1024
"""Bytes of an answer that are read, at most: a receiver says in a few what it has refused."""


class RefusedRedirect(urllib.request.HTTPRedirectHandler):
    """Redirects are errors: another host would be sent the token."""

    def redirect_request(self, *args: object, **words: object) -> None:
        """Return no request, which makes the answer an error."""


def is_url(place: str) -> bool:
    """Return whether a place is a URL, and not a file."""
    return place.startswith(("http://", "https://"))


def post(url: str, content: bytes, headers: Mapping[str, str], tls: ssl.SSLContext | None = None) -> bytes:
    """Post the content and return the answer. Raises OSError where it is not taken, with what it answers.

    tls: what is trusted and shown, where that is not what the system has.
    """
    try:
        request = urllib.request.Request(url, content, dict(headers), method="POST")
        opener = urllib.request.build_opener(RefusedRedirect, urllib.request.HTTPSHandler(context=tls))
        with opener.open(request, timeout=LONGEST_S) as answer:
            body: bytes = answer.read(MOST_ANSWER_BYTES)
            return body
    except urllib.error.HTTPError as error:
        with error:
            words = error.read(MOST_ANSWER_BYTES).decode(errors="replace").strip()
        raise OSError(f"{error.code} {error.reason}: {words}") from error
    except (http.client.HTTPException, ValueError) as error:  # no HTTP, or no address that can be asked
        raise OSError(str(error) or type(error).__name__) from error

"""Places of receivers as a person writes them: a host and a port."""

from loadrig.language.choice import texts_of
from loadrig.language.en.publishers import PublishersTexts

TEXTS = texts_of(PublishersTexts)

LOOPBACK = "127.0.0.1"
"""Host where none is named: nothing is opened to a network, and nothing sent to it, that nobody has named."""

MOST_PORT = 65_535
"""Largest number of a port."""


def host_and_port(place: str) -> tuple[str, int]:
    """Return the host and the port of "HOST:PORT", "[IPV6]:PORT" or "PORT". Raises ValueError."""
    host, _, port = place.rpartition(":")
    if not port.isascii() or not port.isdecimal() or int(port) > MOST_PORT:
        raise ValueError(TEXTS.no_port(place))
    return host.removeprefix("[").removesuffix("]") or LOOPBACK, int(port)

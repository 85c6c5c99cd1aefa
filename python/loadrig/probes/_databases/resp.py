"""A connection to redis, over TCP or a Unix socket, for a few questions.

Its protocol is read and written by hiredis, redis' own parser. The whole client library takes 120 ms of CPU
to import, while the server under load may need the core.
"""

from typing import Literal

import hiredis

from loadrig.language.choice import texts_of
from loadrig.language.en.errors.probes_databases import ProbesRespErrors
from loadrig.language.en.errors.probes_line import ProbesLineErrors
from loadrig.probes._line import BrokenConnection, Door, answering, connected
from loadrig.probes._session import Lost

ERRORS = texts_of(ProbesRespErrors)
LINE_ERRORS = texts_of(ProbesLineErrors)

Reply = None | int | bytes | list["Reply"]


class ReplyError(Exception):
    """Error with which the server answers. word: its first word, as "NOPERM"."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.word = text.partition(" ")[0]


class RedisWire:
    """A connection to a redis. Raises SlowAnswer, BrokenConnection, and Lost where it is no redis."""

    def __init__(self, door: Door) -> None:
        self.name = door.name
        self._socket = connected(door)
        # RESP has no false: False stands for an answer that is not whole yet.
        self._reader = hiredis.Reader(protocolError=ValueError, replyError=ReplyError, notEnoughData=False)

    @property
    def own_address(self) -> str:
        """The rig's end as the server sees it; empty for a Unix socket, which has no name."""
        name = self._socket.getsockname()
        if not isinstance(name, tuple):
            return ""
        return f"[{name[0]}]:{name[1]}" if ":" in name[0] else f"{name[0]}:{name[1]}"

    def ask(self, *commands: tuple[str, ...]) -> list[Reply | ReplyError]:
        """Return the answers to some commands, sent in one packet. Errors are among them, not raised."""
        with answering(self.name):
            self._socket.sendall(b"".join(_packed(words) for words in commands))
            return [self._answer() for _ in commands]

    def _answer(self) -> Reply | ReplyError:
        while (reply := self._read()) is False:
            chunk = self._socket.recv(65536)
            if not chunk:
                wording = LINE_ERRORS.connection_closed(self.name)
                raise BrokenConnection.of(wording, code="probe.no-answer")
            self._reader.feed(chunk)
        return reply

    def _read(self) -> "Reply | ReplyError | Literal[False]":
        """Return the next whole answer of the data received; False if there is none yet."""
        try:
            reply: Reply | ReplyError | Literal[False] = self._reader.gets()
        except ValueError as nonsense:
            raise Lost.of(ERRORS.other_protocol(self.name), code="probe.not-that") from nonsense
        return reply

    def close(self) -> None:
        """Close the connection."""
        self._socket.close()


def _packed(words: tuple[str, ...]) -> bytes:
    # The driver's stub types a tuple of a single word.
    packed: bytes = hiredis.pack_command(words)  # type: ignore[arg-type]
    return packed

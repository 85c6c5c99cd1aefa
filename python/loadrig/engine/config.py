"""Parts of the generator's config as types: what a plan was compiled into, before it is JSON.

Standard dataclasses, as no first request waits for msgspec (decision 0030). What a recording keeps of it is a
`recording.config_document.ConfigDocument`, which tells the meaning of every field.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

Json = dict[str, Any]
"""Part that is only handed on, as the generator reads it."""


@dataclass(frozen=True, slots=True)
class FleetPart:
    """Part of one load that a generator of a fleet makes: number `index`, from 0, of `of` (decision 0054)."""

    index: int
    of: int


WHOLE = FleetPart(0, 1)
"""Part of the generator that is alone."""


@dataclass(frozen=True, slots=True)
class FileBody:
    """Body that was read from a file. base64: its content."""

    base64: str

    def plain(self) -> Json:
        """Return it as the generator reads it."""
        return {"base64": self.base64}

    @property
    def size(self) -> int:
        """Size of the content in bytes."""
        return len(self.base64) * 3 // 4 - self.base64.count("=")


@dataclass(frozen=True, slots=True)
class LeftOutBody:
    """Size that stands for a body from a file in what is written. bytes: size of the file."""

    bytes: int

    def plain(self) -> Json:
        """Return it as it is written."""
        return {"bytes": self.bytes}


@dataclass(frozen=True, slots=True, kw_only=True)
class CompiledRoute:
    """Request that is made again and again. headers, target and a body of text have holes.

    server: number of the server that it goes to, 0 for the target.
    """

    name: str
    route_class: Literal["service", "login"]
    server: int
    timeout_s: float | None
    protocol: Literal["http", "websocket", "grpc"]
    messages: Sequence[str] | None
    method: str
    target: str
    headers: Sequence[tuple[str, str]]
    body: str | FileBody | LeftOutBody | None
    expect: Json
    extract: Sequence[Json]
    think: Json | None
    redirects: int

    def plain(self) -> Json:
        """Return the route as the generator reads it."""
        fields = {name: getattr(self, name) for name in self.__slots__}
        if not isinstance(self.body, str | None):
            fields["body"] = self.body.plain()
        return {{"route_class": "class"}.get(name, name): value for name, value in fields.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class CompiledFeed:
    """Source of the values of a hole; one of values, counter and random is there, the others are None.

    row_of: feed whose row it is a column of. values: an object where only their number is written.
    per: how long a value holds; None for one request.
    """

    order: str
    name: str
    row_of: str | None = None
    values: Sequence[str] | Mapping[str, int] | None = None
    counter: int | None = None
    random: Sequence[int] | None = None
    per: str | None = None

    def plain(self) -> Json:
        """Return the feed as the generator reads it."""
        fields = {name: getattr(self, name) for name in self.__slots__}
        return {name: value for name, value in fields.items() if value is not None}

    @property
    def counted(self) -> "CompiledFeed":
        """The feed with the number of its values in place of these."""
        return self if self.values is None else replace(self, values={"count": len(self.values)})


@dataclass(frozen=True, slots=True, kw_only=True)
class CompiledConfig:
    """Config of the generator. withheld: texts that it must not repeat, None before secrets are filled in.

    part: the generator's part of a fleet's load; what is written of the whole load does not name it.
    """

    version: int = 1
    seed: int
    part: FleetPart = WHOLE
    threads: int
    cpus: Sequence[int]
    server: Json
    further_servers: Sequence[Json]
    source_addresses: Sequence[str]
    connections: Json
    arrivals: Json
    level_most: float | None
    stop: Json
    timeouts: Json
    frame_s: float
    gap_sample: int = 200
    cookies: bool
    cache: Json | None
    feeds: Sequence[CompiledFeed]
    routes: Sequence[CompiledRoute]
    scenarios: Sequence[Json]
    login: Json | None
    think: Json
    protos: str | None
    withheld: Sequence[str] | None = None

    def plain(self) -> Json:
        """Return the config as the generator reads it."""
        fields = {name: getattr(self, name) for name in self.__slots__}
        fields["feeds"] = [feed.plain() for feed in self.feeds]
        fields["routes"] = [route.plain() for route in self.routes]
        fields["part"] = None if self.part == WHOLE else asdict(self.part)
        if_there = {"part", "cache", "withheld"}
        return {name: value for name, value in fields.items() if name not in if_there or value is not None}

"""The Rust half of loadrig: the engine, and the histograms that it and Python share."""

from typing import Any, Self, final

__all__ = [
    "Histogram",
    "check_config",
    "compile_protos",
    "grpc_method",
    "render_requests",
    "serve",
    "serve_null",
]

def serve() -> int:
    """Runs one load over this process's standard streams, and returns its exit code.

    Reads lines of JSON from stdin: a config, then {"start_at_ns"} and perhaps {"stop"}; writes
    {"ready"} or {"refused"}, then {"frame"}s and {"end"} to stdout. Needs neither the
    interpreter nor its lock while it runs. Once a process. Interrupts (SIGINT) are ignored,
    SIGTERM ends it gracefully, the end of stdin at once.
    Returns 0 when the load is done, 1 when the config was refused, 70 after a fault of our own.
    """

def serve_null() -> None:
    """Answers every request on a free port of 127.0.0.1 with two bytes, until stdin is closed.

    Prints {"port": N} first. What a machine can do at most is measured against it.
    Raises OSError if it cannot listen.
    """

def check_config(json: str) -> str | None:
    """Compiles a generator's config without sending anything.

    json: an engine config (see loadrig.engine.compile). Returns None if it is right, else what
    is wrong with it as JSON: {"what", "where" (a JSON path), "mend", "code"}.
    """

def render_requests(json: str) -> list[tuple[str, bytes]]:
    """The bytes of the first request of each route, as (route, bytes), in the config's order.

    A hole that only an answer can fill shows its name in braces. Cookies are left out, as no
    answer has set any. The message of a gRPC route is shown as JSON. Raises ValueError with the
    JSON of check_config if the config is wrong.
    """

def compile_protos(files: list[str], includes: list[str]) -> bytes:
    """A serialised google.protobuf.FileDescriptorSet of `.proto` files and all that they import.

    includes: folders in which imports are looked for, in turn; each file must lie below one of
    them. Raises ValueError with "FILE:LINE:COL: what is wrong"; without line and column for a file
    that cannot be read.
    """

def grpc_method(descriptor_set: bytes, path: str) -> tuple[str, str]:
    """Full names of the message types that a unary method takes and answers.

    path: package.Service/Method. Raises ValueError that says what there is if there is no such
    service or method, and if it streams.
    """

def compile_protos(files: list[str], includes: list[str]) -> bytes:
    """A serialised google.protobuf.FileDescriptorSet of these files and all that they import.

    files: paths of .proto files, each below one of the folders of `includes`, where imports are
    looked for, too. Raises ValueError with file, line and reason if one of them is wrong or missing.
    """

def grpc_method(descriptor_set: bytes, path: str) -> tuple[str, str]:
    """Full names of the messages that a unary method takes and gives.

    descriptor_set: as compile_protos makes it. path: `package.Service/Method`. Raises ValueError
    if there is no such method, or if it streams.
    """

@final
class Histogram:
    """Counts of times in ns, from 1 ns to one hour, to three significant digits.

    The same buckets everywhere, so that adding up loses nothing. A value above an hour counts as
    one hour. An empty histogram has 0 for every figure. Unhashable, as it can change.
    Source: HdrHistogram, V2 encoding.
    """

    def __new__(cls) -> Self: ...
    @staticmethod
    def decode(text: str) -> Histogram:
        """The histogram of a text as in a line of an `.hlog` file.

        text: base64 of the V2 encoding, deflated or not at any precision. Other buckets than ours are
        recounted into ours, at the middle of each. Raises ValueError if it is no such text.
        """

    def encode(self) -> str:
        """The histogram as a line of an `.hlog` file carries it: V2, deflated, base64."""

    def add(self, other: Histogram) -> None:
        """Counts what the other one has counted, too."""

    def copy(self) -> Histogram:
        """Another histogram with the same counts."""

    def record(self, value_ns: int, count: int = 1) -> None:
        """Counts a value so many times. Raises OverflowError if either is negative."""

    @property
    def count(self) -> int:
        """How many values."""

    @property
    def min_ns(self) -> int:
        """The least value, to three digits downwards."""

    @property
    def max_ns(self) -> int:
        """The greatest value, to three digits upwards."""

    @property
    def mean_ns(self) -> float:
        """The mean, each value taken at the middle of its bucket."""

    @property
    def stdev_ns(self) -> float:
        """The standard deviation (of the values themselves, not of a sample of others)."""

    def quantile_ns(self, q: float) -> int:
        """The least value that a share q of all values does not exceed, to three digits upwards.

        Raises ValueError unless 0 <= q <= 1.
        """

    def count_between(self, low_ns: int, high_ns: int) -> int:
        """How many values lie from low to high, both included, to the width of a bucket."""

    def buckets(self, per_decade: int) -> list[tuple[float, float, int]]:
        """Counts between log-spaced edges, for a heatmap: (low_ns, high_ns, count), low included.

        per_decade: buckets for each factor of ten, at least 1. Only buckets with a count are
        given, in rising order; their counts add up to `count`.
        """

    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __reduce__(self) -> tuple[Any, tuple[str]]: ...

"""Work around a request that is not the request's own: which functions do it, by runtime.

A sample counts for a family where, from the innermost call outward, a function of that family comes before
the program's own code and before what sends to a connection. So a middleware that compresses does not count
for what it wraps, nor an encoder for the program's own methods that it calls.
"""

import re
from collections.abc import Mapping

from loadrig.profilers import Kept
from loadrig.profilers._origin import Own, origin_of
from loadrig.profilers._stacks import Frame

_OF_GO: Mapping[str, str] = {
    "compression": r"compress/|github\.com/klauspost/compress|github\.com/andybalholm/brotli",
    "serialisation": r"encoding/(?:json|xml|gob|asn1)|google\.golang\.org/protobuf|gopkg\.in/yaml"
    r"|github\.com/(?:json-iterator|goccy/go-json|bytedance/sonic|mailru/easyjson|vmihailenco/msgpack)",
    "TLS": r"crypto/tls",
    "logging": r"log\.|log/slog|go\.uber\.org/zap[./]|github\.com/(?:sirupsen/logrus|rs/zerolog)",
}
_OF_JVM: Mapping[str, str] = {
    "compression": r"java\.util\.zip\.|com\.aayushatharva\.brotli|com\.github\.luben\.zstd"
    r"|org\.apache\.coyote\.http11\.filters\.Gzip|io\.netty\.handler\.codec\.compression",
    "serialisation": r"com\.fasterxml\.jackson|com\.google\.(?:gson|protobuf)|com\.alibaba\.fastjson"
    r"|org\.json\.|jakarta\.(?:json|xml\.bind)|javax\.xml|org\.yaml|java\.io\.Object(?:In|Out)putStream"
    r"|io\.vertx\.core\.json",
    "TLS": r"sun\.security\.ssl|org\.conscrypt|io\.netty\.handler\.ssl"
    r"|org\.apache\.tomcat\.util\.net\.(?:openssl|Secure)",
    "logging": r"ch\.qos\.logback|org\.apache\.(?:logging|log4j|juli)|java\.util\.logging|org\.slf4j"
    r"|org\.apache\.catalina\.valves\.AbstractAccessLogValve",
}
_OF_PYTHON: Mapping[str, str] = {
    "compression": r"/(?:gzip|zlib|bz2|lzma|zipfile)\.py|/(?:brotli|zstandard|flask_compress|zlib_ng)\b",
    "serialisation": r"/json/(?:__init__|encoder|decoder|scanner|provider|tag)\.py|/pickle\.py|/xml/"
    r"|/(?:simplejson|orjson|ujson|msgpack|pydantic|pydantic_core|marshmallow|yaml)/|/google/protobuf/"
    r"|/rest_framework/(?:serializers|renderers|fields)\.py|/fastapi/encoders\.py",
    "TLS": r"/ssl\.py|/asyncio/sslproto\.py|/OpenSSL/",
    "logging": r"/logging/(?:__init__|handlers|config)\.py|/(?:loguru|structlog)/|/glogging\.py"
    r"|/uvicorn/logging\.py",
}
_OF_NODE: Mapping[str, str] = {
    "compression": r"node:zlib|/node_modules/(?:compression|pako|fflate)/",
    "serialisation": r"/node_modules/(?:fast-json-stringify|protobufjs|msgpackr|class-transformer)/",
    "TLS": r"node:_?tls|node:internal/tls|node:_tls_",
    "logging": r"node:internal/console|/node_modules/(?:pino|winston|morgan|bunyan|log4js|loglevel)/",
}
_OF_NATIVE: Mapping[str, str] = {
    "compression": r"\[?.*\b(?:libz|libbrotli\w*|libzstd|libdeflate)\b|(?:deflate"
    r"|inflate|longest_match|compress_block|ZSTD_|Brotli)",
    "serialisation": r"(?:orjson|ujson|rapidjson|simdjson|yyjson|nlohmann::|serde_json|google::protobuf)",
    "TLS": r"\[?.*\b(?:libssl|libgnutls|rustls)\b|(?:SSL_|tls_|ssl3_)",
    "logging": r"(?:spdlog|g_log|syslog|vsyslog|tracing_subscriber|env_logger)",
}

# Middlewares and filters call what they wrap: their frame says nothing of the work inside.
_WRAPS = re.compile(
    r"(?:^|\.)(?:__call__|dispatch|dispatch_request|invoke|doFilter\w*|ServeHTTP|handle|proceed|func\d+)$"
)


# An encoder that writes into a connection does not make the connection's work its own.
_SENDS = re.compile(
    r"net/http\.\(\*(?:response|chunkWriter|http2\w+)\)|net\.\(\*(?:conn|netFD)\)|internal/poll\."
    r"|sun\.nio\.ch\.|java\.net\.(?:Socket|Plain)|org\.apache\.tomcat\.util\.net\.Nio"
)


def family_of(frame: Frame, own: Own) -> str | None:
    """The family of one function; None of those that belong to none."""
    if _WRAPS.search(frame.function):
        return None
    if own.runtime == "go":
        return _first(_OF_GO, frame.function)
    if frame.module:
        return _first(_OF_NATIVE, frame.module) or _first(_OF_NATIVE, frame.function)
    if own.runtime == "jvm":
        return _first(_OF_JVM, frame.function)
    if own.runtime == "cpython":
        return _search(_OF_PYTHON, frame.file)
    if own.runtime == "node":
        return _search(_OF_NODE, frame.file)
    return _first(_OF_NATIVE, frame.function)


def shares(kept: Kept) -> dict[str, float]:
    """Share of a profile's time by family, 0…1, those that were not seen left out."""
    profile = kept.profile
    if profile is None or not profile.time_ns:
        return {}
    known: dict[Frame, str | None] = {}
    ends: dict[Frame, bool] = {}
    found: dict[str, int] = {}
    for stack, weight in profile.stacks.items():
        for frame in reversed(stack.frames):
            if frame not in known:
                known[frame] = family_of(frame, kept.own)
                is_own = origin_of(frame, kept.own) == "own"
                ends[frame] = known[frame] is None and (is_own or bool(_SENDS.match(frame.function)))
            family = known[frame]
            if family is not None:
                found[family] = found.get(family, 0) + weight.time_ns
            if family is not None or ends[frame]:
                break
    return {family: time_ns / profile.time_ns for family, time_ns in found.items()}


def family_of_python(frame: str) -> str | None:
    """The family of a function as the probe `python` names it: "JSONEncoder.encode (json/encoder.py:205)"."""
    place = frame.rpartition("(")[2].rpartition(":")[0]
    return _search(_OF_PYTHON, f"/{place}") if place else None


def _first(families: Mapping[str, str], text: str) -> str | None:
    return next((family for family, pattern in families.items() if re.match(pattern, text)), None)


def _search(families: Mapping[str, str], text: str) -> str | None:
    return next((family for family, pattern in families.items() if re.search(pattern, text)), None)

"""Lines of an access log, each read into the request that it tells of.

Sources: Apache HTTP Server, mod_log_config; nginx, ngx_http_log_module; Envoy, access logging, default
format; Caddy, log directive; Traefik, access logs.
"""

import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta, timezone
from functools import lru_cache
from typing import Any, NamedTuple
from urllib.parse import quote

LATEST = 1e20
"""Number above which a field is no time, whatever its unit: nanoseconds since 1970 reach it in 5138."""

MOST_TARGET = 8192
"""Characters of a path with its query at most. Servers take no longer ones by default."""

# Bounded everywhere: a line of a hostile client may have a million brackets.
_COMMON = re.compile(
    r'\S{1,300} .{0,300}?\[([^\]]{1,60})\] "((?:[^"\\]|\\.){0,16000})" (\d{3}) (?:\d+|-)(?=\s|$)'
)
_ENVOY = re.compile(r'\[(\d{4}-[^\]]{1,60})\] "([^"]{0,16000})" (\d{1,3}) (.*)')
_TOKEN = re.compile(r'"([^"]*)"|(\S+)')
_CLF_TIME = re.compile(r"(\d{1,2})/([A-Z][a-z]{2})/(\d{4}):(\d\d):(\d\d):(\d\d)(?:\.\d+)? ([+-])(\d\d)(\d\d)")
_MONTHS = {
    name: number
    for number, name in enumerate(
        ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"), start=1
    )
}
_ESCAPED = re.compile(r'\\x([0-9A-Fa-f]{2})|\\(["\\])')
_IN_A_TARGET = "%/:?@!$&'()*+,;=[]~"
_METHOD = re.compile(r"[A-Z]{3,20}")

_NAMES: Mapping[str, tuple[str, ...]] = {
    "request": ("request", "request_line"),
    "method": (
        "method", "request_method", "RequestMethod", "http_method", "verb", "requestMethod", ":method",
    ),
    "path": (
        "request_uri", "uri", "path", "url", "RequestPath", "request_path", "http_path", "requestUrl",
        "x-envoy-original-path", ":path",
    ),
    "query": ("args", "query_string", "query"),
    "status": (
        "status", "status_code", "statusCode", "DownstreamStatus", "response_status", "http_status",
        "response_code",
    ),
    "time": (
        "time_iso8601", "StartUTC", "start_time", "ts", "msec", "@timestamp", "timestamp", "time",
        "time_local", "StartLocal", "date", "datetime",
    ),
    "host": ("authority", "host", "http_host", "RequestHost", "server_name", "vhost", ":authority"),
    "received": ("bytes_received", "bytes_read", "RequestContentSize", "request_body_size"),
}  # fmt: skip


class LoggedRequest(NamedTuple):
    """A request of a log.

    target: path with its query, with nothing in it that a path may not hold; empty where there is none.
    status: 0 where none was sent. time_s: seconds since 1970, None where the log has none.
    host: the server's name as the client wrote it, empty where unknown. has_body: None where unknown.
    """

    method: str
    target: str
    status: int
    time_s: float | None
    host: str = ""
    has_body: bool | None = None


def logged(line: str) -> LoggedRequest | None:
    """Return the request of a line of any format that is read; None where it holds none."""
    if line.startswith("{"):
        return _of_json(line)
    if line.startswith("["):
        return _of_envoy(line)
    match = _COMMON.match(line)
    if match is None:
        return None
    method, target = _request(match[2])
    return LoggedRequest(method, target, int(match[3]), _time(match[1]))


def _of_envoy(line: str) -> LoggedRequest | None:
    match = _ENVOY.match(line)
    if match is None:
        return None
    method, target = _request(match[2])
    tokens = _TOKEN.findall(match[4])
    # Behind the flags stand the bytes received; Istio writes words between the two.
    place = next((n for n, (_, bare) in enumerate(tokens) if bare.isdecimal()), None)
    if place is None:
        return None
    quoted = [text for text, bare in tokens[place:] if not bare]
    host = quoted[3] if len(quoted) > 3 and quoted[3] != "-" else ""
    has_body = int(tokens[place][1]) > 0
    return LoggedRequest(method, target, int(match[3]), _time(match[1]), host, has_body)


def _of_json(line: str) -> LoggedRequest | None:
    try:
        fields = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(fields, dict):
        return None
    for name in ("request", "httpRequest"):
        inner = fields.get(name)
        if isinstance(inner, dict):  # Caddy: the request is an object of its own
            fields = {**inner, **{key: value for key, value in fields.items() if key != name}}
    status = str(_first(fields, "status"))
    if not re.fullmatch(r"\d{1,3}", status):
        return None
    whole = _first(fields, "request")
    if isinstance(whole, str):
        method, target = _request(whole)
    else:
        method, path = _first(fields, "method"), _first(fields, "path")
        if not isinstance(method, str) or not isinstance(path, str):
            return None
        query = _first(fields, "query")
        if isinstance(query, str) and "?" not in path and query not in ("-", ""):
            path = f"{path}?{query.removeprefix('?')}"
        method, target = _request(f"{method} {path}")
    host = _first(fields, "host")
    received = _first(fields, "received")
    has_body = received > 0 if isinstance(received, int | float) else None
    time_s = _json_time(_first(fields, "time"))
    return LoggedRequest(method, target, int(status), time_s, host if isinstance(host, str) else "", has_body)


def _first(fields: Mapping[str, Any], name: str) -> Any:
    return next((fields[key] for key in _NAMES[name] if fields.get(key) not in (None, "")), None)


def _request(text: str) -> tuple[str, str]:
    """Return the method and the target of a request line; each is empty where it is none."""
    method, _, rest = text.partition(" ")
    if not _METHOD.fullmatch(method):
        return "", ""
    target, space, protocol = rest.rpartition(" ")
    if not space or not protocol.startswith("HTTP/"):
        target = rest
    if target[:7].lower() in ("http://", "https:/"):
        target = "/" + target.partition("://")[2].partition("/")[2]
    target = target.partition("#")[0]
    if not target.startswith("/") or len(target) > MOST_TARGET:
        return method, ""
    if "\\" in target:
        target = _ESCAPED.sub(lambda match: f"%{match[1]}" if match[1] else match[2], target)
    return method, quote(target, safe=_IN_A_TARGET)


@lru_cache(maxsize=1024)
def _time(text: str) -> float | None:
    """Return the seconds since 1970 of an instant as Apache or ISO 8601 write it; None for all else."""
    match = _CLF_TIME.fullmatch(text)
    try:
        if match is None:
            instant = datetime.fromisoformat(text)
            return (instant if instant.tzinfo else instant.replace(tzinfo=UTC)).timestamp()
        day, month, year, hour, minute, second, sign, hours, minutes = match.groups()
        away = timedelta(hours=int(hours), minutes=int(minutes)) * (-1 if sign == "-" else 1)
        return datetime(
            int(year), _MONTHS[month], int(day), int(hour), int(minute), min(int(second), 59),
            tzinfo=timezone(away),
        ).timestamp()  # fmt: skip
    except (ValueError, KeyError, OverflowError):
        return None


_UNITS = ((1e17, 1e-9), (1e14, 1e-6), (1e11, 1e-3), (0.0, 1.0))
"""Least number of an instant of our time in ns, µs, ms and s since 1970, and that unit in seconds."""


def _json_time(value: Any) -> float | None:
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            return _time(value)
    if not isinstance(value, int | float) or not 0 <= value <= LATEST:
        return None
    return float(value) * next(unit for least, unit in _UNITS if value >= least)

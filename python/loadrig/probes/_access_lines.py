"""Lines of an access log: the formats that servers write by default, JSON, and a format that is given.

Sources: Apache HTTP Server, mod_log_config; Apache Tomcat, Access Log Valve; nginx, ngx_http_log_module;
gunicorn, settings, access_log_format.
"""

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, Literal

from loadrig.base.route_parts import route_part
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.probes_logs import ProbesAccessLogErrors

ERRORS = texts_of(ProbesAccessLogErrors)

TimeUnit = Literal["auto", "s", "ms", "us"]
SECONDS = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}

Entry = tuple[str, str, int, float | None, float | None]
"""An entry of an access log.

Request ("GET /a HTTP/1.1"), status, bytes of the answer, seconds in the server, and seconds in the
servers behind it; None where a time is not known.
"""

_STRING = r'"[^"\\]*(?:\\.[^"\\]*)*"'
# host ident user [date] "request" status bytes, then "referrer" "agent", then additions of the configuration.
_COMMON = re.compile(
    r'\S+ \S+ .*?\[[^\]]*\] "([^"\\]*(?:\\.[^"\\]*)*)" (\d{3}) (\d+|-)(?: '
    + _STRING
    + " "
    + _STRING
    + r")?(.*)"
)
_NGINX_TIMES = re.compile(r" (\d+\.\d+)(?: (\d+\.\d+|-))?")
_TOKEN = re.compile(_STRING + r"|\S+")
_LABELLED = re.compile(r"([a-z_]+)[=:]\"?([\d.]+|-)")


def lines_of(form: str, unit: TimeUnit) -> Callable[[str], Entry | None]:
    """Return a function that reads a line of a log: an entry, or None for a line that holds none.

    form: "auto", or a format in the notation of nginx, gunicorn, Apache or Tomcat. unit: of durations
    that are whole numbers without a name; "auto" leaves them out where the notation does not tell.
    Raises ValueError if the format has no status.
    """
    if form == "auto":
        return lambda line: _json(line) if line[:1] == "{" else _plain(line, unit)
    pattern, groups = _compiled(form, unit)
    return lambda line: _formed(line, pattern, groups)


def _plain(line: str, unit: TimeUnit) -> Entry | None:
    match = _COMMON.match(line)
    if match is None:
        return None
    request, status, size, rest = match.groups()
    spent, behind = _durations(rest, unit) if rest else (None, None)
    return request, status, 0 if size == "-" else int(size), spent, behind


def _durations(rest: str, unit: TimeUnit) -> tuple[float | None, float | None]:
    """Return the time in the server and the time in those behind it, in s; None where unknown.

    rest: what stands behind the agent: nginx's two times in s, a duration in `unit`, or names with values.
    """
    usual = _NGINX_TIMES.fullmatch(rest)
    if usual:
        return float(usual[1]), None if usual[2] in (None, "-") else float(usual[2])
    bare: list[float | None] = []
    times_by_name: dict[str, float] = {}
    for token in _TOKEN.findall(rest):
        labelled = _LABELLED.match(token)
        if labelled:
            if labelled[2] != "-":
                times_by_name[labelled[1]] = float(labelled[2])
        elif re.fullmatch(r"\d+\.\d+,?", token):
            bare.append(float(token.rstrip(",")))
        elif token.isdecimal() and unit != "auto":
            bare.append(int(token) * SECONDS[unit])
        elif token == "-" and bare:
            bare.append(None)
    spent = next((times_by_name[name] for name in ("rt", "request_time") if name in times_by_name), None)
    behind = next(
        (times_by_name[name] for name in ("urt", "upstream_response_time") if name in times_by_name), None
    )
    if spent is None and bare:
        # Where nginx asked several servers in turn, their times are a list.
        behind_s = [time_s for time_s in bare[1:] if time_s is not None]
        spent, behind = bare[0], sum(behind_s) if behind_s else None
    return spent, behind


_JSON_NAMES: Mapping[str, tuple[str, ...]] = {
    "request": ("request", "request_line"),
    "method": ("method", "request_method", "RequestMethod", "http_method", "verb"),
    "path": ("path", "uri", "request_uri", "url", "RequestPath", "request_path", "http_path"),
    "status": ("status", "status_code", "statusCode", "DownstreamStatus", "response_status", "http_status"),
    "size": (
        "body_bytes_sent", "bytes_sent", "bytes", "size", "response_size", "DownstreamContentSize",
        "responseSize", "content_length", "bytes_out",
    ),
}  # fmt: skip

# A duration is in seconds where its name has no unit; Traefik's names are in nanoseconds.
_JSON_TIMES: Mapping[str, float] = {
    "request_time": 1.0, "duration": 1.0, "latency": 1.0, "response_time": 1.0, "elapsed": 1.0,
    "duration_s": 1.0, "duration_ms": 1e-3, "latency_ms": 1e-3, "response_time_ms": 1e-3, "elapsed_ms": 1e-3,
    "responseTime": 1e-3, "elapsedTime": 1e-6, "duration_us": 1e-6, "latency_ns": 1e-9, "Duration": 1e-9,
}  # fmt: skip
_JSON_BEHIND: Mapping[str, float] = {
    "upstream_response_time": 1.0,
    "upstream_time": 1.0,
    "OriginDuration": 1e-9,
}


def _json(line: str) -> Entry | None:
    try:
        fields = json.loads(line)
    except ValueError:
        return None
    if not isinstance(fields, dict):
        return None
    inner = fields.get("request")
    if isinstance(inner, dict):  # Caddy: the request is an object of its own
        fields = {**inner, **{name: value for name, value in fields.items() if name != "request"}}
    status = str(_first(fields, _JSON_NAMES["status"]) or "")
    if not re.fullmatch(r"\d{3}", status):
        return None
    request = _first(fields, _JSON_NAMES["request"])
    if not isinstance(request, str):
        method, path = (_first(fields, _JSON_NAMES[name]) for name in ("method", "path"))
        request = f"{method or '?'} {path or '?'}"
    size = _number(_first(fields, _JSON_NAMES["size"]))
    return request, status, int(size or 0), _time(fields, _JSON_TIMES), _time(fields, _JSON_BEHIND)


def _first(fields: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    return next((fields[name] for name in names if fields.get(name) not in (None, "")), None)


def _number(value: object) -> float | None:
    try:
        return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return None


def _time(fields: Mapping[str, Any], names: Mapping[str, float]) -> float | None:
    for name, factor in names.items():
        value = _number(fields.get(name))
        if value is not None:
            return value * factor
    return None


_NGINX = {
    "request": "request", "request_method": "method", "request_uri": "path", "uri": "path",
    "status": "status", "body_bytes_sent": "size", "bytes_sent": "size",
    "request_time": "s", "upstream_response_time": "behind",
}  # fmt: skip
_APACHE = {
    "r": "request", "m": "method", "U": "path", "s": "status", ">s": "status", "b": "size", "B": "size",
    "O": "size", "T": "s", "D": "us", "{s}T": "s", "{ms}T": "ms", "{us}T": "us",
}  # fmt: skip
_GUNICORN = {
    "r": "request", "m": "method", "U": "path", "s": "status", "b": "size", "B": "size", "T": "s", "L": "s",
    "D": "us", "M": "ms",
}  # fmt: skip
_HOLE = re.compile(r"\$\{?(\w+)\}?|%\(([^)]*)\)s|%(\{[^}]*\}[a-zA-Z]|>?[a-zA-Z])")


def _compiled(form: str, unit: TimeUnit) -> tuple[re.Pattern[str], tuple[str, ...]]:
    text, groups, position = "", list[str](), 0
    for hole in _HOLE.finditer(form):
        text += re.escape(form[position : hole.start()])
        position = hole.end()
        nginx, gunicorn, apache = hole.groups()
        meaning = _NGINX.get(nginx) if nginx else _GUNICORN.get(gunicorn) if gunicorn else _APACHE.get(apache)
        if meaning == "us" and (gunicorn or apache) == "D" and unit != "auto":
            meaning = unit
        after = form[position : position + 1]
        # The dates of gunicorn, Apache and Tomcat come with brackets.
        value = r"\[[^\]]*\]" if "t" in (gunicorn, apache) else _value(after, meaning)
        if meaning is not None and meaning not in groups:
            groups.append(meaning)
            value = f"({value})"
        text += value
    if "status" not in groups:
        raise ValueError(ERRORS.no_status(repr(form)))
    return re.compile(text + re.escape(form[position:])), tuple(groups)


def _value(after: str, meaning: str | None) -> str:
    """Return the pattern of a value.

    after: the character behind the value; meaning: the group that it is for.
    """
    if meaning == "status":
        return r"\d{3}"
    if after == '"':
        return r'[^"\\]*(?:\\.[^"\\]*)*'
    if meaning == "behind":  # "0.001, 0.002"
        return r"-|[\d.]+(?:(?:, | : )(?:[\d.]+|-))*"
    return r"[^\]]*" if after == "]" else r"\S*?" if after and after != " " else r"\S*"


def _formed(line: str, pattern: re.Pattern[str], groups: tuple[str, ...]) -> Entry | None:
    match = pattern.match(line)
    if match is None:
        return None
    values = dict(zip(groups, match.groups(), strict=True))
    request = values.get("request") or f"{values.get('method', '?')} {values.get('path', '?')}"
    spent = next(
        (value * SECONDS[name] for name in SECONDS if (value := _number(values.get(name))) is not None), None
    )
    behind_s = [float(number) for number in re.findall(r"\d+\.\d+", values.get("behind", ""))]
    size = _number(values.get("size"))
    return request, values["status"], int(size or 0), spent, sum(behind_s) if behind_s else None


METHODS = frozenset(("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "CONNECT", "TRACE"))
MOST_PARTS = 6


def route(request: str) -> str:
    """Return a request as a route: its method and its path, without what tells items apart.

    "GET /users/4711/orders?x=1 HTTP/1.1" is "GET /users/*/orders". Numbers, UUIDs, and whatever is long
    or mixes letters with digits, as tokens do, become `*`; what stands behind the `?` is left out.
    """
    method, _, rest = request.partition(" ")
    path = rest.partition(" ")[0].partition("?")[0].partition("#")[0]
    if path[:4] == "http":
        path = "/" + path.partition("://")[2].partition("/")[2]
    if method not in METHODS or path[:1] not in ("/", "*"):
        return "?"
    parts = path[1:].split("/")
    shown = "/".join(["*" if part.isdecimal() else route_part(part) for part in parts[:MOST_PARTS]])
    return f"{method} /{shown}/…" if len(parts) > MOST_PARTS else f"{method} /{shown}"

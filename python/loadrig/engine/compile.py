"""A plan, a setting and an address become the generator's one JSON config.

Everything that a request carries is put here, so that `--dry` can show it: the generator adds
Content-Length, Cookie and, where users have caches, If-None-Match and If-Modified-Since, and nothing else.
"""

import base64
import csv
import json
import socket
from collections.abc import Mapping
from dataclasses import asdict, fields
from functools import partial
from pathlib import Path
from typing import Any, Literal
from urllib.parse import quote_plus

from loadrig import __version__
from loadrig.base import user_files
from loadrig.base.errors import PlanError
from loadrig.base.running import Address
from loadrig.base.user_files import MOST_LIST_BYTES, open_text, read_text
from loadrig.engine.config import (
    WHOLE,
    CompiledConfig,
    CompiledFeed,
    CompiledRoute,
    FileBody,
    FleetPart,
    Json,
)
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.engine import EngineCompileErrors
from loadrig.plan.arrivals import CONNECTIONS_SATURATE, Rate, Replay, Sessions, Users
from loadrig.plan.holes import holes_in, pieces, secrets_in
from loadrig.plan.model import Feed, Plan
from loadrig.plan.passages import (
    ComparedValue,
    Comparison,
    Condition,
    Conditions,
    Having,
    Passage,
    Repeat,
    When,
    passages,
)
from loadrig.plan.protos import compile_protos, messages_of
from loadrig.plan.replayed import read_replay, scenario_places
from loadrig.plan.requests import Extract, Login, Request, Think
from loadrig.plan.value_checks import ValueCheck, ValueComparison, ValuePlace

ERRORS = texts_of(EngineCompileErrors)

UNASKED = "127.0.0.1:1"
"""Address of a server in a config by which nobody is asked. On port 1 (tcpmux, RFC 1078) nothing listens."""

CONNECTIONS_OPEN = 1_000
"""Largest number of connections in an open model where the plan names no number. A server that answers in a
second at 1,000/s needs as many; more would make a stalled server drown in them."""


def compile_config(
    plan: Plan,
    address: Address,
    *,
    seed: int,
    cpus: tuple[int, ...],
    frame_s: float,
    level_most: float | None = None,
    part: FleetPart = WHOLE,
    resolves: bool = True,
) -> CompiledConfig:
    """Return the generator's config for one trial of this plan against a server that runs at `address`.

    level_most: highest level that the load may be set to while it runs, where it is above the plan's own.
    part: the generator's part of a fleet's load. resolves: False where nobody is asked: no name is looked up.
    """
    folder = Path(plan.path).parent if plan.path else Path()
    work = plan.workload
    protos = _protos(plan, folder)
    routes = compile_routes(plan, address, protos)
    login = _login(work.login, len(routes) - 1) if work.login else None
    return CompiledConfig(
        seed=seed,
        part=part,
        threads=plan.trial.threads,
        cpus=list(cpus),
        server=_server(plan, address, folder, resolves, plan.workload.tls.server_name),
        further_servers=[_server(plan, further, folder, resolves) for further in plan.servers.values()],
        source_addresses=list(work.connections.from_addresses),
        connections={
            "most": connections_most(plan, level_most),
            "keep_alive": work.connections.keep_alive,
            "protocol": {"1.1": "http1", "2": "http2"}[work.connections.http],
            "streams": work.connections.streams,
        },
        arrivals=_arrivals(plan, folder),
        level_most=level_most,
        stop={"after_s": longest_s(plan), "requests": work.requests_limit},
        timeouts={
            "request_s": work.timeout,
            "connect_s": work.connect_timeout,
            "drain_s": plan.trial.drain if plan.trial.drain is not None else work.timeout,
        },
        frame_s=frame_s,
        cookies=work.cookies,
        cache=asdict(work.cache) if work.cache else None,
        feeds=[part for name, feed in work.feeds.items() for part in read_feed(name, feed, folder)],
        routes=routes,
        scenarios=_scenarios(plan),
        login=login,
        think=_think(work.think),
        protos=base64.b64encode(protos).decode() if protos else None,
    )


def compile_routes(plan: Plan, address: Address, protos: bytes | None = None) -> list[CompiledRoute]:
    """Return the routes of a plan, the login's last.

    protos: serialised FileDescriptorSet of gRPC, where it is compiled already.
    """
    folder = Path(plan.path).parent if plan.path else Path()
    if protos is None:
        protos = _protos(plan, folder)
    steps = [step for scenario in plan.workload.scenarios for step in scenario.steps]
    routes = [_route(step, plan, address, folder, "service", protos) for step in steps]
    if plan.workload.login:
        routes.append(_route(plan.workload.login.request, plan, address, folder, "login", protos))
    return routes


def longest_s(plan: Plan) -> float:
    """Return when arrivals end at the latest, in seconds from the start."""
    own = plan.workload.arrivals.length_s
    if own is not None:
        return own
    return plan.trial.warm_up.at_most + plan.trial.measure.at_most


def connections_most(plan: Plan, level_most: float | None = None) -> int:
    """Return the largest number of connections.

    It is the plan's, else what its users need, else a number for open models. level_most: highest level that
    the load may be set to while it runs.
    """
    work = plan.workload
    if work.connections.most is not None:
        return work.connections.most
    if work.arrivals.has_users:
        users = max(level_most or 0.0, work.arrivals.most_identities)
        return max(1, int(users)) * work.connections_at_once
    if work.arrivals.is_unpaced:
        return CONNECTIONS_SATURATE * work.connections_at_once
    return CONNECTIONS_OPEN


def _arrivals(plan: Plan, folder: Path) -> Json:
    arrivals = plan.workload.arrivals
    loops = plan.workload.loops_per_user
    match arrivals:
        case Users():
            return {"users": {"line": arrivals.line, "loops": loops}}
        case Rate() if arrivals.is_unpaced:
            users = max(1, connections_most(plan) // plan.workload.connections_at_once)
            return {"users": {"line": [[0.0, float(users)]], "loops": None}}
        case Rate():
            return {
                "rate": {
                    "line": arrivals.line,
                    "spacing": arrivals.arrivals,
                    "identities": arrivals.identities,
                }
            }
        case Sessions():
            return {
                "sessions": {
                    "line": arrivals.line,
                    "spacing": arrivals.arrivals,
                    "loops": arrivals.requests,
                    "stay": arrivals.stay,
                }
            }
        case Replay():
            return {"replay": _replay(arrivals, plan, folder)}


def _replay(arrivals: Replay, plan: Plan, folder: Path) -> Json:
    replayed = read_replay(arrivals, folder)
    places = scenario_places(plan.workload.scenarios)
    dealt: Json = {"scenarios": [places[name] for name in replayed.scenarios]} if arrivals.is_table else {}
    return {"times_s": replayed.times_s, **dealt}


def _server(
    plan: Plan, address: Address, folder: Path, resolves: bool, server_name: str | None = None
) -> Json:
    """Return a server as the generator reaches it. server_name: asked for over TLS instead of the host."""
    tls = plan.workload.tls
    ca_pem = user_files.read_text(folder / tls.ca) if tls.ca else None
    return {
        "scheme": address.scheme,
        "host": address.host,
        "port": address.port,
        "addresses": [] if address.unix else _resolve(address) if resolves else [UNASKED],
        "host_header": _host_header(address),
        "unix": address.unix,
        "tls": {
            "server_name": server_name or address.host,
            "insecure": tls.insecure,
            "ca_pem": ca_pem,
        }
        if address.scheme == "https"
        else None,
    }


def _host_header(address: Address) -> str:
    default_port = {"http": 80, "https": 443}[address.scheme]
    host = f"[{address.host}]" if ":" in address.host else address.host
    return host if address.port == default_port else f"{host}:{address.port}"


def _resolve(address: Address) -> list[str]:
    """Return the addresses of the host, "ip:port".

    IPv4 comes first where the host has both, as servers listen there.
    """
    try:
        # As bytes: Python imports its tables of international names for every text, an IP address too.
        host = address.host.encode() if address.host.isascii() else address.host
        infos = socket.getaddrinfo(host, address.port, type=socket.SOCK_STREAM)
    except OSError as error:
        wording = ERRORS.host_without_address(address.host, str(error))
        raise PlanError.of(wording, code="engine.host-unknown") from error
    numbers = dict.fromkeys((family, info[0]) for family, _, _, _, info in infos)
    v4 = [f"{ip}:{address.port}" for family, ip in numbers if family == socket.AF_INET]
    v6 = [f"[{ip}]:{address.port}" for family, ip in numbers if family == socket.AF_INET6]
    return v4 or v6


def _protos(plan: Plan, folder: Path) -> bytes | None:
    """Return the serialised FileDescriptorSet of a plan with grpc routes; None for a plan without."""
    if not any(request.protocol == "grpc" for request in plan.workload.requests):
        return None
    return compile_protos(folder, plan.workload.protos)


def _route(
    request: Request,
    plan: Plan,
    address: Address,
    folder: Path,
    route_class: Literal["service", "login"],
    protos: bytes | None,
) -> CompiledRoute:
    body, content_type = _body(request, folder)
    server = [None, *plan.servers].index(request.server)
    host = _host_header([address, *plan.servers.values()][server])
    first, last = _own_headers(request, plan, host, content_type)
    expect = request.expect
    return CompiledRoute(
        name=request.name,
        route_class=route_class,
        server=server,
        timeout_s=request.timeout,
        protocol=request.protocol,
        messages=messages_of(protos, request.path) if protos and request.protocol == "grpc" else None,
        method=request.method.upper(),
        target=f"/{request.path}" if request.protocol == "grpc" else request.path,
        headers=_merged(first, _general(plan, request, route_class), request.headers, last),
        body=body,
        expect={
            "status": list(expect.status),
            "contains": list(expect.contains),
            "matches": list(expect.matches),
            "json": [[where, value] for where, value in expect.json.items()],
            **({"values": [_value_check(check) for check in expect.values]} if expect.values else {}),
            "size_min": expect.size_min,
            "size_max": expect.size_max,
            "time_s": expect.time,
        },
        extract=[{"into": name, **_extract(extract)} for name, extract in request.extract.items()],
        think=_think(request.think) if request.think else None,
        redirects=request.follow_redirects,
    )


def _own_headers(
    request: Request, plan: Plan, host: str, content_type: str | None
) -> tuple[dict[str, str], dict[str, str]]:
    """Return the rig's own headers: those that a plan may replace, and those that it may not.

    The generator adds the headers of an upgrade to WebSocket, as its key is a new one each time.
    """
    first = {"Host": host, "User-Agent": f"loadrig/{__version__}"}
    match request.protocol:
        case "websocket":
            # Nothing follows an upgrade that has a type, but by it the generator knows that the
            # values of holes go into JSON.
            return first | ({"Content-Type": content_type} if content_type else {}), {}
        case "grpc":
            return first, {"Content-Type": "application/grpc", "TE": "trailers"}
        case "http":
            first |= {"Accept": "*/*", "Accept-Encoding": "gzip"}
            if content_type:
                first["Content-Type"] = content_type
            # HTTP/2 has no such header: RFC 9113, section 8.2.2.
            if not plan.workload.connections.keep_alive and plan.workload.connections.http == "1.1":
                first["Connection"] = "close"
            return first, {}


def _general(plan: Plan, request: Request, route_class: str) -> Mapping[str, str]:
    """Return the headers of every request that this one has, too.

    A login goes without headers that need a value of its own answer. A Host for all is that of the target.
    """
    work = plan.workload
    extracts = set(work.login.request.extract) if route_class == "login" and work.login else set()
    return {
        name: value
        for name, value in work.headers.items()
        if not extracts & set(holes_in(value)) and not (request.server and name.lower() == "host")
    }


def _merged(*layers: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return the headers of all layers, a later one in place of an earlier one of the same name."""
    merged: dict[str, tuple[str, str]] = {}
    for layer in layers:
        for name, value in layer.items():
            merged[name.lower()] = name, value
    return list(merged.values())


def _body(request: Request, folder: Path) -> tuple[str | FileBody | None, str | None]:
    """Return the body as the generator takes it, and the content type that goes with it.

    A grpc request without a message sends an empty one.
    """
    if request.protocol == "grpc" and request.json is None:
        return _json_template({}), None
    if request.json is not None:
        return _json_template(request.json), "application/json"
    if request.form:
        pairs = "&".join(
            f"{_form_literal(name)}={_form_literal(value)}" for name, value in request.form.items()
        )
        return pairs, "application/x-www-form-urlencoded"
    if request.body_file is not None:
        content = user_files.read_bytes(folder / request.body_file, user_files.MOST_BODY_BYTES)
        return FileBody(base64.b64encode(content).decode()), None
    return request.body, None


def _json_template(value: Any) -> str:
    """Return JSON text in which only the texts keep their holes; JSON's own braces are doubled."""
    match value:
        case Mapping():
            inner = ", ".join(
                f"{_json_template(str(key))}: {_json_template(item)}" for key, item in value.items()
            )
            return "{{" + inner + "}}"
        case list() | tuple():
            return "[" + ", ".join(_json_template(item) for item in value) + "]"
        case _:
            return json.dumps(value, ensure_ascii=False)


def _form_literal(text: str) -> str:
    """Return a form part with its literal text encoded.

    Holes are left for the generator to fill and encode.
    """
    return "".join(
        part if is_hole and list(secrets_in(part)) else quote_plus(part, safe="{}._")
        for part, is_hole in pieces(text)
    )


def _extract(extract: Extract) -> Json:
    return {kind: value for kind, value in asdict(extract).items() if value not in (None, False)}


def _login(login: Login, route: int) -> Json:
    return {
        "route": route,
        "lasts_s": login.lasts,
        "lasts_from": _extract(login.lasts_from) if login.lasts_from else None,
        "again_on": list(login.again_on),
        "jitter": login.jitter,
    }


def _scenarios(plan: Plan) -> list[Json]:
    scenarios, first = [], 0
    for scenario in plan.workload.scenarios:
        steps = list(range(first, first + len(scenario.steps)))
        more: Json = {"beside": scenario.beside} if scenario.beside else {}
        if decided := [_passage(passage) for passage in passages(scenario.steps)]:
            more["passages"] = decided
        scenarios.append({"name": scenario.name, "weight": scenario.weight, "steps": steps, **more})
        first += len(steps)
    return scenarios


def _passage(passage: Passage) -> Json:
    rule = passage.rule
    compiled: Json = {"first": passage.first, "last": passage.last}
    if passage.may_be_left_out:
        compiled["enter"] = _condition(rule.holds if isinstance(rule, When) else rule.going)
    if isinstance(rule, Repeat):
        when = _condition(rule.going) if rule.going else _condition(rule.until, holds=False)
        compiled["again"] = {"when": when, "most": rule.at_most}
    return compiled


def _condition(conditions: Conditions, *, holds: bool = True) -> Json:
    """Return a condition as the generator takes it. holds: False where not all of them may hold."""
    return {"terms": [_clause(condition) for condition in conditions], "holds": holds}


def _clause(condition: Condition) -> Json:
    term, *others = [_term(part) for part in condition.comparisons]
    return {**term, "alternatives": others} if others else term


_HAVING: Mapping[Having, str] = {"is_set": "value", "is_true": "truth", "is_null": "null"}
"""Words of the generator for what a variable has."""


def _term(part: Comparison) -> Json:
    if part.latest is not None:
        return {"equal": part.latest == "ok"}
    return {"variable": part.variable, **_compared(part)}


def _compared(part: ComparedValue) -> Json:
    if (having := part.having) is not None:
        key, is_so = having
        return {"has": _HAVING[key], "equal": is_so}
    if (number := part.number) is not None:
        return {"order": number[0], "value": repr(number[1])}
    text = part.equal if part.equal is not None else part.other
    return {"value": text, "equal": part.equal is not None}


def _value_check(check: ValueCheck) -> Json:
    compiled, *others = [_value_comparison(part) for part in check.comparisons]
    more = {"name": check.name, "alternatives": others}
    return {**compiled, **{key: value for key, value in more.items() if value}}


def _value_comparison(part: ValueComparison) -> Json:
    place = {key.name: value for key in fields(ValuePlace) if (value := getattr(part, key.name)) is not None}
    rule = _compared(part) if part.pattern is None else {"matches": part.pattern}
    return {"at": place, **rule}


def _think(think: Think) -> Json:
    if think.uniform:
        return {"uniform": list(think.uniform)}
    if think.exponential is not None:
        return {"exponential": think.exponential}
    return {"constant": think.constant or 0.0}


def read_feed(name: str, feed: Feed, folder: Path) -> list[CompiledFeed]:
    """Return the generator's feeds of one feed of the plan: several where a CSV file gives a row at once.

    folder: folder that relative paths are relative to. The plan's checks have seen that the files exist and
    have the columns; OSError means that they went away since.
    """
    per = None if feed.per == "request" else feed.per
    compiled = partial(CompiledFeed, order=feed.order, per=per)
    if feed.csv is not None:
        with open_text(folder / feed.csv, MOST_LIST_BYTES, "utf-8-sig", newline="") as file:
            reader = csv.DictReader(file)
            if feed.column is not None:
                return [compiled(name=name, values=[row[feed.column] for row in reader])]
            rows = list(reader)
        columns = list(rows[0]) if rows else []
        return [
            compiled(name=f"{name}.{column}", row_of=name, values=[row[column] for row in rows])
            for column in columns
        ]
    if feed.lines is not None:
        text = read_text(folder / feed.lines, MOST_LIST_BYTES)
        return [compiled(name=name, values=[line for line in text.splitlines() if line])]
    if feed.counter is not None:
        return [compiled(name=name, counter=feed.counter)]
    if feed.random:
        return [compiled(name=name, random=feed.random)]
    return [compiled(name=name, values=feed.values)]

"""The generator's config in its three forms: as compiled, with holes for secrets; as sent; as shown.

The true values are sent to the generator over its standard input, in the moment in which it begins. What is
kept of the config in the trial's folder has the holes, and leaves out what was read from files.
"""

import json
import re
from dataclasses import replace
from functools import partial
from typing import Any
from urllib.parse import quote, quote_plus

from loadrig.base.errors import PlanError
from loadrig.base.running import Address
from loadrig.engine.compile import compile_routes
from loadrig.engine.config import CompiledConfig, CompiledRoute, FileBody, LeftOutBody
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.engine import EngineSecretsErrors
from loadrig.plan.holes import literal, pieces, secrets_in, with_secrets
from loadrig.plan.literals import Literals
from loadrig.plan.model import Plan
from loadrig.plan.secrets import filler, revealed, with_literals, withheld

ERRORS = texts_of(EngineSecretsErrors)

_NUMBER = re.compile(r'"\{(masked:[^{}]+)\}"')
"""Pattern of a value of a JSON body that is one hole for what a person wrote, from end to end."""

_IN_A_PATH = "".join(chr(code) for code in range(33, 127) if chr(code) not in '#"<>')
"""Characters that a whole path may hold unencoded: all that the generator leaves as they are."""


def filled(config: CompiledConfig, plan: Plan, address: Address) -> CompiledConfig:
    """Return the config with the true values in it. Raises PlanError where a value cannot be had.

    config: made by compile_config for this plan and address.
    """
    fill = filler(plan)
    written = replace(plan, workload=with_literals(plan.workload, plan.literals))
    # A route without a name of its own is named by its path, and names are written everywhere.
    routes = [
        replace(_told_route(route, fill), name=before.name)
        for route, before in zip(compile_routes(written, address), config.routes, strict=True)
    ]
    texts = {
        name: [str(revealed(value, plan)) for value in feed.values]
        for name, feed in plan.workload.feeds.items()
        if feed.values
    }
    feeds = [replace(feed, values=texts[feed.name]) if feed.name in texts else feed for feed in config.feeds]
    return replace(config, routes=routes, feeds=feeds, withheld=withheld())


def as_written(config: CompiledConfig) -> CompiledConfig:
    """Return the config as it may be written: holes as they are; of feeds and files only their size."""
    routes = [
        replace(route, body=LeftOutBody(route.body.size)) if isinstance(route.body, FileBody) else route
        for route in config.routes
    ]
    return replace(config, routes=routes, feeds=[feed.counted for feed in config.feeds])


def shown(config: CompiledConfig, literals: Literals) -> CompiledConfig:
    """Return a config in which the generator shows the holes for secrets as they are written."""

    def as_text(text: str) -> str:
        return with_secrets(text, lambda hole: f"{{{{{hole}}}}}")

    def as_path(target: str) -> str:
        # A hole for a whole path: the path that it stands for begins with a slash.
        return f"/{target}" if target.startswith("{{") else target

    def body_of(route: CompiledRoute) -> str | FileBody | LeftOutBody | None:
        body = route.body
        if not isinstance(body, str):
            return body
        if route.protocol == "grpc":
            # A message has no room for a hole where its type asks for a number.
            body = _NUMBER.sub(lambda at: at[0] if isinstance(literals.get(at[1]), str) else "0", body)
        return as_text(body)

    routes = [
        replace(
            route,
            target=as_path(as_text(route.target)),
            headers=[(name, as_text(value)) for name, value in route.headers],
            body=body_of(route),
        )
        for route in config.routes
    ]
    return replace(config, routes=routes)


def _told_route(route: CompiledRoute, fill: Any) -> CompiledRoute:
    target = route.target
    begins, is_hole = next(pieces(target), ("", False))
    first = iter([is_hole and any(secrets_in(begins))])

    def in_target(hole: str) -> str:
        return _as_path(fill(hole)) if next(first, False) else quote(fill(hole), safe="-._~")

    def in_header(name: str, hole: str) -> str:
        return _in_header(name, hole, fill(hole))

    headers = [(name, with_secrets(value, partial(in_header, name))) for name, value in route.headers]
    types = [value for name, value in headers if name.lower() == "content-type"]
    encode = _encoder(route, types[0] if types else "")
    body = route.body
    if isinstance(body, str):
        body = with_secrets(body, lambda hole: literal(encode(fill(hole))))
    return replace(route, target=with_secrets(target, in_target), headers=headers, body=body)


def _as_path(value: str) -> str:
    """Return a value that is a whole path, perhaps with a query, encoded."""
    return literal(quote(value if value.startswith("/") else f"/{value}", safe=_IN_A_PATH))


def _in_header(name: str, hole: str, value: str) -> str:
    if any(ord(letter) < 32 and letter != "\t" for letter in value) or "\x7f" in value:
        raise PlanError.of(ERRORS.control_character(hole, name), code="plan.secret")
    return literal(value)


def _encoder(route: CompiledRoute, content_type: str) -> Any:
    """Return the function that writes a value in a body of this type.

    It writes values as the generator does with those of feeds.
    """
    essence = content_type.partition(";")[0].strip().lower()
    if route.protocol == "grpc" or essence.endswith(("/json", "+json")):
        return lambda value: json.dumps(value, ensure_ascii=False)[1:-1]
    if essence == "application/x-www-form-urlencoded":
        return lambda value: quote_plus(value, safe="*").replace("~", "%7E")
    return lambda value: value

"""Targets of vegeta: what `vegeta attack -targets` takes.

## What is read

The format `http` (a request line with a whole URL, headers, `@` and a body's file) and the format `json`, one
object a line.
Files of bodies are read where they lie in the folder of the targets or below.

## What is carried

Method, URL, headers and body of each target; how often each stands there, as its weight.
Targets that differ only in numbers and other items of their path or in the values of their query are one
route with holes, fed in the order of the targets.
Redirects are followed, up to 10, as vegeta does.
Requests to other servers than the one that most go to name theirs, which stands under `servers`.

## What is altered

Routes are picked by weight, and not in turn.
The rate stands on vegeta's command line; that of the plan is vegeta's own default, 50/s.
A login in the URL is a header.
`X-Vegeta-Seq`, by which vegeta numbers its requests, is not sent.

## What is dropped

Targets whose body cannot be read.
More than 100,000 targets, and more than 500 different ones.

Source: `lib/targets.go` of tsenart/vegeta.
"""

import base64
import binascii
import json
import re
from collections.abc import Iterator

from loadrig.base.units import PerSecond
from loadrig.converters._account import LineAccount
from loadrig.converters._draft import Conversion, PlanDraft
from loadrig.converters._listed import ListedRequest, body_beside, bounded, weighted
from loadrig.converters._read import plain_stem
from loadrig.converters._source import TestSource
from loadrig.language.choice import texts_of
from loadrig.language.en.converters.vegeta import ConvertersVegetaTexts
from loadrig.plan.arrivals import Rate

TEXTS = texts_of(ConvertersVegetaTexts)

TOOL = "vegeta"
FILES = TEXTS.files

DEFAULT_PER_S = 50.0
"""Requests a second of vegeta where its command line says nothing."""

MOST_REDIRECTS = 10
"""Redirects that vegeta follows at most where its command line says nothing."""

_REQUEST = re.compile(r"([A-Z]{3,20}) (\S.*)")
_JSON_HEAD = re.compile(r'\s*\{\s*"(?:method|url|header|body)"\s*:')


def recognises(head: bytes, name: str) -> bool:
    """Return whether the first line is a request line with a URL, or an object with a method and a URL."""
    del name
    lines = (line.strip() for line in head.decode("utf-8", "replace").splitlines())
    first = next((line for line in lines if line and not line.startswith("#")), "")
    if not first.startswith("{"):
        match = _REQUEST.fullmatch(first)
        return match is not None and match[2].lower().startswith(("http://", "https://"))
    try:
        target = json.loads(first)
    except (ValueError, RecursionError):
        return _JSON_HEAD.match(first) is not None and '"method"' in first and '"url"' in first
    return target.keys() >= {"method", "url"} and not target.keys() & {"code", "status", "latency"}


def convert(source: TestSource) -> Conversion:
    """Return the plan of targets. Raise PlanError `import.bad-test`, `import.cannot-read`."""
    account = LineAccount()
    requests = bounded(_targets(source, account), account)
    stem = plain_stem(source.path)
    parts = weighted(requests, account, stem, MOST_REDIRECTS)
    account.alter_whole(TEXTS.rate, TEXTS.rate_of_command)
    plan = PlanDraft(
        **parts.servers.parts(),
        arrivals=Rate(per_second=PerSecond(DEFAULT_PER_S), arrivals="constant"),
        scenarios=parts.scenarios,
        feeds=parts.feeds.drafts,
        files=parts.files,
        cookies=False,
    )
    return Conversion(plan, account.parts.dropped, account.parts.altered, account.parts.carried)


def _targets(source: TestSource, account: LineAccount) -> Iterator[ListedRequest]:
    lines = source.lines()
    first = next((line for line in lines if line.strip()), "")
    lines.close()
    yield from (_json if first.lstrip().startswith("{") else _http)(source, account)


def _json(source: TestSource, account: LineAccount) -> Iterator[ListedRequest]:
    del account
    for line in source.lines():
        if not line.strip():
            continue
        try:
            target = json.loads(line)
            method, url = target["method"], target["url"]
            body = base64.b64decode(target.get("body") or "", validate=True)
            headers = tuple(
                (name, value) for name, values in (target.get("header") or {}).items() for value in values
            )
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError, binascii.Error) as error:
            raise source.bad(TEXTS.no_target, TEXTS.mend_target, text=line) from error
        texts = (method, url, *(text for header in headers for text in header))
        if not all(isinstance(text, str) for text in texts):
            raise source.bad(TEXTS.no_target, TEXTS.mend_target, text=line)
        yield ListedRequest(source.line, method, url, headers, body)


def _http(source: TestSource, account: LineAccount) -> Iterator[ListedRequest]:
    """Yield the targets of the format http: each ends at an empty line, its body or the next request line."""
    target: ListedRequest | None = None
    headers: list[tuple[str, str]] = []
    body: bytes | None = b""
    for line in source.lines():
        text = line.strip()
        if text.startswith("#"):
            continue
        match = _REQUEST.fullmatch(text)
        if not text or match is not None:
            yield from _whole(target, headers, body)
            target, headers, body = None, [], b""
            if match is not None:
                target = ListedRequest(source.line, match[1], match[2])
        elif target is None:
            raise source.bad(TEXTS.no_target, TEXTS.mend_target, text=text)
        elif text.startswith("@"):
            body = body_beside(source, text[1:])
            if body is None:
                account.drop(source.line, f"{target.method} {text[:100]}", TEXTS.no_body_file)
        else:
            name, colon, value = text.partition(":")
            if not colon or not name.strip() or not value.strip():
                raise source.bad(TEXTS.no_header_line, TEXTS.mend_target, text=text)
            headers.append((name.strip(), value.strip()))
    yield from _whole(target, headers, body)


def _whole(
    target: ListedRequest | None, headers: list[tuple[str, str]], body: bytes | None
) -> Iterator[ListedRequest]:
    if target is not None and body is not None:
        yield ListedRequest(target.line, target.method, target.url, tuple(headers), body)

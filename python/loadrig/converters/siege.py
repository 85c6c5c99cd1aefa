"""Lists of URLs for siege: urls.txt.

## What is read

A URL a line, with `POST` or `PUT` and its data or `<FILE` behind it, variables (`HOST = shop.example`,
`$(HOST)`, `${HOST}`), and comments.
A line without `http://` in a file whose name ends as urls.txt is one of http.
Files of bodies are read where they lie in the folder of the list or below.

## What is carried

The requests in their order, which every user makes again and again; of more than 200 each is picked by how
often it stands in the list, and those that differ in items of their path or in values alone are one route.
Data are sent as a form, files by the type of their ending.
Redirects are followed, up to 10.
Requests to other servers than the one that most go to name theirs, which stands under `servers`.

## What is altered

Users, pauses and headers stand on siege's command line and in its configuration; there are as many users as
in siege's own, 25, without pauses.

## What is dropped

Requests with variables that nothing sets, and those whose file cannot be read.

Source: `src/url.c` and `doc/urls_txt` of JoeDog/siege.
"""

import mimetypes
import re
from collections.abc import Iterator

from loadrig.base.units import Count
from loadrig.converters._account import LineAccount
from loadrig.converters._draft import Conversion, PlanDraft
from loadrig.converters._listed import ListedRequest, body_beside, bounded, in_order, weighted
from loadrig.converters._read import plain_stem
from loadrig.converters._source import HEAD_BYTES, TestSource
from loadrig.language.choice import texts_of
from loadrig.language.en.converters.siege import ConvertersSiegeTexts
from loadrig.plan.arrivals import Users

TEXTS = texts_of(ConvertersSiegeTexts)

TOOL = "siege"
FILES = TEXTS.files

DEFAULT_USERS = 25
"""Users of siege where its command line says nothing."""

MOST_STEPS = 200
"""Requests that are steps of one sequence, at most: a longer one is no longer read by anybody."""

MOST_REDIRECTS = 10
"""Redirects that are followed; siege has no limit."""

MOST_VARIABLES = 1000
"""Variables of a list at most."""

_FORM = "application/x-www-form-urlencoded"
_ASSIGNED = re.compile(r"([A-Za-z_]\w*)\s*=\s*(.*)")
_VARIABLE = re.compile(r"\$\((\w+)\)|\$\{(\w+)\}")
_URL = re.compile(r"(?:https?://\S+|\$[({]\w+[)}]\S*)(?: (?:POST|PUT)\b.*)?", re.IGNORECASE)
_NAMED = re.compile(r"urls?\.txt(\.gz)?$", re.IGNORECASE)
_WITH_DATA = re.compile(r"(\S+)\s+(POST|PUT)\b\s*(.*)")


def recognises(head: bytes, name: str) -> bool:
    """Return whether all first lines are URLs or variables; in a urls.txt also those without a scheme."""
    lines = head.decode("utf-8", "replace").splitlines()
    if len(head) >= HEAD_BYTES:
        lines.pop()
    stripped = [line.strip().strip("\"'") for line in lines]
    filled = [line for line in stripped if line and not line.startswith("#")]
    urls = [line for line in filled if _ASSIGNED.fullmatch(line) is None]
    if _NAMED.search(name):
        return bool(urls) and all(re.match(r"[\w$({][\w.$(){}/:-]*(?:[/?.)}]|$)", line) for line in urls)
    return bool(urls) and all(_URL.fullmatch(line) for line in urls)


def convert(source: TestSource) -> Conversion:
    """Return the plan of a list. Raise PlanError `import.bad-test`, `import.cannot-read`."""
    account = LineAccount()
    requests = bounded(_requests(source, account), account)
    make = in_order if len(requests) <= MOST_STEPS else weighted
    parts = make(requests, account, plain_stem(source.path), MOST_REDIRECTS)
    account.alter_whole(TEXTS.users, TEXTS.users_of_command(DEFAULT_USERS))
    plan = PlanDraft(
        **parts.servers.parts(),
        arrivals=Users(count=Count(DEFAULT_USERS)),
        scenarios=parts.scenarios,
        feeds=parts.feeds.drafts,
        files=parts.files,
    )
    return Conversion(plan, account.parts.dropped, account.parts.altered, account.parts.carried)


def _requests(source: TestSource, account: LineAccount) -> Iterator[ListedRequest]:
    variables: dict[str, str] = {}
    for line in source.lines():
        text = line.strip()
        if not text or text.startswith("#"):
            continue
        assigned = _ASSIGNED.fullmatch(text)
        if assigned is not None:
            if len(variables) < MOST_VARIABLES:
                variables[assigned[1]] = _filled(assigned[2].strip(), variables)
            continue
        missing = [name for name in _names(text) if name not in variables]
        if missing:
            account.drop(source.line, text[:100], TEXTS.no_variable(missing[0][:40]))
            continue
        request = _request(source, _filled(text, variables), account)
        if request is not None:
            yield request


def _names(text: str) -> list[str]:
    return [bare or braced for bare, braced in _VARIABLE.findall(text)]


def _filled(text: str, variables: dict[str, str]) -> str:
    filled = _VARIABLE.sub(lambda match: variables.get(match[1] or match[2], match[0]), text)
    # Variables of variables would double at each line.
    return filled[:8192] if len(filled) > max(8192, len(text)) else filled


def _request(source: TestSource, text: str, account: LineAccount) -> ListedRequest | None:
    if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'":
        text = text[1:-1]
    match = _WITH_DATA.fullmatch(text)
    url, method, data = match.groups() if match is not None else (text, "GET", "")
    if not re.match(r"[A-Za-z][A-Za-z0-9+.-]*://", url):
        url = f"http://{url}"
    if method == "GET":
        return ListedRequest(source.line, method, url)
    if not data.startswith("<"):
        return ListedRequest(source.line, method, url, (("Content-Type", _FORM),), data.encode())
    name = data[1:].strip()
    body = body_beside(source, name)
    if body is None:
        account.drop(source.line, f"{method} {name[:100]}", TEXTS.no_body_file)
        return None
    kind = mimetypes.guess_type(name, strict=True)[0] or _FORM
    return ListedRequest(source.line, method, url, (("Content-Type", kind),), body)

"""A plan from the flags of a quick command, as the text that a person would have written.

Each line says in a comment which flag it came from. `read_quick` reads these comments, so that a
problem is told of the flag that was typed and not of a line that nobody wrote.
"""

import re
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

from loadrig.base.errors import PlanError, Problem, Span
from loadrig.plan.holes import literal
from loadrig.plan.load import plan_of
from loadrig.plan.model import Plan
from loadrig.plan.node import Entries, Entry, Items, Node, Scalar
from loadrig.plan.syntax import parse
from loadrig.plan.written import METHODS

USERS = "10"
DURATION = "10s"

_FLAG = re.compile(r"  # (URL|--[a-z][a-z-]*)$")
_PLAIN = re.compile(r"[0-9A-Za-z][0-9A-Za-z_./%]*", re.ASCII)
_KEY = re.compile(r"[A-Za-z][A-Za-z0-9-]*", re.ASCII)
_UNSAFE_IN_A_PATH = re.compile(r"[^!-~]")
_HEADER = re.compile(r"\s*([^:\s][^:]*?)\s*:\s*(.*?)\s*", re.DOTALL)


def quick_plan(
    url: str,
    *,
    connections: str | None = None,
    duration: str | None = None,
    requests: str | None = None,
    rate: str | None = None,
    headers: tuple[str, ...] = (),
    method: str | None = None,
    body: str | None = None,
    insecure: bool = False,
    keep_alive: bool = True,
    http2: bool = False,
    streams: str | None = None,
    timeout: str | None = None,
    goals: tuple[str, ...] = (),
    allow: tuple[str, ...] = (),
) -> str:
    """The text of a plan that does what the flags of `loadrig attack` say; all as they were typed.

    Without a rate, `connections` users without a pause; with one, that many connections at most.
    Raises PlanError for what cannot be written down at all: a URL without a host, a header without
    a colon, a method that does not exist. All else is checked when the text is read.
    """
    problems: list[Problem] = []
    origin, path = _split(url, problems)
    lines = ["loadrig: 1", f"name: {_text(f'attack {url}')}"]
    lines += ["target:", f"  external: {_text(origin)}  # URL"]
    lines += ["workload:", *_arrivals(rate, connections)]
    lines += ["  requests:", *_request(path, method, headers, body, problems)]
    if timeout is not None:
        lines.append(f"  timeout: {_value(timeout)}  # --timeout")
    lines += _connections(connections if rate is not None else None, keep_alive, http2, streams)
    if insecure:
        lines.append("  tls: {insecure: true}  # --insecure")
    if requests is not None:
        lines.append(f"  limit: {{requests: {_value(requests)}}}  # --requests")
    if goals:
        lines += ["goals:", *(f"  - {_text(goal)}  # --goal" for goal in goals)]
    time = _value(duration or DURATION)
    lines += ["trial:", "  warm_up: 0s", f"  measure: {{at_least: {time}, at_most: {time}}}  # --duration"]
    if allow:
        lines += ["allow:", *(f"  - {_text(host)}  # --allow" for host in allow)]
    if problems:
        raise PlanError(problems)
    return "\n".join(lines) + "\n"


def read_quick(text: str, folder: Path = Path()) -> Plan:
    """The plan of a text that `quick_plan` made; problems are told of the flags.

    folder: what a path in the flags is relative to.
    """
    root, problems = parse(text, str(folder / "the command line"))
    try:
        return plan_of(_of_flags(root), problems, text, str(folder / "the command line"))
    except PlanError as error:
        raise PlanError(_once([_of_flag(problem) for problem in error.problems])) from None


def _split(url: str, problems: list[Problem]) -> tuple[str, str]:
    """Scheme and authority, and path with query, of a URL; the scheme may be left out."""
    whole = url if "://" in url else f"http://{url}"
    try:
        parts = urlsplit(whole)
        good = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        good = False
    if not good:
        problems.append(
            Problem(
                what=f"{url!r} is not the address of a server",
                where=Span("URL"),
                mend="write http://HOST:PORT/PATH or https://HOST:PORT/PATH",
                code="plan.url",
            )
        )
        return "http://127.0.0.1", "/"
    if parts.username is not None:
        problems.append(
            Problem(
                what="a user name in the URL is not sent",
                where=Span("URL"),
                mend="write it as a header: -H 'Authorization: Basic …'",
                code="plan.url",
            )
        )
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    encoded = _UNSAFE_IN_A_PATH.sub(lambda match: "".join(f"%{byte:02X}" for byte in match[0].encode()), path)
    return f"{parts.scheme}://{parts.netloc}", literal(encoded)


def _arrivals(rate: str | None, connections: str | None) -> list[str]:
    if rate is not None:
        return [f"  rate: {_value(rate)}  # --rate"]
    return [f"  users: {_value(connections or USERS)}  # --connections"]


def _connections(most: str | None, keep_alive: bool, http2: bool, streams: str | None) -> list[str]:
    lines = []
    if most is not None:
        lines.append(f"    most: {_value(most)}  # --connections")
    if not keep_alive:
        lines.append("    keep_alive: false  # --close")
    if http2:
        lines.append("    http: 2  # --http2")
    if streams is not None:
        lines.append(f"    streams: {_value(streams)}  # --streams")
    return ["  connections:", *lines] if lines else []


def _request(
    path: str, method: str | None, headers: tuple[str, ...], body: str | None, problems: list[Problem]
) -> list[str]:
    key = (method or ("post" if body is not None else "get")).lower()
    if key not in METHODS:
        problems.append(
            Problem(
                what=f"there is no method {method!r}",
                where=Span("--method"),
                mend=f"write one of {', '.join(each.upper() for each in METHODS)}",
                code="plan.method",
            )
        )
    lines = [f"    - {key}: {_text(path)}  # URL"]
    if headers:
        lines.append("      headers:")
    names = set()
    for header in headers:
        match = _HEADER.fullmatch(header)
        name = match[1] if match else ""
        if not match or name in names:
            why = "is not NAME: VALUE" if not match else "names a header for the second time"
            problems.append(
                Problem(
                    what=f"{header!r} {why}",
                    where=Span("--header"),
                    mend="write each header once, such as -H 'Accept: text/html'",
                    code="plan.header",
                )
            )
            continue
        names.add(name)
        lines.append(
            f"        {name if _KEY.fullmatch(name) else _text(name)}: {_text(literal(match[2]))}  # --header"
        )
    if body is not None and body.startswith("@"):
        lines.append(f"      body_file: {_text(body[1:])}  # --body")
    elif body is not None:
        lines.append(f"      body: {_text(literal(body))}  # --body")
    return lines


def _value(text: str) -> str:
    """A number or an amount as it is; anything else quoted, so that it stays one value."""
    return text if _PLAIN.fullmatch(text) else _text(text)


def _text(text: str) -> str:
    """A text in double quotes, by the rules of YAML."""
    return '"' + "".join(_escaped(letter) for letter in text) + '"'


def _escaped(letter: str) -> str:
    number = ord(letter)
    if letter in '"\\':
        return "\\" + letter
    if letter.isprintable() and not 0xD800 <= number <= 0xDFFF and number != 0xFEFF:
        return letter
    if number < 0x100:
        return f"\\x{number:02x}"
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"


# --- places ---------------------------------------------------------------------------------------


def _flag_of(span: Span) -> Span:
    """The flag that a line came from; the place itself where a line came from none."""
    match = _FLAG.search(span.text)
    return Span(match[1]) if match else span


def _of_flags(node: Node) -> Node:
    """The tree with every place that came from a flag named after it."""
    match node:
        case Scalar():
            return replace(node, span=_flag_of(node.span))
        case Items(items=items):
            return Items(_flag_of(node.span), tuple(_of_flags(item) for item in items))
        case Entries(entries=entries):
            moved = {
                key: Entry(key, _flag_of(entry.span), _of_flags(entry.node)) for key, entry in entries.items()
            }
            return Entries(_flag_of(node.span), moved)


_NOT_TOGETHER = {
    Span("--streams"): (
        "several streams on a connection need HTTP/2",
        "add --http2, or leave --streams out",
    ),
    Span("--close"): (
        "a connection of HTTP/2 carries many requests, and --close allows it one",
        "leave out either --close or --http2",
    ),
}
"""What does not go together, in the words of the flags: what to say, and what to type."""


def _of_flag(problem: Problem) -> Problem:
    """A problem in the words of the command line."""
    if problem.code == "plan.host-not-allowed":
        host = problem.what.split()[0]
        return replace(problem, where=Span("URL"), mend=f"add --allow {host}")
    if problem.code == "plan.not-together" and problem.where in _NOT_TOGETHER:
        what, mend = _NOT_TOGETHER[problem.where]
        return replace(problem, what=what, mend=mend)
    if problem.where is not None and problem.where.file.startswith("--"):
        # The key that the value has in a plan is not the user's word for it.
        return replace(problem, what=re.sub(r"^\w+ (?=is |has )", "the value ", problem.what))
    return problem


def _once(problems: list[Problem]) -> list[Problem]:
    """One problem for each flag and fault: a duration stands in the text twice."""
    return list({(problem.where, problem.code): problem for problem in problems}.values())

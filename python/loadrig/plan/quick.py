"""A plan from the flags of a quick command: its tree, in which every place is a flag, and its text.

A problem names the flag that was typed and not a line that nobody wrote. The text is what a person would have
written, to be kept with the run and to go on from.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from loadrig.base.errors import PlanError, Problem, Span
from loadrig.base.masks import is_secret_name, masked_address_text, masked_query, masked_text
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.plan_quick import PlanQuickErrors
from loadrig.plan.holes import typed_literal
from loadrig.plan.literals import Literals, tree_without_literals
from loadrig.plan.load import plan_of
from loadrig.plan.model import Plan
from loadrig.plan.node import Entries, Items, MappingEntry, Node, Scalar, at
from loadrig.plan.quick_text import text_of
from loadrig.plan.written import METHODS
from loadrig.plan.yaml_text import core

ERRORS = texts_of(PlanQuickErrors)

USERS = "10"
DURATION = "10s"
EVENLY = "constant"
"""Spacing of the requests where a rate is typed without a spacing."""

PROFILES = {True: ("at saturation", "--profile"), False: ("never", "--no-profile")}
"""Value of `profile` in a plan for each of the two flags, and the flag's name; without a flag the rig
decides."""

_PLAIN = re.compile(r"[0-9A-Za-z][0-9A-Za-z_./%]*", re.ASCII)
_UNSAFE_IN_A_PATH = re.compile(r'[^!-~]|["<>]')
_HEADER = re.compile(r"\s*([^:\s][^:]*?)\s*:\s*(.*?)\s*", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Quick:
    """A plan from flags. tree: its values, whose places are the flags. text: the same as YAML.

    literals: the secrets that were typed, which neither tree nor text holds.
    """

    tree: Entries
    text: str
    literals: Literals


def quick_plan(
    url: str,
    *,
    connections: str | None = None,
    duration: str | None = None,
    requests: str | None = None,
    rate: str | None = None,
    arrivals: str | None = None,
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
    permit: tuple[str, ...] = (),
    profile: bool | None = None,
    name: str = "attack",
    study: Mapping[str, str] | None = None,
    seed: str | None = None,
    fleet: str | None = None,
    fleet_ray: str | None = None,
) -> Quick:
    """Return the plan that does what the flags of a quick command say; all arguments are as they were typed.

    Without a rate, `connections` users without a pause; with a rate, that many connections at most, and
    requests evenly spaced unless `arrivals` says poisson. study: its keys and values, each typed as a flag of
    the key's name but `find`; name: name of the command. profile: see PROFILES.
    seed: seed of everything random; None leaves it to the run. fleet: number of generators; fleet_ray: Ray
    cluster that has their hosts.
    Raises PlanError for what cannot be written down at all: a URL without a host, a header without a colon, a
    method that does not exist. All else is checked when the plan is read.
    """
    problems: list[Problem] = []
    origin, path = _split(url, problems)
    workload = _arrivals(rate, arrivals, connections, problems)
    workload["requests"] = _items([_request(path, method, headers, body, problems)])
    if timeout is not None:
        workload["timeout"] = _value(timeout, "--timeout")
    links = _connections(connections if rate is not None else None, keep_alive, http2, streams)
    if links:
        workload["connections"] = _entries(links)
    if insecure:
        workload["tls"] = _entries({"insecure": _value("true", "--insecure")}, "--insecure")
    if requests is not None:
        workload["limit"] = _entries({"requests": _value(requests, "--requests")}, "--requests")
    root: dict[str, Node] = {
        "loadrig": _value("1", _NO_FLAG),
        "name": _text(f"{name} {_bare(url)}", _NO_FLAG),
        "target": _entries({"external": _text(origin, "URL")}),
        "workload": _entries(workload),
    }
    if goals:
        root["goals"] = _listed(goals, "--goal")
    if trial := _trial(None if study else duration or DURATION, seed):
        root["trial"] = _entries(trial)
    if study:
        places = {key: ERRORS.command if key == "find" else f"--{key}" for key in study}
        root["study"] = _entries({key: _value(value, places[key]) for key, value in study.items()})
    if rules := _fleet(fleet, fleet_ray):
        root["fleet"] = _entries(rules, "--fleet")
    if profile is not None:
        root["profile"] = _text(*PROFILES[profile])
    if allow:
        root["allow"] = _listed(allow, "--allow")
    if permit:
        root["permit"] = _listed(permit, "--permit")
    if problems:
        raise PlanError(problems)
    tree, literals = tree_without_literals(_entries(root))
    return Quick(tree, text_of(tree), literals)


def read_quick(quick: Quick) -> Plan:
    """Return the plan of a quick command; problems name the flags."""
    try:
        return plan_of(quick.tree, [], quick.text, _FILE, quick.literals, is_of_flags=True)
    except PlanError as error:
        raise PlanError(_once([_of_flag(problem, quick.tree) for problem in error.problems])) from None


# --- the tree -------------------------------------------------------------------------------------

_NO_FLAG = ERRORS.command_line
"""Place of a value that came from no flag."""

_FILE = "the command line"
"""Name of the file that a plan from flags would have; the same in every language, as runs keep it."""


def _value(text: str, flag: str) -> Scalar:
    """Return a number or an amount as it is; anything else quoted, so that it stays one value."""
    return Scalar(Span(flag), core(text), text) if _PLAIN.fullmatch(text) else _text(text, flag)


def _text(text: str, flag: str) -> Scalar:
    return Scalar(Span(flag), text, text, is_quoted=True)


def _entries(nodes: Mapping[str, Node], flag: str = _NO_FLAG) -> Entries:
    return Entries(Span(flag), {key: MappingEntry(key, node.span, node) for key, node in nodes.items()})


def _items(nodes: Iterable[Node]) -> Items:
    return Items(Span(_NO_FLAG), tuple(nodes))


def _listed(texts: Iterable[str], flag: str) -> Items:
    return _items(_text(text, flag) for text in texts)


def _fleet(generators: str | None, ray: str | None) -> dict[str, Node]:
    """Return the rules of a fleet; empty where none was typed."""
    rules: dict[str, Node] = {}
    if generators is not None:
        rules["generators"] = _value(generators, "--fleet")
    if ray is not None:
        rules["ray"] = _text(ray, "--fleet-ray")
    return rules


def _trial(duration: str | None, seed: str | None) -> dict[str, Node]:
    """Return the rules of a trial. duration: None where a study says how long its trials are."""
    trial: dict[str, Node] = {}
    if duration is not None:
        time = _value(duration, "--duration")
        measure = _entries({"at_least": time, "at_most": time}, "--duration")
        trial = {"warm_up": _value("0s", _NO_FLAG), "measure": measure}
    if seed is not None:
        trial["seed"] = _value(seed, "--seed")
    return trial


def _bare(url: str) -> str:
    """Return a URL as it may be shown."""
    return masked_address_text(masked_query(url, is_secret_name))


def _split(url: str, problems: list[Problem]) -> tuple[str, str]:
    """Return scheme and authority, and path with query, of a URL; the scheme may be left out."""
    whole = url if "://" in url else f"http://{url}"
    try:
        parts = urlsplit(whole)
        good = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        good = False
    if not good:
        wording = ERRORS.not_an_address(repr(_bare(url)))
        problems.append(Problem.of(wording, code="plan.url", where=Span("URL")))
        return "http://127.0.0.1", "/"
    if parts.username is not None:
        problems.append(Problem.of(ERRORS.user_name_in_url, code="plan.url", where=Span("URL")))
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    encoded = _UNSAFE_IN_A_PATH.sub(lambda match: "".join(f"%{byte:02X}" for byte in match[0].encode()), path)
    return f"{parts.scheme}://{parts.netloc}", typed_literal(encoded)


def _arrivals(
    rate: str | None, arrivals: str | None, connections: str | None, problems: list[Problem]
) -> dict[str, Node]:
    if rate is not None:
        # A plan's own default is Poisson; a person who types a rate expects that many requests in each
        # second.
        spacing = _value(arrivals or EVENLY, "--arrivals" if arrivals else _NO_FLAG)
        return {"rate": _entries({"rate": _value(rate, "--rate"), "arrivals": spacing}, "--rate")}
    if arrivals is not None:
        problems.append(
            Problem.of(ERRORS.arrivals_without_rate, code="plan.not-together", where=Span("--arrivals"))
        )
    return {"users": _value(connections or USERS, "--connections")}


def _connections(most: str | None, keep_alive: bool, http2: bool, streams: str | None) -> dict[str, Node]:
    nodes: dict[str, Node] = {}
    if most is not None:
        nodes["most"] = _value(most, "--connections")
    if not keep_alive:
        nodes["keep_alive"] = _value("false", "--close")
    if http2:
        nodes["http"] = _value("2", "--http2")
    if streams is not None:
        nodes["streams"] = _value(streams, "--streams")
    return nodes


def _request(
    path: str, method: str | None, headers: tuple[str, ...], body: str | None, problems: list[Problem]
) -> Entries:
    key = (method or ("post" if body is not None else "get")).lower()
    if key not in METHODS:
        methods = ", ".join(name_of_method.upper() for name_of_method in METHODS)
        wording = ERRORS.unknown_method(repr(method), methods)
        problems.append(Problem.of(wording, code="plan.method", where=Span("--method")))
    nodes: dict[str, Node] = {key: _text(path, "URL")}
    typed: dict[str, Node] = {}
    for header in headers:
        match = _HEADER.fullmatch(header)
        name = match[1] if match else ""
        if not match or name in typed:
            shown = repr(masked_text(header))
            wording = ERRORS.header_twice(shown) if match else ERRORS.not_a_header(shown)
            problems.append(Problem.of(wording, code="plan.header", where=Span("--header")))
            continue
        typed[name] = _text(typed_literal(match[2]), "--header")
    if typed:
        nodes["headers"] = _entries(typed)
    if body is not None and body.startswith("@"):
        nodes["body_file"] = _text(body[1:], "--body")
    elif body is not None:
        nodes["body"] = _text(typed_literal(body), "--body")
    return _entries(nodes)


# --- problems -------------------------------------------------------------------------------------

_NOT_TOGETHER = {
    Span("--streams"): ERRORS.streams_over_http1,
    Span("--close"): ERRORS.closed_http2,
}
"""Flags that do not go together, in the words of the flags: what to say, and what to type."""


def _of_flag(problem: Problem, tree: Entries) -> Problem:
    """Return a problem in the words of the command line. tree: the plan's."""
    if problem.code == "plan.host-not-allowed":
        return replace(problem, where=Span("URL"), mend=ERRORS.allowed_by_flag(_host(tree)))
    if problem.code == "plan.not-together" and problem.where in _NOT_TOGETHER:
        wording = _NOT_TOGETHER[problem.where]
        return replace(problem, what=wording.what, mend=wording.mend)
    return problem


def _host(tree: Entries) -> str:
    """Return the host that a plan from flags loads."""
    url = at(tree, "target", "external")
    return (urlsplit(url.text).hostname or "") if isinstance(url, Scalar) else ""


def _once(problems: list[Problem]) -> list[Problem]:
    """Return one problem for each flag and fault: a duration stands in the text twice."""
    return list({(problem.where, problem.code): problem for problem in problems}.values())

"""Checks of requests: paths, headers, weights, names, and holes that nothing fills."""

import re
from collections.abc import Iterator, Mapping

from loadrig.base import members
from loadrig.base.errors import Problem, Span
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.plan_requests import PlanCheckRequestsErrors
from loadrig.plan.check_feeds import hole_names_of
from loadrig.plan.draft import Draft
from loadrig.plan.holes import HOLE_NAME, BadTemplate, holes_in, pieces
from loadrig.plan.node import Entries, Node, Scalar, at, part, scalars
from loadrig.plan.protocols import protocol_of
from loadrig.plan.requests import Protocol
from loadrig.plan.written import WITH_A_PATH

ERRORS = texts_of(PlanCheckRequestsErrors)

_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", re.ASCII)  # RFC 9110, section 5.6.2
_NOT_IN_A_PATH = re.compile(r"[^!-~]|#")
_CONTROL = re.compile(r"[\0-\x08\n-\x1f\x7f]")
_ENCODED_IN_A_PATH = re.compile(r'["<>]')
"""Signs that the generator takes for none of a target, but encodes where a hole brings them."""

_REFUSED = {
    "connection": ERRORS.keep_alive_instead,
    "keep-alive": ERRORS.keep_alive_instead,
    "proxy-connection": ERRORS.keep_alive_instead,
    "content-length": ERRORS.length_counted,
    "transfer-encoding": ERRORS.body_sent_whole,
    "cookie": "",
}
"""Headers that the rig writes itself, and what to say instead. A cookie may be set by hand; it is
listed so that a misspelt one is not taken for a misspelt Connection."""

_REFUSED_BY: Mapping[Protocol, Mapping[str, str]] = {
    "http": {},
    "websocket": {
        "upgrade": ERRORS.upgrade_written,
        "sec-websocket-key": ERRORS.upgrade_written,
        "sec-websocket-version": ERRORS.upgrade_written,
        "sec-websocket-accept": ERRORS.upgrade_written,
        "sec-websocket-extensions": ERRORS.no_extension,
    },
    "grpc": {
        "te": ERRORS.call_has_it,
        "content-type": ERRORS.call_has_it,
        "grpc-encoding": ERRORS.not_compressed,
    },
}
"""Headers that belong to a protocol, and what to say to those who write them."""


def check_requests(draft: Draft) -> None:
    """Check everything that can be seen of requests without sending one."""
    _check_weights(draft)
    _check_names(draft)
    fillers = _fillers(draft)
    _check_headers(draft, draft.node("workload", "headers"), "http")
    _check_holes(draft, _values(draft.node("workload", "headers")), fillers)
    for _, node in draft.requests():
        _check_path(draft, node)
        _check_headers(draft, at(node, "headers"), protocol_of(node))
        _check_holes(draft, _templates(node), fillers)


def _check_weights(draft: Draft) -> None:
    work = draft.workload
    if work is None or any(scenario.weight > 0 for scenario in work.scenarios):
        return
    key = "scenarios" if draft.node("workload", "scenarios") is not None else "requests"
    draft.reader.reject(
        ERRORS.all_weights_zero(key), code="plan.weights-all-zero", where=draft.place("workload", key)
    )


def _check_path(draft: Draft, node: Node) -> None:
    for method in WITH_A_PATH:
        written = at(node, method)
        if not isinstance(written, Scalar) or not isinstance(written.value, str):
            continue
        path = written.text
        texts = (text for text, is_hole in pieces(path) if not is_hole)
        bad = _NOT_IN_A_PATH.search(path) or _ENCODED_IN_A_PATH.search("".join(texts))
        if path == "*" and method == "options":
            continue
        if "://" in path.partition("?")[0]:
            wording = ERRORS.whole_address(path)
        elif not path.startswith(("/", "{")):
            wording = ERRORS.path_without_slash(method, path)
        elif bad and bad[0] == "#":
            wording = ERRORS.path_with_fragment(repr(path))
        elif bad:
            escaped = "%20" if bad[0] == " " else "".join(f"%{byte:02X}" for byte in bad[0].encode())
            wording = ERRORS.path_with_sign(repr(path), repr(bad[0]), escaped)
        else:
            continue
        draft.reader.reject(wording, code="plan.path", where=written.span)


def _check_headers(draft: Draft, node: Node | None, protocol: Protocol) -> None:
    if not isinstance(node, Entries):
        return
    names: dict[str, str] = {}
    for entry in node.entries.values():
        problem = header_problem(entry.key, entry.span, protocol)
        first = names.setdefault(entry.key.lower(), entry.key)
        if problem is None and first != entry.key:
            problem = Problem.of(ERRORS.header_twice(entry.key, first), code="plan.header", where=entry.span)
        value = entry.node.text if isinstance(entry.node, Scalar) else ""
        if problem is None and ("\n" in value or "\r" in value or "\0" in value):
            problem = Problem.of(ERRORS.line_break_in_header(entry.key), code="plan.header", where=entry.span)
        if problem is None and _CONTROL.search(value):
            problem = Problem.of(ERRORS.control_in_value(entry.key), code="plan.header", where=entry.span)
        if problem:
            draft.note(problem)


def header_problem(name: str, where: Span, protocol: Protocol) -> Problem | None:
    """Return what is wrong with the name of a header; None for one that a plan may set."""
    low = name.lower()
    refused = {**_REFUSED, **_REFUSED_BY[protocol]}
    if not _TOKEN.fullmatch(name):
        return Problem.of(ERRORS.not_a_header_name(repr(name)), code="plan.header", where=where)
    meant = low if low in refused else next((own for own in _REFUSED if _one_slip(low, own)), None)
    if meant is None or low == "cookie":
        return None
    if meant == low:
        wording = ERRORS.own_header(name, refused[low])
    else:
        # A misspelt header such as `Connnection` is sent and has no effect, so a whole study may measure
        # nothing.
        wording = ERRORS.misspelt_header(name, meant.title(), _REFUSED[meant])
    return Problem.of(wording, code="plan.header", where=where)


def _one_slip(word: str, other_word: str) -> bool:
    """Return whether one letter added, left out or mistaken turns one word into the other.

    Never for equal words.
    """
    if word == other_word or abs(len(word) - len(other_word)) > 1:
        return False
    short, long = sorted((word, other_word), key=len)
    same = next((i for i, letter in enumerate(short) if letter != long[i]), len(short))
    rest = short[same + 1 :] if len(short) == len(long) else short[same:]
    return rest == long[same + 1 :]


# --- names and holes ------------------------------------------------------------------------------


def _extracts(draft: Draft) -> Iterator[tuple[str, Span]]:
    for _, node in draft.requests():
        extract = at(node, "extract")
        if isinstance(extract, Entries):
            for entry in extract.entries.values():
                yield entry.key, entry.span


def _check_names(draft: Draft) -> None:
    """Check variables and feeds: names that a hole can have, and no name for two things."""
    feeds = draft.node("workload", "feeds")
    feed_names = feeds.entries if isinstance(feeds, Entries) else {}
    named = [(entry.key, entry.span) for entry in feed_names.values()]
    for name, span in [*named, *_extracts(draft)]:
        if not HOLE_NAME.fullmatch(name):
            draft.reader.reject(ERRORS.not_a_hole_name(repr(name)), code="plan.hole", where=span)
    for name, span in _extracts(draft):
        if name in feed_names:
            wording = ERRORS.feed_and_variable(name, feed_names[name].span.line)
            draft.reader.reject(wording, code="plan.same-name", where=span)


def _fillers(draft: Draft) -> set[str]:
    """Return every name that a hole can have in this plan; "item.*" for a table that could not be read."""
    names = {name for name, _ in _extracts(draft)}
    feeds = draft.node("workload", "feeds")
    if isinstance(feeds, Entries):
        for key in feeds.entries:
            feed = draft.workload.feeds.get(key) if draft.workload else None
            names |= hole_names_of(key, feed, draft.folder) if feed else {key, f"{key}.*"}
    return names


def _templates(node: Node) -> Iterator[Scalar]:
    """Yield the values of a request that may have holes."""
    for key in WITH_A_PATH:
        yield from _values(at(node, key))
    for key in ("headers", "body", "json", "form"):
        yield from _values(at(node, key))


def _values(node: Node | None) -> Iterator[Scalar]:
    return scalars(node) if node is not None else iter(())


def _check_holes(draft: Draft, templates: Iterator[Scalar], fillers: set[str]) -> None:
    for node in templates:
        if not isinstance(node.value, str):
            continue
        try:
            names = list(holes_in(node.text))
        except BadTemplate as bad:
            draft.note(_bad_template(node, bad))
            continue
        for name in dict.fromkeys(names):
            if name in fillers or f"{name.partition('.')[0]}.*" in fillers:
                continue
            draft.note(_unfilled(node, name, fillers))


def _unfilled(node: Scalar, name: str, fillers: set[str]) -> Problem:
    close = members.nearest(name, sorted(fillers))
    columns = sorted(filler for filler in fillers if filler.startswith(f"{name}."))
    meant = [f"{{{filler}}}" for filler in columns or ([close] if close else [])]
    return Problem.of(
        ERRORS.unfilled_hole(name, ", ".join(sorted(fillers)), ", ".join(meant), len(meant) == 1),
        code="plan.hole",
        where=part(node, f"{{{name}}}"),
    )


def _bad_template(node: Scalar, bad: BadTemplate) -> Problem:
    return Problem.of(ERRORS.stray_brace(bad.fragment), code="plan.hole", where=part(node, bad.fragment))

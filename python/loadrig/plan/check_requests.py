"""Checks of requests: paths, headers, weights, names, and holes that nothing fills."""

import re
from collections.abc import Iterator, Mapping

from loadrig.base import members
from loadrig.base.errors import Problem, Span
from loadrig.plan.check_feeds import hole_names_of
from loadrig.plan.draft import Draft
from loadrig.plan.holes import HOLE_NAME, BadTemplate, holes_in
from loadrig.plan.model import Protocol
from loadrig.plan.node import Entries, Node, Scalar, at, part, scalars
from loadrig.plan.protocols import protocol_of
from loadrig.plan.written import WITH_A_PATH

_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", re.ASCII)  # RFC 9110, section 5.6.2
_NOT_IN_A_PATH = re.compile(r"[^!-~]|#")

_KEEP_ALIVE = (
    "leave it out; write connections: {keep_alive: false} to close after each request, true to keep open"
)
_REFUSED = {
    "connection": _KEEP_ALIVE,
    "keep-alive": _KEEP_ALIVE,
    "proxy-connection": _KEEP_ALIVE,
    "content-length": "leave it out; the generator counts the bytes of the body",
    "transfer-encoding": "leave it out; bodies are sent whole, with Content-Length",
    "cookie": "",
}
"""Headers that the rig writes itself, and what to say instead. A cookie may be set by hand; it is
listed so that a misspelt one is not taken for a misspelt Connection."""

_UPGRADE = "leave it out; the generator writes the upgrade's own headers"
_CALL = "leave it out; every gRPC request has it"
_REFUSED_BY: Mapping[Protocol, Mapping[str, str]] = {
    "http": {},
    "websocket": {
        "upgrade": _UPGRADE,
        "sec-websocket-key": _UPGRADE,
        "sec-websocket-version": _UPGRADE,
        "sec-websocket-accept": _UPGRADE,
        "sec-websocket-extensions": "leave it out; no extension is spoken, so none may be offered",
    },
    "grpc": {
        "te": _CALL,
        "content-type": _CALL,
        "grpc-encoding": "leave it out; messages are sent as they are, not compressed",
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
    draft.reader.problem(
        what=f"all {key} have the weight 0, so there is nothing to send",
        where=draft.place("workload", key),
        mend="give one of them a weight above 0",
        code="plan.weights-all-zero",
    )


def _check_path(draft: Draft, node: Node) -> None:
    for method in WITH_A_PATH:
        written = at(node, method)
        if not isinstance(written, Scalar) or not isinstance(written.value, str):
            continue
        path = written.text
        bad = _NOT_IN_A_PATH.search(path)
        if path == "*" and method == "options":
            continue
        if "://" in path.partition("?")[0]:
            what, mend = f"{path} is a whole address", "write the path alone; the host is the target's"
        elif not path.startswith(("/", "{")):
            what, mend = f"the path {path!r} does not begin with /", f"write {method}: /{path}"
        elif bad and bad[0] == "#":
            what, mend = f"the path {path!r} has a # in it, which is never sent", "leave out # and the rest"
        elif bad:
            code = "%20" if bad[0] == " " else "".join(f"%{byte:02X}" for byte in bad[0].encode())
            what, mend = f"the path {path!r} has {bad[0]!r} in it", f"write {code} for it"
        else:
            continue
        draft.reader.problem(
            what=what,
            where=written.span,
            mend=mend,
            code="plan.path",
        )


def _check_headers(draft: Draft, node: Node | None, protocol: Protocol) -> None:
    if not isinstance(node, Entries):
        return
    names: dict[str, str] = {}
    for entry in node.entries.values():
        problem = _header_problem(entry.key, entry.span, protocol)
        first = names.setdefault(entry.key.lower(), entry.key)
        if problem is None and first != entry.key:
            problem = Problem(
                what=f"the header {entry.key} names {first} for the second time",
                where=entry.span,
                why="capitals make no other header, and only one of the two would be sent",
                mend="write each header once",
                code="plan.header",
            )
        value = entry.node.text if isinstance(entry.node, Scalar) else ""
        if problem is None and ("\n" in value or "\r" in value or "\0" in value):
            problem = Problem(
                what=f"the value of the header {entry.key} has a line break in it",
                where=entry.span,
                why="a line break would begin another header",
                mend="write it on one line",
                code="plan.header",
            )
        if problem:
            draft.note(problem)


def _header_problem(name: str, where: Span, protocol: Protocol) -> Problem | None:
    low = name.lower()
    refused = {**_REFUSED, **_REFUSED_BY[protocol]}
    if not _TOKEN.fullmatch(name):
        return Problem(
            what=f"{name!r} cannot be the name of a header",
            where=where,
            mend="use letters, digits and hyphens",
            code="plan.header",
        )
    meant = low if low in refused else next((own for own in _REFUSED if _one_slip(low, own)), None)
    if meant is None or low == "cookie":
        return None
    if meant == low:
        what = f"the header {name} is the rig's own"
        mend = refused[low]
    else:
        # A misspelt header such as `Connnection` is sent and has no effect, so a whole study may measure
        # nothing.
        what = f"the header {name} looks like {meant.title()}, misspelt"
        mend = _REFUSED[meant] or f"write {meant.title()}"
    return Problem(what=what, where=where, mend=mend, code="plan.header")


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
            draft.reader.problem(
                what=f"{name!r} cannot be the name of a hole",
                where=span,
                mend="use letters, digits and _, a letter first",
                code="plan.hole",
            )
    for name, span in _extracts(draft):
        if name in feed_names:
            draft.reader.problem(
                what=f"{name} is both a feed and a variable taken from an answer",
                where=span,
                why=f"the feed stands at line {feed_names[name].span.line}",
                mend="rename one of them",
                code="plan.same-name",
            )


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
    if columns:
        mend = f"write {{{columns[0]}}}" if len(columns) == 1 else f"write one of {{{'}, {'.join(columns)}}}"
    elif close:
        mend = f"write {{{close}}}"
    else:
        mend = f"add a feed (feeds: {{{name}: {name}.txt}}) or extract {name} from an earlier answer"
    return Problem(
        what=f"nothing fills the hole {{{name}}}",
        where=part(node, f"{{{name}}}"),
        why=f"filled are {', '.join(sorted(fillers))}" if fillers else "there are no feeds and no extracts",
        mend=mend,
        code="plan.hole",
    )


def _bad_template(node: Scalar, bad: BadTemplate) -> Problem:
    return Problem(
        what=f"{bad.fragment} is neither a hole nor a doubled brace",
        where=part(node, bad.fragment),
        mend="write {{ and }} for braces; a JSON body is easier under json:",
        code="plan.hole",
    )

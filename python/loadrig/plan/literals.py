"""Secrets that a person wrote into a plan, taken out of its tree and text as soon as they are read.

A hole, {masked:NAME}, stands in the place of each secret, and the secret is kept in memory, by the hole. So
nothing that is later made of a plan holds a secret: neither its sentences nor the copy in the run's folder,
nor the message about a mistake in it. `plan.secrets` puts them back where something is sent or started.
"""

import contextlib
import json
import re
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from loadrig.base import known_secrets
from loadrig.base.errors import PlanError, Problem, Span
from loadrig.base.masks import is_secret_name, mask_but_holes, masked_address_text, masked_query, masked_text
from loadrig.plan.holes import BadTemplate, holes_in, pieces
from loadrig.plan.kinds import fields_of
from loadrig.plan.node import Entries, Items, MappingEntry, Node, Scalar, at, listed, plain
from loadrig.plan.syntax import parse
from loadrig.plan.written import ASKED, WrittenLogin, WrittenPlan, WrittenRequest, WrittenWorkload

Literals = Mapping[str, Any]
"""Secrets that were written, by the text in the hole in their place: {"masked:Authorization": "Bearer
abc"}."""

_SCHEMES = re.compile(r"\b(?:Bearer|Basic|Digest|Token|ApiKey)\b", re.IGNORECASE)
_OPTION = re.compile(r"((?<!\S)-{1,2}([A-Za-z][\w.-]*)\s+)([^\s-]\S*)")
_USUAL = frozenset(("key", "keys", "license", "nonce", "private", "salt", "session", "sig", "signed", "auth"))
"""Names that mean a secret in a command line, and many other things in a body."""

_SIGNS = range(0x100000, 0x10FFFE)
"""Code points that Unicode leaves to private use, no letters for any expression."""

_NOT_WORDS = ("knob_flags", "app_knobs", "files")
"""Options of a target that hold names, not words of a command."""


def without_literals(text: str, file: str) -> tuple[Node, list[Problem], str, Literals]:
    """Return the tree of a plan's text, what is wrong with it, the text, and the secrets that were in both.

    Places in the tree are those of the text without secrets, whose lines are the same. Raises PlanError as
    parse does.
    """
    try:
        root, problems = parse(text, file)
    except PlanError as error:
        raise PlanError([_with_bare_line(problem) for problem in error.problems]) from None
    taker = _Taker(root)
    bare = taker.plan(root)
    if not taker.literals:
        return root, problems, text, {}
    taker.learn()
    shown = known_secrets.hidden(_in_place(text, taker.changed))
    with contextlib.suppress(PlanError):
        again, remaining = parse(shown, file)
        if plain(again) == plain(bare):
            return again, [_with_bare_line(problem) for problem in remaining], shown, taker.literals
    # An anchor or a tag was lost with its value, so write JSON instead, which is YAML, too; only the layout
    # is lost.
    shown = json.dumps(plain(bare), indent=2, ensure_ascii=False) + "\n"
    return parse(shown, file)[0], problems, shown, taker.literals


def _with_bare_line(problem: Problem) -> Problem:
    """Return the problem with its line masked: all in it that has the form of a secret.

    Nothing more is known of the line.
    """
    where = problem.where
    bare = masked_text(where.text, mask_but_holes) if where else ""
    if where is None or bare == where.text:
        return problem
    return replace(problem, where=replace(where, text=bare, column=min(where.column, len(bare)), length=1))


def tree_without_literals(root: Entries) -> tuple[Entries, Literals]:
    """Return a tree without secrets, and the secrets, of a tree that has no text yet: a quick command's."""
    taker = _Taker(root)
    bare = taker.plan(root)
    taker.learn()
    assert isinstance(bare, Entries)
    return bare, taker.literals


class _Taker:
    """Taker of the secrets out of a plan. changed: values that hold a hole now, by their earlier place."""

    def __init__(self, root: Node) -> None:
        names = (name.text for name in listed(at(root, "secrets")) if isinstance(name, Scalar))
        self._named = frozenset(name.lower() for name in names)
        self.literals: dict[str, Any] = {}
        self.changed: dict[Span, str] = {}
        self._are_templates = False

    def learn(self) -> None:
        """Hide the secrets in everything that is written from now on."""
        for hole, value in self.literals.items():
            text = value if isinstance(value, str) else json.dumps(value)
            known_secrets.learn(text.replace("{{", "{").replace("}}", "}"), f"{{{hole}}}")

    def plan(self, root: Node) -> Node:
        """Return the whole tree with holes in the places of secrets."""
        return self._parts(
            root,
            (WrittenPlan,),
            {
                "target": lambda node: _changed_all(node, self._target),
                "servers": lambda node: _changed_all(node, self._line),
                "workload": self._workload,
                "probes": self._probes,
                "observers": lambda node: self._changed_items(
                    node, lambda observer: _changed(observer, {"via": self._line})
                ),
            },
        )

    def _workload(self, node: Node) -> Node:
        self._are_templates = True
        bare = self._parts(
            node,
            (WrittenWorkload,),
            {
                "headers": self._headers,
                "requests": self._requests,
                "steps": self._requests,
                "login": self._request,
                "scenarios": lambda inner: self._changed_items(
                    inner, lambda scenario: _changed(scenario, {"steps": self._requests})
                ),
                "feeds": lambda inner: _changed_all(inner, self._feed, with_key=True),
            },
        )
        self._are_templates = False
        return bare

    def _parts(self, node: Node, shapes: tuple[type[Any], ...], changes: Mapping[str, Any]) -> Node:
        """Return a mapping of these shapes with holes in the places of secrets.

        Behind a misspelt key the same may stand as behind the right one.
        """
        if not isinstance(node, Entries):
            return node
        keys = {field.key for shape in shapes for field in fields_of(shape)}
        unknown = [key for key in node.entries if key not in keys]
        misspelt = {key: partial(self._json, name=key) for key in unknown}
        return _changed(node, {**misspelt, **changes})

    def _requests(self, node: Node) -> Node:
        return self._changed_items(node, self._request)

    def _request(self, node: Node) -> Node:
        return self._parts(
            node,
            (WrittenRequest, WrittenLogin),
            {
                **dict.fromkeys(ASKED, self._path),
                "headers": self._headers,
                "form": self._named_values,
                "json": lambda inner: self._json(inner, ""),
                "body": self._body,
            },
        )

    def _feed(self, node: Node, name: str) -> Node:
        if not self._is_secret(name):
            return node
        return _changed(
            node,
            {"values": lambda values: self._changed_items(values, lambda value: self._whole(value, name))},
        )

    def _target(self, node: Node) -> Node:
        if not isinstance(node, Entries):
            return self._line(node)
        return Entries(
            node.span,
            {
                key: entry
                if key in _NOT_WORDS
                else MappingEntry(key, entry.span, self._option(key, entry.node))
                for key, entry in node.entries.items()
            },
        )

    def _option(self, key: str, node: Node) -> Node:
        if key == "env":
            return _changed_all(node, self._variable, with_key=True)
        if not isinstance(node, Items):
            return self._line(node)
        words, after_secret = [], ""
        for word in node.items:
            text = word.text if isinstance(word, Scalar) else ""
            words.append(self._whole(word, after_secret) if after_secret else self._line(word))
            option = text.lstrip("-")
            is_name = text.startswith("-") and "=" not in text and self._is_secret(option)
            after_secret = option if is_name else ""
        return Items(node.span, tuple(words))

    def _probes(self, node: Node) -> Node:
        return self._changed_items(node, lambda probe: _changed_all(probe, lambda options: _changed_all(
            options, self._probe_option, with_key=True
        )))  # fmt: skip

    def _probe_option(self, node: Node, key: str) -> Node:
        if key.endswith(("_env", "_file")):
            return node
        return self._whole(node, key) if self._is_secret(key) else self._text(node, masked_address_text)

    # --- values ----------------------------------------------------------------------------------

    def _named_values(self, node: Node) -> Node:
        """Return fields of a form, a mapping of names to texts, with holes in the places of secrets."""
        return _changed_all(node, self._named_value, with_key=True)

    def _headers(self, node: Node) -> Node:
        return _changed_all(node, self._header, with_key=True)

    def _header(self, node: Node, name: str) -> Node:
        if isinstance(node, Scalar) and re.search(r"[\r\n\0]", node.text):
            if name.lower() in self._named or is_secret_name(name):
                known_secrets.learn(node.text)
            return node  # the plan is refused for it
        return self._named_value(node, name)

    def _variable(self, node: Node, name: str) -> Node:
        # Of an address only the password goes: the way to a dependency is looked for in variables.
        is_address = isinstance(node, Scalar) and "://" in node.text
        return self._text(node, masked_text) if is_address else self._named_value(node, name)

    def _named_value(self, node: Node, name: str) -> Node:
        if name.lower() in self._named or is_secret_name(name):
            return self._whole(node, name)
        return self._text(node, lambda text, cover: masked_text(text, cover, self._is_secret))

    def _json(self, node: Node, name: str) -> Node:
        match node:
            case Entries(span=span, entries=entries):
                inner = {
                    key: MappingEntry(key, entry.span, self._json(entry.node, key))
                    for key, entry in entries.items()
                }
                return Entries(span, inner)
            case Items(span=span, items=items):
                return Items(span, tuple(self._json(item, name) for item in items))
            case _ if name and self._is_secret(name):
                return self._whole(node, name, is_typed=True)
            case _:
                return self._text(node, masked_address_text)

    def _path(self, node: Node) -> Node:
        return self._text(
            node,
            lambda text, cover: masked_address_text(masked_query(text, self._is_secret, cover), cover),
        )

    def _body(self, node: Node) -> Node:
        def bare(text: str, cover: Any) -> str:
            if not re.search(r"\s", text):
                text = masked_query(text, self._is_secret, cover)
            return masked_text(text, cover, self._is_secret)

        return self._text(node, bare)

    def _line(self, node: Node) -> Node:
        def bare(text: str, cover: Any) -> str:
            text = _OPTION.sub(
                lambda match: (
                    f"{match[1]}{cover(match[2], match[3])}" if self._is_secret(match[2]) else match[0]
                ),
                text,
            )
            return masked_text(text, cover, self._is_secret)

        return self._text(node, bare)

    def _text(self, node: Node, masked: Any) -> Node:
        """Return a text of which parts may be secret, with holes in their places."""
        if not isinstance(node, Scalar) or not isinstance(node.value, str):
            return node
        return self._scalar(node, self._masked(node.text, masked))

    def _masked(self, text: str, masked: Any) -> str:
        """Return a text with holes in the places of its secrets, each secret in one hole alone.

        The searches go over the text one after the other, and would take the names of holes for secrets, and
        holes for parts of secrets. So a sign that no text has stands in a hole's place until all have ended.
        """
        letters = set(text)
        signs = (sign for sign in map(chr, _SIGNS) if sign not in letters)
        covered: dict[str, tuple[str, str]] = {}

        def cover(name: str, value: str) -> str:
            if value[:1] in covered or not self._is_covered(name, value):
                return value
            whole = "".join(covered[sign][1] if sign in covered else sign for sign in value)
            if self._is_broken(whole):
                return value
            sign = next(signs)
            covered[sign] = name, whole
            return sign

        bare: str = masked(text, cover)
        return "".join(self._hole(*covered[sign]) if sign in covered else sign for sign in bare)

    def _whole(self, node: Node, name: str, *, is_typed: bool = False) -> Node:
        """Return a hole for a value that is secret from end to end, but for holes in it.

        is_typed: numbers stay numbers.
        """
        if not isinstance(node, Scalar) or node.value is None or isinstance(node.value, bool):
            return node
        if is_typed and not isinstance(node.value, str):
            return self._scalar(node, self._hole(name, node.value))
        parts = (part if is_hole else self._cover(name, part) for part, is_hole in pieces(node.text))
        return self._scalar(node, "".join(parts))

    def _scalar(self, node: Scalar, text: str) -> Node:
        if text == node.text:
            return node
        self.changed[node.span] = text
        return Scalar(node.span, text, text, is_quoted=True)

    def _cover(self, name: str, value: str) -> str:
        """Return a hole in the place of a value; the value itself where it holds nothing but holes."""
        if not self._is_covered(name, value) or self._is_broken(value):
            return value
        return self._hole(name, value)

    def _is_covered(self, name: str, value: str) -> bool:
        """Return whether a value holds more than holes."""
        texts = "".join(part for part, is_hole in pieces(value) if not is_hole)
        if name == "password" and ":" in value:  # user:password of an address
            texts = "".join(part for part, is_hole in pieces(value.partition(":")[2]) if not is_hole)
        is_masked = value.startswith(("{masked:", "masked:"))
        return not is_masked and re.search(r"\w", _SCHEMES.sub("", texts)) is not None

    def _is_broken(self, value: str) -> bool:
        """Return whether the plan is refused for a value's braces; the message then shows them."""
        if not self._are_templates or _is_template(value):
            return False
        known_secrets.learn(value)
        return True

    def _hole(self, name: str, value: Any) -> str:
        stem = f"masked:{re.sub(r'[^A-Za-z0-9_.-]+', '-', name).strip('-') or 'value'}"
        hole, number = stem, 2
        while self.literals.get(hole, value) != value:
            hole, number = f"{stem}-{number}", number + 1
        self.literals[hole] = value
        return f"{{{hole}}}"

    def _is_secret(self, name: str) -> bool:
        low = name.lower()
        return low in self._named or (low not in _USUAL and is_secret_name(name))

    def _changed_items(self, node: Node, change: Any) -> Node:
        if not isinstance(node, Items):
            changed: Node = change(node)
            return changed
        return Items(node.span, tuple(change(item) for item in node.items))


def _is_template(text: str) -> bool:
    try:
        list(holes_in(text))
    except BadTemplate:
        return False
    return True


def _changed(node: Node, changes: Mapping[str, Any]) -> Node:
    """Return a mapping with the values of some keys changed."""
    if not isinstance(node, Entries):
        return node
    return Entries(
        node.span,
        {
            key: MappingEntry(key, entry.span, changes[key](entry.node)) if key in changes else entry
            for key, entry in node.entries.items()
        },
    )


def _changed_all(node: Node, change: Any, *, with_key: bool = False) -> Node:
    """Return a mapping with every value changed."""
    if not isinstance(node, Entries):
        return node
    return Entries(
        node.span,
        {
            key: MappingEntry(key, entry.span, change(entry.node, key) if with_key else change(entry.node))
            for key, entry in node.entries.items()
        },
    )


def _in_place(text: str, changed: Mapping[Span, str]) -> str:
    """Return the text with these values in their places, in double quotes; every line keeps its number."""
    from loadrig.plan.yaml_library import places

    where = places(text)
    places_and_values = [(where[span.line, span.column], value) for span, value in changed.items()]
    for (start, end), value in sorted(places_and_values, reverse=True):
        before = text[start:end]
        end = start + len(before.rstrip())
        lines = text.count("\n", start, end)
        text = text[:start] + json.dumps(value, ensure_ascii=False) + "\n" * lines + text[end:]
    return text

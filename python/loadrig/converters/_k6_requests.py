"""Requests of a k6 script, and the names that its functions see."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import quote_plus

from loadrig.base.units import Count
from loadrig.converters._clauses import Clauses
from loadrig.converters._k6_files import ScriptFeeds
from loadrig.converters._k6_patterns import name_of
from loadrig.converters._k6_texts import Value, text_of
from loadrig.converters._locust_values import MixedText
from loadrig.converters._selectors import Selection
from loadrig.plan.passages import Repeat
from loadrig.plan.requests import Expect, Extract, Think

NO_ANSWER = "0"
"""Status that k6 gives a request without an answer."""

_FORM = MixedText((("application/x-www-form-urlencoded", False),))


@dataclass(frozen=True, eq=False, slots=True)
class StepRounds:
    """Rounds of steps, of which each knows them. rule: what ends them. line, what: those of the loop."""

    first: "ScriptStep"
    rule: Repeat
    line: int
    what: str

    @property
    def variables(self) -> set[str]:
        """Variables that it compares."""
        conditions = self.rule.going or self.rule.until
        return {part.variable or "" for condition in conditions for part in condition.comparisons}


@dataclass(slots=True)
class ScriptStep:
    """A request of a function. group: names of those around it. patterns: what they find. batch: its own.

    guard: what must hold before it is made. rounds: those that it is in, inner ones first. is_login: whether
    each answer must have what is taken out of it.
    """

    line: int
    method: str
    url: MixedText
    scope: "ScriptScope"
    headers: dict[str, MixedText] = field(default_factory=dict)
    cookies: dict[str, MixedText] = field(default_factory=dict)
    body: MixedText | None = None
    name: str = ""
    group: str = ""
    timeout_s: float | None = None
    redirects: int | None = None
    expect: Expect = field(default_factory=Expect)
    extract: dict[str, Extract] = field(default_factory=dict)
    patterns: set[str] = field(default_factory=set)
    think: Think = field(default_factory=Think)
    batch: int | None = None
    guard: Clauses = ()
    rounds: tuple[StepRounds, ...] = ()
    is_login: bool = False

    def set_form(self, fields: Mapping[str, Value]) -> None:
        """Give the request the body of a form, and its type."""
        self.headers["Content-Type"] = _FORM
        self.body = _form(fields)

    def extracted(self, path: str) -> str:
        """Return the name of the variable that holds a place of this request's answer."""
        if path == "status":
            return self.status()
        return self._extract_name(
            _stem_of(path), Extract(regex=r"(?s).*") if path == "$body" else Extract(json=path)
        )

    def status(self) -> str:
        """Return the name of the variable that holds the status of this request's answer, 0 without one."""
        return self._extract_name("status", Extract(part="status", default=NO_ANSWER))

    def asked(self, path: str) -> str:
        """Return the name of the variable for a place of the answer that may be missing."""
        return self._extract_name(_stem_of(path), Extract(json=path, optional=True))

    def headed(self, header: str) -> str:
        """Return the name of the variable for a header of the answer that may be missing."""
        stem = re.sub(r"[^a-z0-9]+", "_", header.lower(), flags=re.ASCII)
        return self._extract_name(stem, Extract(header=header, optional=True))

    def holding(self, pattern: str) -> str:
        """Return the name of the variable for what a pattern finds, which is empty where it does not."""
        return self._extract_name("text", Extract(regex=pattern, default=""))

    def sought(self, pattern: str) -> str:
        """Return the name of the variable for what a pattern finds, which has no value where it does not."""
        return self._extract_name(name_of(pattern), Extract(regex=pattern, optional=True))

    def looked_for(self, selection: Selection) -> str:
        """Return the name of the variable for what a selector finds, which has no value where it does not."""
        return self._selected(selection, is_optional=True)

    def matched(self, pattern: str) -> str:
        """Return the name of the variable that holds what a pattern finds in this request's answer."""
        name = self._extract_name(name_of(pattern), Extract(regex=pattern))
        self.patterns.add(name)
        return name

    def selected(self, selection: Selection) -> str:
        """Return the name of the variable that holds what a selector finds in this request's answer."""
        return self._selected(selection)

    def _selected(self, selection: Selection, *, is_optional: bool = False) -> str:
        name = name_of(selection.css, (selection.attribute or selection.css.rpartition(" ")[2]).lower())
        match = Count(selection.number) if selection.number > 1 else None
        place = Extract(css=selection.css, attribute=selection.attribute, match=match, optional=is_optional)
        return self._extract_name(re.sub(r"\W.*", "", name, flags=re.ASCII) or "element", place)

    def _extract_name(self, stem: str, place: Extract) -> str:
        is_of_some = self.scope.guard != self.guard and not self.is_login
        if place.default is None and not place.optional and is_of_some:
            # Only some answers need to have it: that others do not is no failure.
            is_asked = replace(place, optional=True) in self.extract.values()
            place = replace(place, optional=True) if is_asked else replace(place, default="")
        for name, other in self.extract.items():
            if place == other:
                return name
        name = self.scope.unused(stem)
        self.extract[name] = place
        return name


@dataclass(slots=True)
class ScriptScope:
    """Things that a function of a script can use.

    clients: names that the client of HTTP is imported by. aliases: functions of k6 by names of their own.
    reading: names of functions that change nothing that they are given, among them those of clients.
    guard: what must hold for the part of the function that is read to be carried out.
    """

    names: dict[str, Value]
    functions: Mapping[str, Any]
    feeds: ScriptFeeds
    clients: frozenset[str]
    aliases: Mapping[str, str] = field(default_factory=dict)
    reading: frozenset[str] = frozenset()
    extracts: set[str] = field(default_factory=set)
    guard: Clauses = ()

    def unused(self, stem: str) -> str:
        """Return a name for another variable, which nothing else has from now on."""
        name, number = stem, 1
        while name in self.extracts or name in self.feeds.drafts:
            number += 1
            name = f"{stem}_{number}"
        self.extracts.add(name)
        return name

    def called(self, call: Any) -> str:
        """Return the name of the function that is called, of one of k6 that which k6 gives it."""
        name = str(call.child_by_field_name("function").text.decode("utf-8", "replace"))
        return self.aliases.get(name, name.removeprefix("k6."))

    def is_failure(self, statement: Any) -> bool:
        """Return whether a statement ends the iteration by `fail`."""
        call = statement.named_children[0] if statement.type == "expression_statement" else statement
        return call.type == "call_expression" and self.called(call) == "fail" and "fail" not in self.functions


def _stem_of(path: str) -> str:
    """Return the name of a place in JSON."""
    return path.rpartition(".")[2].partition("[")[0].strip("$") or "value"


def _form(fields: Mapping[str, Value]) -> MixedText:
    """Return the body of a form as k6 writes it: names in alphabetical order, as Go's url.Values are."""
    whole = MixedText(())
    for name, values in sorted(fields.items()):
        for value in values if isinstance(values, list) else [values]:
            parts = tuple(
                (text if is_hole else quote_plus(text), is_hole) for text, is_hole in text_of(value).parts
            )
            sign = "&" if whole.parts else ""
            whole += MixedText(((f"{sign}{quote_plus(name)}=", False), *parts))
    return whole

"""Assertions and extractors of JMeter as checks and extractions of a plan."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from loadrig.base.units import Bytes, Count, Seconds
from loadrig.converters._jmx_patterns import (
    NOT,
    OR,
    SUBSTRING,
    holds,
    is_plain_pattern,
    pattern_of,
)
from loadrig.converters._jmx_report import JmxReport
from loadrig.converters._jmx_text import Variables
from loadrig.converters._jmx_tree import TreeElement
from loadrig.converters._jmx_values import JsonAssertion, absence_checks, header_checks, json_checks
from loadrig.converters._selectors import Selection, selection_of, selection_of_path
from loadrig.language.choice import texts_of
from loadrig.language.en.converters.jmeter import ConvertersJmeterTexts
from loadrig.plan.requests import Expect, Extract
from loadrig.plan.value_checks import ValueCheck

TEXTS = texts_of(ConvertersJmeterTexts)

_CODES = range(100, 600)
_SUCCESSFUL = frozenset(range(200, 400))
"""Statuses of answers that JMeter takes as successful. Source: `HTTPSamplerBase.isSuccessCode`."""

MOST_CODES = 100
"""Status codes that an assertion allows and a plan lists, at most."""

MOST_MATCHES = 10_000
"""Number of a match that a plan names, at most."""

_GROUP = re.compile(r"\\.|\[(?:\\.|[^\]\\])*\]|\((?!\?)")
_SIMPLE_PATH = re.compile(r"\$(?:\.[A-Za-z_][\w-]*|\[\d+\]|\['[^'\]]+'\])*", re.ASCII)
_OPEN_PATH = re.compile(r"\$(?:\.{1,2}[A-Za-z_]\w*|\.?\[\*\]|\.\*|\[\d+\]|\['[^'\]\\]+'\])*", re.ASCII)
"""Pattern of paths that may lead to several values. JMeter and the generator read them alike."""

_JMES_PATH = re.compile(r"[A-Za-z_]\w*(?:\[\d+\])*(?:\.[A-Za-z_]\w*(?:\[\d+\])*)*", re.ASCII)
_HEADER = re.compile(r"\^?\(?([A-Za-z][A-Za-z-]*)\)?:\s*(?:\\s\*)?\(\.[*+]\??\)\$?")
_XPATH_PREFIXES: Mapping[str, str] = {
    "XPathExtractor": "XPathExtractor",
    "XPath2Extractor": "XPathExtractor2",
}
"""Beginnings of the names of properties of extractors by XPath, by their kinds."""

_WHOLE_CODE = re.compile(r"\^?\((?:\.|\\d|\[0-9\])(?:[*+]|\{3\})\)\$?")
"""Pattern of expressions that take the whole code of an answer."""

_NAMES: Mapping[str, tuple[str, str, str]] = {
    "RegexExtractor": ("RegexExtractor.refname", "RegexExtractor.match_number", "RegexExtractor.default"),
    "BoundaryExtractor": (
        "BoundaryExtractor.refname",
        "BoundaryExtractor.match_number",
        "BoundaryExtractor.default",
    ),
    "JSONPostProcessor": (
        "JSONPostProcessor.referenceNames",
        "JSONPostProcessor.match_numbers",
        "JSONPostProcessor.defaultValues",
    ),
    "JMESPathExtractor": (
        "JMESExtractor.referenceName",
        "JMESExtractor.matchNumber",
        "JMESExtractor.defaultValue",
    ),
    "HtmlExtractor": ("HtmlExtractor.refname", "HtmlExtractor.match_number", "HtmlExtractor.default"),
    "XPathExtractor": ("XPathExtractor.refname", "XPathExtractor.matchNumber", "XPathExtractor.default"),
    "XPath2Extractor": ("XPathExtractor2.refname", "XPathExtractor2.matchNumber", "XPathExtractor2.default"),
}
"""Properties of the kinds of extractors: the variable, the number of the match that it gets, and the value
that it gets where nothing is taken. The JSON Extractor has several of each."""


@dataclass(slots=True)
class Checks:
    """Collector of what is checked of an answer and taken from it.

    ignores_status: whether an assertion takes the answer as successful whatever its status.
    """

    variables: Variables
    report: JmxReport
    status: set[int] | None = None
    ignores_status: bool = False
    contains: list[str] = field(default_factory=list)
    matches: list[str] = field(default_factory=list)
    json: dict[str, Any] = field(default_factory=dict)
    values: list[ValueCheck] = field(default_factory=list)
    size_min: int | None = None
    size_max: int | None = None
    time_s: float | None = None
    extracts: dict[str, Extract] = field(default_factory=dict)

    def expect(self) -> Expect:
        """Return the checks."""
        return Expect(
            status=tuple(sorted(self.status or ())),
            contains=tuple(dict.fromkeys(self.contains)),
            matches=tuple(dict.fromkeys(self.matches)),
            json=self.json,
            values=tuple(dict.fromkeys(self.values)),
            size_min=None if self.size_min is None else Bytes(self.size_min),
            size_max=None if self.size_max is None else Bytes(self.size_max),
            time=None if self.time_s is None else Seconds(self.time_s),
        )

    # --- assertions -------------------------------------------------------------------------------

    def response(self, element: TreeElement) -> None:
        """Take a Response Assertion."""
        if not self._is_of_answer(element):
            return
        kind = int(self.variables.number(element.get("Assertion.test_type"), element, 2))
        strings = []
        for part in (*element.items("Asserion.test_strings"), *element.items("Assertion.test_strings")):
            text = self.variables.constant(part.text, element)
            if text is None:
                self.report.drop(element, TEXTS.check_of_variables)
                return
            strings.append(text)
        if not strings:
            return
        self.ignores_status |= element.is_true("Assertion.assume_success")
        test_field = element.get("Assertion.test_field").removeprefix("Assertion.")
        if test_field == "response_code":
            self._codes(element, strings, kind)
        elif test_field in ("response_data", "response_data_as_document", ""):
            self._body(element, strings, kind)
        elif test_field == "response_headers":
            self._take_values(element, header_checks(element.name, strings, kind), TEXTS.other_header)
        else:
            self.report.drop(element, TEXTS.check_elsewhere(test_field[:40]))
        if element.is_true("Assertion.assume_success") and test_field != "response_code":
            self.report.alter(element, TEXTS.status_counts)

    def _is_of_answer(self, element: TreeElement) -> bool:
        """Return whether an assertion or extractor looks at the answer itself; note one that does not.

        JMeter has the parts of an answer, those of redirects and embedded resources, beside or instead of it,
        and variables.
        """
        scope = element.get("Assertion.scope") or element.get("Sample.scope", "parent")
        if scope == "all":
            self.report.alter(element, TEXTS.of_last_answer)
        elif scope != "parent":
            self.report.drop(element, TEXTS.of_another_text(scope[:40]))
        return scope in ("parent", "all")

    def _codes(self, element: TreeElement, strings: Sequence[str], kind: int) -> None:
        join = any if kind & OR else all
        try:
            allowed = {
                code
                for code in _CODES
                if join(holds(str(code), text, kind) for text in strings) != bool(kind & NOT)
            }
        except (re.error, RecursionError):
            self.report.drop(element, TEXTS.other_pattern)
            return
        if not self.ignores_status:
            # A failed sample stays one, whatever an assertion allows.
            allowed &= _SUCCESSFUL
            if allowed == _SUCCESSFUL and self.status is None:
                # The plan's own rule says the same.
                self.report.carry(element)
                return
        if self.status is not None:
            allowed &= self.status
        if not allowed or len(allowed) > MOST_CODES:
            self.report.drop(element, TEXTS.no_such_codes(len(allowed)))
            return
        self.status = allowed
        self.report.carry(element)

    def _body(self, element: TreeElement, strings: Sequence[str], kind: int) -> None:
        if kind & NOT:
            self._take_values(element, absence_checks(element.name, strings, kind), TEXTS.other_pattern)
            return
        if kind & SUBSTRING and not (kind & OR and len(strings) > 1):
            self.contains += [text for text in strings if text]
            self.report.carry(element)
            return
        patterns = [pattern_of(text, kind) for text in strings]
        if any(not is_plain_pattern(pattern) for pattern in patterns):
            self.report.drop(element, TEXTS.other_pattern)
            return
        if kind & OR:
            patterns = ["|".join(f"(?:{pattern})" for pattern in patterns)]
        self.matches += patterns
        self.report.carry(element)

    def duration(self, element: TreeElement) -> None:
        """Take a Duration Assertion, whose bound is in milliseconds."""
        if not self._is_of_answer(element):
            return
        most_ms = self.variables.number(element.get("DurationAssertion.duration"), element)
        if most_ms > 0:
            self.time_s = min(most_ms / 1000, self.time_s or float("inf"))
            self.report.carry(element)

    def size(self, element: TreeElement) -> None:
        """Take a Size Assertion of the body."""
        if not self._is_of_answer(element):
            return
        test_field = element.get("Assertion.test_field") or element.get("SizeAssertion.test_field")
        if test_field not in ("", "SizeAssertion.response_data"):
            self.report.drop(element, TEXTS.check_elsewhere(test_field.rpartition(".")[2][:40]))
            return
        size = int(self.variables.number(element.get("SizeAssertion.size"), element))
        operator = int(self.variables.number(element.get("SizeAssertion.operator"), element, 1))
        least, most = {
            1: (size, size),
            3: (size + 1, None),
            4: (None, size - 1),
            5: (size, None),
            6: (None, size),
        }.get(operator, (None, None))
        if least is None and most is None:
            self.report.drop(element, TEXTS.no_not)
            return
        self.size_min = least if least is not None else self.size_min
        self.size_max = max(most, 0) if most is not None else self.size_max
        self.report.carry(element)

    def json_value(self, element: TreeElement) -> None:
        """Take a JSON Assertion."""
        path = self.variables.constant(element.get("JSON_PATH"), element)
        is_valued = element.is_true("JSONVALIDATION")
        text = self.variables.constant(element.get("EXPECTED_VALUE"), element) if is_valued else ""
        is_open = path is not None and not is_valued and _OPEN_PATH.fullmatch(path) is not None
        if path is None or not (is_open or _SIMPLE_PATH.fullmatch(path)):
            self.report.drop(element, TEXTS.other_path((path or "")[:80]))
            return
        if text is None:
            self.report.drop(element, TEXTS.check_of_variables)
            return
        is_inverted = element.is_true("INVERT")
        is_plain = not (is_inverted or element.is_true("ISREGEX") or element.is_true("EXPECT_NULL"))
        if is_valued and is_plain:
            self.json[path] = _as_json(text)
            self.report.carry(element)
            return
        assertion = JsonAssertion(
            path,
            text if is_valued else None,
            element.is_true("EXPECT_NULL"),
            element.is_true("ISREGEX"),
            is_inverted,
        )
        self._take_values(element, json_checks(element.name, assertion), TEXTS.no_mismatch)
        if is_inverted:
            self.report.alter(element, TEXTS.only_of_json)
        if is_valued and not element.is_true("ISREGEX") and not isinstance(_as_json(text), str):
            self.report.alter(element, TEXTS.as_text)

    def _take_values(self, element: TreeElement, checks: Sequence[ValueCheck], why: str) -> None:
        """Take checks of values; list the assertion with the reason where there are none."""
        if not checks:
            self.report.drop(element, why)
            return
        self.values += checks
        self.report.carry(element)

    # --- extractors -------------------------------------------------------------------------------

    def extract(self, element: TreeElement) -> bool:
        """Take an extractor; return whether the element is one."""
        if element.kind not in _NAMES:
            return False
        if not self._is_of_answer(element):
            return True
        match element.kind:
            case "RegexExtractor":
                self._regex(element)
            case "BoundaryExtractor":
                left, right = (
                    self.variables.constant(element.get(f"BoundaryExtractor.{side}boundary"), element)
                    for side in "lr"
                )
                if left is None or right is None or not (left and right):
                    self.report.drop(element, TEXTS.check_of_variables)
                else:
                    pattern = f"(?s){re.escape(left)}(.*?){re.escape(right)}"
                    self._take(element, Extract(regex=pattern))
            case "JSONPostProcessor":
                self._json(element)
            case "JMESPathExtractor":
                path = self.variables.constant(element.get("JMESExtractor.jmesPathExpr"), element) or ""
                if _JMES_PATH.fullmatch(path):
                    self._take(element, Extract(json=f"$.{path}"))
                else:
                    self.report.drop(element, TEXTS.other_path(path[:80]))
            case "HtmlExtractor":
                selector = self.variables.constant(element.get("HtmlExtractor.expr"), element) or ""
                attribute = element.get("HtmlExtractor.attribute").strip()
                is_of_jodd = element.get("HtmlExtractor.extractor_impl") == "JODD"
                self._select(element, selector, selection_of(selector.strip(), attribute, is_of_jodd))
            case _:
                prefix = _XPATH_PREFIXES[element.kind]
                query = self.variables.constant(element.get(f"{prefix}.xpathQuery"), element) or ""
                is_page = element.is_true("XPathExtractor.tolerant")
                self._select(element, query, selection_of_path(query.strip(), is_page))
        return True

    def _regex(self, element: TreeElement) -> None:
        place = element.get("RegexExtractor.useHeaders", "false")
        pattern = self.variables.constant(element.get("RegexExtractor.regex"), element)
        template = element.get("RegexExtractor.template").strip() or "$1$"
        group = re.fullmatch(r"\$(\d)\$", template)
        if pattern is None or not pattern:
            self.report.drop(element, TEXTS.check_of_variables)
        elif group is None:
            self.report.drop(element, TEXTS.template_of_groups(template[:80]))
        elif place == "true" and (header := _HEADER.fullmatch(pattern)) is not None:
            self._take(element, Extract(header=header[1]))
        elif place == "code" and group[1] == "1" and _WHOLE_CODE.fullmatch(pattern):
            self._take(element, Extract(part="status"))
        elif place not in ("false", "unescaped"):
            self.report.drop(element, TEXTS.extract_elsewhere(place[:40]))
        else:
            chosen = of_group(pattern, int(group[1]))
            if chosen is None or not is_plain_pattern(chosen):
                self.report.drop(element, TEXTS.other_pattern)
            else:
                self._take(element, Extract(regex=chosen))

    def _json(self, element: TreeElement) -> None:
        paths = element.get("JSONPostProcessor.jsonPathExprs").split(";")
        for place, (name, path) in enumerate(zip(names_of(element), paths, strict=False)):
            fixed = (self.variables.constant(path.strip(), element) or "").removesuffix("[*]")
            if _SIMPLE_PATH.fullmatch(fixed):
                self._take(element, Extract(json=fixed), place)
            else:
                self.report.drop(element, TEXTS.other_path(path[:80]), name[:80])

    def _select(self, element: TreeElement, written: str, selection: Selection | None) -> None:
        if selection is None:
            self.report.drop(element, TEXTS.other_selector(written[:80]))
            return
        match = Count(selection.number) if selection.number > 1 else None
        self._take(element, Extract(css=selection.css, attribute=selection.attribute, match=match))

    def _take(self, element: TreeElement, extract: Extract, place: int = 0) -> None:
        """Take what an extractor takes; place: that of the variable among those of the extractor."""
        _, numbers, defaults = _NAMES[element.kind]
        number, default = _part(element, numbers, place).strip(), _part(element, defaults, place)
        hole = self.variables.holes.get(names_of(element)[place])
        if hole is None:
            self.report.drop(element, TEXTS.no_variable_named)
            return
        is_numbered = extract.match is None and (extract.regex is not None or extract.css is not None)
        if is_numbered and number.isdecimal() and 1 < int(number) <= MOST_MATCHES:
            extract = replace(extract, match=Count(int(number)))
        elif number not in ("", "1"):
            self.report.alter(element, TEXTS.first_match(number[:40]))
        value = self.variables.constant(default, element) if default else None
        is_empty = not default and element.is_true(f"{element.kind}.default_empty_value")
        self.extracts[hole] = replace(extract, default="" if is_empty else value)
        self.report.carry(element)


def _part(element: TreeElement, key: str, place: int) -> str:
    """Return a property of an extractor, of a JSON Extractor the part at a place."""
    text = element.get(key)
    parts = text.split(";") if element.kind == "JSONPostProcessor" else [text]
    return parts[place] if place < len(parts) else ""


def names_of(element: TreeElement) -> list[str]:
    """Return the variables that an extractor sets."""
    if element.kind not in _NAMES:
        return []
    text = element.get(_NAMES[element.kind][0])
    return [name.strip() for name in text.split(";")] if element.kind == "JSONPostProcessor" else [text]


def of_group(pattern: str, group: int) -> str | None:
    """Return a pattern whose first group is one of those of another; None where there is no such group."""
    count = 0

    def changed(match: re.Match[str]) -> str:
        nonlocal count
        if match[0] != "(":
            return match[0]
        count += 1
        return "(" if count == group else "(?:"

    result = _GROUP.sub(changed, pattern)
    return result if group <= count else (pattern if group == 1 and not count else None)


def _as_json(text: str) -> Any:
    """Return the value that a JSON Assertion expects: JSON if it is, else the text."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return value if isinstance(value, str | int | float | bool | None) else text

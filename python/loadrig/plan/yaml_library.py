"""YAML 1.2 by the YAML library, and what is wrong with a text that is no YAML.

The result is plain data: tags are refused, anchors are followed, keys must be different.
"""

import re
from collections.abc import Iterator
from dataclasses import replace

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.nodes import MappingNode, ScalarNode, SequenceNode
from ruamel.yaml.nodes import Node as YamlNode
from ruamel.yaml.reader import ReaderError

from loadrig.base.error_words import ErrorWords
from loadrig.base.errors import PlanError, Problem, Span
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.plan_yaml import PlanYamlLibraryErrors
from loadrig.plan.node import Entries, Items, MappingEntry, Node, Scalar
from loadrig.plan.yaml_text import LinePlaces, core

ERRORS = texts_of(PlanYamlLibraryErrors)

_OWN_TAGS = "tag:yaml.org,2002:"

MOST_LETTERS = 1_000_000
"""Largest number of letters of a text. The library reads some hundred thousand a second; a longer text is
data, and belongs in a feed."""

MOST_DEPTH = 50
"""Largest depth of lists and mappings within each other. The library can follow some two hundred before
Python gives up."""

_BRACKETS = re.compile(r"(?:[\[{]\s*){200}")
"""Pattern of more brackets in a row than the library can follow; it would take ten seconds to find that
out."""

MOST_REPEATED = 10_000
"""Largest number of values that aliases repeat. Twenty lines of aliases of aliases could otherwise mean a
million million values."""


def read(lines: LinePlaces) -> tuple[Node, list[Problem]]:
    """Return the tree of a text, and problems that do not hinder reading on.

    Raises PlanError: plan.yaml-syntax if the text is not YAML at all, plan.too-much if it has or means more
    than a plan may.
    """
    if len(lines.text) > MOST_LETTERS:
        raise PlanError(_too_much(ERRORS.too_long(len(lines.text), MOST_LETTERS), lines.span(0, 0)))
    if (deep := _BRACKETS.search(lines.text)) is not None:
        raise PlanError(_too_deep(lines.span(deep.start(), deep.end())))
    try:
        root = YAML(typ="rt", pure=True).compose(lines.text)
    except MarkedYAMLError as error:
        raise PlanError(_syntax_problem(error, lines)) from None
    except ReaderError as error:
        raise PlanError(_character_problem(error, lines)) from None
    except RecursionError:
        raise PlanError(_too_deep(lines.span(0, 0))) from None
    except (YAMLError, ValueError) as error:
        message = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise PlanError(_syntax(ERRORS.not_yaml(message), lines.span(0, 0))) from None
    if root is None:
        return Scalar(lines.span(0, 0), None, ""), []
    tree = _Tree(lines)
    return tree.node(root), tree.problems


class _Tree:
    """Converter of the library's nodes into ours, which notes problems on the way."""

    def __init__(self, lines: LinePlaces) -> None:
        self.problems: list[Problem] = []
        self._lines = lines
        self._above: list[YamlNode] = []
        self._ids: set[int] = set()
        self._repeated = 0

    def node(self, yaml: YamlNode) -> Node:
        span = self._lines.span(yaml.start_mark.index, yaml.end_mark.index)
        if any(yaml is above for above in self._above):
            raise PlanError(_syntax(ERRORS.anchor_in_itself, span))
        if len(self._above) > MOST_DEPTH:
            raise PlanError(_too_deep(span))
        # The library keeps every node, so no two nodes have the same id.
        self._repeated += id(yaml) in self._ids
        self._ids.add(id(yaml))
        if self._repeated > MOST_REPEATED:
            raise PlanError(_too_much(ERRORS.too_many_aliases(MOST_REPEATED), span))
        self._refuse_tag(yaml, span)
        match yaml:
            case ScalarNode():
                is_quoted = yaml.style is not None
                return Scalar(span, yaml.value if is_quoted else core(yaml.value), yaml.value, is_quoted)
            case SequenceNode():
                self._above.append(yaml)
                items = tuple(self.node(item) for item in yaml.value)
                self._above.pop()
                return Items(span, items)
            case MappingNode():
                self._above.append(yaml)
                entries = dict(self._entries(yaml))
                self._above.pop()
                return Entries(span, entries)
            case _:
                raise PlanError(_syntax(ERRORS.no_yaml, span))

    def _entries(self, yaml: MappingNode) -> Iterator[tuple[str, MappingEntry]]:
        spans: dict[str, Span] = {}
        for key, value in yaml.value:
            span = self._lines.span(key.start_mark.index, key.end_mark.index)
            if not isinstance(key, ScalarNode):
                raise PlanError(_syntax(ERRORS.key_of_several_values, span))
            if key.value in spans:
                first = spans[key.value]
                wording = ERRORS.key_twice(key.value, str(first), first.line, span.line)
                self.problems.append(Problem.of(wording, code="plan.duplicate-key", where=span))
                continue
            spans[key.value] = span
            node = self.node(value)
            if isinstance(node, Scalar) and not node.text and not node.is_quoted:
                node = replace(node, span=span)  # nothing stands there to point at but the key
            yield key.value, MappingEntry(key.value, span, node)

    def _refuse_tag(self, yaml: YamlNode, span: Span) -> None:
        tag = str(yaml.tag or "")
        if tag and tag != "!" and not tag.startswith(_OWN_TAGS):
            self.problems.append(_syntax(ERRORS.tag(tag), span))


def _too_deep(where: Span) -> Problem:
    return _too_much(ERRORS.too_deep(MOST_DEPTH), where)


def _too_much(wording: ErrorWords, where: Span) -> Problem:
    return Problem.of(wording, code="plan.too-much", where=where)


def _syntax(wording: ErrorWords, where: Span) -> Problem:
    return Problem.of(wording, code="plan.yaml-syntax", where=where)


def _syntax_problem(error: MarkedYAMLError, lines: LinePlaces) -> Problem:
    """Return the library's complaint at its place, with advice for what is mistyped most often."""
    mark = error.problem_mark or error.context_mark
    index = mark.index if mark is not None else 0
    where = lines.span(index, index + 1)
    message = " ".join(str(error.problem or error.context or ERRORS.unreadable).split())
    why = " ".join(str(error.context).split()) if error.context and error.problem else ""
    if message.startswith("but "):
        message, why = f"{why}, {message}", ""
    line, mend = where.text, ""
    if "\t" in line[: len(line) - len(line.lstrip())]:
        mend = ERRORS.tab
    elif "${" in line:
        mend = ERRORS.hole_of_a_lab
    elif (letter := line[where.column - 1 : where.column]) in ("%", "@", "`"):
        mend = ERRORS.unquoted_sign(letter)
    elif "{" in line and "mapping" in f"{message} {why}":
        mend = ERRORS.unquoted_brace
    elif "mapping values are not allowed" in message:
        mend = ERRORS.unquoted_colon
    elif "alias" in message and "undefined" in message:
        mend = ERRORS.unquoted_star
    elif "single document" in f"{message} {why}":
        mend = ERRORS.second_document
    return _syntax(ERRORS.not_yaml_here(message, why, mend), where)


def _character_problem(error: ReaderError, lines: LinePlaces) -> Problem:
    position = error.position if isinstance(error.position, int) else 0
    letter = error.character
    shown = f"U+{ord(letter) if isinstance(letter, str) else int(letter):04X}"
    return _syntax(ERRORS.forbidden_character(shown), lines.span(position, position + 1))


def places(text: str) -> dict[tuple[int, int], tuple[int, int]]:
    """Return where each single value of a text begins and ends, in characters.

    The key is its line and column, from 1.
    """
    ends: dict[tuple[int, int], tuple[int, int]] = {}
    waiting = [YAML(typ="rt", pure=True).compose(text)]
    while waiting:
        match waiting.pop():
            case ScalarNode() as node:
                mark = node.start_mark
                ends[mark.line + 1, mark.column + 1] = (mark.index, node.end_mark.index)
            case SequenceNode() as node:
                waiting += node.value
            case MappingNode() as node:
                waiting += [value for _, value in node.value]
    return ends

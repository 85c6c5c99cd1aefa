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

from loadrig.base.errors import PlanError, Problem, Span
from loadrig.plan.node import Entries, Items, MappingEntry, Node, Scalar
from loadrig.plan.yaml_text import LinePlaces, core

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
        what = f"the text has {len(lines.text):,} letters, and at most {MOST_LETTERS:,} are read"
        raise PlanError(_too_much(what, lines.span(0, 0)))
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
        raise PlanError(_syntax(f"the text is not YAML: {message}", lines.span(0, 0))) from None
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
        self._seen: set[int] = set()
        self._repeated = 0

    def node(self, yaml: YamlNode) -> Node:
        span = self._lines.span(yaml.start_mark.index, yaml.end_mark.index)
        if any(yaml is above for above in self._above):
            raise PlanError(_syntax("an anchor contains itself", span))
        if len(self._above) > MOST_DEPTH:
            raise PlanError(_too_deep(span))
        # The library keeps every node, so no two nodes have the same id.
        self._repeated += id(yaml) in self._seen
        self._seen.add(id(yaml))
        if self._repeated > MOST_REPEATED:
            raise PlanError(_too_much(f"aliases repeat more than {MOST_REPEATED:,} values here", span))
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
                raise PlanError(_syntax("the text is not YAML", span))

    def _entries(self, yaml: MappingNode) -> Iterator[tuple[str, MappingEntry]]:
        seen: dict[str, Span] = {}
        for key, value in yaml.value:
            span = self._lines.span(key.start_mark.index, key.end_mark.index)
            if not isinstance(key, ScalarNode):
                raise PlanError(_syntax("a list or a mapping cannot be a key", span))
            if key.value in seen:
                first = seen[key.value]
                self.problems.append(
                    Problem(
                        what=f"{key.value} is written twice; first at {first}",
                        where=span,
                        mend=f"keep one of lines {first.line} and {span.line}",
                        code="plan.duplicate-key",
                    )
                )
                continue
            seen[key.value] = span
            node = self.node(value)
            if isinstance(node, Scalar) and not node.text and not node.is_quoted:
                node = replace(node, span=span)  # nothing stands there to point at but the key
            yield key.value, MappingEntry(key.value, span, node)

    def _refuse_tag(self, yaml: YamlNode, span: Span) -> None:
        tag = str(yaml.tag or "")
        if tag and tag != "!" and not tag.startswith(_OWN_TAGS):
            self.problems.append(
                Problem(
                    what=f"{tag} is a YAML tag, and a plan is plain data",
                    where=span,
                    mend=f"leave {tag} out; quote a text that begins with !",
                    code="plan.yaml-syntax",
                )
            )


def _too_deep(where: Span) -> Problem:
    return _too_much(f"lists and mappings lie within each other more than {MOST_DEPTH} deep", where)


def _too_much(what: str, where: Span) -> Problem:
    return Problem(
        what=what,
        where=where,
        mend="write long data into a file, and name it as a feed or a body_file",
        code="plan.too-much",
    )


def _syntax(what: str, where: Span, why: str = "") -> Problem:
    return Problem(
        what=what,
        where=where,
        why=why,
        mend="look at this line and the one above: indentation, quotes, a missing colon or bracket",
        code="plan.yaml-syntax",
    )


def _syntax_problem(error: MarkedYAMLError, lines: LinePlaces) -> Problem:
    """Return the library's complaint at its place, with advice for what is mistyped most often."""
    mark = error.problem_mark or error.context_mark
    index = mark.index if mark is not None else 0
    where = lines.span(index, index + 1)
    message = " ".join(str(error.problem or error.context or "cannot be read").split())
    why = " ".join(str(error.context).split()) if error.context and error.problem else ""
    if message.startswith("but "):
        message, why = f"{why}, {message}", ""
    problem = _syntax(f"not YAML: {message}", where, why)
    line, mend = where.text, ""
    if "\t" in line[: len(line) - len(line.lstrip())]:
        mend = "indent with spaces; YAML does not allow tabs there"
    elif "${" in line:
        mend = "a lab fills in what stands in ${…}: loadrig lab run LAB:FILE runs a plan with its lab"
    elif (letter := line[where.column - 1 : where.column]) in ("%", "@", "`"):
        mend = f"quote the text that begins with {letter}"
    elif "{" in line and "mapping" in f"{message} {why}":
        mend = 'quote a text that has { or } in it: get: "/search?q={word}"'
    elif "mapping values are not allowed" in message:
        mend = "quote a text that has a colon and a space in it, or mend the indentation"
    elif "alias" in message and "undefined" in message:
        mend = "quote a text that begins with *"
    elif "single document" in f"{message} {why}":
        mend = "keep one plan a file: take the --- out"
    return problem if not mend else Problem(problem.what, mend, problem.code, problem.why, problem.where)


def _character_problem(error: ReaderError, lines: LinePlaces) -> Problem:
    position = error.position if isinstance(error.position, int) else 0
    letter = error.character
    shown = f"U+{ord(letter) if isinstance(letter, str) else int(letter):04X}"
    return Problem(
        what=f"the character {shown} is not allowed in YAML",
        where=lines.span(position, position + 1),
        mend='leave it out, or write it as an escape in double quotes: "\\x07"',
        code="plan.yaml-syntax",
    )


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

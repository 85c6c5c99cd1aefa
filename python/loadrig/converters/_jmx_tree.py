"""The tree of a JMX file: elements with their lines, properties and children, read by a bounded parser.

JMeter writes an element and after it a `hashTree` with what lies below it. Document types and entities are
refused, as JMeter writes none; so are trees deeper or larger than any test.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from xml.parsers import expat

from loadrig.converters._source import TestSource
from loadrig.language.choice import texts_of
from loadrig.language.en.converters.jmeter import ConvertersJmeterErrors

ERRORS = texts_of(ConvertersJmeterErrors)

DEEPEST = 300
"""Levels of elements within each other at most. A controller takes two levels; people nest some ten."""

MOST_ELEMENTS = 400_000
"""Elements of a file at most: a test of a thousand recorded requests has some fifty thousand."""

_NAMED_WITHIN = ("doubleProp", "FloatProperty")
"""Tags of properties whose name and value are parts of their own. Source: `DoublePropertyConverter` and
`FloatPropertyConverter`."""

_TREE = "hashTree"
_ROOT = "jmeterTestPlan"


@dataclass(slots=True)
class Property:
    """A value of an element: a text, or further values by their names (those of a list in their order)."""

    name: str
    text: str = ""
    parts: "list[Property]" = field(default_factory=list)

    def get(self, name: str) -> str:
        """Return the text of a part, or nothing."""
        return next((part.text for part in self.parts if part.name == name), "")

    def part(self, name: str) -> "Property | None":
        """Return a part by its name."""
        return next((part for part in self.parts if part.name == name), None)


@dataclass(slots=True)
class TreeElement:
    """An element of a test. kind: its class without a package. line: where it begins."""

    kind: str
    gui: str
    name: str
    is_enabled: bool
    line: int
    properties: Property
    children: "list[TreeElement]" = field(default_factory=list)

    def get(self, name: str, default: str = "") -> str:
        """Return the text of a property; the default where it is not there or empty."""
        return self.properties.get(name) or default

    def is_true(self, name: str) -> bool:
        """Return whether a property is true."""
        return self.properties.get(name).strip().lower() == "true"

    def items(self, *names: str) -> "list[Property]":
        """Return the parts of a property within properties."""
        part: Property | None = self.properties
        for name in names:
            part = part.part(name) if part is not None else None
        return part.parts if part is not None else []

    def all_below(self) -> "Iterator[TreeElement]":
        """Yield the element and all below it, in the order of the file."""
        waiting = [self]
        while waiting:
            element = waiting.pop()
            yield element
            waiting.extend(reversed(element.children))


class _TreeBuilder:
    """Builder of the tree. `hashTree` levels and properties are told apart by where they stand."""

    def __init__(self) -> None:
        self.top = TreeElement("", "", "", is_enabled=True, line=0, properties=Property(""))
        self._parents: list[TreeElement] = [self.top]
        self._open: list[str] = []
        self._properties: list[Property] = []
        self._element: TreeElement | None = None
        self._texts: list[str] = []
        self._elements = 0
        self.expat = expat.ParserCreate()
        self.expat.buffer_text = True
        self.expat.StartElementHandler = self._start
        self.expat.EndElementHandler = self._end
        self.expat.CharacterDataHandler = self._text
        self.expat.StartDoctypeDeclHandler = self._refuse
        self.expat.EntityDeclHandler = self._refuse

    def _refuse(self, *_: object) -> None:
        raise ValueError(ERRORS.foreign_declaration)

    def _start(self, tag: str, attributes: Mapping[str, str]) -> None:
        self._elements += 1
        if len(self._open) >= DEEPEST:
            raise ValueError(ERRORS.deep_nesting(DEEPEST))
        if self._elements > MOST_ELEMENTS:
            raise ValueError(ERRORS.many_elements(MOST_ELEMENTS))
        if not self._open:
            if tag != _ROOT:
                raise ValueError(ERRORS.other_root(tag[:80]))
        elif self._properties:
            part = Property(attributes.get("name", tag))
            self._properties[-1].parts.append(part)
            self._properties.append(part)
        elif tag == _TREE:
            siblings = self._parents[-1].children
            # The outermost tree has no element before it.
            self._parents.append(siblings[-1] if siblings else self._parents[-1])
        else:
            self._begin(tag, attributes)
        self._open.append(tag)
        self._texts.clear()

    def _begin(self, tag: str, attributes: Mapping[str, str]) -> None:
        properties = Property("")
        kind = (attributes.get("testclass") or tag).rpartition(".")[2]
        element = TreeElement(
            kind,
            attributes.get("guiclass", "").rpartition(".")[2],
            attributes.get("testname", ""),
            is_enabled=attributes.get("enabled", "true").lower() != "false",
            line=self.expat.CurrentLineNumber,
            properties=properties,
        )
        self._parents[-1].children.append(element)
        self._element = element
        self._properties = [properties]

    def _end(self, tag: str) -> None:
        self._open.pop()
        if self._properties:
            part = self._properties.pop()
            if not part.parts:
                part.text = "".join(self._texts)
            elif tag in _NAMED_WITHIN:
                part.name, part.text = part.get("name"), part.get("value")
            if not self._properties and self._element is not None:
                self._settle(self._element)
                self._element = None
        elif tag == _TREE:
            self._parents.pop()
        self._texts.clear()

    def _settle(self, element: TreeElement) -> None:
        """Take name and state from properties, where a file of an old JMeter has them there."""
        element.name = element.name or element.get("TestElement.name")
        if element.get("TestElement.enabled") == "false":
            element.is_enabled = False

    def _text(self, text: str) -> None:
        self._texts.append(text)


def read_tree(source: TestSource) -> TreeElement:
    """Return the element above all of a JMX file. Raise PlanError `import.bad-test`."""
    parser = _TreeBuilder()
    try:
        for block in source.blocks():
            parser.expat.Parse(block, False)
        parser.expat.Parse(b"", True)
    except expat.ExpatError as error:
        what = expat.ErrorString(error.code)
        column = error.offset + 1
        raise source.bad(what, ERRORS.save_in_jmeter, line=error.lineno, column=column) from error
    except (ValueError, LookupError) as error:
        raise source.bad(str(error), ERRORS.save_in_jmeter, line=parser.expat.CurrentLineNumber) from error
    return parser.top

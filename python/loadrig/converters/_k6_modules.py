"""Imports of a k6 script: its own modules, and files beside the script, with the lines of each."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from loadrig.base.errors import PlanError
from loadrig.converters._account import LineAccount
from loadrig.converters._k6_files import ScriptFeeds
from loadrig.converters._k6_texts import Value
from loadrig.converters._k6_tree import named_parts, parsed, text_in
from loadrig.converters._source import TestSource
from loadrig.language.choice import texts_of
from loadrig.language.en.converters.room import ConvertersTexts

ROOM_TEXTS = texts_of(ConvertersTexts)

MOST_MODULES = 20
"""Files that a script imports, at most, with those that these import."""

_OF_K6 = frozenset(("default", "options", "setup", "teardown", "handleSummary"))
"""Names by which k6 finds parts of the script itself, and of no file that it imports."""


class ScriptAccount(LineAccount):
    """Account of a script and of the files that it imports, whose lines are counted on after its own."""

    def __init__(self) -> None:
        super().__init__()
        self._files: list[tuple[int, str]] = []
        self.lines = 0

    def follow(self, root: Any, name: str) -> None:
        """Count the lines of one more file. name: as it is shown; empty for the script itself."""
        self._files.append((self.lines, name))
        self.lines = max(self.lines, int(root.end_point[0]) + 1)

    def drop(self, line: int, what: str, why: str) -> None:
        """Note that the plan leaves out a part."""
        self.parts.drop(self._place(line), what, why, line)

    def alter(self, line: int, what: str, how: str) -> None:
        """Note that the plan says a part otherwise than the script."""
        self.parts.alter(self._place(line), what, how, line)

    def _place(self, line: int) -> str:
        before, name = max((file for file in self._files if file[0] < line), default=(0, ""))
        shown = ROOM_TEXTS.at_line(line - before)
        return f"{name}, {shown}" if name else shown


@dataclass(slots=True)
class ScriptNames:
    """Names of a file. nodes: declared values as they are written. own: names that the file declares.

    clients: names of the client of HTTP. aliases: functions of k6 by the names that they are imported by.
    """

    names: dict[str, Value] = field(default_factory=dict)
    functions: dict[str, Any] = field(default_factory=dict)
    nodes: dict[str, Any] = field(default_factory=dict)
    clients: set[str] = field(default_factory=set)
    aliases: dict[str, str] = field(default_factory=dict)
    own: set[str] = field(default_factory=set)

    def take(self, other: "ScriptNames", imports: list[tuple[str, str]]) -> bool:
        """Take over what another file declares; return False where that cannot be done.

        It cannot where names of both files would be mixed up, and where the other file lacks one.
        """
        declared = other.names.keys() | other.functions.keys() | other.nodes.keys()
        if any(exported not in declared for exported, _ in imports if exported != "*"):
            return False
        theirs = (other.names.keys() | other.functions.keys()) - _OF_K6
        locals_ = {local for _, local in imports}
        mixed = theirs & (self.own - locals_)
        if mixed or any(self._differs(other, name) for name in theirs):
            return False
        for name in theirs:
            self._copy(other, name, name)
        for exported, local in imports:
            if exported != "*":
                self._copy(other, exported, local)
                continue
            self.names[local] = {name: other.names[name] for name in other.names}
            for name in other.functions:
                self._copy(other, name, f"{local}.{name}")
        self.clients |= other.clients
        self.aliases |= other.aliases
        return True

    def _copy(self, other: "ScriptNames", theirs: str, ours: str) -> None:
        for mine, their in (
            (self.names, other.names),
            (self.functions, other.functions),
            (self.nodes, other.nodes),
        ):
            if theirs in their:
                mine[ours] = their[theirs]

    def _differs(self, other: "ScriptNames", name: str) -> bool:
        return any(
            name in mine and name in their and mine[name] != their[name]
            for mine, their in ((self.names, other.names), (self.functions, other.functions))
        )


def imports_in(clause: Any) -> Iterator[tuple[str, str]]:
    """Yield the names of an import, as exported and as used: "default" and "*" among them."""
    for part in named_parts(clause):
        if part.type == "identifier":
            yield "default", text_in(part)
        elif part.type == "namespace_import":
            yield "*", text_in(named_parts(part)[0])
        else:
            yield from specifiers_in(part)


def specifiers_in(clause: Any) -> Iterator[tuple[str, str]]:
    """Yield the names in the braces of an import or an export: before and after `as`."""
    for part in named_parts(clause):
        name, alias = part.child_by_field_name("name"), part.child_by_field_name("alias")
        if name is not None:
            yield text_in(name), text_in(alias if alias is not None else name)


def declared_in(root: Any) -> set[str]:
    """Return the names that a file declares outside of its functions."""
    names = set()
    for statement in named_parts(root):
        inner = statement.child_by_field_name("declaration") if statement.type == "export_statement" else None
        for node in (inner or statement, *named_parts(inner or statement)):
            name = node.child_by_field_name("name")
            if name is not None:
                names.add(text_in(name))
    return names


def module_beside(feeds: ScriptFeeds, name: str, account: ScriptAccount) -> tuple[str, Any] | None:
    """Return the path of a file that is imported, and its tree, whose lines follow those of the others.

    None for files outside the script's folder, and for those that are no JavaScript.
    """
    path = feeds.path_of(name)
    try:
        return None if path is None else (str(path), parsed(TestSource(path), account.lines))
    except PlanError:
        return None

"""Reading of a file of a k6 script: its imports, functions, options, and the values that it declares."""

import contextlib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from loadrig.converters._account import LineAccount
from loadrig.converters._k6_changes import changed_by_functions
from loadrig.converters._k6_files import ScriptFeeds, Unread
from loadrig.converters._k6_jars import CookieJar
from loadrig.converters._k6_load import CARRIED, Place, line_at
from loadrig.converters._k6_modules import (
    MOST_MODULES,
    ScriptAccount,
    ScriptNames,
    declared_in,
    imports_in,
    module_beside,
    specifiers_in,
)
from loadrig.converters._k6_requests import ScriptScope
from loadrig.converters._k6_steps import FunctionReader
from loadrig.converters._k6_texts import Value
from loadrig.converters._k6_tree import key_of, line_of, named_parts, shown_code, text_in
from loadrig.converters._k6_values import ScriptEvaluator
from loadrig.language.choice import texts_of
from loadrig.language.en.converters.k6 import ConvertersK6Texts

TEXTS = texts_of(ConvertersK6Texts)

MOST_OPTIONS_DEEP = 8
"""Levels of objects in the options, at most: those that k6 reads have four."""


class InitReader(FunctionReader):
    """Reader of the statements of a file outside of its functions, which every user runs once."""

    def __init__(self, declared: ScriptNames, feeds: ScriptFeeds, account: LineAccount) -> None:
        clients = frozenset(declared.clients)
        super().__init__(
            ScriptScope(declared.names, declared.functions, feeds, clients, declared.aliases),
            account,
            decides=False,
        )
        self._feeds = feeds
        self._known = declared.names
        self._is_use_listed = False

    def declare(self, target: Any, node: Any) -> None:
        """Give names their values. Where only running the script tells one, its use is listed.

        target: a pattern; a text for what is exported without a name.
        """
        self._is_use_listed = True
        if isinstance(target, str):
            self._known.pop(target, None)
            with contextlib.suppress(Unread):
                self._known[target] = self._value(node)
        else:
            self._carry_out(lambda: self._assign(target, node))
        self._is_use_listed = False

    def run(self, statement: Any) -> None:
        """Carry out a statement."""
        self._carry_out(lambda: self._statement(statement))

    def _carry_out(self, work: Callable[[], object]) -> None:
        # Each user runs the file's own statements once, and keeps what chance draws there.
        self._feeds.drawn_for = "user"
        self._names = dict(self._known)
        work()
        self._known.clear()
        self._known.update(self._names)
        self._feeds.drawn_for = "request"

    def _evaluator(self) -> ScriptEvaluator:
        # A function sees the names of the file, of which a statement under way may have changed some.
        visible = {name: value for name, value in self._known.items() if self._names.get(name, self) is value}
        return ScriptEvaluator(self._names, self._feeds, self, self._scope.functions, visible)

    def _own(self, call: Any) -> Any:
        # Within a loop the names that a function sees are not those that the file has declared so far.
        return None if self._changes.frames else super()._own(call)

    def _jar_of(self, node: Any) -> CookieJar | None:
        # What is put into such a jar stays there from one iteration to the next.
        del node
        return None

    def _drop(self, node: Any, why: str) -> None:
        if not (self._is_use_listed and why == TEXTS.computed):
            super()._drop(node, why)


@dataclass(slots=True)
class ScriptFile:
    """Script of k6, or a file that it imports. file: its name; empty for the script itself."""

    root: Any
    account: ScriptAccount = field(default_factory=ScriptAccount)
    feeds: ScriptFeeds = field(default_factory=ScriptFeeds)
    declared: ScriptNames = field(default_factory=ScriptNames)
    modules: "dict[str, ScriptFile]" = field(default_factory=dict)
    file: str = ""
    options: dict[str, Value] = field(default_factory=dict)
    option_lines: dict[Place, int] = field(default_factory=dict)
    reader: InitReader | None = None

    def read(self) -> None:
        """Read the file: functions first, which statements before them may call."""
        self.account.follow(self.root, self.file)
        self.declared.own = declared_in(self.root)
        for statement in named_parts(self.root):
            node = statement.child_by_field_name("declaration") or statement
            if node.type == "function_declaration":
                self._function("", node)
        for statement in named_parts(self.root):
            self._top(statement)
        for name in changed_by_functions(self.declared.functions):
            self.declared.names.pop(name, None)

    def _top(self, node: Any) -> None:
        match node.type:
            case "import_statement":
                self._import(node)
            case "export_statement":
                declared = node.child_by_field_name("declaration")
                value = node.child_by_field_name("value")
                if declared is not None and declared.child_by_field_name("body") is not None:
                    is_default = any(child.type == "default" for child in node.children)
                    self._function("default" if is_default else "", declared)
                elif declared is not None:
                    self._top(declared)
                elif value is not None and value.child_by_field_name("body") is not None:
                    self._function("default", value)
                elif value is not None and value.type == "identifier":
                    self._export(text_in(value), "default")
                elif value is not None:
                    self._declare("default", value)
                for clause in (part for part in node.named_children if part.type == "export_clause"):
                    for name, alias in specifiers_in(clause):
                        self._export(name, alias)
            case "function_declaration":
                self._function("", node)
            case "lexical_declaration" | "variable_declaration":
                for declared in named_parts(node):
                    self._declared(declared)
            case "expression_statement" if named_parts(node)[0].type == "string":
                pass  # "use strict"
            case "comment" | "empty_statement" | "hash_bang_line" | "type_alias_declaration":
                pass
            case "interface_declaration" | "ambient_declaration":
                pass
            case _:
                # What cannot be carried out is listed, and what it may change is unknown.
                self._init().run(node)

    def _function(self, name: str, node: Any) -> None:
        own = node.child_by_field_name("name")
        for title in (name, text_in(own) if own is not None else ""):
            if title:
                self.declared.functions[title] = node

    def _import(self, node: Any) -> None:
        module = text_in(node.child_by_field_name("source")).strip("\"'")
        clause = next((part for part in node.named_children if part.type == "import_clause"), None)
        imports = list(imports_in(clause)) if clause is not None else []
        if module.startswith(".") and not self._take(module, imports):
            self.account.drop(line_of(node), shown_code(node), TEXTS.other_file)
        for exported, local in imports if module in ("k6", "k6/http") else ():
            is_whole = exported in ("default", "*")
            if module == "k6/http" and is_whole:
                self.declared.clients.add(local)
            elif module == "k6/http":
                self.declared.aliases[local] = f"http.{exported}"
            elif is_whole:
                self.declared.aliases |= {
                    f"{local}.{name}": name for name in ("check", "fail", "group", "sleep")
                }
            else:
                self.declared.aliases[local] = exported

    def _take(self, name: str, imports: list[tuple[str, str]]) -> bool:
        """Take over what a file beside the script declares; return whether that can be done."""
        if len(self.modules) >= MOST_MODULES:
            return False
        module = module_beside(self.feeds, name, self.account)
        if module is None:
            return False
        path, root = module
        if path not in self.modules:
            script = ScriptFile(root, self.account, self.feeds, modules=self.modules, file=Path(path).name)
            self.modules[path] = script
            folder, self.feeds.folder = self.feeds.folder, Path(path).parent
            script.read()
            self.feeds.folder = folder
        return self.declared.take(self.modules[path].declared, imports)

    def _export(self, name: str, alias: str) -> None:
        if alias == "options" and not self.options and name in self.declared.nodes:
            self._declare("options", self.declared.nodes[name])
        for values in (self.declared.names, self.declared.functions, self.declared.nodes):
            if name in values:
                values[alias] = values[name]

    def _init(self) -> InitReader:
        if self.reader is None:
            self.reader = InitReader(self.declared, self.feeds, self.account)
        return self.reader

    def _declared(self, node: Any) -> None:
        name, value = (node.child_by_field_name(part) for part in ("name", "value"))
        if name is None or value is None:
            return
        if name.type == "identifier":
            self._declare(text_in(name), value)
        else:
            self._init().declare(name, value)

    def _declare(self, title: str, value: Any) -> None:
        self.declared.nodes[title] = value
        if title == "options" and not self.file:
            try:
                self._read_options(value)
            except (Unread, AttributeError):
                self.account.drop(line_of(value), "options", TEXTS.computed)
        elif value.child_by_field_name("body") is not None:
            self.declared.functions[title] = value
        elif value.type == "call_expression" and "require" in text_in(value) and "k6/http" in text_in(value):
            self.declared.clients.add(title)
        else:
            self._init().declare(value.parent.child_by_field_name("name") or title, value)

    def _read_options(self, node: Any) -> None:
        self.option_lines[()] = line_of(node)
        self.options = self._option_tree(node, ())
        for key in self.options.keys() - CARRIED:
            self.account.drop(line_at(self.option_lines, key), f"options.{key}", TEXTS.no_option)

    def _option_tree(self, node: Any, place: Place) -> Value:
        """Return an object of the options; parts of it that are computed are noted, and missing."""
        node = self.declared.nodes.get(text_in(node), node) if node.type == "identifier" else node
        self.option_lines.setdefault(place, line_of(node))
        if node.type != "object" or len(place) > MOST_OPTIONS_DEEP:
            return ScriptEvaluator(self.declared.names, self.feeds).value(node)
        tree: dict[str, Value] = {}
        for part in named_parts(node):
            title = ".".join(("options", *place))
            try:
                if part.type == "spread_element":
                    tree |= self._option_tree(named_parts(part)[0], place)
                    continue
                is_pair = part.type == "pair"
                key = key_of(part) if is_pair else text_in(part)
                title = f"{title}.{key}"
                self.option_lines[*place, key] = line_of(part)
                inner = part.child_by_field_name("value") if is_pair else part
                if part.type == "shorthand_property_identifier":
                    inner = self.declared.nodes.get(key, part)
                tree[key] = self._option_tree(inner, (*place, key))
            except (Unread, TypeError):
                self.account.drop(line_of(part), title, TEXTS.computed)
        return tree

"""Members of a room: a file without a leading underscore is a member, and its name is its name.

A third party adds a member through an entry-point group named after the room ("loadrig.target").
There is no list to edit. A member's module is imported only when it is asked for.

The page of a member is the docstring of its file. A room whose package says PAGES names the package in which
the sections of each page stand, in a file of the member's name: the file of the member has the first
paragraph alone. A member of another package has all of it in its own docstring.

In a room whose package says HAS_VARIANTS a file may stand for several members that a parameter tells apart.
It states VARIANTS, their names, each with the constants that differ; its `variant(name)` returns one of them
as a module.
"""

import importlib
import os
import sys
from collections.abc import Callable, Mapping
from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

_SOURCE = ".py"

PARAGRAPH = "\n\n"
"""End of a paragraph of a docstring."""


@cache
def names(room: str) -> tuple[str, ...]:
    """Return the names of the members of a room such as "loadrig.target", sorted."""
    foreign = {point.name for point in _foreign(room)}
    return tuple(sorted({*_files(room), *(name for name in foreign if not name.startswith("_"))}))


@cache
def load(room: str, name: str) -> ModuleType:
    """Return the module of one member. Raises KeyError with the nearest name if there is none."""
    if name not in names(room):
        close = nearest(name, names(room))
        raise KeyError(f"{room} has no {name!r}" + (f"; did you mean {close!r}?" if close else ""))
    for point in _foreign(room):
        if point.name != name:
            continue
        module = point.load()
        if not isinstance(module, ModuleType):
            raise TypeError(f"entry point {point.value} of group {room} must name a module")
        return module
    file = _files(room)[name]
    module = importlib.import_module(f"{room}.{file}")
    return module if file == name else module.variant(name)


def page(room: str, name: str) -> str:
    """Return the page of a member as Markdown: its docstring, with the sections that lie apart."""
    page = _cleaned(load(room, name))
    apart = getattr(importlib.import_module(room), "PAGES", "")
    if not apart or name not in names(apart):
        return page
    return f"{page}\n\n{_cleaned(load(apart, name)).partition(PARAGRAPH)[2]}"


def source(room: str, name: str) -> str | None:
    """Return the path of the file that holds a member; None for one of another package, or a folder's."""
    if any(point.name == name for point in _foreign(room)):
        return None
    file = _files(room).get(name, name)
    for folder in importlib.import_module(room).__path__:
        path = os.path.join(folder, file + _SOURCE)
        if os.path.isfile(path):
            return path
    return None


@cache
def constant(room: str, name: str, attribute: str) -> Any:
    """Return a literal that a member's file states, `NAME = …`; None if the file has none.

    The file is not imported. A member of another package is imported.
    """
    path = source(room, name)
    if path is None:
        return getattr(load(room, name), attribute, None)
    own = {} if _files(room).get(name, name) == name else _literal(path, "VARIANTS")[name]
    return own[attribute] if attribute in own else _literal(path, attribute)


def may_fit(room: str, name: str, component: Any) -> bool:
    """Return whether a member can fit a component, by ONLY in its file, which is not imported for that.

    ONLY: attributes of components, each with the values of which the component must have one.
    """
    return has_facts(component, constant(room, name, "ONLY") or {})


def has_facts(component: Any, facts: Mapping[str, tuple[str, ...]]) -> bool:
    """Return whether each of a component's attributes that `facts` names has a value given there."""
    return all(getattr(component, fact) in values for fact, values in facts.items())


def only(facts: Mapping[str, tuple[str, ...]]) -> Callable[[Any], bool]:
    """Return the function `fits` of a member whose ONLY says all of it."""

    def fits(component: Any) -> bool:
        """Return whether a component has the facts that ONLY names."""
        return has_facts(component, facts)

    return fits


def nearest(word: str, words: tuple[str, ...] | list[str]) -> str | None:
    """Return the known word most like the given one; None if no word is like it."""
    import difflib

    matches = difflib.get_close_matches(word, words, n=1, cutoff=0.6)
    return matches[0] if matches else None


def forget() -> None:
    """Look at folders and packages anew: for tests, which add members while they run."""
    for cached in (names, load, constant, _files, _foreign, _groups):
        cached.cache_clear()


@cache
def _files(room: str) -> Mapping[str, str]:
    """Return the file, without its ending, of each member that lies in the room's own folders."""
    package = importlib.import_module(room)
    has_variants = getattr(package, "HAS_VARIANTS", False)
    files: dict[str, str] = {}
    for folder in package.__path__:
        for file in _modules_in(folder):
            if not file.startswith("_"):
                path = os.path.join(folder, file + _SOURCE)
                is_read = has_variants and os.path.isfile(path)
                variants = _literal(path, "VARIANTS") if is_read else None
                files.update(dict.fromkeys(variants or (file,), file))
    return files


def _cleaned(module: ModuleType) -> str:
    import inspect

    return inspect.cleandoc(module.__doc__ or "")


def _literal(path: str, attribute: str) -> Any:
    """Return a literal that a file states on one line, or a mapping on several; None if it has none."""
    with open(path, encoding="utf-8") as file:
        _, is_there, rest = f"\n{file.read()}".partition(f"\n{attribute} = ")
    if not is_there:
        return None
    import ast

    line = rest.partition("\n")[0]
    return ast.literal_eval(rest.partition("\n}")[0] + "}" if line == "{" else line)


def _modules_in(folder: str) -> set[str]:
    """Return the names of the modules and packages that lie in a folder."""
    with os.scandir(folder) as entries:
        return {
            entry.name.removesuffix(_SOURCE)
            for entry in entries
            if entry.name.endswith(_SOURCE) or os.path.isfile(os.path.join(entry.path, "__init__.py"))
        }


@cache
def _foreign(room: str) -> "tuple[EntryPoint, ...]":
    """Return the entry points that other packages add to a room.

    importlib.metadata takes as long to import as half of all that a command needs before its first
    request; so it is asked only where some installed package says that it has such a group.
    """
    if room not in _groups():
        return ()
    from importlib.metadata import entry_points

    return tuple(entry_points(group=room))


@cache
def _groups() -> frozenset[str]:
    """Return every entry-point group that a package on the path declares."""
    groups: set[str] = set()
    for place in dict.fromkeys(sys.path):
        try:
            with os.scandir(place or os.curdir) as entries:
                folders = [
                    entry.path for entry in entries if entry.name.endswith((".dist-info", ".egg-info"))
                ]
        except OSError:  # a zip file, or no folder at all
            continue
        for folder in folders:
            try:
                with open(os.path.join(folder, "entry_points.txt"), encoding="utf-8") as file:
                    groups.update(line.strip()[1:-1].strip() for line in file if line.startswith("["))
            except OSError:
                continue
    return frozenset(groups)

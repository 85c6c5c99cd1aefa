"""Members of a room: a file without a leading underscore is a member, and its name is its name.

A third party adds a member through an entry-point group named after the room ("loadrig.target").
There is no list to edit. A member's module is imported only when it is asked for.
"""

import difflib
import importlib
import pkgutil
from functools import cache
from importlib.metadata import entry_points
from types import ModuleType


@cache
def names(room: str) -> tuple[str, ...]:
    """Names of the members of a room such as "loadrig.target", sorted."""
    package = importlib.import_module(room)
    own = {info.name for info in pkgutil.iter_modules(package.__path__)}
    foreign = {point.name for point in entry_points(group=room)}
    return tuple(sorted(name for name in own | foreign if not name.startswith("_")))


@cache
def load(room: str, name: str) -> ModuleType:
    """The module of one member. Raises KeyError with the nearest name if there is none."""
    if name not in names(room):
        close = nearest(name, names(room))
        raise KeyError(f"{room} has no {name!r}" + (f"; did you mean {close!r}?" if close else ""))
    for point in entry_points(group=room, name=name):
        module = point.load()
        if not isinstance(module, ModuleType):
            raise TypeError(f"entry point {point.value} of group {room} must name a module")
        return module
    return importlib.import_module(f"{room}.{name}")


def nearest(word: str, known: tuple[str, ...] | list[str]) -> str | None:
    """The known word most like the given one, or None if none is like it."""
    found = difflib.get_close_matches(word, known, n=1, cutoff=0.6)
    return found[0] if found else None

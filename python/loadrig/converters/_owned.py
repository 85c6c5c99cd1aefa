"""Lists and dicts of a script or a locustfile: whose they are, and which others lie within them."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

MOST_LOOKED_AT = 1_000_000
"""Parts of values that are looked through for a function's changes, at most: a small file can mean many."""


class OwnedList(list[Any]):
    """List that a function makes. owner: of the function, who alone may change the list."""

    __slots__ = ("owner",)

    def __init__(self, items: Iterable[Any], owner: object) -> None:
        super().__init__(items)
        self.owner = owner


class OwnedDict(dict[str, Any]):
    """Dict that a function makes. owner: of the function, who alone may change the dict."""

    __slots__ = ("owner",)

    def __init__(self, items: Mapping[str, Any], owner: object) -> None:
        super().__init__(items)
        self.owner = owner


class ContainerWalk:
    """Walk through the lists and dicts of values. looked_at: number of parts that all its walks have met."""

    def __init__(self) -> None:
        self.looked_at = 0

    @property
    def is_over(self) -> bool:
        """Whether more was looked at than may be: then any two values may share a list or a dict."""
        return self.looked_at > MOST_LOOKED_AT

    def containers(self, value: Any) -> Iterator[Any]:
        """Yield a value and all within it that are lists or dicts, each once, until the walk is over."""
        waiting, ids = [value], set[int]()
        while waiting and not self.is_over:
            part = waiting.pop()
            if not isinstance(part, dict | list) or id(part) in ids:
                continue
            ids.add(id(part))
            self.looked_at += 1 + len(part)
            yield part
            waiting += part.values() if isinstance(part, dict) else part

    def sharing(self, frames: Iterable[Mapping[str, Any]], changed: Any) -> Iterator[tuple[int, str]]:
        """Yield the names whose values may hold a list or a dict that a changed value holds, too.

        frames: values by name. Each name comes with the number of its frame.
        """
        shared = {id(part) for part in self.containers(changed)}
        is_over = self.is_over
        for number, frame in enumerate(frames):
            for name, value in frame.items():
                is_container = isinstance(value, dict | list)
                if is_container and (is_over or any(id(part) in shared for part in self.containers(value))):
                    yield number, name

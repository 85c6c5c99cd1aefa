"""Libraries that are imported when they are first used, not when the module that uses them is."""

import importlib
from typing import Any


class Later:
    """Placeholder of a module that is imported when one of its attributes is first asked for.

    numpy and scipy together take a second to import, and what a command does before its first
    request needs none of them. A module that uses such a library only in its functions writes

        if TYPE_CHECKING:
            import numpy as np
        else:
            np = Later("numpy")

    so that types are checked as ever. tests/house/test_start.py says who must do without what.
    """

    def __init__(self, name: str) -> None:
        self.__name__ = name

    def __getattr__(self, name: str) -> Any:
        value = getattr(importlib.import_module(self.__name__), name)
        # From the next time on the attribute is found directly, without this function.
        setattr(self, name, value)
        return value

    def __repr__(self) -> str:
        return f"Later({self.__name__!r})"

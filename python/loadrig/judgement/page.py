"""The page of a cause, which is the docstring of its file: sentences for who has none of his own."""

import inspect
from types import ModuleType


def first_of(module: ModuleType, heading: str) -> str:
    """Return the first sentence below a heading of a cause's page, as a clause."""
    page = inspect.getdoc(module) or ""
    text = " ".join(page.partition(f"## {heading}")[2].partition("##")[0].split())
    first = text.partition(". ")[0].rstrip(".")
    is_word = first[1:2].islower()
    return first[:1].lower() + first[1:] if is_word else first

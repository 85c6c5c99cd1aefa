"""Parts of reference pages: the head of what is made, docstrings and tables."""

import inspect
from collections.abc import Iterator
from types import ModuleType

MADE = "<!-- Made by `make docs` from the source; do not edit. -->\n\n"


def lowered(page: str) -> str:
    """Return a page with its headings one level down."""
    return page.replace("\n## ", "\n### ")


def docstring(module: ModuleType) -> str:
    """Return a module's docstring with its headings one level down."""
    return lowered(inspect.cleandoc(module.__doc__ or ""))


def cell(value: object) -> str:
    """Return a value as it stands in a cell of a table."""
    return str(value).replace("|", "\\|").replace("\n", " ")


def table(headings: tuple[str, ...], rows: Iterator[tuple[object, ...]]) -> str:
    """Return a table in Markdown; empty where it has no row."""
    lines = ["| " + " | ".join(headings) + " |", "| " + " | ".join("---" for _ in headings) + " |"]
    lines += ["| " + " | ".join(cell(value) for value in row) + " |" for row in rows]
    return "\n".join(lines) + "\n" if len(lines) > 2 else ""

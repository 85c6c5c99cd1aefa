"""Text as Markdown shows it, for summaries of pull requests: names in it are the user's."""

from collections.abc import Sequence


def plain(text: str) -> str:
    """The text with nothing in it that Markdown would take for a sign."""
    for sign in ("\\", "|", "<", "*", "_", "`", "["):
        text = text.replace(sign, "&lt;" if sign == "<" else f"\\{sign}")
    return " ".join(text.split())


def code(text: str) -> str:
    """A name between backticks."""
    return f"`{text.replace('`', '')}`"


def table(heads: Sequence[str], rows: Sequence[Sequence[str]], right: frozenset[int] = frozenset()) -> str:
    """A table of cells that are Markdown already. right: columns of numbers."""
    marks = ("---:" if number in right else "---" for number in range(len(heads)))
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (heads, tuple(marks), *rows))


def folded(summary: str, content: str) -> str:
    """Content that is shown when its summary is clicked."""
    return f"<details><summary>{summary}</summary>\n\n{content}\n\n</details>"

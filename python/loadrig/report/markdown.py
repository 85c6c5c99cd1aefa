"""Text as Markdown shows it, for summaries of pull requests: names in it are the user's."""

from collections.abc import Sequence


def plain(text: str) -> str:
    """Return the text with nothing in it that Markdown would take for a sign."""
    for sign in ("\\", "|", "<", "*", "_", "`", "["):
        text = text.replace(sign, "&lt;" if sign == "<" else f"\\{sign}")
    return " ".join(text.split())


def code(text: str) -> str:
    """Return a name between backticks."""
    return f"`{text.replace('`', '')}`"


def table(heads: Sequence[str], rows: Sequence[Sequence[str]], right: frozenset[int] = frozenset()) -> str:
    """Return a table of cells that are Markdown already. right: numbers of the columns that hold numbers."""
    marks = ("---:" if number in right else "---" for number in range(len(heads)))
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (heads, tuple(marks), *rows))


def folded(summary: str, content: str) -> str:
    """Return content that is shown when its summary is clicked."""
    return f"<details><summary>{summary}</summary>\n\n{content}\n\n</details>"

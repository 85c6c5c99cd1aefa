"""Pages of members in the language of this process.

The English page of a member stands in its file, or beside its sentences.
"""

from importlib.resources import files
from importlib.resources.abc import Traversable

from loadrig.base import members
from loadrig.language.choice import language


def root() -> Traversable:
    """Return the folder of the English pages; a folder in it for each other language has the same files."""
    return files("loadrig").joinpath("explain")


def page(kind: str, room: str, name: str) -> str:
    """Return the page of a member; English where there is no other: that of a member of another package."""
    own = root().joinpath(language(), "members", f"{kind}.{name}.md")
    return own.read_text(encoding="utf-8").strip() if own.is_file() else members.page(room, name)

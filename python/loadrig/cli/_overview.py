"""The page of `loadrig --help`, made without importing one command.

All commands together import what takes 80 ms, and their first sentences are all that the page needs of them.
"""

from loadrig.base import members
from loadrig.language.choice import texts_of
from loadrig.language.en.overview import OverviewTexts
from loadrig.language.help_pages import page

ROOM = "loadrig.cli"

OPENING = '\nHELP = """\n'
"""Text with which the help of a command begins in its file; tests/house/test_start.py holds every command to
it."""


def overview() -> str:
    """Return the page: every command with the first sentence of its help."""
    body = "\n".join(f"  {name:<10} {first_line(name)}" for name in members.names(ROOM))
    texts = texts_of(OverviewTexts)
    examples = (
        ("loadrig attack http://127.0.0.1:8000/ -c 20 -z 10s", texts.attack),
        ("loadrig run plan.yaml", texts.run),
        ("loadrig explain verdicts", texts.explain),
    )
    lines = "\n".join(f"  {command:<53} {meaning}" for command, meaning in examples)
    return f"{texts.opening}\n\n{lines}\n\n{body}\n\n{texts.closing}\n"


def first_line(name: str) -> str:
    """Return the first sentence of a command's help, without its full stop.

    It is read from the command's file; for a command of another package the module is imported.
    """
    text = _help_in(members.source(ROOM, name))
    if text is None:
        text = members.load(ROOM, name).HELP
    return page(name, text).strip().splitlines()[0].rstrip(".")


def _help_in(path: str | None) -> str | None:
    """Return the text of HELP in a command's file; None where it cannot be read from there."""
    if path is None:
        return None
    try:
        with open(path, encoding="utf-8") as file:
            source = file.read()
    except OSError:
        return None
    _, is_there, rest = source.partition(OPENING)
    text, has_end, _ = rest.partition('"""')
    return text if is_there and has_end and text.strip() else None

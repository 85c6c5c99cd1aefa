"""The page of `loadrig --help`, made without importing one command.

All commands together import what takes 80 ms, and their first sentences are all that the page needs of them.
"""

from loadrig.base import members

ROOM = "loadrig.cli"

OPENING = '\nHELP = """\n'
"""Text with which the help of a command begins in its file; tests/house/test_start.py holds every command to
it."""


def overview() -> str:
    """Return the page: every command with the first sentence of its help."""
    body = "\n".join(f"  {name:<10} {first_line(name)}" for name in members.names(ROOM))
    return (
        "Put a server on the rig: load it, watch every tier, find what limits it.\n\n"
        "  loadrig attack http://127.0.0.1:8000/ -c 20 -z 10s    load a URL and see what it does\n"
        "  loadrig run plan.yaml                                 run the trial or the study of a plan\n"
        "  loadrig explain verdicts                              what a word or an error code means\n\n"
        f"{body}\n\n"
        "Every command has --help. Exit codes: 0 fine, 99 a goal missed, 104 plan wrong,\n"
        "105 interrupted, 111 void, 112 undecided, 113 regression, 120 target failed, 70 our own fault.\n"
    )


def first_line(name: str) -> str:
    """Return the first sentence of a command's help, without its full stop.

    It is read from the command's file; for a command of another package the module is imported.
    """
    text = _help_in(members.source(ROOM, name))
    if text is None:
        text = members.load(ROOM, name).HELP
    return text.strip().splitlines()[0].rstrip(".")


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

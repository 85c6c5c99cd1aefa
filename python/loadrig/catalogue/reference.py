"""Page of the documentation with every knob of the catalogue."""

import inspect

from loadrig.base import members
from loadrig.catalogue.entry import Entry
from loadrig.catalogue.look_up import ROOM, knobs_of, systems

HEAD = """# Knobs

What is known of the knobs of common servers, pools and kernels.
`loadrig explain gunicorn.workers` shows one; a range is what is sensible to try, not what is accepted.
A default holds for the version beside it.

"""


def render() -> str:
    """Return the whole page as Markdown, without the line that says how it was made."""
    return HEAD + "\n".join(_system(name) for name in systems())


def _system(name: str) -> str:
    module = members.load(ROOM, name)
    rows = [
        "| knob | set by | values | default | what it does, and when it matters | costs; acts after |",
        "| --- | --- | --- | --- | --- | --- |",
        *(_row(entry) for entry in knobs_of(name).values()),
    ]
    sources = dict.fromkeys(entry.source for entry in knobs_of(name).values())
    source_lines = "\n".join(f"- {source}" for source in sources)
    title = f"## {name}: {module.TITLE}"
    return (
        f"{title}\n\n{inspect.cleandoc(module.__doc__ or '')}\n\n"
        + "\n".join(rows)
        + f"\n\nSources:\n\n{source_lines}\n"
    )


def _row(entry: Entry) -> str:
    after = f"acts after {entry.time.formula}" if entry.time else ""
    cells = (
        f"`{entry.name}`",
        entry.kind,
        entry.range,
        f"{entry.default} ({entry.of_version})",
        f"{entry.does} {entry.matters}",
        "; ".join(part for part in (entry.costs.rstrip("."), after) if part),
    )
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"

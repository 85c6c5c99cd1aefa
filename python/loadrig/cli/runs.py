"""`loadrig runs`: all runs below a folder, listed and searched."""

import argparse
import time
from pathlib import Path
from typing import TYPE_CHECKING

from loadrig.base.errors import PlanError, Span
from loadrig.base.exits import Exit
from loadrig.cli._request import add_repeated
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.cli import CliRunsErrors
from loadrig.language.en.terminal import TerminalTexts
from loadrig.language.labels import label
from loadrig.recording.layout import DEFAULT_PARENT

if TYPE_CHECKING:
    from loadrig.archive.entries import RunEntry

ERRORS = texts_of(CliRunsErrors)

HELP = """
List the runs below a folder, the newest first: what each was, and what it said.

  loadrig runs                          the newest runs under runs/
  loadrig runs shop host_cpu            those with both words: of plan, address, route, label, verdict, cause
  loadrig runs 2026-11 --without void   of November, and not void
  loadrig runs 5dd4ec34                 of a commit: the beginning of it, seven digits at least
  loadrig runs --in nightly --most 100  of another folder, and more of them
  loadrig runs --json | jq '.[].id'     for a machine

Runs are labelled, pinned and removed in the browser: loadrig ui.

Exit codes: 0 listed, also where nothing was found, 104 no such folder.
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options: which runs, and how they are shown."""
    add = parser.add_argument
    add("words", nargs="*", metavar="WORD", help="words that must stand in a run (default: none)")
    add_repeated(parser, "--without", "WORD", "a word that must not; may be given again (default: none)")
    add("--in", dest="folder", default=None, metavar="FOLDER", help="folder of runs (default: runs/)")
    add("--most", default="30", metavar="N", help="runs to list, at most (default: 30)")
    add("--json", action="store_true", help="print JSON (default: a table)")


def run(arguments: argparse.Namespace) -> int:
    """List the runs and return the exit code."""
    from loadrig.archive.index import RunIndex

    folder = Path(arguments.folder) if arguments.folder else DEFAULT_PARENT
    if not folder.is_dir():
        raise PlanError.of(ERRORS.no_folder(str(folder)), code="ui.no-folder")
    if not arguments.most.isdecimal() or int(arguments.most) < 1:
        raise PlanError.of(
            ERRORS.no_number_of_runs(repr(arguments.most)), code="cli.wrong-argument", where=Span("--most")
        )
    index = RunIndex(folder)
    try:
        index.refresh()
        words = [*arguments.words, *(f"-{word}" for word in arguments.without)]
        entries, count = index.listed(" ".join(words), int(arguments.most)), index.count()
    finally:
        index.close()
    if arguments.json:
        import json

        from loadrig.base.documents import plain

        print(json.dumps(plain(entries), indent=1, ensure_ascii=False))
        return Exit.FINE
    _print(entries, count, folder)
    return Exit.FINE


def _print(entries: "list[RunEntry]", count: int, folder: Path) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from loadrig.base.printable import in_one_line

    table = Table(box=None, padding=(0, 2, 0, 0), show_edge=False, expand=True)
    texts = texts_of(TerminalTexts)
    table.add_column(texts.run_begun, no_wrap=True)
    table.add_column(texts.run_name, ratio=2, overflow="fold")
    table.add_column(texts.run_answer, ratio=5)
    for entry in entries:
        begun = time.strftime("%Y-%m-%d %H:%M", time.localtime(entry.created_s))
        state = (
            entry.state if entry.state != "finished" else entry.verdict if entry.verdict != "valid" else ""
        )
        name = Text(in_one_line(("* " if entry.is_pinned else "") + entry.id), style="bold")
        marks = ", ".join(word for word in (label(state), *entry.labels) if word)
        if marks:
            name.append(f"  {in_one_line(marks)}", style="dim")
        table.add_row(begun, name, Text(in_one_line(entry.headline or entry.plan)))
    console = Console(highlight=False)
    if entries:
        console.print(table)
    listed = texts.runs_listed(str(len(entries)), str(count), str(folder))
    console.print(listed, style="dim", markup=False)

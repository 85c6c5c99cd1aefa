"""End of `loadrig compare` and `loadrig history`: what is printed and written, and the exit code."""

import json
import shutil
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from loadrig.base.documents import Document, plain
from loadrig.base.exits import Exit
from loadrig.comparing.document import ComparisonDocument, HistoryDocument
from loadrig.recording.files import write_named
from loadrig.report import comparison, comparison_files, history, history_files, html, text
from loadrig.report.model import Report

PLAIN_WIDTH = 96
"""Number of columns of a summary that goes to a file or a pipe."""

EXITS: Mapping[str, Exit] = {
    "better": Exit.FINE,
    "equal": Exit.FINE,
    "worse": Exit.REGRESSION,
    "undecided": Exit.UNDECIDED,
}


def show_comparison(
    document: ComparisonDocument, *, as_json: bool, markdown: str | None, junit: str | None, page: str | None
) -> int:
    """Print the comparison, write the files that were asked for, and return the exit code."""
    _print(document, comparison.build(document), as_json=as_json)
    files = (
        (markdown, lambda: comparison_files.markdown(document)),
        (junit, lambda: comparison_files.junit(document)),
        (page, lambda: html.render(comparison.build(document))),
    )
    return _end(files, EXITS[document.verdict])


def show_history(
    document: HistoryDocument, *, as_json: bool, markdown: str | None, junit: str | None, page: str | None
) -> int:
    """Print the history, write the files that were asked for, and return the exit code."""
    answer = history.build(document)
    _print(document, answer, as_json=as_json)
    files = (
        (markdown, lambda: history_files.markdown(document)),
        (junit, lambda: history_files.junit(document)),
        (page, lambda: html.render(answer)),
    )
    return _end(files, EXITS[document.verdict])


def _print(document: Document, answer: Report, *, as_json: bool) -> None:
    if as_json:
        print(json.dumps(plain(document), indent=1))
        return
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else PLAIN_WIDTH
    print(text.render(answer, width, text.wants_colour(sys.stdout)), end="")


def _end(files: Iterable[tuple[str | None, Callable[[], str]]], code: Exit) -> Exit:
    """Write each file that was asked for, after all is printed; return the exit code.

    A file that cannot be written stops no other. The answer is worth more than a file of it: its code stands,
    unless it is 0.
    """
    for name, content in files:
        if name is None:
            continue
        try:
            write_named(Path(name), content())
        except OSError as error:
            failure = comparison.cannot_write(Path(name), error)
            print(failure.render(), file=sys.stderr)
            code = code or failure.exit
    return code

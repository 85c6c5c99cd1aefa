"""End of `loadrig compare` and `loadrig history`: what is printed and written, and the exit code."""

import argparse
import json
import shutil
import sys
from collections.abc import Callable, Iterable, Mapping
from functools import partial
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


def show(document: ComparisonDocument | HistoryDocument, telling: argparse.Namespace) -> int:
    """Print the answer, write the files that were asked for, and return the exit code.

    telling: options of `add_telling`.
    """
    if isinstance(document, ComparisonDocument):
        answer = comparison.build(document)
        as_markdown = partial(comparison_files.markdown, document)
        as_junit = partial(comparison_files.junit, document)
    else:
        answer = history.build(document)
        as_markdown = partial(history_files.markdown, document)
        as_junit = partial(history_files.junit, document)
    _print(document, answer, as_json=telling.json)
    files = (
        (telling.markdown, as_markdown),
        (telling.junit, as_junit),
        (telling.html, lambda: html.render(answer)),
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

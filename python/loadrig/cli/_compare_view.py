"""End of `loadrig compare` and `loadrig history`: what is printed and written, and the exit code."""

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from loadrig.base.documents import Document, plain
from loadrig.base.exits import Exit
from loadrig.cli._rendered import rendered
from loadrig.cli._shown import show
from loadrig.comparing.document import ComparisonDocument, HistoryDocument
from loadrig.recording.files import write_named
from loadrig.report import comparison, comparison_files, history, history_files, html
from loadrig.report.model import Report

EXITS: Mapping[str, Exit] = {
    "better": Exit.FINE,
    "equal": Exit.FINE,
    "worse": Exit.REGRESSION,
    "undecided": Exit.UNDECIDED,
}


def show_comparison(arguments: argparse.Namespace, document: ComparisonDocument) -> int:
    """Print the comparison, write the files that were asked for, and return the exit code."""
    return _show(arguments, document, comparison.build(document), comparison_files, EXITS[document.verdict])


def show_history(arguments: argparse.Namespace, document: HistoryDocument) -> int:
    """Print the history, write the files that were asked for, and return the exit code."""
    return _show(arguments, document, history.build(document), history_files, EXITS[document.verdict])


def _show(arguments: argparse.Namespace, document: Document, answer: Report, writers: Any, code: Exit) -> int:
    """Print an answer and write its files. writers: the module that makes its files."""
    if arguments.json:
        print(json.dumps(plain(document), indent=1))
    else:
        show(answer)
    files = (
        (arguments.markdown, lambda: writers.markdown(document)),
        (arguments.junit, lambda: writers.junit(document)),
        (arguments.html, lambda: html.render(answer)),
        (arguments.badge, lambda: writers.badge(document)),
    )
    return _end(files, code)


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
            print(rendered(failure), file=sys.stderr)
            code = code or failure.exit
    return code

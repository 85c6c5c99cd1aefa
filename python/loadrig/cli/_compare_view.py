"""How `loadrig compare` and `loadrig history` end: what is printed and written, what the shell is told."""

import json
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from loadrig.base.exits import Exit
from loadrig.recording.files import write_named
from loadrig.report import comparison, comparison_files, history, history_files, html, text
from loadrig.report.model import Report

PLAIN_WIDTH = 96
"""Columns of a summary that goes to a file or a pipe."""

EXITS: Mapping[str, Exit] = {
    "better": Exit.FINE,
    "equal": Exit.FINE,
    "worse": Exit.REGRESSION,
    "undecided": Exit.UNDECIDED,
}


def show_comparison(
    document: Mapping[str, Any], *, as_json: bool, markdown: str | None, junit: str | None, page: str | None
) -> int:
    """Write what was asked for, print the rest; returns the exit code."""
    if markdown:
        _write(Path(markdown), comparison_files.markdown(document))
    if junit:
        _write(Path(junit), comparison_files.junit(document))
    if page:
        comparison.write_page(document, Path(page))
    _print(document, comparison.build(document), as_json=as_json)
    return EXITS[document["verdict"]]


def show_history(
    document: Mapping[str, Any], *, as_json: bool, markdown: str | None, junit: str | None, page: str | None
) -> int:
    """The same for a history."""
    told = history.build(document)
    if markdown:
        _write(Path(markdown), history_files.markdown(document))
    if junit:
        _write(Path(junit), history_files.junit(document))
    if page:
        _write(Path(page), html.render(told))
    _print(document, told, as_json=as_json)
    return EXITS[document["verdict"]]


def _print(document: Mapping[str, Any], told: Report, *, as_json: bool) -> None:
    if as_json:
        print(json.dumps(document, indent=1))
        return
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else PLAIN_WIDTH
    print(text.render(told, width, text.wants_colour(sys.stdout)), end="")


def _write(path: Path, content: str) -> None:
    try:
        write_named(path, content)
    except OSError as error:
        raise comparison.cannot_write(path, error) from error

"""`loadrig export RUN --to FORMAT -o FILE`: a run handed over in a format that other tools read."""

import argparse
import sys
from pathlib import Path

from loadrig.base import members
from loadrig.base.errors import PlanError, Span, VoidError
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.cli import CliExportErrors

ERRORS = texts_of(CliExportErrors)

ROOM = "loadrig.exporters"

HELP = """
Write a run in a format that other tools read; nothing is measured.

  loadrig export runs/2025-01-31-120000-shop --to jtl -o shop.jtl       then jmeter -g shop.jtl -o page
  loadrig export runs/2025-01-31-120000-shop --to vegeta -o - | vegeta report
  loadrig export runs/2025-01-31-120000-shop --to parquet -o shop.parquet
  loadrig export runs/2025-01-31-120000-shop/trials/0003 --to hlog -o shop.hlog
  loadrig export runs/2025-01-31-120000-shop --to github -o -           annotations of a pipeline

Formats: csv, parquet and influx have every series; hlog the histograms; jtl and vegeta a row a request;
jplot a line an interval; k6 and openmetrics totals; markdown, junit, github and gitlab what came of it.
A recording counts requests by interval and has no single ones: the rows of jtl and vegeta are made of these
counts, and say so. What each format holds and lacks: docs/reference/exporters.md.

Exit codes: 0 written, 104 not a run or no such format, 111 the file cannot be written.
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options: which run, which format, where it goes."""
    add = parser.add_argument
    add("run", metavar="RUN", help="folder of a run, or of one of its trials")
    add("--to", metavar="FORMAT", required=True, help="the format, see above (no default)")
    add(
        "-o",
        "--out",
        metavar="FILE",
        required=True,
        help="where it goes, - for standard output (no default)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Write the file and print its path, or write to standard output."""
    formats = members.names(ROOM)
    if arguments.to not in formats:
        close = members.nearest(arguments.to, formats) or ""
        raise PlanError.of(
            ERRORS.unknown_format(repr(arguments.to), ", ".join(formats), close),
            code="cli.wrong-argument",
            where=Span("--to"),
        )
    # Not at the top: a mistyped word is answered before anything that takes a while is imported.
    from loadrig.cli import _seals
    from loadrig.cli._resume import finish
    from loadrig.exporters import exported_trial
    from loadrig.recording.files import failure, named_file
    from loadrig.recording.layout import RunFolder

    folder = Path(arguments.run)
    _seals.look(folder)
    finish(RunFolder(folder))
    trial, member = exported_trial(folder), members.load(ROOM, arguments.to)
    if arguments.out == "-":
        member.write(trial, sys.stdout.buffer)
        sys.stdout.buffer.flush()
        return 0
    path = Path(arguments.out)
    if not path.parent.is_dir():
        raise VoidError.of(ERRORS.no_folder(str(path.parent)), code="recording.cannot-write")
    try:
        with named_file(path) as out:
            member.write(trial, out)
    except OSError as error:
        raise failure(path, error) from error
    print(path)
    return 0

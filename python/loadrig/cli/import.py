"""`loadrig import FILE...`: results of another tool become a run as any other."""

import argparse
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from loadrig.base.errors import PlanError, Span
from loadrig.base.printable import in_one_line
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.cli import CliImportErrors

ERRORS = texts_of(CliImportErrors)

HELP = """
Make a run of the results of another tool, to report, compare and keep it as any other.

  loadrig import nightly.jtl                          JMeter, CSV or XML
  loadrig import results.json -o runs/vegeta          vegeta encode --to json (or csv)
  loadrig import k6.json.gz --name shop               k6 run --out json=k6.json.gz
  loadrig import one.jtl two.jtl                      one load, made by two generators
  loadrig import k6.json --route 'GET /search=search'  then loadrig compare runs/shop runs/NEW

The format is told by the content. These tools count from when a request was sent, so the run has service
times and no response times; they do not say whether they kept up, so the run is never valid. What a
file does not hold (CPU, connections, what was asked for) is absent, not zero.

Exit codes: 0 imported, 104 the file cannot be read as results, 111 the run cannot be written.
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options: which files, where the run goes, what it is called."""
    add = parser.add_argument
    add(
        "files",
        nargs="+",
        metavar="FILE",
        help="results of one load; several where several generators made it",
    )
    add("-o", "--out", metavar="FOLDER", help="the run's folder (default: runs/TIME-NAME)")
    add(
        "--name",
        default="",
        metavar="NAME",
        help="of the plan, by which history knows it (default: the file's)",
    )
    add("--format", default="", metavar="NAME", help="jmeter, k6 or vegeta (default: told by the content)")
    add(
        "--route",
        action="append",
        default=[],
        metavar="THEIRS=OURS",
        help="call a route as another run does; may be given again (default: as the file does)",
    )
    add(
        "--json",
        action="store_true",
        help="print the trial's result as JSON (default: where it is, and a summary)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Import, judge what was imported, print the folder and the result."""
    # Not at the top: numpy and what makes results take a while to import.
    from loadrig.importers import import_files, named_after
    from loadrig.recording import run_seal
    from loadrig.recording.files import write_json
    from loadrig.recording.layout import RunFolder
    from loadrig.recording.reader import Recording
    from loadrig.report.sections.verdict import sentences
    from loadrig.trial.result import result_of

    paths = [Path(name) for name in arguments.files]
    name = arguments.name or named_after(paths[0])
    folder = RunFolder.fresh(Path(arguments.out) if arguments.out else None, name)
    trial = import_files(paths, folder, name=name, tool=arguments.format, routes=_routes(arguments.route))
    result = result_of(Recording.open(trial.path))
    document = result.to_json()
    write_json(trial.result, document)
    write_json(folder.result, document)
    run_seal.seal(folder)
    if arguments.json:
        print(json.dumps(document, indent=1))
        return 0
    print(folder.path)
    for line in sentences(result.document):
        print(in_one_line(line))
    return 0


def _routes(texts: Sequence[str]) -> Mapping[str, str]:
    by_name = {}
    for text in texts:
        theirs, _, ours = text.rpartition("=")
        if not theirs or not ours:
            raise PlanError.of(
                ERRORS.no_other_name(repr(text)), code="cli.wrong-argument", where=Span("--route")
            )
        by_name[theirs] = ours
    return by_name

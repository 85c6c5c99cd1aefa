"""`loadrig import FILE...`: results of another tool become a run, a test of another tool becomes a plan."""

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType

from loadrig.base.errors import PlanError, Span
from loadrig.base.exits import Exit
from loadrig.base.printable import in_one_line
from loadrig.cli._request import add_repeated, add_switch
from loadrig.language.choice import texts_of
from loadrig.language.en.cli import CliImportTexts
from loadrig.language.en.errors.cli import CliImportErrors

ERRORS = texts_of(CliImportErrors)

TEXTS = texts_of(CliImportTexts)

MOST_SHOWN = 20
"""Parts that were altered or left out and are printed, at most: all stand in the plan and in --json."""

HELP = """
Make a plan of another tool's test, or a run of its results; the content tells which, and it is said.

  loadrig import shop.jmx -o shop.yaml                a test plan of JMeter becomes a plan
  loadrig import api.yaml -o api-plan.yaml            a description of OpenAPI becomes a plan
  loadrig import shop.json test.json -o shop.yaml     a collection of Postman, with its environment
  loadrig import shop.json logins.csv -o shop.yaml    or with rows of data, as newman -d takes them
  loadrig import shop.har --host api.example.com      a recording of a browser, with requests to a second host
  loadrig import shop.jmx -J users=50                 properties of JMeter, as jmeter -J gives them
  loadrig import access.log -o shop/                  so does an access log, with its values beside it
  loadrig import nightly.jtl                          results of JMeter, CSV or XML, become a run
  loadrig import results.json -o runs/vegeta          vegeta encode --to json (or csv)
  loadrig import k6.json.gz --name shop               k6 run --out json=k6.json.gz
  loadrig import simulation.log                       Gatling, text or binary
  loadrig import wrk.txt                              what wrk, ab, hey, oha or siege printed: sums only
  loadrig import one.jtl two.jtl                      one load, made by two generators
  loadrig import k6.json --route 'GET /search=search'  then loadrig compare runs/shop runs/NEW

A plan says what it can; what it cannot say is listed by its place, there as comments and here with counts.
Look at it with loadrig check PLAN and loadrig run PLAN --dry.

Most tools count from when a request was sent, so a run has service times and no response times; they do not
say whether they kept up, so it is never valid. What a file does not hold (CPU, connections, what was asked
for) is absent, not zero.

Exit codes: 0 imported, also where parts were left out; 104 the file cannot be read as a test or as results,
or the plan's place is taken; 111 the run cannot be written.
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options: which files, where the plan or the run goes, what it is called."""
    add = parser.add_argument
    add(
        "files",
        nargs="+",
        metavar="FILE",
        help="a test, with its environments; or results of one load, several if several generators made it",
    )
    add(
        "-o",
        "--out",
        metavar="PLACE",
        help="the plan's file, or the run's folder (default: NAME.yaml, runs/TIME-NAME)",
    )
    add(
        "--name",
        default="",
        metavar="NAME",
        help="of the plan, by which history knows it (default: the file's)",
    )
    add(
        "--format",
        default="",
        metavar="NAME",
        help="jmeter, k6, vegeta … (default: told by the content)",
    )
    add_repeated(
        parser,
        "--route",
        "THEIRS=OURS",
        "call a route as another run does; may be given again (default: as the file does)",
    )
    add_repeated(
        parser,
        "--host",
        "HOST",
        "take requests of a browser to this host, too; may be given again (default: one server)",
    )
    add(
        "-J",
        "--property",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="value of a property of JMeter; may be given again (default: that of the test)",
    )
    add_switch(
        parser,
        "--json",
        "print the result, or what became of the test, as JSON (default: where it is, and a summary)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Make a plan of a test, or a run of results, and print where it is and what became of it."""
    from loadrig.converters import converter_of

    member = converter_of(Path(arguments.files[0]), arguments.format)
    return _plan(arguments, member) if member is not None else _run(arguments)


def _plan(arguments: argparse.Namespace, member: ModuleType) -> int:
    """Convert a test, print the plan's place, and what was carried, altered and left out."""
    from loadrig.converters import convert_files

    out = Path(arguments.out) if arguments.out else None
    paths = [Path(name) for name in arguments.files]
    conversion = convert_files(
        paths,
        member,
        out,
        name=arguments.name,
        hosts=arguments.host,
        properties=_properties(arguments.property),
    )
    if arguments.json:
        print(json.dumps(conversion.to_json(), indent=1, ensure_ascii=False))
        return Exit.FINE
    print(conversion.path)
    print(TEXTS.plan_made(conversion.tool))
    for file in conversion.files:
        print(in_one_line(TEXTS.beside(str(file))))
    for line in conversion.lines[:MOST_SHOWN]:
        print(in_one_line(line))
    if len(conversion.lines) > MOST_SHOWN:
        print(TEXTS.further_lines(len(conversion.lines) - MOST_SHOWN))
    if conversion.secrets:
        print(TEXTS.secrets_in_plan(conversion.secrets), file=sys.stderr)
    print(TEXTS.look_at(str(conversion.path)), file=sys.stderr)
    return Exit.FINE


def _run(arguments: argparse.Namespace) -> int:
    """Import results, judge what was imported, print the folder and the result."""
    # Not at the top: numpy and what makes results take a while to import.
    from loadrig.converters import named_files
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
    trial = import_files(
        paths,
        folder,
        name=name,
        tool=arguments.format,
        routes=_routes(arguments.route),
        tests=named_files(),
    )
    result = result_of(Recording.open(trial.path))
    document = result.to_json()
    write_json(trial.result, document)
    write_json(folder.result, document)
    run_seal.seal(folder)
    if arguments.json:
        print(json.dumps(document, indent=1))
        return Exit.FINE
    print(folder.path)
    print(TEXTS.run_made(result.document.imported.tool if result.document.imported else ""))
    for line in sentences(result.document):
        print(in_one_line(line))
    if result.document.imported:
        for what, count in result.document.imported.left_out.items():
            print(in_one_line(TEXTS.left_out(count, what)))
    return Exit.FINE


def _properties(texts: Sequence[str]) -> Mapping[str, str]:
    by_name = {}
    for text in texts:
        name, sign, value = text.partition("=")
        if not name or not sign:
            raise PlanError.of(ERRORS.no_value(repr(text)), code="cli.wrong-argument", where=Span("-J"))
        by_name[name] = value
    return by_name


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

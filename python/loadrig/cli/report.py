"""`loadrig report RUN`: say what a run found, from its folder alone."""

import argparse
import json
from pathlib import Path

HELP = """
Write the report of a run again, from its folder alone; nothing is measured.

  loadrig report runs/2025-01-31-120000-shop                  write report.html into the folder
  loadrig report runs/2025-01-31-120000-shop --text           print the summary instead
  loadrig report runs/2025-01-31-120000-shop/trials/0003      the same for one trial of the run
  loadrig report runs/2025-01-31-120000-shop --json | jq .    the result for a machine

The page is one file that needs no network; the same folder always gives the same page.
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options: where the page goes, or what is printed instead."""
    from loadrig.cli._request import add_switch, add_verbose

    add = parser.add_argument
    add("run", metavar="RUN", help="folder of a run, or of one of its trials")
    add("--out", metavar="FILE", help="where the page goes (default: report.html in the run's folder)")
    add("--text", action="store_true", help="print the summary and write no page (default: write the page)")
    add_verbose(parser)
    add_switch(parser, "--json", "print the result as JSON and write no page (default: write the page)")


def run(arguments: argparse.Namespace) -> int:
    """Write the page and print its path; or print the summary or the result."""
    from loadrig import report
    from loadrig.cli import _cut_proof, _seals
    from loadrig.cli._resume import finish
    from loadrig.cli._shown import show
    from loadrig.recording.layout import RunFolder

    folder = Path(arguments.run)
    _seals.look(folder)
    finish(RunFolder(folder))
    _cut_proof.look(RunFolder(folder))
    if arguments.json:
        whole_run = report.read(folder)
        print(json.dumps({**whole_run.result, **whole_run.proof_json}, indent=1))
    elif arguments.text:
        show(report.build(folder), verbose=arguments.verbose)
    else:
        print(report.write_html(folder, Path(arguments.out) if arguments.out else None))
    return 0

"""`loadrig diagnose RUN`: what limits the server, with the evidence for and against."""

import argparse
import json
import shutil
import sys
from pathlib import Path

HELP = """
Say what limits the server, from a run's recordings alone; nothing is measured.

  loadrig diagnose runs/2025-01-31-120000-shop                  the causes, most likely first
  loadrig diagnose runs/2025-01-31-120000-shop/trials/0003      the same for one trial of the run
  loadrig diagnose runs/2025-01-31-120000-shop --all            and every cause that was cleared
  loadrig diagnose runs/2025-01-31-120000-shop --json | jq .    findings and diagnosis for a machine

A cause is `likely` when arithmetic and its signs hold, `possible` when some of it was not seen, and
`named` only when an experiment moved it. Where nothing stands, it says what would decide.
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """The options: which run, and how much is told."""
    add = parser.add_argument
    add("run", metavar="RUN", help="folder of a run, or of one of its trials")
    add("--all", action="store_true", help="tell every cause that was cleared too (default: the nearest)")
    add("--json", action="store_true", help="print findings and diagnosis as JSON (default: as text)")


def run(arguments: argparse.Namespace) -> int:
    """Print the diagnosis."""
    from loadrig.report import read
    from loadrig.report.diagnosis import anew, as_json, build
    from loadrig.report.text import render, wants_colour

    found = anew(read(Path(arguments.run)))
    if arguments.json:
        print(json.dumps(as_json(found), indent=1))
        return 0
    from loadrig.cli._finish import PLAIN_WIDTH

    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else PLAIN_WIDTH
    text = render(build(found, everything=arguments.all), width, wants_colour(sys.stdout))
    print(text, end="")
    return 0

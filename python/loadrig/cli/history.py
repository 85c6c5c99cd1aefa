"""`loadrig history`: the runs of one plan over time, and where something changed."""

import argparse
from pathlib import Path

from loadrig.base.errors import PlanError, Span
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.cli import CliHistoryErrors

ERRORS = texts_of(CliHistoryErrors)

HELP = """
Show the runs of one plan over time, and where a measure changed its level.

  loadrig history                                   runs under runs/, of the plan of the newest
  loadrig history --plan shop --measure p99         of one plan, and of one measure
  loadrig history nightly/ --newest 5               another folder; a change within the last 5 runs is news
  loadrig history nightly/ --junit history.xml      for a pipeline, with --markdown and --html
  loadrig history --json | jq '.courses[].changes'  for a machine

It takes three runs on either side to tell a change from noise. Runs of another setting or load than the
newest are left out, and so are void ones. A change that came with another machine is shown and not counted.

Exit codes: 0 no change or better, 113 worse since one of the newest runs, 112 too few runs to tell.
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options: which runs, which measures, where the answer goes."""
    from loadrig.cli._compare_options import add_judging, add_telling

    add = parser.add_argument
    add("folders", nargs="*", metavar="FOLDER", help="folders of runs, or runs (default: runs/)")
    add("--plan", default="", metavar="NAME", help="the plan by its name (default: that of the newest run)")
    add_judging(parser, "changes")
    add("--newest", default="10", metavar="N", help="a change within so many runs is news (default: 10)")
    add_telling(parser, "history")


def run(arguments: argparse.Namespace) -> int:
    """Read the runs, print what changed, and return the exit code."""
    if not arguments.newest.isdecimal() or int(arguments.newest) < 1:
        raise PlanError.of(
            ERRORS.no_number_of_runs(repr(arguments.newest)),
            code="cli.wrong-argument",
            where=Span("--newest"),
        )
    from loadrig.cli import _compare_view, _seals
    from loadrig.comparing import read, yardsticks
    from loadrig.comparing.history import history
    from loadrig.recording.layout import DEFAULT_PARENT

    runs = []
    for folder in map(Path, arguments.folders or [DEFAULT_PARENT]):
        if not folder.is_dir():
            raise read.no_folder(str(folder))
        single = read.read_run(folder)
        runs += [single] if single is not None else read.runs_in(folder)
    _seals.look(*(run.folder for run in runs))
    changes = history(
        runs,
        plan=arguments.plan,
        names=arguments.measure,
        within=yardsticks.margins_of(arguments.equal_within),
        newest=int(arguments.newest),
    )
    return _compare_view.show_history(arguments, changes)

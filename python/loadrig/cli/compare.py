"""`loadrig compare A B`: whether B is better or worse than A, and how sure that is."""

import argparse
import tempfile
from pathlib import Path

HELP = """
Say whether B is better or worse than A, measure by measure and route by route, and how sure that is.

  loadrig compare runs/before runs/after                  two runs, or two folders of runs
  loadrig compare runs/shop#0 runs/shop#3                 two settings of one study, block by block
  loadrig compare a1,a2,a3 b1,b2,b3                       several runs each, in turns: a1 b1 a2 b2 ...
  loadrig compare runs/before runs/after --markdown summary.md --junit report.xml
  loadrig compare runs/shop nightly.jtl                   results of JMeter, vegeta or k6 as they are
  loadrig compare runs/before runs/after --measure p99 --equal-within p99=10%

A side is a run, a study (its base setting, or the one after #), one trial, several runs, or a file that
`loadrig import` reads. Runs in turns are compared in pairs; runs apart only as far as it is known how runs
differ when nothing was changed. Earlier runs of the same plan tell that, where they lie beside A (--history).

Exit codes: 0 better or equal, 113 worse, 112 undecided, 104 cannot be compared, 111 all trials void.
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options: what is compared, what decides, where the answer goes."""
    from loadrig.cli._compare_options import add_judging, add_telling

    add = parser.add_argument
    add("a", metavar="A", help="what to compare with")
    add("b", metavar="B", help="what is compared")
    add_judging(parser, "differences")
    add(
        "--history",
        metavar="FOLDER",
        help="earlier runs of the same plan, which tell how runs differ (default: the folder that A lies in)",
    )
    add_telling(parser, "comparison")


def run(arguments: argparse.Namespace) -> int:
    """Compare, print the answer, and return its exit code."""
    # Not at the top: with scipy they take a second to import, which a help page need not wait for.
    from loadrig.cli import _compare_view, _seals
    from loadrig.comparing import judged, noise, read, refuse, yardsticks

    margins = yardsticks.margins_of(arguments.equal_within)
    with tempfile.TemporaryDirectory(prefix="loadrig-compare-") as scratch:
        a, b = (read.read_side(side, Path(scratch)) for side in (arguments.a, arguments.b))
        _seals.look(*a.runs, *b.runs)
        refuse.check_trials(a, b)
        beside = Path(arguments.history) if arguments.history else read.lies_in(a.runs[0])
        if arguments.history and not beside.is_dir():
            raise read.no_folder(arguments.history)
        earlier = read.runs_in(beside)
        _seals.look(*(run.folder for run in earlier))
        noises = noise.noises(a, b, earlier)
        measures = yardsticks.asked(a, b, arguments.measure, margins)
        comparison = judged.compare(a, b, measures, noises)
    return _compare_view.show_comparison(arguments, comparison)

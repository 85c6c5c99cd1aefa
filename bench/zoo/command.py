"""The commands of the zoo: `python -m bench zoo record`, `judge`, `fit`, `list` and `setup`."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from bench.zoo import fit, judge, record, score, setup
from bench.zoo.cases import every
from bench.zoo.draw import drawn
from bench.zoo.faults import FAULTS, HEALTHY


def main(argv: Sequence[str]) -> int:
    """Do what is asked; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m bench zoo", description=__doc__)
    actions = parser.add_subparsers(dest="action", required=True)
    recording = actions.add_parser("record", help="run cases, and keep their recordings")
    recording.add_argument("--only", default="*-strong,*-well-*", help="names, * for anything")
    recording.add_argument("--out", type=Path, required=True, help="the folder of the recordings")
    recording.add_argument("--lock", type=Path, help="a file that is locked while a case runs")
    recording.add_argument("--again", action="store_true", help="also what was recorded before")
    recording.add_argument("--draw", type=int, metavar="N", help="this many cases by chance, not --only")
    recording.add_argument("--seed", type=int, default=0, help="of the chance by which they are drawn")
    for action, meaning in (("judge", "judge recordings"), ("fit", "fit the chances of findings to them")):
        judging = actions.add_parser(action, help=f"{meaning}; no server is started")
        judging.add_argument("folder", type=Path)
        judging.add_argument("--only", default="*", help="names, * for anything")
    listing = actions.add_parser("list", help="print the names of cases")
    listing.add_argument("--only", default="*", help="names, * for anything")
    actions.add_parser("setup", help="fetch and compile what the stacks need")
    asked = parser.parse_args(argv)
    if asked.action == "setup":
        setup.prepare()
        return 0
    if asked.action == "record" and asked.draw:
        cases = drawn(FAULTS, [well.case() for well in HEALTHY], asked.draw, asked.seed)
    else:
        cases = every(asked.only)
    if not cases:
        parser.error(f"no case is called {asked.only}: python -m bench zoo list names all of them")
    if asked.action == "list":
        print("\n".join(case.name for case in cases))
    elif asked.action == "record":
        record.record(cases, asked.out, asked.lock, again=asked.again)
    else:
        verdicts = judge.judge(asked.folder, asked.only)
        if not verdicts:
            parser.error(
                f"no recording of {asked.only} in {asked.folder}: make some with python -m bench zoo record"
                f" --out {asked.folder}"
            )
        print((fit if asked.action == "fit" else score).text_of(verdicts))
    return 0

"""`loadrig run PLAN`: run the trial or the study that a plan describes."""

import argparse
from pathlib import Path

HELP = """
Run what a plan describes: one trial, or a study over the knobs of its server.

  loadrig run plan.yaml                    run it; Ctrl-C keeps what is done
  loadrig run plan.yaml --resume           go on where it stopped
  loadrig run runs/2025-01-31-shop         the plan of a run once more, in a new folder
  loadrig run runs/2025-01-31-shop --resume    go on with that run, whichever command began it
  loadrig run plan.yaml --budget 40m       begin no trial that would end later; what is known is judged
  loadrig run plan.yaml --dry              say what would run and how long it takes; show the bytes

The run's folder holds the plan, every trial's recording, result.json and report.html.
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    from loadrig.cli import _request

    add = parser.add_argument
    add("plan", metavar="PLAN", help="a plan file (docs/reference/plan.md), or the folder of a run")
    _request.add_folder(parser)
    add("--trials", type=int, metavar="N", help="stop after N trials in all (default: from the plan)")
    add("--budget", metavar="TIME", help="of trial time, such as 40m (default: from the plan)")
    add("--dry", action="store_true", help="run nothing: say what would run (default: run)")
    _request.add_profile(parser)
    _request.add_seed(parser)
    _request.add_fleet(parser)
    _request.add_nodes(parser)
    _request.add_verbose(parser)
    _request.add_ui(parser)
    add("--json", action="store_true", help="print the result as JSON (default: a summary)")


def run(arguments: argparse.Namespace) -> int:
    """Read the plan, then run it or print what would run."""
    from loadrig.cli._quick import overrides, run_or_describe
    from loadrig.plan.load import load

    values, typed = overrides(arguments, {"budget": arguments.budget} if arguments.budget else {})
    out = arguments.out
    if Path(arguments.plan).is_dir():
        from loadrig.cli._resume import plan_of
        from loadrig.recording.layout import RunFolder

        plan = plan_of(RunFolder(Path(arguments.plan)), values, typed)
        out = out or (arguments.plan if arguments.resume else None)
    else:
        plan = load(arguments.plan, values, typed)
    return run_or_describe(arguments, f"run {arguments.plan}", plan, out)

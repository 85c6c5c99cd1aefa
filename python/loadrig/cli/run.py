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
    from loadrig.cli._request import add_profile, add_seed

    add = parser.add_argument
    add("plan", metavar="PLAN", help="a plan file (docs/reference/plan.md), or the folder of a run")
    add("-o", "--out", metavar="FOLDER", help="the run's folder (default: runs/TIME-NAME)")
    add(
        "--resume",
        action="store_true",
        help="go on in --out, or in the newest run of this plan (default: begin)",
    )
    add("--trials", type=int, metavar="N", help="stop after N trials in all (default: from the plan)")
    add("--budget", metavar="TIME", help="of trial time, such as 40m (default: from the plan)")
    add("--dry", action="store_true", help="run nothing: say what would run (default: run)")
    add_profile(parser)
    add_seed(parser)
    add("--json", action="store_true", help="print the result as JSON (default: a summary)")


def run(arguments: argparse.Namespace) -> int:
    """Read the plan, then run it or print what would run."""
    from loadrig.cli._quick import profile_override, seed_override, typed
    from loadrig.plan.load import load

    budget = {"budget": arguments.budget} if arguments.budget else {}
    seed, seed_typed = seed_override(arguments.seed)
    profile, profile_typed = profile_override(arguments.profile)
    overrides = {f"study.{key}": text for key, text in budget.items()} | seed | profile
    typed_values = typed(budget) | seed_typed | profile_typed
    out = Path(arguments.out) if arguments.out else None
    if Path(arguments.plan).is_dir():
        from loadrig.cli._resume import plan_of
        from loadrig.recording.layout import RunFolder

        plan = plan_of(RunFolder(Path(arguments.plan)), overrides, typed_values)
        out = out or (Path(arguments.plan) if arguments.resume else None)
    else:
        plan = load(arguments.plan, overrides, typed_values)
    if arguments.dry:
        from loadrig.cli._dry import describe

        print(describe(plan))
        return 0
    from loadrig.cli._runs import run_plan

    return run_plan(
        plan,
        f"loadrig run {arguments.plan}",
        out=out,
        resume=arguments.resume,
        most_trials=arguments.trials,
        as_json=arguments.json,
    )

"""`loadrig tune PLAN`: the best setting of a plan's knobs under its goals."""

import argparse

HELP = """
Find the best setting of a plan's knobs under its goals, in far fewer trials than a grid.

  loadrig tune plan.yaml                          the highest capacity that meets the goals
  loadrig tune plan.yaml --objective memory       the least memory that meets them
  loadrig tune plan.yaml --front memory           the trade-off: what no other setting beats in both
  loadrig tune plan.yaml --budget 40m             search only as long as the confirmation still fits
  loadrig tune plan.yaml --resume                 go on where it stopped
  loadrig tune plan.yaml --dry                    say what would run and how long it takes

Knobs that change nothing are found first and left alone, a model chooses what to try next, the best race each
other, and winner, runner-up and default are confirmed side by side. Exit code 99: no setting that was tried
meets the goals (the nearest is named); 112: stopped before anything was confirmed.
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options; an option that is not given is as the plan says."""
    from loadrig.cli import _request

    add = parser.add_argument
    add("plan", metavar="PLAN", help="a plan file with knobs; see docs/reference/plan.md")
    add(
        "--objective",
        metavar="NAME",
        help="capacity, cost_per_request or a measure such as p95 (default: the plan's, else capacity)",
    )
    add("--front", metavar="MEASURE", help="a second measure to trade against (default: none)")
    _request.add_goal(parser, "p99 < 200ms")
    add("--budget", metavar="TIME", help="of all trials (default: the plan's, else none)")
    _request.add_folder(parser)
    add("--trials", type=int, metavar="N", help="stop after N trials in all (default: none)")
    add("--dry", action="store_true", help="run nothing: say what would run (default: run)")
    _request.add_seed(parser)
    _request.add_fleet(parser)
    _request.add_nodes(parser)
    _request.add_verbose(parser)
    _request.add_ui(parser)
    add("--json", action="store_true", help="print the result as JSON (default: a summary)")


def run(arguments: argparse.Namespace) -> int:
    """Read the plan with typed values in place of its own, then run it or print what would run."""
    from loadrig.cli._quick import overrides, run_or_describe
    from loadrig.plan.load import load

    names = ("objective", "front", "budget")
    typed = {name: getattr(arguments, name) for name in names if getattr(arguments, name) is not None}
    plan = load(arguments.plan, *overrides(arguments, {"find": "tune", **typed}))
    return run_or_describe(arguments, f"tune {arguments.plan}", plan, arguments.out)

"""`loadrig soak PLAN`: what becomes of a server in hours."""

import argparse

HELP = """
Load a server for hours and say what grows, drifts, dips or lapses, and when that ends.

  loadrig soak plan.yaml --for 4h                                        the load of a plan
  loadrig soak http://127.0.0.1:8000/ -q 100/1s --for 1h                 one address
  loadrig soak plan.yaml --for 4h --goal 'p95 < 500ms for 30s'           in every 30 seconds of it
  loadrig soak plan.yaml --for 4h --whole                                to the end, whatever is known
  loadrig soak plan.yaml --for 4h --matrix --nodes 4                     every setting, four at the same time

It ends before its time when the answer is sure: a leak whose size is known, or none that would matter. Exit
code 99: something leaks, or a goal lapsed; 112: not to be told yet.
"""

RATE = "50/1s"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options; options of attack mean the same here."""
    from loadrig.cli._request import add_goal, add_nodes, add_of_plan_or_url, add_switch

    add = parser.add_argument
    add("what", metavar="PLAN|URL", help="a plan file, or an http:// or https:// address")
    add("--for", dest="length", metavar="TIME", help="longest time (default: the plan's, or 1h)")
    add_goal(parser, "p95 < 500ms for 30s")
    add("--whole", action="store_true", help="do not end before the time is up (default: when it is sure)")
    add_switch(parser, "--matrix", "soak every combination of the knobs' values (default: the base)")
    add("-c", "--connections", metavar="N", help="so many users (default: a rate)")
    add("-q", "--rate", metavar="RATE", help=f"requests a second (default: {RATE})")
    add_nodes(parser)
    add_of_plan_or_url(parser)


def run(arguments: argparse.Namespace) -> int:
    """Make the plan, run the soak, print its result."""
    from loadrig.cli._quick import run_study

    study = {
        "find": "soak",
        "for": arguments.length,
        "early": "false" if arguments.whole else None,
        "matrix": "true" if arguments.matrix else None,
    }
    return run_study(arguments, study, RATE)

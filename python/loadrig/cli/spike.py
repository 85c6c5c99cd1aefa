"""`loadrig spike PLAN`: what a sudden load leaves behind."""

import argparse

HELP = """
Load a server with several times its usual load for some seconds, and say how long it takes to recover.

  loadrig spike plan.yaml                                      five times the plan's load for 10 s
  loadrig spike http://127.0.0.1:8000/ -q 50/1s --times 8      eight times 50 requests a second
  loadrig spike plan.yaml --for 30s --after 5m                 longer, and watched longer

Exit code 99: the server keeps itself down, or a goal was missed; 112: it was not back when the watching
ended, or too little was seen.
"""

RATE = "50/1s"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options; options of attack mean the same here."""
    from loadrig.cli._request import add_goal, add_of_plan_or_url

    add = parser.add_argument
    add("what", metavar="PLAN|URL", help="a plan file, or an http:// or https:// address")
    add("--times", metavar="N", help="times the usual load (default: the plan's, or 5)")
    add("--for", dest="length", metavar="TIME", help="of the spike (default: the plan's, or 10s)")
    add("--before", metavar="TIME", help="usual load before it (default: the plan's, or 30s)")
    add("--after", metavar="TIME", help="usual load after it (default: the plan's, or 1m)")
    add_goal(parser, "errors < 1%%")
    add("-c", "--connections", metavar="N", help="usual load in users (default: a rate)")
    add("-q", "--rate", metavar="RATE", help=f"usual requests a second (default: {RATE})")
    add_of_plan_or_url(parser)


def run(arguments: argparse.Namespace) -> int:
    """Make the plan, run the spike, print its result."""
    from loadrig.cli._quick import run_study

    study = {
        "find": "spike",
        "times": arguments.times,
        "for": arguments.length,
        "before": arguments.before,
        "after": arguments.after,
    }
    return run_study(arguments, study, RATE)

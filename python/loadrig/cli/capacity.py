"""`loadrig capacity URL`: the highest load that meets the goals."""

import argparse

HELP = """
Find the highest load that a server answers within the goals, how sure that is, and what is beyond it.

  loadrig capacity http://127.0.0.1:8000/ --goal 'p99 < 200ms' --goal 'errors < 0.1%'
  loadrig capacity http://127.0.0.1:8000/ --goal 'p95 < 1s' -c 5     in users, from 5 on, instead of a rate
  loadrig capacity plan.yaml                                         the server and the requests of a plan
  loadrig capacity plan.yaml --nodes 2                               values of its knobs, two at the same time
  loadrig capacity URL --goal 'p99 < 200ms' --print-plan             the same as a plan file, to go on from

The load is steered in one run of two minutes: up until the server no longer keeps up, around its limit until
that is known, and then beyond it for some seconds (--no-overload leaves that out). Exit code 99: no load
meets the goals; 112: the limit could not be found; 111: the generator was the limit.
"""


FIRST_RATE = "10/1s"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options; options of attack mean the same here."""
    from loadrig.cli._request import add_goal, add_nodes, add_of_plan_or_url

    add = parser.add_argument
    add("what", metavar="URL|PLAN", help="an http:// or https:// address, or a plan file")
    add_goal(parser, "p99 < 200ms")
    add("-c", "--connections", metavar="N", help="search in users, from N on (default: in rates)")
    add("-q", "--rate", metavar="RATE", help="rate to begin with (default: 10/1s)")
    add("--most", metavar="N", help="offer no more than this (default: what a generator can)")
    add("--budget", metavar="TIME", help="of the search (default: 2m)")
    add("--no-overload", action="store_true", help="do not overload it on purpose at the end (default: do)")
    add_nodes(parser)
    add_of_plan_or_url(parser)


def run(arguments: argparse.Namespace) -> int:
    """Make the plan, run the search, print its result."""
    from loadrig.cli._quick import run_study

    study = {
        "find": "capacity",
        "budget": arguments.budget,
        "most": arguments.most,
        "overload": "false" if arguments.no_overload else None,
    }
    return run_study(arguments, study, FIRST_RATE)

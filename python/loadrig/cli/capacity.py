"""`loadrig capacity URL`: the highest load that meets the goals."""

import argparse
from pathlib import Path

HELP = """
Find the highest load that a server answers within the goals, how sure that is, and what is beyond it.

  loadrig capacity http://127.0.0.1:8000/ --goal 'p99 < 200ms' --goal 'errors < 0.1%'
  loadrig capacity http://127.0.0.1:8000/ --goal 'p95 < 1s' -c 5     in users, from 5 on, instead of a rate
  loadrig capacity plan.yaml                                         the server and the requests of a plan
  loadrig capacity URL --goal 'p99 < 200ms' --print-plan             the same as a plan file, to go on from

The load is steered in one run of two minutes: up until the server no longer keeps up, around its limit until
that is known, and then beyond it for some seconds (--no-overload leaves that out). Exit code 99: no load
meets the goals; 112: the limit could not be found; 111: the generator was the limit.
"""


FIRST_RATE = "10/1s"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options; options of attack mean the same here."""
    from loadrig.cli._request import add_profile, add_request, add_run, add_seed, add_spacing

    add = parser.add_argument
    add("what", metavar="URL|PLAN", help="an http:// or https:// address, or a plan file")
    add(
        "--goal",
        action="append",
        default=[],
        metavar="GOAL",
        help="such as 'p99 < 200ms'; may be given again (default: the plan's)",
    )
    add(
        "-c",
        "--connections",
        default=None,
        metavar="N",
        help="search in users, from N on (default: in rates)",
    )
    add("-q", "--rate", default=None, metavar="RATE", help="rate to begin with (default: 10/1s)")
    add("--most", default=None, metavar="N", help="offer no more than this (default: what a generator can)")
    add("--budget", default=None, metavar="TIME", help="of the search (default: 2m)")
    add("--no-overload", action="store_true", help="do not overload it on purpose at the end (default: do)")
    add_spacing(parser)
    add_request(parser)
    add_profile(parser)
    add_seed(parser)
    add_run(parser)


def run(arguments: argparse.Namespace) -> int:
    """Make the plan, run the search, print its result."""
    from loadrig.cli._quick import planned

    study = {"find": "capacity"}
    if arguments.budget is not None:
        study["budget"] = arguments.budget
    if arguments.most is not None:
        study["most"] = arguments.most
    if arguments.no_overload:
        study["overload"] = "false"
    plan, text = planned(arguments, study, FIRST_RATE)
    if arguments.print_plan:
        print(text, end="")
        return 0
    from loadrig.cli._runs import run_plan

    out = Path(arguments.out) if arguments.out else None
    return run_plan(
        plan, f"loadrig capacity {arguments.what}", out=out, as_json=arguments.json, resume=arguments.resume
    )

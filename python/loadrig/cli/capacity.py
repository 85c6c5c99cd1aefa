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


def configure(parser: argparse.ArgumentParser) -> None:
    """The options, as those of attack where they mean the same."""
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
    add(
        "-H",
        "--header",
        action="append",
        default=[],
        metavar="'NAME: VALUE'",
        help="a header; may be given again (default: none)",
    )
    add("-m", "--method", default=None, metavar="METHOD", help="method (default: GET, or POST with -d)")
    add(
        "-d", "--body", default=None, metavar="TEXT", help="body, or @FILE for a file's bytes (default: none)"
    )
    add("-k", "--insecure", action="store_true", help="accept any certificate (default: check it)")
    add("-t", "--timeout", default=None, metavar="TIME", help="longest wait for an answer (default: 30s)")
    add(
        "--allow",
        action="append",
        default=[],
        metavar="HOST",
        help="let traffic go there (default: this machine)",
    )
    add("-o", "--out", default=None, metavar="FOLDER", help="where the run is kept (default: runs/TIME-NAME)")
    add("--json", action="store_true", help="print the result as JSON (default: a summary)")
    add("--print-plan", action="store_true", help="print the equivalent plan and do nothing else")


def run(arguments: argparse.Namespace) -> int:
    """Make the plan, run the search, print what it found."""
    from loadrig.cli._quick import searched

    plan, text = searched(arguments)
    if arguments.print_plan:
        print(text, end="")
        return 0
    from loadrig.cli._runs import run_plan

    out = Path(arguments.out) if arguments.out else None
    return run_plan(plan, f"loadrig capacity {arguments.what}", out=out, as_json=arguments.json)

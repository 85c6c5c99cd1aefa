"""What commands that hold a load have in common: their options, and the plan of a URL or of a file."""

import argparse

from loadrig.cli._quick import is_plan, of_file
from loadrig.plan.model import Plan
from loadrig.plan.quick import quick_plan, read_quick


def add_request(parser: argparse.ArgumentParser) -> None:
    """Options of the request and of the run, as those of attack where they mean the same."""
    add = parser.add_argument
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


def held(arguments: argparse.Namespace, name: str, study: dict[str, str], rate: str) -> tuple[Plan, str]:
    """The plan of a command, and its text. study: its keys; rate: where none is typed. Raises PlanError."""
    study = {"find": name, **study}
    if is_plan(arguments.what):
        plan = of_file(arguments, study)
        return plan, plan.text
    quick = quick_plan(
        arguments.what,
        connections=arguments.connections,
        rate=arguments.rate if arguments.rate or arguments.connections else rate,
        headers=tuple(arguments.header),
        method=arguments.method,
        body=arguments.body,
        insecure=arguments.insecure,
        timeout=arguments.timeout,
        goals=tuple(arguments.goal),
        allow=tuple(arguments.allow),
        name=name,
        study=study,
    )
    return read_quick(quick), quick.text

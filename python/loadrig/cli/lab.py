"""`loadrig lab`: sick systems to learn on, each with what is wrong in it known beforehand."""

import argparse

from loadrig.base.errors import PlanError, Span
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.cli import CliLabErrors

ERRORS = texts_of(CliLabErrors)

HELP = """
Run a sick server that comes with loadrig, and see whether the diagnosis is right.

  loadrig lab list                             what there is, and what each needs that is not installed
  loadrig lab show redis-connections           its story, its plans, what it needs
  loadrig lab setup redis-connections          install what it needs (Debian, Ubuntu); says what it types
  loadrig lab run redis-connections            the sick plan: loaded, diagnosed, compared with the truth
  loadrig lab run redis-connections:pooled     another of its plans
  loadrig lab run redis-connections:my.yaml    a plan of your own, on the lab's servers
  loadrig lab run redis-connections --prove    and proved by experiments, the mend verified
  loadrig lab start redis-connections          only bring it up; stays until Ctrl-C, to attack it by hand

A run ends within five minutes, with --short within one, and says `right:` or `wrong:`. Exit codes of
`run`: 0 right, 99 wrong, 111 the trial was void, 120 something is missing, did not come up or died.
"""

VERBS = ("list", "show", "setup", "start", "run")


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    from loadrig.cli._request import add_out

    add = parser.add_argument
    add("verb", metavar="VERB", choices=VERBS, help="list, show, setup, start or run")
    add(
        "name",
        metavar="NAME[:PLAN]",
        nargs="?",
        help="a lab, or the path of its folder; a plan of it, or a file (default: the sick one)",
    )
    add("--short", action="store_true", help="run: load for a quarter of a minute (default: as planned)")
    add_out(
        parser, "run: the run's folder (default: runs/TIME-NAME), or whom to tell, such as statsd=HOST:PORT"
    )
    add("--prove", action="store_true", help="run: prove the diagnosis by experiments (default: do not)")
    add("--dry", action="store_true", help="setup: only say what would be typed (default: type it)")
    add("--json", action="store_true", help="print the answer as JSON (default: sentences)")


def run(arguments: argparse.Namespace) -> int:
    """Do what the verb says."""
    verb, name = arguments.verb, arguments.name
    if name is None and verb in ("show", "start", "run"):
        raise PlanError.of(
            ERRORS.no_lab_named(verb), code="cli.wrong-argument", where=Span(f"loadrig lab {verb}")
        )
    if verb in ("start", "run"):
        from loadrig.cli import _lab_run

        if verb == "start":
            return _lab_run.start(name)
        return _lab_run.run(
            name,
            out=arguments.out,
            receivers=arguments.receivers,
            short=arguments.short,
            as_json=arguments.json,
            prove=arguments.prove,
        )
    from loadrig.cli import _lab_view

    match verb:
        case "list":
            return _lab_view.show_all(as_json=arguments.json)
        case "show":
            return _lab_view.show_one(name, as_json=arguments.json)
    return _lab_view.set_up(name, dry=arguments.dry)

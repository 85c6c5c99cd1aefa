"""`loadrig check PLAN`: what a plan would do, or all that is wrong with it."""

import argparse
import json
import sys
from typing import Any

from loadrig.base.errors import PlanError, Problem, Span
from loadrig.base.exits import Exit
from loadrig.base.printable import printable
from loadrig.language.choice import texts_of
from loadrig.language.en.cli import CliCheckTexts
from loadrig.language.en.errors.cli import CliCheckErrors

TEXTS, ERRORS = texts_of(CliCheckTexts), texts_of(CliCheckErrors)

HELP = """
Check a plan: say in sentences what it would do, or all that is wrong with it. Nothing is started.

  loadrig check plan.yaml                  sentences, or every problem with its place and its mend
  loadrig check plan.yaml --json           the same for machines
  loadrig check --schema > plan.json       a JSON Schema of plans, for your editor
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    add = parser.add_argument
    add("plan", metavar="PLAN", nargs="?", help="a plan file; see docs/reference/plan.md")
    add("--schema", action="store_true", help="print the JSON Schema of plans (default: check a plan)")
    add("--json", action="store_true", help="print the answer as JSON (default: sentences)")


def run(arguments: argparse.Namespace) -> int:
    """Print what the plan would do. Raises PlanError, or with --json prints, what is wrong."""
    if arguments.schema:
        from loadrig.plan.schema import schema

        print(json.dumps(schema(), indent=2, ensure_ascii=False))
        return Exit.FINE
    if arguments.plan is None:
        raise PlanError.of(ERRORS.no_plan, code="cli.wrong-argument", where=Span("loadrig check"))
    try:
        texts = _sentences(arguments.plan)
    except PlanError as error:
        if not arguments.json:
            raise
        print(json.dumps(_answer([], error), indent=2, ensure_ascii=False))
        return Exit.PLAN_WRONG
    if arguments.json:
        print(json.dumps(_answer(texts, None), indent=2, ensure_ascii=False))
        return Exit.FINE
    print(printable("\n".join(texts)))
    print(TEXTS.plan_fine_run(arguments.plan), file=sys.stderr)
    return Exit.FINE


def _sentences(path: str) -> list[str]:
    from loadrig.plan.load import load

    plan = load(path)  # before the study's libraries, which take longer to import than a plan to be wrong
    from loadrig.cli._dry import outlook
    from loadrig.plan.explain import sentences

    if plan.nodes is not None:
        from loadrig.study import carry_out, node_places

        # How many cores there are is a matter of the machine that it will run on.
        node_places.check_plan(plan, carry_out.planned(plan))
    return sentences(plan, outlook(plan))


def _answer(texts: list[str], error: PlanError | None) -> dict[str, Any]:
    """Return the document of --json: schema loadrig.check/1."""
    return {
        "schema": "loadrig.check/1",
        "fine": error is None,
        "sentences": texts,
        "problems": [_problem(problem) for problem in error.problems] if error else [],
    }


def _problem(problem: Problem) -> dict[str, Any]:
    where = problem.where
    return {
        "code": problem.code,
        "what": problem.what,
        "why": problem.why,
        "mend": problem.mend,
        "where": {"file": where.file, "line": where.line, "column": where.column, "length": where.length}
        if where
        else None,
    }

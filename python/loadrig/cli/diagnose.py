"""`loadrig diagnose RUN`: what limits the server, with the evidence for and against."""

import argparse
import json
from pathlib import Path

from loadrig.base import units
from loadrig.base.errors import PlanError, Span
from loadrig.base.exits import Exit
from loadrig.cli._request import add_repeated
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.cli import CliDiagnoseErrors

ERRORS = texts_of(CliDiagnoseErrors)

HELP = """
Say what limits the server, from a run's recordings alone; with --prove, prove it by experiments.

  loadrig diagnose runs/2025-01-31-120000-shop                  the causes, most likely first
  loadrig diagnose runs/2025-01-31-120000-shop/trials/0003      the same for one trial of the run
  loadrig diagnose runs/2025-01-31-120000-shop --all            and every cause that was cleared
  loadrig diagnose runs/2025-01-31-120000-shop --json | jq .    findings and diagnosis for a machine
  loadrig diagnose runs/2025-01-31-120000-shop --prove          change one thing at a time, see what moves

A cause is `likely` when arithmetic and its signs hold, `possible` when some of it was not seen, and
`named` only when an experiment moved it. Where nothing stands, it says what would decide.

--prove starts the server again by the run's plan, loads it, and changes one thing at a time in shuffled
blocks: CPU, the way to a dependency, a knob, the shape of the load. It touches only what the rig starts,
and what the plan allows by name (prove: {allow: [mariadb]}); everything is changed back, also after a kill.
A proof that was cut short begins anew, and an earlier one is kept in RUN/proof-earlier-1.
Exit code 120: the server died while it was loaded, in the run or in the proof.
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options: which run, and how much is shown."""
    add = parser.add_argument
    add("run", metavar="RUN", help="folder of a run, or of one of its trials")
    add("--all", action="store_true", help="tell every cause that was cleared too (default: the nearest)")
    add("--json", action="store_true", help="print findings and diagnosis as JSON (default: as text)")
    add("--prove", action="store_true", help="make experiments that decide (default: nothing is measured)")
    add("--budget", metavar="TIME", help="with --prove: end after so long, such as 3m (default: the plan's)")
    add_repeated(
        parser,
        "--permit",
        "NAME",
        "with --prove: node-inspector, jvm-attach, jvm-agent, beside the plan's (default: none)",
    )
    add("--plan", metavar="PLAN", help="with --prove: the plan to load it by (default: the run's own)")


def run(arguments: argparse.Namespace) -> int:
    """Print the diagnosis, proved first where that is asked for."""
    from loadrig.cli import _cut_proof, _seals
    from loadrig.cli._resume import finish
    from loadrig.recording.layout import RunFolder

    _seals.look(Path(arguments.run))
    finish(RunFolder(Path(arguments.run)))
    if arguments.prove:
        _prove(arguments)
    elif arguments.budget or arguments.plan or arguments.permit:
        raise PlanError.of(
            ERRORS.option_without_proof(arguments.run),
            code="cli.needs-prove",
            where=Span("--budget" if arguments.budget else "--plan" if arguments.plan else "--permit"),
        )
    _cut_proof.look(RunFolder(Path(arguments.run)))
    from loadrig.report import read
    from loadrig.report.diagnosis import anew, as_json, build

    judged = anew(read(Path(arguments.run)))
    from loadrig.cli._finish import has_failed
    from loadrig.cli._shown import show

    code = Exit.TARGET_FAILED if has_failed(judged.result) else Exit.FINE
    if arguments.json:
        print(json.dumps(as_json(judged), indent=1))
        return code
    show(build(judged, everything=arguments.all))
    return code


def _prove(arguments: argparse.Namespace) -> None:
    from loadrig.cli import _prove

    budget_s = None
    if arguments.budget is not None:
        try:
            budget_s = float(units.parse_duration(arguments.budget))
        except ValueError as error:
            raise PlanError.of(
                ERRORS.not_a_time(str(error)), code="cli.wrong-argument", where=Span("--budget")
            ) from None
    run, index = _prove.run_of(Path(arguments.run))
    plan = _prove.permitted(_prove.plan_of(run, arguments.plan), arguments.permit)
    _prove.prove_run(run, plan, index=index, budget_s=budget_s, quiet=_prove.is_quiet(as_json=arguments.json))

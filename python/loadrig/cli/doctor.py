"""`loadrig doctor`: whether this machine can run trials, and what a killed rig has left behind."""

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict

from loadrig.base import leases, lost_groups
from loadrig.base.exits import Exit
from loadrig.base.leases import IdleLease, Undone
from loadrig.base.printable import in_one_line, printable
from loadrig.cli._machine import Check, look
from loadrig.cli._request import add_switch
from loadrig.language.choice import texts_of
from loadrig.language.en.cli import CliDoctorTexts

TEXTS = texts_of(CliDoctorTexts)

HELP = """
Examine this machine and what a killed rig has left on it.

  loadrig doctor               what is well, what is not, and how to mend it
  loadrig doctor --clean       undo what a killed rig left: changes, processes, cgroups, data
  loadrig doctor --calibrate   measure what the generator can do here, for the checks G10 and G13
  loadrig doctor --json        the same for machines

Nothing of a rig that still runs is touched, nor of a rig on another host, in another container or of
another user: those are listed as left alone. A process is stopped only if it is the very one that
was started: by its start time, or by the mark in its environment.
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the two options."""
    add_switch(parser, "--clean", "undo what killed rigs left (default: only list it)")
    add_switch(parser, "--calibrate", "measure the generator's ceiling, 30 s (default: do not)")
    parser.add_argument("--json", action="store_true", help="print JSON (default: a table)")


def run(args: argparse.Namespace) -> int:
    """Clean and calibrate if asked, check, print.

    Return 111 if a check is bad or something was not undone.
    """
    undone = _cleaned() if args.clean else []
    alone = leases.left_alone()
    if args.calibrate:
        from loadrig.trial.calibration import calibrate

        print(TEXTS.calibrating_half_minute, file=sys.stderr)
        calibrate()
    checks = list(look())
    if args.json:
        print(json.dumps(_as_json(checks, undone, alone, cleaned=args.clean), indent=2))
    else:
        _print(checks, undone, alone, cleaned=args.clean)
    failed = any(check.status == "bad" for check in checks) or any(outcome.left for outcome in undone)
    return Exit.VOID if failed else Exit.FINE


def _cleaned() -> list[Undone]:
    """Undo what dead rigs left; return the outcomes.

    Groups without a lease come last, as leases name most of them.
    """
    undone = [leases.undo(lease) for lease in leases.stale()]
    return undone + [lost_groups.remove(lease) for lease in lost_groups.lost_leases()]


def _as_json(
    checks: Sequence[Check], undone: Sequence[Undone], alone: Sequence[IdleLease], *, cleaned: bool
) -> dict[str, object]:
    document: dict[str, object] = {
        "schema": "loadrig.doctor/1",
        "checks": [asdict(check) for check in checks],
        "left_alone": [
            {"what": entry.what, "file": str(entry.path), "why": entry.why, "reason": entry.reason}
            for entry in alone
        ],
    }
    if cleaned:
        document["cleaned"] = [
            {"what": str(entry.lease), "done": list(entry.done), "left": list(entry.left)} for entry in undone
        ]
    return document


def _print(
    checks: Sequence[Check], undone: Sequence[Undone], alone: Sequence[IdleLease], *, cleaned: bool
) -> None:
    for outcome in undone:
        print(in_one_line(TEXTS.cleaned(str(outcome.lease))))
        for line in outcome.done:
            print(in_one_line(f"         {line}"))
        for line in outcome.left:
            print(in_one_line(TEXTS.could_not_undo(line)))
    if cleaned and not undone:
        print(TEXTS.cleaned_nothing_no)
    for lease in alone:
        print(in_one_line(TEXTS.alone(lease.what, lease.reason)))
        print(in_one_line(TEXTS.its_lease(str(lease.path))))
    if cleaned or alone:
        print()
    width = max(len(check.name) for check in checks)
    for check in checks:
        print(printable(f"{check.status:<5} {check.name:<{width}}  {check.found}"))
        if check.mend:
            print(printable(TEXTS.mend(f"{'':<{width}}", check.mend)))
        if check.status in ("warn", "bad"):
            print(TEXTS.more_loadrig_explain(f"{'':<{width}}", check.code))
    worst = [check for check in checks if check.status in ("warn", "bad")]
    verdict = TEXTS.to_look_at(str(len(worst))) if worst else TEXTS.all_well
    print(TEXTS.next_command(verdict), file=sys.stderr)

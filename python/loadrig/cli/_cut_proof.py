"""Proofs that were cut short before they were judged: what is said of them, and what begins them anew."""

import shlex
import sys

from loadrig.base.errors import Problem
from loadrig.base.printable import printable
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.cli_run import CliCutProofErrors
from loadrig.recording.layout import RunFolder

ERRORS = texts_of(CliCutProofErrors)


def look(run: RunFolder) -> None:
    """Print one line on standard error where the proof of a run was cut short."""
    if not run.proof.path.is_dir():
        return
    from loadrig.proving import room

    if room.is_cut(run):
        print(printable(_line_on(run)).replace("\n", " "), file=sys.stderr)


def begun_anew(run: RunFolder) -> str:
    """Return what to say to a person who proves a run whose earlier proof was cut short.

    "" where it was not.
    """
    from loadrig.proving import room

    if not room.is_cut(run):
        return ""
    return ERRORS.proof_begins_anew(str(room.place_for_earlier(run)))


def command_to_prove(run: RunFolder) -> str:
    """Return what to type to prove a run from the start."""
    return f"loadrig diagnose {shlex.quote(str(run.path))} --prove"


def _line_on(run: RunFolder) -> str:
    problem = Problem.of(ERRORS.proof_cut_short(str(run.path), command_to_prove(run)), code="prove.cut-short")
    return ERRORS.as_note(problem.what, problem.why, problem.mend, problem.code)

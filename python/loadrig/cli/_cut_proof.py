"""Proofs that were cut short before they were judged: what is said of them, and what begins them anew."""

import shlex
import sys

from loadrig.base.errors import Problem
from loadrig.base.printable import printable
from loadrig.recording.layout import RunFolder


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
    return (
        "an earlier proof was cut short and cannot go on (see loadrig explain prove.cut-short), so it begins"
        f" anew; what was measured is kept in {room.place_for_earlier(run)}"
    )


def again(run: RunFolder) -> str:
    """Return what to type to prove a run from the start."""
    return f"loadrig diagnose {shlex.quote(str(run.path))} --prove"


def _line_on(run: RunFolder) -> str:
    problem = Problem(
        what=f"the proof of {run.path} was cut short before it was judged, and cannot go on",
        why="what it measured is kept",
        mend=f"begin it anew: {again(run)}",
        code="prove.cut-short",
    )
    return f"note: {problem.what}; {problem.why}; {problem.mend} (more: loadrig explain {problem.code})"

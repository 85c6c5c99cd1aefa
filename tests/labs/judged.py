"""Judgement of a lab's run by its own document: right, void or disturbed by its own account, or wrong.

A machine's neighbours can spoil a trial, and no assertion of ours keeps them quiet. What must hold all the
same: a trial that was spoilt says so by itself, and what it claims is then no more than likely.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from loadrig.base.exits import Exit

OF_THE_MACHINE = frozenset({"G2", "G4", "G7", "G14", "G15"})
"""Checks of what others do on this machine: late wake-ups, cores that were taken away, became slower or were
shared. The others are of the plan, of the server, or of loadrig itself, and excuse nothing."""


def outcome(code: int, document: Mapping[str, Any]) -> str:
    """Return `right`, `void`, `disturbed` or `wrong`; after a colon why, where it is not right.

    code: the exit code of `loadrig lab run --json`. document: what it printed.
    """
    if document["right"]:
        return "right"
    if code == Exit.VOID:
        # The answer is all that is left of a run without a valid trial, so it must name a check.
        has_reason = any(f"{check}:" in document["answer"] for check in OF_THE_MACHINE) or (
            "the machine became slower" in document["answer"]
        )
        return f"{'void' if has_reason else 'wrong'}: {document['answer']}"
    disturbances = [text for check, text in reasons(document) if check in OF_THE_MACHINE]
    if disturbances and not any(verdict == "named" for verdict in verdicts(document)):
        return f"disturbed: {document['answer']} ({'; '.join(dict.fromkeys(disturbances))})"
    return f"wrong: {document['answer']}"


def reasons(document: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Check and text of each reason for which a trial is not trusted wholly."""
    for trial in document["trials"]:
        for reason in trial["validity"]["reasons"]:
            yield reason["check"], reason["text"]


def verdicts(document: Mapping[str, Any]) -> Iterator[str]:
    """Verdict of each finding of each trial, and of the proof where one was made."""
    for part in (*document["trials"], document.get("proof") or {"findings": ()}):
        for finding in part["findings"]:
            yield finding["verdict"]

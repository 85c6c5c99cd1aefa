"""Exit codes of the program: part of the public contract, one sentence each."""

from enum import IntEnum


class Exit(IntEnum):
    """What the shell is told."""

    FINE = 0  # the run was valid and every goal was met
    FAULT = 70  # our own fault: a traceback was printed, and the folder to send
    GOAL_MISSED = 99  # the run was valid and a goal was missed
    PLAN_WRONG = 104  # the plan or the command line is wrong; nothing was started
    INTERRUPTED = 105  # stopped by Ctrl-C, SIGTERM or a closed terminal; what was measured is kept
    VOID = 111  # the rig could not do its work, print what it found, or rely on the run: it is damaged
    UNDECIDED = 112  # valid, and the question asked could not be answered
    REGRESSION = 113  # valid, and worse than what it was compared with
    TARGET_FAILED = 120  # the server did not start, did not become ready, died, or never answered

"""Exit codes of the program: part of the public contract, one sentence each."""

from enum import IntEnum


class Exit(IntEnum):
    """Exit code that the shell gets."""

    FINE = 0  # every goal was met, or there was none
    FAULT = 70  # our own fault: a traceback was printed, and the folder to send
    GOAL_MISSED = 99  # a goal was missed
    PLAN_WRONG = 104  # the plan or the command line is wrong; nothing was started
    INTERRUPTED = 105  # stopped by Ctrl-C, SIGTERM or a closed terminal; what was measured is kept
    VOID = 111  # void, another load than asked for, a full disk, nothing printed, or a damaged run
    UNDECIDED = 112  # the question asked could not be answered
    REGRESSION = 113  # worse than what it was compared with
    TARGET_FAILED = 120  # the server did not start, did not become ready, died, or never answered

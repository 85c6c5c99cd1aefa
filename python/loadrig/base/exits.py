"""Exit codes of the program: part of the public contract."""

from enum import IntEnum


class Exit(IntEnum):
    """Exit code that the shell gets, with what it says."""

    meaning: str

    FINE = 0, "every goal was met, or there was none; what was asked for was printed"
    FAULT = 70, "a fault of loadrig's own: a traceback was printed, and the folder to send"
    GOAL_MISSED = 99, "a goal was missed"
    PLAN_WRONG = 104, "the plan or the command line is wrong; nothing was started"
    INTERRUPTED = (
        105,
        "stopped by Ctrl-C, SIGTERM or a closed terminal (SIGHUP); what was measured is kept",
    )
    VOID = (
        111,
        "the rig could not do its work: nothing can be said (void), the load was not the one asked "
        "for, or a disk was full; what it found could not be printed; or `verify` found a run that "
        "is not as it was sealed",
    )
    UNDECIDED = (
        112,
        "the question could not be answered, such as a goal that was missed by no more than a "
        "disturbance can account for; `verify`: nothing is sealed",
    )
    REGRESSION = 113, "worse than what it was compared with"
    TARGET_FAILED = 120, "the server did not start, did not become ready, died, or never answered"
    READER_GONE = 141, "the reader of a command that only prints has gone, as after SIGPIPE"

    def __new__(cls, code: int, meaning: str) -> "Exit":
        """Return a member. code: what the shell gets. meaning: a clause for people."""
        member = int.__new__(cls, code)
        member._value_ = code
        member.meaning = meaning
        return member

"""Refusals by the system: a process, a descriptor, memory or a place on the disk that the rig did not get.

Such a refusal is the machine's state, not a fault of the rig or of the server: it becomes a VoidError
that names what was wanted, so that no user is asked to send a traceback because a table was full.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from loadrig.base.errors import Problem, VoidError


def refusal(what: str, error: OSError) -> VoidError:
    """Return the VoidError for something that the system did not let the rig do.

    what: what was wanted, as a clause ("the generator's process could not be started").
    """
    place = f" ({error.filename})" if error.filename else ""
    return VoidError(
        Problem(
            what=f"{what}: {error.strerror or error}{place}",
            why="the system refused it to loadrig; what was measured until then is kept",
            mend="give the machine room (ulimit -a, free -m, df -h), then run it again",
            code="rig.refused",
        )
    )


@contextmanager
def starting(what: str) -> Iterator[None]:
    """Turn any OSError inside into the VoidError that says that `what` could not be started."""
    try:
        yield
    except OSError as error:
        raise refusal(f"{what} could not be started", error) from error

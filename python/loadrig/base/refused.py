"""Refusals by the system: a process, a descriptor, memory or a place on the disk that the rig did not get.

Such a refusal is the machine's state, not a fault of the rig or of the server: it becomes a VoidError
that names what was wanted, so that no user is asked to send a traceback because a table was full.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

from loadrig.base.base_texts import texts
from loadrig.base.errors import VoidError


@contextmanager
def starting(process: Literal["generator", "node", "server"]) -> Iterator[None]:
    """Turn any OSError inside into the VoidError that says that a process could not be started."""
    try:
        yield
    except OSError as error:
        place = f" ({error.filename})" if error.filename else ""
        wording = texts().not_started(process, f"{error.strerror or error}{place}")
        raise VoidError.of(wording, code="rig.refused") from error

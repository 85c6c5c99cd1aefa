"""Families of work around a request that is not the request's own: some of the classes of `profilers`.

A sample counts for a family where, from the innermost call outward, a function of that family comes before
the program's own code and before what sends to a connection. So a middleware that compresses does not count
for what it wraps, nor an encoder for the program's own methods that it calls.
"""

from collections.abc import Mapping

from loadrig.profilers import Folder, KeptProfile, Own, StackWork
from loadrig.profilers._stacks import StackFrame

FAMILIES: Mapping[str, str] = {
    "compress": "compression", "serialise": "serialisation", "tls": "TLS", "log": "logging",
}  # fmt: skip
"""Families by the class of CPU time."""

HANDSHAKE = "TLS handshake"
"""Name of the work that both opens connections and is TLS."""


def family_of(frame: StackFrame, own: Own) -> str | None:
    """Return the family of one function; None where it belongs to none."""
    work = Folder(own).work_of_frame(frame)
    return None if work is None else _family(work)


def shares(kept: KeptProfile) -> dict[str, float]:
    """Return the share of a profile's time by family, 0…1, without the families that were not seen."""
    folded = kept.folded
    if folded is None or not folded.total_ns:
        return {}
    time_by_family: dict[str, int] = {}
    for work, time_ns in folded.time_ns.items():
        family = _family(work)
        if family is not None:
            time_by_family[family] = time_by_family.get(family, 0) + time_ns
    return {family: time_ns / folded.total_ns for family, time_ns in time_by_family.items()}


def family_of_python(frame: str) -> str | None:
    """Return the family of a function as the probe `python` names it, or None.

    For example "JSONEncoder.encode (json/encoder.py:205)".
    """
    name, _, rest = frame.rpartition(" (")
    place = rest.rpartition(":")[0]
    return family_of(StackFrame(name, f"/{place}"), Own("cpython")) if place else None


def _family(work: StackWork) -> str | None:
    if work.work == "connect" and work.name == HANDSHAKE:
        return FAMILIES["tls"]
    return FAMILIES.get(work.work)

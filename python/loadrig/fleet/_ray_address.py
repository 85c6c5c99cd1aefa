"""Address of the head of Ray that a plan asks for, and the place where it stands, if that is not the plan."""

import os
from pathlib import Path

AUTO, LOCAL = "auto", "local"
"""Words in place of an address, in a plan and in RAY_ADDRESS, as Ray has them: the cluster that this machine
belongs to, and a Ray of one's own."""

VARIABLE = "RAY_ADDRESS"
"""Variable in which Ray takes the address of a head."""

RUNNING = Path("/tmp/ray/ray_current_cluster")
"""File in which `ray start` leaves the address of the cluster that this machine belongs to."""


def head_to_join(ray: str | None) -> tuple[str, str]:
    """Return the address of a head, and where it stands unless in the plan; both empty for a Ray of our own.

    ray: as the plan says it.
    """
    if ray != AUTO:
        return ray or "", ""
    chosen = os.environ.get(VARIABLE, "")
    if chosen == LOCAL:
        return "", ""
    if chosen not in ("", AUTO):
        return chosen, VARIABLE
    running = RUNNING.read_text(encoding="utf-8").strip() if RUNNING.exists() else ""
    return running, str(RUNNING) if running else ""

"""Files that a process holds open, by paths at which this process can reach them."""

import os
from pathlib import Path


def reachable(pid: int, number: str) -> Path | None:
    """Return a path to the regular file behind a descriptor; None where there is none."""
    held = f"/proc/{pid}/fd/{number}"
    try:
        target = os.readlink(held)
        if not target.startswith("/") or target.startswith(("/dev/", "/proc/")):
            return None
        # The process may see another file system than the rig does, as in a container.
        for path in (target, f"/proc/{pid}/root{target}"):
            if os.path.isfile(path) and os.path.samefile(path, held):
                return Path(path)
    except OSError:
        return None
    return None

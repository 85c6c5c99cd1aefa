"""Small files that the kernel makes when they are read, as in /proc and /sys."""

import os
from os import PathLike

_READ_BYTES = 1 << 16
"""Number of bytes that are read at a time: more than nearly all of these files hold."""


def read(path: str | PathLike[str]) -> str | None:
    """Return the text of a file, or None where there is none or it may not be read."""
    # Some forty are read a second, and what Python does around a read of its own takes as long as the read.
    try:
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    parts = []
    try:
        while part := os.read(handle, _READ_BYTES):
            parts.append(part)
    except OSError:
        return None
    finally:
        os.close(handle)
    return b"".join(parts).decode("utf-8", "replace")


def fields(path: str | PathLike[str]) -> dict[str, str]:
    """Return the values in a file of lines "name: value", by name; empty where it cannot be read."""
    lines = (line.partition(":") for line in (read(path) or "").splitlines())
    return {name: value.strip() for name, _, value in lines}

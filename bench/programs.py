"""Places where programs are found."""

import os
import shutil
import sys
from collections.abc import Sequence


def find(name: str, more: Sequence[str] = ()) -> str | None:
    """Return the path of a program, or None. more: folders that are searched first."""
    # Debian keeps servers in sbin, which is not on every user's PATH.
    folders = [*more, os.environ.get("PATH", ""), "/usr/sbin", "/usr/local/sbin"]
    return shutil.which(name, path=os.pathsep.join(folders))


def need(name: str, package: str) -> str:
    """Return the path of a program that is needed, or end politely with the name of its package."""
    path = find(name)
    if path is None:
        sys.exit(
            f"{name} is not on this machine, and this benchmark needs it\n\n"
            f"   mend: apt-get install {package}"
        )
    return path

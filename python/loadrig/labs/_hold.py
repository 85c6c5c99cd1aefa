"""Script that ${hold:…} puts before a command, to run it in a control group: `_hold.py FOLDER COMMAND…`.

A program of its own, run by path with any interpreter: standard library only, nothing of loadrig.
"""

import os
import sys


def main() -> None:
    """Enter the group and become the command."""
    folder, argv = sys.argv[1], sys.argv[2:]
    with open(os.path.join(folder, "cgroup.procs"), "w", encoding="ascii") as file:
        file.write("0")
    os.execvp(argv[0], argv)


if __name__ == "__main__":
    main()

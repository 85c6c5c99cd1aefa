"""Interpreters of our own processes: they take no module from the folder in which they are started."""

import sys

SAFE_PATH = "-P"
"""Flag that keeps the folder of the start off the module path; PYTHONPATH is read all the same."""


def safe_python(*words: str, python: str = sys.executable) -> list[str]:
    """Return the command that runs Python with these words: `-m`, a module, its arguments.

    Our commands are started in folders of their users. A `queue.py` there is no module of ours.
    """
    return [python, SAFE_PATH, *words]

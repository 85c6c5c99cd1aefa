"""Reports as text on the terminal."""

import shutil
import sys

from loadrig.report import Report, text

PLAIN_WIDTH = 96
"""Number of columns of a summary that goes to a file or a pipe."""


def show(report: Report, *, verbose: bool = False) -> None:
    """Print a report on standard output, as wide as the terminal and in its colours.

    verbose: with every warning in full.
    """
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else PLAIN_WIDTH
    print(text.render(report, width, text.wants_colour(sys.stdout), verbose), end="")

"""Options that `loadrig compare` and `loadrig history` share."""

import argparse

from loadrig.cli._request import add_repeated


def add_judging(parser: argparse.ArgumentParser, what: str) -> None:
    """Add the options on what decides. what: what is judged, in the plural."""
    add_repeated(
        parser,
        "--measure",
        "NAME",
        "a measure that decides, such as p99; may be given more than once"
        " (default: throughput or p95, and errors)",
    )
    add_repeated(
        parser,
        "--equal-within",
        "SHARE",
        f"{what} below it do not matter: 3%% for all, p99=10%% for one (default: each measure's own)",
    )


def add_telling(parser: argparse.ArgumentParser, what: str) -> None:
    """Add the options on where the answer goes. what: what is printed."""
    add = parser.add_argument
    add("--json", action="store_true", help=f"print the {what} as JSON (default: as text)")
    add("--markdown", metavar="FILE", help="write a summary for a pull request (default: none)")
    add("--junit", metavar="FILE", help="write JUnit XML (default: none)")
    add("--html", metavar="FILE", help="write a page with charts (default: none)")
    add("--badge", metavar="FILE", help="write the verdict as a badge, an SVG (default: none)")

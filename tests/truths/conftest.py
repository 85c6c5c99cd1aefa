"""The table of what the truths came to: how much of it was decided on this machine."""

from collections import Counter

import pytest

CAME_TO = pytest.StashKey[dict[str, str]]()


def pytest_configure(config: pytest.Config) -> None:
    """Begin an empty table."""
    config.stash[CAME_TO] = {}


@pytest.fixture
def came_to(request: pytest.FixtureRequest) -> dict[str, str]:
    """Return what each lab and plan came to: `right`, `void: why`, `disturbed: why` or `wrong: why`."""
    return request.config.stash[CAME_TO]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print a line for each, and how many of each kind there are."""
    table = terminalreporter.config.stash[CAME_TO]
    for name, outcome in table.items():
        terminalreporter.write_line(f"{name:32} {outcome}")
    counts = Counter(outcome.partition(":")[0] for outcome in table.values())
    if counts:
        counted = ", ".join(f"{counts[kind]} {kind}" for kind in ("right", "void", "disturbed", "wrong"))
        terminalreporter.write_line(f"truths: {counted}")

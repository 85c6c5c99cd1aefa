"""Fixtures for pytest. In a conftest.py: `from loadrig.testing.fixtures import nothing_left`."""

from collections.abc import Iterator

import pytest

from loadrig.testing.leftovers import nothing_left_behind


@pytest.fixture
def nothing_left() -> Iterator[None]:
    """Fail the test that leaves a process, thread, port, cgroup or lease behind."""
    with nothing_left_behind():
        yield

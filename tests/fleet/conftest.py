"""Folder for the sockets of Ray."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture
def folder() -> Iterator[Path]:
    """Return a folder whose sockets have short paths."""
    with tempfile.TemporaryDirectory(dir="/tmp", prefix="loadrig-test-") as path:
        yield Path(path)

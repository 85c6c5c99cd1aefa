"""Leases as rigs take them that are dead, on another host, or another user's."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest

from loadrig.base import origins


@contextmanager
def taken_by(**facts: Any) -> Iterator[None]:
    """Let everything that is noted down in the block come from another origin. facts: of origins.Origin."""
    other = replace(origins.here(), **facts)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(origins, "here", lambda: other)
        yield


@contextmanager
def dead_rig() -> Iterator[None]:
    """Let everything that is noted down in the block come from a rig that is dead: its pid is used again."""
    with taken_by(rig_start=origins.here().rig_start - 1):
        yield

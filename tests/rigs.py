"""Leases as rigs take them that are dead, on another host, or another user's."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from typing import Any

import pytest

from loadrig.base import leases, origins
from loadrig.base.lease_document import facts_of
from loadrig.base.leases import Lease


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


def leased(kind: str, **facts: Any) -> Lease:
    """Take a lease with plain facts, as a file holds them, also those that no rig would write."""
    return leases.take(facts_of(kind, facts))


def plain_facts(lease: Lease) -> dict[str, Any]:
    """Return the facts of a lease by their names."""
    return asdict(lease.facts)

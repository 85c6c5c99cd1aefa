"""A lease's file as it is read. Nothing of it is trusted: see base.lease_facts."""

from collections.abc import Mapping
from typing import Any

import msgspec

from loadrig.base.documents import Document
from loadrig.base.leased import KINDS, Facts, UnreadFacts
from loadrig.base.origins import Origin

MOST_COUNT = 1 << 63


class LeaseHead(Document, frozen=True, kw_only=True):
    """Beginning of a lease's file of any version. Version 1 had no schema."""

    schema: str = "loadrig.lease/1"
    kind: str = "?"


class LeaseDocument(Document, frozen=True, kw_only=True):
    """A lease's file of this version."""

    kind: str
    facts: Mapping[str, Any]
    origin: Origin


def head(content: bytes) -> LeaseHead:
    """Return what a file of any version says. Raises ValueError."""
    return msgspec.json.decode(content, type=LeaseHead)


def read(content: bytes) -> tuple[Facts, Origin]:
    """Return the facts and the origin in a file of this version. Raises ValueError."""
    document = msgspec.json.decode(content, type=LeaseDocument)
    origin = document.origin
    if not all(0 <= number < MOST_COUNT for number in (origin.owner, origin.rig_pid, origin.rig_start)):
        raise ValueError("its origin is not one")
    return facts_of(document.kind, document.facts), origin


def facts_of(kind: str, facts: Mapping[str, Any]) -> Facts:
    """Return plain facts of a kind as what they are; UnreadFacts where this version cannot act on them."""
    if kind not in KINDS:
        return UnreadFacts(kind=kind, facts=facts, why=f"this version does not know how to undo {kind!r}")
    try:
        return msgspec.convert(facts, KINDS[kind])
    except msgspec.ValidationError as error:
        why = f"its facts are not those of a {kind}: {error}"[:200]
        return UnreadFacts(kind=kind, facts=facts, why=why)

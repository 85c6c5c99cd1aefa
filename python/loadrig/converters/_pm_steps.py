"""Requests of a collection, and what folders hand down to them, before they are steps of a plan."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from loadrig.converters._address import ServerAddress
from loadrig.converters._document import JsonValue
from loadrig.converters._draft import FileDraft, StepDraft
from loadrig.converters._pm_jumps import ScriptJump
from loadrig.converters._pm_sends import Script
from loadrig.plan.requests import Expect, Extract


@dataclass(frozen=True, slots=True)
class Inherited:
    """Parts that a folder hands down: names around, login, scripts, and how requests are sent.

    before: scripts that run before a request. scripts: those that run after it. jumps: of a request itself.
    """

    names: tuple[str, ...] = ()
    login: JsonValue = None
    before: tuple[Script, ...] = ()
    scripts: tuple[Script, ...] = ()
    behaviour: Mapping[str, JsonValue] | None = None
    jumps: tuple[ScriptJump, ...] = ()


@dataclass(frozen=True, slots=True)
class SentRequest:
    """A request of the collection before its server is looked at.

    item: number of the item that it belongs to. titles: name and id of the item, where it is the item's own
    request. jumps: those of the scripts behind it.
    """

    address: ServerAddress | None
    step: StepDraft
    files: tuple[FileDraft, ...]
    item: int = 0
    titles: tuple[str, ...] = ()
    jumps: tuple[ScriptJump, ...] = ()


class AnsweredRequest(NamedTuple):
    """Parts of scripts that run after a request: what they expect and take, and the requests they make."""

    expect: Expect
    extracts: Mapping[str, Extract]
    sent: tuple[SentRequest, ...]

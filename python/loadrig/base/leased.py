"""Facts of what can be leased, by its kind: what must be known to undo it.

They are standard dataclasses and no documents, as a lease is taken before the load begins, when nothing waits
for msgspec (decision 0030); a file is read into them by msgspec, which checks every type.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

Running = tuple[int, int]
"""A process: its pid, and its start in ticks since boot."""

Content = tuple[str, str]
"""A file's path, and a text that it held."""

CHANGE = "change"
INSPECTOR = "inspector"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessFacts:
    """A process that the rig has started. of: CHANGE for one that is there only for a change.

    marker: value of leases.MARKER in its environment; pid, start: None until they are known.
    """

    marker: str
    pid: int | None = None
    start: int | None = None
    command: str = "?"
    of: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupFacts:
    """Control groups that the rig has made: a folder in each tree."""

    folders: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeFacts:
    """A change that an experiment has made on this machine, in the order in which it is undone.

    what: a sentence for people. stopped: processes that were sent SIGSTOP. moved: processes that belong into
    the group of that cgroup.procs. written: files with what they said before; a file may be written several
    times: a later entry is what it must say before an earlier one can be written. folders: groups that were
    made. network: number of the network namespace that `written` belongs to, where those are its sysctls: the
    same path is another file in another namespace. wrote: what they said once they were written; a file that
    says something else by then was written by somebody else, and is left as it is.
    """

    what: str = "?"
    stopped: tuple[Running, ...] = ()
    moved: tuple[tuple[str, tuple[Running, ...]], ...] = ()
    written: tuple[Content, ...] = ()
    folders: tuple[str, ...] = ()
    network: int | None = None
    wrote: tuple[Content, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderFacts:
    """A folder for passing data."""

    folder: str


@dataclass(frozen=True, slots=True, kw_only=True)
class InspectorFacts:
    """An inspector that the rig has had a Node process open, and its port."""

    pid: int
    start: int
    port: int


@dataclass(frozen=True, slots=True, kw_only=True)
class UnreadFacts:
    """Facts that this version cannot act on. why: what is wrong with them; facts: as the file holds them."""

    kind: str
    facts: Mapping[str, Any]
    why: str


Facts = ProcessFacts | GroupFacts | ChangeFacts | FolderFacts | InspectorFacts | UnreadFacts

KINDS: dict[str, type[ProcessFacts | GroupFacts | ChangeFacts | FolderFacts | InspectorFacts]] = {
    "process": ProcessFacts, "cgroup": GroupFacts, CHANGE: ChangeFacts, "folder": FolderFacts,
    INSPECTOR: InspectorFacts,
}  # fmt: skip
"""Types of facts, by the kind in a lease's file."""


def kind_of(facts: Facts) -> str:
    """Return the kind of facts, as a lease's file names it."""
    if isinstance(facts, UnreadFacts):
        return facts.kind
    return next(kind for kind, each in KINDS.items() if isinstance(facts, each))

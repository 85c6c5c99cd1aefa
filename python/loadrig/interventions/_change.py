"""Changes that are noted before they are made: files written, groups made, processes moved and stopped."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Self, TypeVar

from loadrig.base import changes, leases, processes
from loadrig.base.leased import ChangeFacts
from loadrig.base.leases import Lease

T = TypeVar("T")


class ReversibleChange:
    """A change that is undone when its context is left. what: a sentence for people.

    All of it is in the lease before it is done: at worst something is changed back that was never changed.
    not_undone: what could not be changed back, once the context was left.
    """

    def __init__(self, what: str) -> None:
        self._facts = ChangeFacts(what=what)
        self._lease: Lease | None = None
        self.not_undone: tuple[str, ...] = ()

    def __enter__(self) -> Self:
        self._lease = leases.take(self._facts)
        return self

    def __exit__(self, *_: object) -> None:
        _, self.not_undone = changes.undone(self._facts)
        if self._lease is not None and not self.not_undone:
            self._lease.end()

    def keep(self, path: Path) -> str:
        """Note what a file of the kernel says before it is written, and return that text."""
        text = path.read_text(encoding="ascii").strip()
        self.on_the_way_back(path, text)
        return text

    def on_the_way_back(self, path: Path, text: str) -> None:
        """Note what a file must say before the files that were kept until now can be written back."""
        if str(path.parent) not in self._facts.folders:  # the rig's own groups go with their files
            self._note(replace(self._facts, written=(*self._facts.written, (str(path), text))))

    def make_group(self, folder: Path) -> None:
        """Make a control group without processes."""
        self._note(replace(self._facts, folders=_with(self._facts.folders, [str(folder)])))
        folder.mkdir()

    def move(self, pids: Iterable[int], into: Path, back: Path) -> None:
        """Move processes into a group. back: the group that they are in."""
        living = self._living(pids)
        moved = (str(back / "cgroup.procs"), tuple(living))
        self._note(replace(self._facts, moved=_with(self._facts.moved, [moved])))
        for pid, _ in living:
            try:
                (into / "cgroup.procs").write_text(str(pid), encoding="ascii")
            except ProcessLookupError:
                continue

    def will_stop(self, pids: Iterable[int]) -> list[tuple[int, int]]:
        """Note that processes are going to be stopped for moments; return them with their start times."""
        living = self._living(pids)
        self._note(replace(self._facts, stopped=_with(self._facts.stopped, living)))
        return living

    @staticmethod
    def _living(pids: Iterable[int]) -> list[tuple[int, int]]:
        return [(pid, start) for pid in pids if (start := processes.start_of(pid)) is not None]

    def _note(self, facts: ChangeFacts) -> None:
        is_new, self._facts = facts != self._facts, facts
        if self._lease is not None and is_new:
            self._lease = self._lease.update(facts)


def _with(noted: tuple[T, ...], more: Iterable[T]) -> tuple[T, ...]:
    """Return what is noted with what is not noted yet."""
    return (*noted, *(each for each in more if each not in noted))

"""A change that is noted before it is made: files written, groups made, processes moved and stopped."""

from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from loadrig.base import changes, leases, processes
from loadrig.base.leases import Lease


class Change:
    """Used as a context manager; leaving it changes everything back. what: a sentence for people.

    Everything is in the lease before it is done: at worst something is changed back that was never changed.
    left: after it was left, what could not be changed back.
    """

    def __init__(self, what: str) -> None:
        self._facts: dict[str, Any] = {"what": what, "stopped": [], "moved": [], "written": [], "folders": []}
        self._lease: Lease | None = None
        self.left: tuple[str, ...] = ()

    def __enter__(self) -> Self:
        self._lease = leases.take("change", **self._facts)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _, self.left = changes.undone(self._facts)
        if self._lease is not None and not self.left:
            self._lease.end()

    def keep(self, path: Path) -> str:
        """Note what a file of the kernel says before it is written; returns that."""
        text = path.read_text(encoding="ascii").strip()
        self.on_the_way_back(path, text)
        return text

    def on_the_way_back(self, path: Path, text: str) -> None:
        """What a file must say before those that were kept until now can be written."""
        if str(path.parent) not in self._facts["folders"]:  # a group that was made goes with its files
            self._note("written", [str(path), text])

    def make_group(self, folder: Path) -> None:
        """Make a control group, with nobody in it."""
        self._note("folders", str(folder))
        folder.mkdir()

    def move(self, pids: Iterable[int], into: Path, back: Path) -> None:
        """Move processes into a group. back: the group that they are in."""
        known = [[pid, start] for pid in pids if (start := processes.start_of(pid)) is not None]
        self._note("moved", [str(back / "cgroup.procs"), known])
        for pid, _ in known:
            try:
                (into / "cgroup.procs").write_text(str(pid), encoding="ascii")
            except ProcessLookupError:
                continue

    def will_stop(self, pids: Iterable[int]) -> list[tuple[int, int]]:
        """Note that these are going to be stopped for moments; returns them with their starts."""
        known = [(pid, start) for pid in pids if (start := processes.start_of(pid)) is not None]
        self._note("stopped", *([pid, start] for pid, start in known))
        return known

    def _note(self, name: str, *facts: Any) -> None:
        new = [fact for fact in facts if name == "written" or fact not in self._facts[name]]
        self._facts[name] += new
        if self._lease is not None and new:
            self._lease = self._lease.update(**{name: self._facts[name]})

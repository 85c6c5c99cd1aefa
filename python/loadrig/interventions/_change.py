"""Changes that are noted before they are made: files written, groups made, processes moved and stopped."""

from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from loadrig.base import changes, leases, processes
from loadrig.base.leases import Lease


class ReversibleChange:
    """A change that is undone when its context is left. what: a sentence for people.

    All of it is in the lease before it is done: at worst something is changed back that was never changed.
    not_undone: what could not be changed back, once the context was left.
    """

    def __init__(self, what: str) -> None:
        self._facts: dict[str, Any] = {"what": what, "stopped": [], "moved": [], "written": [], "folders": []}
        self._lease: Lease | None = None
        self.not_undone: tuple[str, ...] = ()

    def __enter__(self) -> Self:
        self._lease = leases.take("change", **self._facts)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
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
        if str(path.parent) not in self._facts["folders"]:  # the rig's own groups go with their files
            self._note("written", [str(path), text])

    def make_group(self, folder: Path) -> None:
        """Make a control group without processes."""
        self._note("folders", str(folder))
        folder.mkdir()

    def move(self, pids: Iterable[int], into: Path, back: Path) -> None:
        """Move processes into a group. back: the group that they are in."""
        living = [[pid, start] for pid in pids if (start := processes.start_of(pid)) is not None]
        self._note("moved", [str(back / "cgroup.procs"), living])
        for pid, _ in living:
            try:
                (into / "cgroup.procs").write_text(str(pid), encoding="ascii")
            except ProcessLookupError:
                continue

    def will_stop(self, pids: Iterable[int]) -> list[tuple[int, int]]:
        """Note that processes are going to be stopped for moments; return them with their start times."""
        living = [(pid, start) for pid in pids if (start := processes.start_of(pid)) is not None]
        self._note("stopped", *([pid, start] for pid, start in living))
        return living

    def _note(self, name: str, *facts: Any) -> None:
        new = [fact for fact in facts if name == "written" or fact not in self._facts[name]]
        self._facts[name] += new
        if self._lease is not None and new:
            self._lease = self._lease.update(**{name: self._facts[name]})

"""Owners of connections: which component each open connection belongs to, kept from look to look."""

from collections.abc import Collection, Mapping, Sequence

from loadrig.base import sockets
from loadrig.discovery._scene import MachineScene, NetworkNamespace


class Owners:
    """Owners of the connections that are open, and which of those were counted. server: name of the first."""

    def __init__(self, server: str) -> None:
        # The owner of a connection ("" if no component owns it), and of a process; components whose
        # connections may still be marked as nobody's; connections that were counted.
        self._owner: dict[int, str] = {}
        self._owner_of_process: dict[int, str] = {}
        self._fresh = {server}
        self._counted: set[int] = set()

    def of(self, inode: int) -> str:
        """Return the component that owns a connection; "" for nobody's."""
        return self._owner.get(inode, "")

    def expect(self, component: str) -> None:
        """Note a component that is new or was started again: its connections may be marked as nobody's."""
        self._fresh.add(component)

    def count(self, inodes: Collection[int]) -> int:
        """Return how many of these connections are counted for the first time."""
        unseen = set(inodes) - self._counted
        self._counted |= unseen
        return len(unseen)

    def attribute(
        self,
        scene: MachineScene,
        networks: Sequence[NetworkNamespace],
        followed: Collection[str],
        roots: Mapping[int, str],
    ) -> None:
        """Find the owners of the connections that no earlier look has seen.

        A server that keeps its connections costs nothing here: no descriptor is read again.
        followed: components whose connections are looked at. roots: of all components, by pid.
        """
        alive = {row.inode for network in networks for row in network.opened}
        self._owner = {inode: name for inode, name in self._owner.items() if inode in alive}
        self._counted &= alive
        unknown = alive - self._owner.keys()
        fresh, self._fresh = self._fresh & set(followed), set()
        if not unknown and not fresh:
            return
        self._owner_of_process = owners = scene.owners(roots, self._owner_of_process)
        pids = [pid for pid, name in owners.items() if name in followed and name not in fresh]
        held = sockets.holders(unknown, pids) if unknown else {}
        nobodys = {inode for inode in alive if not self._owner.get(inode)}
        held.update(sockets.holders(nobodys, (pid for pid, name in owners.items() if name in fresh)))
        self._owner.update(dict.fromkeys(unknown, ""))
        for pid, inodes in held.items():
            self._owner.update(dict.fromkeys(inodes, owners[pid]))

"""Rules of the nodes on which trials of a study run side by side."""

from dataclasses import dataclass

from loadrig.base.shape import option
from loadrig.base.units import Count


@dataclass(frozen=True, slots=True)
class NodeRules:
    """Nodes that run trials at the same time, each with a generator and a server of its own."""

    SHORT = "count"
    count: Count | None = option(
        "How many run trials at the same time; by default as many as `cpus` has lists, else two.",
        default=None,
        low=1,
        example="4",
    )
    cpus: tuple[str, ...] = option(
        "Cores of each node, a list for each; by default the cores of this machine are dealt evenly, at "
        "least two for each node.",
        default=(),
        example='["0-3", "4-7"]',
    )
    ray: str | None = option(
        "Ray cluster whose hosts are the nodes, a host for each: `auto` for the one that this machine "
        "belongs to, or its address; by default the nodes are processes of this machine.",
        default=None,
        example="auto",
    )
    files: tuple[str, ...] = option(
        "Files and folders of the plan's folder that each host of Ray gets before the first trial; by "
        "default none, and the plan's folder has to be on each host, at the same path.",
        default=(),
        example="[server.py, app]",
    )
    unguarded: bool = option(
        "Whether to join a cluster whose head asks nobody who they are and listens to more than its machine; "
        "who reaches it runs programs on every host.",
        default=False,
    )

    @property
    def nodes(self) -> int:
        """Return how many nodes there are."""
        return int(self.count or len(self.cpus) or 2)

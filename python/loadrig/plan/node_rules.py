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

    @property
    def nodes(self) -> int:
        """Return how many nodes there are."""
        return int(self.count or len(self.cpus) or 2)

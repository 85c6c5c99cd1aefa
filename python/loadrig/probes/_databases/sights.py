"""Sessions of a database at an instant, counted by few and lasting subjects."""

from collections import Counter
from collections.abc import Iterable, Mapping

from loadrig.probes._counting import SubjectValues
from loadrig.probes._databases.clients import Clients
from loadrig.probes._databases.looks import DatabaseLook
from loadrig.probes._databases.statements import Levels

NO_SESSION = "a prepared transaction"
"""Name of a holder of locks that has no session any more."""


class Sights:
    """Counter of sessions, and of those that wait for each other.

    most: subjects that are named, by metric of a look.
    """

    def __init__(self, clients: Clients, most: Mapping[str, int]) -> None:
        self.clients = clients
        self._levels = {name: Levels(n) for name, n in most.items()}
        self._pairs, self._holders = Levels(8), Levels(8)

    def counted(self, counts: Mapping[tuple[str, str], float]) -> DatabaseLook:
        """Return a look with these counts, by metric and subject; subjects seen before and gone are zero."""
        look = DatabaseLook()
        for metric, levels in self._levels.items():
            of_metric = {subject: count for (name, subject), count in counts.items() if name == metric}
            look.counts |= {(metric, subject): n for subject, n in levels.add(of_metric).items()}
        return look

    def paired(self, pairs: Iterable[tuple[str, str]], holders: Iterable[str]) -> SubjectValues:
        """Return the numbers of waiters and of holders; those seen before and gone are zero.

        pairs: names of a waiter and of its holder. holders: a name of each that waits for nobody.
        """
        waiting = Counter(f"{waiter} behind {holder}" for waiter, holder in pairs)
        values: SubjectValues = {("lock_pairs", pair): n for pair, n in self._pairs.add(waiting).items()}
        return values | {("lock_holders", name): n for name, n in self._holders.add(Counter(holders)).items()}

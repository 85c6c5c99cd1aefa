"""Made-up hosts whose frames are put together on their way, by mergers without processes."""

import json
from collections.abc import Sequence

import msgspec

from loadrig.fleet.condenser import Condenser
from loadrig.fleet.dealing import dealt
from loadrig.fleet.hosts import MERGER, News, UnreachableGenerator, lost_merger
from loadrig.fleet.messages import MergerAnswer, MergerOrder
from tests.fleet.made_up import MadeUpHosts


class CondensedHosts(MadeUpHosts):
    """Hosts with so many mergers. Orders and answers go through JSON, as between processes."""

    def __init__(self, ahead_ns: Sequence[int], mergers: int) -> None:
        super().__init__(ahead_ns)
        self.groups: Sequence[Sequence[int]] = dealt(len(ahead_ns), mergers)
        self._condensers = [Condenser(number) for number in range(mergers)]
        self.dead_mergers: set[int] = set()

    def tell(self, number: int, order: MergerOrder) -> MergerAnswer:
        if number in self.dead_mergers:
            raise UnreachableGenerator("its merger is gone")
        answer = self._condensers[number].order(msgspec.json.encode(order))
        return msgspec.json.decode(answer, type=MergerAnswer)

    def hear(self, within_s: float) -> Sequence[News]:
        news: list[News] = []
        for each in super().hear(within_s):
            if each.index == MERGER:
                # What was written before went through it.
                self.dead_mergers.add(json.loads(each.line or b"")["lost"])
                news.append(each)
                continue
            (number,) = (number for number, group in enumerate(self.groups) if each.index in group)
            # A seat is said by who has the generators, and a merger that is lost says nothing.
            is_past = each.seat is not None or number in self.dead_mergers
            news += [each] if is_past else self._condensers[number].take([each])
        return news

    def loses_merger(self, number: int) -> None:
        """Let a merger be lost, and its generators with it."""
        self._lines.append(News(MERGER, lost_merger(number)))
        for index in self.groups[number]:
            self.loses(index, "its merger is gone")

    def replaces_merger(self, number: int) -> None:
        """Let a fresh merger be there in the place of a lost one."""
        self.dead_mergers.discard(number)
        self._condensers[number] = Condenser(number)

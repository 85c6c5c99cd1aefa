"""Cache managers of JMeter: the cache that each user of a plan has.

Source: `CacheManager` and `HTTPAbstractImpl` of apache/jmeter; RFC 9111.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from loadrig.base.units import Count
from loadrig.converters._jmx_report import JmxReport
from loadrig.converters._jmx_text import Variables
from loadrig.converters._jmx_tree import TreeElement
from loadrig.language.choice import texts_of
from loadrig.language.en.converters.jmeter import ConvertersJmeterTexts
from loadrig.plan.model import DEFAULT_ENTRIES, MOST_ENTRIES, Cache

TEXTS = texts_of(ConvertersJmeterTexts)

_LEAST_ENTRIES = 1
"""Fewest answers that a cache keeps. With fewer, JMeter makes every request without conditions."""


@dataclass(slots=True)
class ManagedCaches:
    """Caches that the managers of a test give to its requests, of which a plan has one for all.

    group: the thread group whose requests are read.
    """

    variables: Variables
    report: JmxReport
    group: TreeElement | None = None
    _without: int = 0
    _requests: Counter[Cache] = field(default_factory=Counter)
    _managers: dict[int, tuple[TreeElement, Cache]] = field(default_factory=dict)

    def note(self, managers: Sequence[TreeElement]) -> None:
        """Note the managers that hold for a request, the innermost last: that is its cache."""
        cache = self._cache(managers[-1]) if managers else None
        if cache is None:
            self._without += 1
            return
        self._requests[cache] += 1
        self._managers[managers[-1].line] = managers[-1], cache

    def chosen(self, top: TreeElement) -> Cache | None:
        """Return the cache that most requests have; None where no request has one. top: the test plan."""
        if not self._requests:
            return None
        (cache, _), *_ = self._requests.most_common(1)
        for manager, own in self._managers.values():
            self.report.carry(manager)
            if own != cache:
                self.report.alter(manager, TEXTS.another_cache)
            if own.fresh == "reuse":
                self.report.alter(manager, TEXTS.fresh_by_standard)
        if self._without:
            self.report.alter(top, TEXTS.cache_for_all)
        return cache

    def _cache(self, manager: TreeElement) -> Cache | None:
        entries = int(self.variables.number(manager.get("maxSize"), manager, DEFAULT_ENTRIES))
        if entries < _LEAST_ENTRIES:
            self.report.drop(manager, TEXTS.cache_of_nothing)
            return None
        return Cache(
            fresh="reuse" if manager.is_true("useExpires") else "validate",
            lasts="loop" if self._is_of_loop(manager) else "user",
            entries=Count(min(entries, MOST_ENTRIES)),
        )

    def _is_of_loop(self, manager: TreeElement) -> bool:
        """Return whether a thread begins each of its loops with an empty cache."""
        if not manager.is_true("CacheManager.controlledByThread"):
            return manager.is_true("clearEachIteration")
        same_user = (
            self.group.get("ThreadGroup.same_user_on_next_iteration", "true") if self.group else "true"
        )
        return same_user.strip().lower() == "false"

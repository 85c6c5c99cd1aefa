"""The account of the last seconds while the load runs, for who watches: bounded in what it costs."""

import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from loadrig.base.series import Sample

if TYPE_CHECKING:  # with numpy it takes a tenth of a second to import, and only a terminal shows it
    from loadrig.account.book import ComponentAccount
    from loadrig.account.recent import Recent

FIRST_S, EVERY_S = 3.0, 2.0
"""Time until the first account, and between two, in seconds: probes read once a second."""

MOST_SHARE = 0.005
"""Share of a core that accounts may cost: where one costs more than its 10 ms, they come less often."""


class LiveAccount:
    """Makes the account of the loaded server every two seconds, from what it is told.

    config: what the generator was told. facts: the trial's load and machine. known: what is known by now of
    series and map. show: told each account. note: told once why there is none any more; nothing that happens
    here ends a trial.
    """

    def __init__(
        self,
        config: Mapping[str, Any],
        facts: Mapping[str, Any],
        known: Callable[[], Mapping[str, Any]],
        show: "Callable[[ComponentAccount], None]",
        note: Callable[[str], None],
        clock: Callable[[], float] = time.monotonic,
        cpu: Callable[[], float] = time.thread_time,
    ) -> None:
        self._recent: Recent | None = None
        self._made_of = config, facts
        self._known, self._show, self._note = known, show, note
        self._clock, self._cpu = clock, cpu
        self._next_s = clock() + FIRST_S
        self._is_over = False

    def hear(self, samples: Sequence[Sample], component: str) -> None:
        """Samples of one component, in the thread of who took them."""
        if self._recent is not None:
            self._recent.hear(samples, component)

    def see(self, frame: Mapping[str, Any]) -> None:
        """One frame of the generator, as it came."""
        if self._is_over:
            return
        try:
            self._follow(frame)
        except Exception as error:
            self._is_over = True
            self._recent = None
            self._note(f"the account of the last seconds is not shown ({type(error).__name__}: {error})")

    def _follow(self, frame: Mapping[str, Any]) -> None:
        if self._recent is None:
            from loadrig.account.recent import Recent

            self._recent = Recent(*self._made_of)
        self._recent.see(frame)
        now_s = self._clock()
        if now_s < self._next_s:
            return
        begun_s = self._cpu()
        self._recent.know(self._known())
        found = self._recent.account()
        if found is not None and found.is_seen:
            self._show(found)
        self._next_s = now_s + max(EVERY_S, (self._cpu() - begun_s) / MOST_SHARE)

"""The account of the last seconds while the load runs, for a watcher: bounded in what it costs."""

import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from loadrig.base.series import Sample
from loadrig.language.choice import texts_of
from loadrig.language.en.trial.running import TrialLiveAccountTexts
from loadrig.recording.frame import Frame

if TYPE_CHECKING:  # with numpy it takes a tenth of a second to import, and only a terminal shows it
    from loadrig.account.recent import Recent
    from loadrig.account.trial_account import ComponentAccount

TEXTS = texts_of(TrialLiveAccountTexts)

FIRST_S, EVERY_S = 3.0, 2.0
"""Time until the first account, and between two accounts, in seconds: probes read once a second."""

MOST_SHARE = 0.005
"""Share of a core, 0 to 1, that accounts may cost: where an account costs more than its 10 ms, they come less
often."""


class LiveAccount:
    """Maker of the account of the loaded server, every two seconds, from frames and samples.

    config: configuration of the generator. facts: the trial's load and machine. known: returns what is known
    by now of series and map. show: called with each account. note: called once, with the reason why there is
    no account any more; nothing that happens here ends a trial.
    """

    def __init__(
        self,
        config: Mapping[str, Any],
        facts: Mapping[str, Any],
        facts_so_far: Callable[[], Mapping[str, Any]],
        show: "Callable[[ComponentAccount], None]",
        note: Callable[[str], None],
        clock: Callable[[], float] = time.monotonic,
        cpu: Callable[[], float] = time.thread_time,
    ) -> None:
        self._recent: Recent | None = None
        self._sources = config, facts
        self._facts_so_far, self._show, self._note = facts_so_far, show, note
        self._clock, self._cpu = clock, cpu
        self._next_s = clock() + FIRST_S
        self._is_over = False

    def hear(self, samples: Sequence[Sample], component: str) -> None:
        """Add samples of one component. Runs in the thread that took the samples."""
        if self._recent is not None:
            self._recent.hear(samples, component)

    def see(self, frame: Frame) -> None:
        """Add one frame of the generator, when it comes."""
        if self._is_over:
            return
        try:
            self._follow(frame)
        except Exception as error:
            self._is_over = True
            self._recent = None
            self._note(TEXTS.account_last_seconds(type(error).__name__, str(error)))

    def _follow(self, frame: Frame) -> None:
        if self._recent is None:
            from loadrig.account.recent import Recent

            self._recent = Recent(*self._sources)
        self._recent.see(frame)
        now_s = self._clock()
        if now_s < self._next_s:
            return
        begun_s = self._cpu()
        self._recent.know(self._facts_so_far())
        account = self._recent.account()
        if account is not None and account.is_seen:
            self._show(account)
        self._next_s = now_s + max(EVERY_S, (self._cpu() - begun_s) / MOST_SHARE)

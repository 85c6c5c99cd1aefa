"""Plan that sends a log's own requests one after another, each at the log's time.

A plan says the method of a request, so all that it replays have one: that of most requests of the log.
"""

from array import array
from collections import Counter
from collections.abc import Container, Sequence
from typing import Any

from loadrig.base.units import Seconds
from loadrig.converters import _log_times
from loadrig.converters._draft import (
    Conversion,
    Dropped,
    FeedDraft,
    FileDraft,
    PlanDraft,
    ScenarioDraft,
    StepDraft,
)
from loadrig.converters._log_routes import replayable
from loadrig.converters._log_times import spread
from loadrig.language.choice import texts_of
from loadrig.language.en.converters.access_log import ConvertersAccessLogTexts
from loadrig.language.en.converters.room import ConvertersTexts
from loadrig.plan.arrivals import Replay
from loadrig.plan.model import Expect, Feed, Measuring, TrialRules, WarmUp
from loadrig.plan.written import WrittenRequest

TEXTS, ROOM_TEXTS = texts_of(ConvertersAccessLogTexts), texts_of(ConvertersTexts)

MOST_CHARACTERS = 16_000_000
"""Characters of different paths with their queries that are kept, at most: a log may have any number."""

MOST_WRITTEN = 32_000_000
"""Characters of all requests that are replayed, at most: their file is made in memory."""

_TARGET = "target"


class LogReplay:
    """Requests of a log in their order, in bounded memory. statuses: how often each answer was given."""

    def __init__(self) -> None:
        self.statuses: Counter[int] = Counter()
        self._targets: dict[str, int] = {}
        self._characters = self._written = 0
        self._methods: Counter[str] = Counter()
        self._requests: dict[str, tuple[array[float], array[int]]] = {}
        self._too_many = 0

    def add(self, method: str, target: str, status: int, time_s: float) -> None:
        """Add a request. time_s: seconds since 1970."""
        self._written += len(target) + 1
        is_full = self._methods.total() >= _log_times.MOST_TIMES or self._written > MOST_WRITTEN
        number = self._targets.get(target)
        if number is None and not is_full:
            self._characters += len(target)
            if self._characters <= MOST_CHARACTERS:
                number = self._targets[target] = len(self._targets)
        if number is None or is_full:
            self._too_many += 1
            return
        self._methods[method] += 1
        self.statuses[status] += 1
        times, numbers = self._requests.setdefault(method, (array("d"), array("L")))
        times.append(time_s)
        numbers.append(number)

    def conversion(
        self, stem: str, server: str, expect: Expect, secrets: Container[str]
    ) -> Conversion | None:
        """Return the plan, whose files' names begin with a stem; None for a log without times.

        secrets: as `replayable` takes them.
        """
        if not self._methods:
            return None
        ((method, count),) = self._methods.most_common(1)
        times, numbers = self._requests[method]
        written = [replayable(target, secrets) for target in self._targets]
        order = [
            place
            for place in sorted(range(count), key=times.__getitem__)
            if written[numbers[place]] is not None
        ]
        if not order:
            return None
        lines = FileDraft(
            f"{stem}-replay.txt", "".join(f"{written[numbers[place]]}\n" for place in order).encode()
        )
        moments = list(spread([times[place] for place in order]))
        content = "".join(f"{moment - moments[0]:.6f}\n" for moment in moments).encode()
        asked: dict[str, Any] = {method.lower(): f"{{{_TARGET}}}"}
        request = WrittenRequest(name=TEXTS.replay_route(method), expect=expect, **asked)
        whole = Seconds(round(moments[-1] - moments[0] + 1, 3))
        plan = PlanDraft(
            server=server,
            arrivals=Replay(f"{stem}-replay-times.txt"),
            scenarios=(ScenarioDraft("", (StepDraft(request),)),),
            name=f"{stem}-replay",
            feeds={_TARGET: FeedDraft(Feed(lines=lines.name), lines)},
            files=(FileDraft(f"{stem}-replay-times.txt", content),),
            cookies=False,
            trial=TrialRules(warm_up=WarmUp(at_most=Seconds(0.0)), measure=Measuring(whole, whole)),
        )
        return Conversion(plan, tuple(self.dropped(0)), carried={TEXTS.requests: len(order)})

    def dropped(self, too_many: int) -> Sequence[Dropped]:
        """Return what is not replayed beside what the routes leave out, too, each with its count.

        too_many: requests beyond those that a list of times holds, which is said of the list.
        """
        ((method, count),) = self._methods.most_common(1)
        counts = {
            TEXTS.one_method(method): self._methods.total() - count,
            TEXTS.no_replay_of_all: self._too_many - too_many,
        }
        return [
            Dropped(ROOM_TEXTS.further, TEXTS.requests_of(TEXTS.replayed, number), why)
            for why, number in counts.items()
            if number
        ]


def replayed_files(replay: Conversion, name: str, origin: str) -> tuple[FileDraft, ...]:
    """Return a plan under a name, and the files that it needs beside it. origin: what it was made of."""
    from loadrig.converters import _yaml

    feeds = [draft.file for draft in replay.plan.feeds.values() if draft.file is not None]
    return (FileDraft(name, _yaml.text_of(replay, origin).encode()), *feeds, *replay.plan.files)

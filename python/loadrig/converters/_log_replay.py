"""Plan that sends a log's own requests: each at its time, by its route, with its path and query."""

import csv
import io
from array import array
from collections import Counter
from collections.abc import Callable, Container
from typing import Any

from loadrig.base.units import Seconds
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
from loadrig.plan.model import Feed, Measuring, TrialRules, WarmUp
from loadrig.plan.replayed import SCENARIO, TIME
from loadrig.plan.requests import Expect
from loadrig.plan.written import WrittenRequest

TEXTS, ROOM_TEXTS = texts_of(ConvertersAccessLogTexts), texts_of(ConvertersTexts)

MOST_REQUESTS = 1_000_000
"""Requests that can be replayed, at most: 12 bytes each while a log is read."""

MOST_CHARACTERS = 16_000_000
"""Characters of different paths with their queries that are kept, at most: a log may have any number."""

MOST_WRITTEN = 32_000_000
"""Characters of all requests that are replayed, at most: their file is made in memory, and a plan's list has
128 MB at most. The name of a request's route is no longer than the request."""

TARGET = "target"
"""Column of the paths with their queries, and the hole that they fill."""

RouteOf = Callable[[str, str], WrittenRequest | None]
"""Request of the route that a method and a path with its query belong to; None where the plan has none."""


class LogReplay:
    """Requests of a log in their order, in bounded memory. statuses: how often each answer was given."""

    def __init__(self) -> None:
        self.statuses: Counter[int] = Counter()
        self._asked: dict[tuple[str, str], int] = {}
        self._characters = self._written = 0
        self._times, self._numbers = array("d"), array("I")
        self._too_many = 0

    def add(self, method: str, target: str, status: int, time_s: float) -> None:
        """Add a request. time_s: seconds since 1970."""
        self._written += len(target) + 1
        is_full = len(self._times) >= MOST_REQUESTS or self._written > MOST_WRITTEN
        number = self._asked.get((method, target))
        if number is None and not is_full:
            self._characters += len(target)
            if self._characters <= MOST_CHARACTERS:
                number = self._asked[method, target] = len(self._asked)
        if number is None or is_full:
            self._too_many += 1
            return
        self.statuses[status] += 1
        self._times.append(time_s)
        self._numbers.append(number)

    def conversion(
        self, stem: str, server: str, route_of: RouteOf, expect: Expect, secrets: Container[str]
    ) -> Conversion | None:
        """Return the plan, whose files' names begin with a stem; None for a log without times.

        expect: of requests whose route the plan does not have. secrets: as `replayable` takes them.
        """
        asked = [
            (_replayed(method, route_of(method, target), expect), replayable(target, secrets))
            for method, target in self._asked
        ]
        in_order = sorted(range(len(self._times)), key=self._times.__getitem__)
        order = [place for place in in_order if asked[self._numbers[place]][1] is not None]
        if not order:
            return None
        moments = list(spread([self._times[place] for place in order]))
        text = io.StringIO()
        rows = csv.writer(text, lineterminator="\n")
        rows.writerow((TIME, SCENARIO, TARGET))
        counts: Counter[str] = Counter()
        requests: dict[str, WrittenRequest] = {}
        for moment, place in zip(moments, order, strict=True):
            request, target = asked[self._numbers[place]]
            name = str(request.name)
            counts[name] += 1
            requests.setdefault(name, request)
            rows.writerow((f"{moment - moments[0]:.6f}", name, target))
        file = FileDraft(f"{stem}-replay.csv", text.getvalue().encode())
        whole = Seconds(round(moments[-1] - moments[0] + 1, 3))
        plan = PlanDraft(
            server=server,
            arrivals=Replay(file.name),
            scenarios=tuple(
                ScenarioDraft("", (StepDraft(requests[name]),), weight=float(count))
                for name, count in counts.most_common()
            ),
            name=f"{stem}-replay",
            feeds={TARGET: FeedDraft(Feed(csv=file.name, column=TARGET, order="arrival"), file)},
            cookies=False,
            trial=TrialRules(warm_up=WarmUp(at_most=Seconds(0.0)), measure=Measuring(whole, whole)),
        )
        return Conversion(plan, tuple(self.dropped()), carried={TEXTS.requests: len(order)})

    def dropped(self) -> list[Dropped]:
        """Return what is not replayed beside what the routes leave out, with its count."""
        if not self._too_many:
            return []
        what = TEXTS.requests_of(TEXTS.replayed, self._too_many)
        return [Dropped(ROOM_TEXTS.further, what, TEXTS.no_replay_of_all)]


def _replayed(method: str, route: WrittenRequest | None, expect: Expect) -> WrittenRequest:
    """Return the request that sends those of a route; of routes beyond the plan's, those of a method."""
    name, expected = (route.name, route.expect) if route else (TEXTS.further_requests(method), expect)
    asked: dict[str, Any] = {method.lower(): f"{{{TARGET}}}"}
    return WrittenRequest(name=name, expect=expected, **asked)


def replayed_files(replay: Conversion, name: str, origin: str) -> tuple[FileDraft, ...]:
    """Return a plan under a name, and the files that it needs beside it. origin: what it was made of."""
    from loadrig.converters import _yaml

    feeds = [draft.file for draft in replay.plan.feeds.values() if draft.file is not None]
    return (FileDraft(name, _yaml.text_of(replay, origin).encode()), *feeds, *replay.plan.files)

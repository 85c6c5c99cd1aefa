"""Test plans of Apache JMeter: JMX files.

## What is read

The XML of JMeter 2 to 5, with the elements of its own menu, and the thread groups and the timer that people
add to it: Stepping and Ultimate Thread Group, Throughput Shaping Timer, Concurrency and Arrivals groups.
Files that the test names (rows, bodies) are read where they lie in its folder or below.
A document type or an entity in the file is refused.

## What is carried

Thread Group: threads, ramp-up, loops, duration; Stepping, Ultimate and Concurrency Thread Group as stages of
users; Arrivals, Free-Form Arrivals and Open Model Thread Group as sessions.
HTTP Request with HTTP Request Defaults, Header, Cookie and Authorization Manager (basic, also with users of a
file, whose rows get a column for it); its arguments, body, files, forms with files, redirects and time-outs.
Constant and Uniform Random Timer as `think`, and pauses of Flow Control Actions with the timers below and
around them.
CSV Data Set, Counter and Random Variable as feeds with a value for each loop (`per: loop`): one order of rows
for all threads, for those of a group, or for each thread from the first row on, as the sharing mode says.
Values of rows stand in paths, queries and bodies with the signs that JMeter sends; where a plan would escape
them, the rows get a column with the beginning of the path, and a body has its type from a feed.
Rows, counters and random variables below a controller have a value for each request, where a round of the
controller has one request that uses it.
User Parameters as a feed with a row for each user.
Response, Duration, Size and JSON Assertion as `expect`, also those of what is not there, and of a header by
its name; Regular Expression, Boundary, JSON, JMESPath, CSS Selector and XPath Extractor as `extract`, with
the number of the match and the default, as far as a path, a pattern or a selector of CSS says the same: of
jsoup and Jodd all but what only they have (`:contains`, `[^data-]`, `[href~=regex]`), of XPath steps with
conditions on attributes; and the whole response code.
Simple and Transaction Controller, Loop, Random, Throughput (per cent), Switch and Module Controller.
If and While Controller where the test fixes the condition, or compares extracted values with texts and
numbers, in JEXL, Groovy or JavaScript, also by "and", "or" and "not", or asks whether they have a value
(`vars.get("token") != null`) or how the latest request ended (`LAST`, `${JMeterThread.last_sample_ok}`,
`prev.getResponseCode()`): as `when` and `repeat`.
A Once Only Controller of several requests, or a Loop Controller without `continue_forever`, where a thread
makes at most 10 loops without rows of a file: these loops are the steps of the plan.
Interleave Controller in exact turn: a loop of the plan is as many loops of a thread as it takes until the
first part comes again.
User Defined Variables, and the functions `__P`, `__property`, `__Random`, `__RandomString`, `__UUID`,
`__time`, `__counter`, `__threadNum`, `__V`, `__eval`, `__char`, `__urlencode` and `__urldecode`.
Properties have the values that `loadrig import -J NAME=VALUE` gives them, or the defaults of the test.
User-defined cookies as a header of requests to the host and below the path that they are for.
HTTP Cache Manager as `cache` of every user: its size, whether fresh answers spare requests, and whether loops
begin with an empty one.
Requests to other servers than the one that most go to name theirs, which stands under `servers`.

## What is altered

The pause before a first request stands after the last one: a user's first loop begins at once.
A time that `__time` writes by a pattern is always that of the file.
Users keep cookies from loop to loop, also where the test clears them; that is listed.
A cache holds for all requests, and does by RFC 9111 what JMeter does by itself: the latest answer is kept,
not the first; `no-store` is heeded also where fresh answers are asked about; an answer that says no time and
no change is asked about, and not fresh for a year; age counts from when the server made it; a POST has no
conditions, and what it changes is forgotten.
An answer from the cache gives its values to variables again, which JMeter leaves as they are.
Users of a ramp come a moment later than in JMeter, each when the straight line reaches its number.
Where a test asks for Java's own HTTP client, the headers are sent that this client adds: `Accept`, and types
of bodies.
Where the test has none, `Accept-Encoding: identity` is sent, so that the server compresses no more than for
JMeter; `Accept: */*` is sent as well, which says the same as none.
Several thread groups share the users: each picks a group anew for every loop, by the groups' threads. Groups
that a test runs one after another run beside each other.
A Once Only Controller with one request becomes the `login`, any other is made in every loop.
A While Controller ends after 1,000 rounds, and what is paused between rounds is paused after the last, too.
A loop that answers decide in another way is made once, and such an If Controller always.
An extractor that finds nothing and has no default fails its request, none of whose variables gets a value;
where a condition asks whether there is one, the variable has none.
Selectors compare values of attributes with their case, which jsoup does not.
A status of 400 or above is a failure also where an assertion of the text ignores the status.
Other rows, counters and random variables below a controller have a value for each loop of the user.
Where a loop of the plan is several loops of a thread, requests of those have the same row of a file.
Parts of an Interleave Controller come by chance where their turn is not known before: across threads, within
a choice by chance, where a part is a controller that makes one request at a time, or where a turn is long.
A timer that sets a rate for all requests of a group makes the load an open one, without a limit of loops.
Where the test has no time-out, that of a plan holds: 30 s, and 5 s for a connection. The longest time-out of
connections holds for all.
Values that an answer tells, or a file that is not there, are escaped within paths, queries, JSON and forms.
Values of variables are sent in UTF-8, also where the test asks for another character set.
Two headers of one name are one, with a comma.
Requests with the same name get numbers.

## What is dropped

What a plan cannot say: other samplers than HTTP, scripts (JSR223, BeanShell), XML and XPath assertions,
negations in texts of answers, assertions and extractors of variables or of parts of an answer,
embedded resources, listeners, setUp and tearDown groups, and timers that set a rate for some of the requests
only.
What is switched off in the test.

Source: `src/protocol/http` and `src/core` of apache/jmeter.
"""

import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from loadrig.base.units import PerSecond
from loadrig.converters._address import PlanServers, ServerAddress
from loadrig.converters._common_parts import with_common
from loadrig.converters._draft import Conversion, FeedDraft, FileDraft, PlanDraft, ScenarioDraft, StepDraft
from loadrig.converters._jmx_data import Data, held_for_loops, holes_of
from loadrig.converters._jmx_decisions import with_decisions
from loadrig.converters._jmx_flow import Scope
from loadrig.converters._jmx_groups import GroupLoad, length_of
from loadrig.converters._jmx_left_out import note_left_out
from loadrig.converters._jmx_merge import merged, with_own_names
from loadrig.converters._jmx_report import JmxReport
from loadrig.converters._jmx_sampled import LoadedGroup, PausedRequest, SampledGroups
from loadrig.converters._jmx_text import Variables
from loadrig.converters._jmx_timers import TimerPace, TimerPause
from loadrig.converters._jmx_tree import TreeElement, read_tree
from loadrig.converters._source import TestSource, encoding_of
from loadrig.language.choice import texts_of
from loadrig.language.en.converters.jmeter import ConvertersJmeterTexts
from loadrig.language.en.converters.room import ConvertersTexts
from loadrig.plan.arrivals import Rate
from loadrig.plan.model import Feed
from loadrig.plan.servers import MOST_SERVERS
from loadrig.plan.written import METHODS, WrittenConnections, WrittenLogin, WrittenRequest

TEXTS, ROOM_TEXTS = texts_of(ConvertersJmeterTexts), texts_of(ConvertersTexts)

TOOL = "JMeter"
FILES = TEXTS.files


def recognises(head: bytes, name: str) -> bool:
    """Return whether the first bytes have the root of a JMX file."""
    del name
    return "<jmeterTestPlan" in head.decode(encoding_of(head), "replace")


def convert(source: TestSource) -> Conversion:
    """Return the plan of a JMX file. Raise PlanError `import.bad-test`, `import.too-large`."""
    return _Conversion(source).result()


class _Conversion:
    """Work on one file."""

    def __init__(self, source: TestSource) -> None:
        self._top = read_tree(source)
        self._report = JmxReport()
        seed = zlib.crc32(source.name.encode())
        self._variables = Variables(self._report, seed, _time_ms(source), source.properties)
        self._data = Data(self._variables, self._report, source)
        login_hole = self._data.login_hole
        self._groups = SampledGroups(self._top, self._variables, self._report, source, login_hole)
        self._rounds: dict[str, int] = {}

    def result(self) -> Conversion:
        """Return the plan and the account of it."""
        self._data.define(self._top)
        groups: list[LoadedGroup] = []
        name = ""
        for plan in self._top.children:
            name = name or (plan.name if plan.kind == "TestPlan" else "")
            scope = Scope().within(plan.children)
            note_left_out(plan.children, self._report)
            for element in plan.children:
                if (group := self._groups.read(element, scope)) is not None:
                    groups.append(group)
                    self._data.next_group()
        return self._conversion(name, groups)

    def _conversion(self, name: str, groups: Sequence[LoadedGroup]) -> Conversion:
        address = self._server(groups)
        servers = PlanServers(address.url if address is not None else "http://127.0.0.1")
        scenarios = self._scenarios(groups, servers)
        login = self._login(groups, servers)
        load = merged([(group.element, group.load) for group in groups if _steps(group)], self._report)
        arrivals: Any = load.arrivals if load is not None else Rate(per_second=PerSecond(0.0))
        if self._top_plan().is_true("TestPlan.serialize_threadgroups") and sum(map(_steps, groups)) > 1:
            self._report.alter(self._top_plan(), TEXTS.not_in_sequence)
        pace = self._pace([group for group in groups if _steps(group)])
        if pace is not None and load is not None:
            arrivals = pace.arrivals(load.users)
        feeds = self._feeds(scenarios, login, load)
        scenarios, login, common = with_common(scenarios, login)
        headers = {**common.headers, **self._general_headers(scenarios, login, common.headers)}
        if self._groups.keeps_alive == {True, False}:
            self._report.alter(self._top_plan(), TEXTS.connections_kept)
        if self._groups.has_cookies == {True, False}:
            self._report.alter(self._top_plan(), TEXTS.cookies_for_all)
        cache = self._groups.caches.chosen(self._top_plan())
        if len(self._groups.connect_timeouts_s) > 1:
            self._report.alter(self._top_plan(), TEXTS.connect_timeouts_differ)
        limit, trial = length_of(load, pace)
        plan = PlanDraft(
            **servers.parts(),
            arrivals=arrivals,
            scenarios=scenarios,
            name=name,
            login=login,
            feeds=feeds,
            files=tuple(self._files(groups)),
            headers=headers,
            cookies=True in self._groups.has_cookies,
            cache=cache,
            timeout_s=common.timeout_s,
            connect_timeout_s=max(self._groups.connect_timeouts_s, default=0.0) or None,
            connections=WrittenConnections(keep_alive=self._groups.keeps_alive != {False}),
            limit=limit,
            trial=trial,
        )
        for name in self._variables.properties.keys() - self._variables.asked:
            self._report.alter(self._top_plan(), TEXTS.not_asked, f"-J {name}")
        parts = self._report.parts
        return Conversion(plan, parts.dropped, parts.altered, parts.carried)

    def _pace(self, groups: Sequence[LoadedGroup]) -> TimerPace | None:
        """Return the rate of all groups: the first that a timer sets. Note what the others lose by it."""
        pace = next((group.pace for group in groups if group.pace is not None), None)
        for group in groups if pace is not None else ():
            if group.pace != pace:
                self._report.alter(group.element, TEXTS.rate_of_other_group)
            if group.load.loops is not None:
                self._report.alter(group.element, TEXTS.loops_at_a_rate)
        return pace

    def _top_plan(self) -> TreeElement:
        return self._top.children[0] if self._top.children else self._top

    def _server(self, groups: Sequence[LoadedGroup]) -> ServerAddress | None:
        """Return the server that most steps go to, one whose host is fixed before others."""
        steps = [step for group in groups for sequence in group.sequences for step in sequence.steps]
        counts = Counter(step.address for step in (*steps, *self._groups.once))
        if not counts:
            return None
        address = max(counts, key=lambda address: (not address.is_open, counts[address]))
        if address.is_open:
            self._report.alter(self._top_plan(), TEXTS.host_not_fixed)
            return ServerAddress(address.scheme, "127.0.0.1", address.port)
        return address

    def _is_taken(self, request: PausedRequest, servers: PlanServers) -> bool:
        """Return whether the plan has the server of a request; note one beyond those that it can have."""
        url = servers.target if request.address.is_open else request.address.url
        if servers.take(url):
            request.parts |= servers.keys(url)
            return True
        self._report.drop(request.sampler, ROOM_TEXTS.too_many_servers(MOST_SERVERS))
        return False

    def _scenarios(self, groups: Sequence[LoadedGroup], servers: PlanServers) -> tuple[ScenarioDraft, ...]:
        drafts: list[ScenarioDraft] = []
        names: Counter[str] = Counter()
        with_steps = [group for group in groups if _steps(group)]
        all_steps = [step for group in groups for sequence in group.sequences for step in sequence.steps]
        extracted = {name for step in (*all_steps, *self._groups.once) for name in step.parts["extract"]}
        for group in with_steps:
            share = group.load.users / group.rounds if len(with_steps) > 1 else 1
            several = len(group.sequences) > 1
            for number, sequence in enumerate(group.sequences, start=1):
                drafted = [
                    self._step(request, pause, names) if self._is_taken(request, servers) else None
                    for request, pause in zip(sequence.steps, sequence.pauses, strict=True)
                ]
                steps = with_decisions(drafted, sequence.decided, extracted, self._report)
                if not steps:
                    if several:
                        self._report.alter(group.element, TEXTS.empty_loops)
                    continue
                title = group.element.name or f"group {group.element.line}"
                title = f"{title} {number}" if several else title
                weight = round(share * sequence.share, 6)
                drafts.append(ScenarioDraft(title, steps, weight))
        return with_own_names(drafts)

    def _step(self, sampled: PausedRequest, pause: TimerPause, names: Counter[str]) -> StepDraft:
        step = _step(sampled, pause, names)
        self._rounds[step.request.name or ""] = sampled.round
        return step

    def _login(self, groups: Sequence[LoadedGroup], servers: PlanServers) -> WrittenLogin | None:
        if not self._groups.once:
            return None
        login = self._groups.once[0]
        if len(self._groups.once) > 1 or len(groups) > 1:
            for other in self._groups.once if len(groups) > 1 else self._groups.once[1:]:
                self._report.drop(other.sampler, TEXTS.no_second_login)
            if len(groups) > 1:
                return None
        if not self._is_taken(login, servers):
            return None
        parts = {key: value for key, value in login.parts.items() if value}
        return WrittenLogin(name=login.sampler.name or None, again_on=_NEVER, **parts)

    def _general_headers(
        self, scenarios: Sequence[ScenarioDraft], login: WrittenLogin | None, common: Mapping[str, str]
    ) -> Mapping[str, str]:
        requests = [step.request for scenario in scenarios for step in scenario.steps]
        requests += [login] if login is not None else []
        names = {name.lower() for headers in (common, *(r.headers for r in requests)) for name in headers}
        if not requests or "accept-encoding" in names:
            return {}
        self._report.alter(self._top_plan(), TEXTS.uncompressed)
        return {"Accept-Encoding": "identity"}

    def _feeds(
        self, scenarios: Sequence[ScenarioDraft], login: WrittenLogin | None, load: GroupLoad | None
    ) -> dict[str, FeedDraft]:
        """Return the feeds that the requests use; what nothing fills gets its own name as its value."""
        lines: dict[str, int] = {}
        extracted: set[str] = set()
        steps = [(step.request, step.order) for scenario in scenarios for step in scenario.steps]
        for request, line in [*steps, *([(login, 0)] if login is not None else [])]:
            extracted |= set(request.extract)
            for hole in holes_of(request):
                lines.setdefault(hole, line)
        needed = {hole.partition(".")[0] for hole in lines}
        feeds = {**self._variables.feeds, **self._data.feeds(load.users if load is not None else 1)}
        used = {name: self._held(name, draft, scenarios) for name, draft in feeds.items() if name in needed}
        for hole, line in lines.items():
            if hole not in used and hole.partition(".")[0] not in used and hole not in extracted:
                used[hole] = FeedDraft(Feed(values=(hole,)), comment=TEXTS.nothing_sets(hole))
                self._report.alter(
                    replace(self._top_plan(), line=line), TEXTS.nothing_sets(hole), f"${{{hole}}}"
                )
        return used

    def _held(self, name: str, draft: FeedDraft, scenarios: Sequence[ScenarioDraft]) -> FeedDraft:
        held = held_for_loops(name, draft, scenarios, self._rounds)
        if held is None:
            self._report.alter(self._top_plan(), TEXTS.row_of_rounds, f"{{{name}}}")
        return held or draft

    def _files(self, groups: Sequence[LoadedGroup]) -> Sequence[FileDraft]:
        steps = [step for group in groups for sequence in group.sequences for step in sequence.steps]
        return list(dict.fromkeys(file for step in (*steps, *self._groups.once) for file in step.files))


_NEVER = (418,)
"""Statuses upon which a user makes its first request anew. None that servers give: JMeter makes it once."""


def _steps(group: LoadedGroup) -> bool:
    return any(sequence.steps for sequence in group.sequences)


def _step(request: PausedRequest, pause: TimerPause, names: Counter[str]) -> StepDraft:
    method = next(key for key in METHODS if key in request.parts)
    name = request.sampler.name.strip() or f"{method.upper()} {request.parts[method]}"
    names[name] += 1
    while names[name] > 1 and names[f"{name} ({names[name]})"]:
        names[name] += 1
    if names[name] > 1:
        name = f"{name} ({names[name]})"
        names[name] += 1
    parts = {key: value for key, value in request.parts.items() if value}
    return StepDraft(WrittenRequest(name=name, think=pause.think(), **parts), request.sampler.line)


def _time_ms(source: TestSource) -> int:
    """Return when the file was written, in milliseconds since 1970: what `__time` counts from."""
    return int(source.path.stat().st_mtime * 1000)

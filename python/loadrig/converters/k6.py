"""Scripts of k6 in JavaScript or TypeScript.

## What is read

The text of the script, by tree-sitter's grammars, and that of files in its folder or below that it imports
or opens: nothing of it is executed.

## What is carried

`options`: `vus`, `duration`, `iterations`, `stages`, scenarios of every executor, thresholds of
`http_req_duration`, `http_req_failed` and `http_reqs`, `userAgent`, `maxRedirects`, `insecureSkipTLSVerify`.
`http.get`, `post`, `put`, `patch`, `del`, `head`, `options`, `request` and `batch` with headers, cookies,
tags, timeouts and redirects, where the arguments are literals, constants of the script, template literals or
`JSON.stringify`, `b64encode`, `btoa`, `encodeURI` and `encodeURIComponent` of such; forms as k6 writes them.
Groups and functions of the script, also exported ones that scenarios name; functions that only make a value,
also within the arguments of a request.
What statements outside of functions assign, push or loop over; `{ a, b } = …`; branches of conditions that
the script decides; `map`, `filter`, `join`, `split`, `replace` and the like of constants.
Values that statements change step by step: `x += …`, `x++`, members of objects, `push`, `pop`, `delete`.
Cookies that a script puts into a jar of its own, or of the user, by `jar.set`.
Checks of the status, the duration, texts and patterns of the body, that it is not empty, headers, and values
of its JSON, also whether they are there, and with `||` and `!`, as `expect`.
Constants and functions that are imported from files in the script's folder or below.
`SharedArray`, and lists that `open` reads from JSON and CSV (papaparse) beside the script: an entry that is
picked by `Math.random`, `randomItem`, the user's number, the test's iteration or the user's own is a feed.
Its value holds for an iteration where several requests share it (`per: loop`).
What the statements of the script itself draw, which every user runs once, is drawn once for each user.
`maxVUs` of arrival rates, as the most connections.
`sleep` behind a request, also of `randomIntBetween` and `Math.random`, as `think`.
Values that are taken out of an answer's JSON, out of its body by a pattern, or out of its page by a selector,
as `extract`: `res.body.match(/id="(.+?)"/)[1]`, `res.html().find("#id").attr("href")`. Checks also
before `|| fail()`.
The only request of `setup` as the `login`.
Loops of a counter, over the items of a list and by `forEach`, whose rounds the text tells, made out in full.
Branches that answers decide, as `when`: `if (res.status === 200) { … } else { … }` and its like, with values
of an answer's JSON, whether there are any, texts of its body, checks and numbers, `&&`, `||` and `!`.
Loops that answers end, as `repeat`: `while`, `do`, and counted ones with `if (…) break`.
What is behind `if (…) { return; }`, `fail()`, `throw` and `check(…) || fail()` is made only where they are
not reached.
Requests to other servers than the one that most go to name theirs, which stands under `servers`.

## What is altered

A loop that only answers end has a thousand rounds at most, and a pause at the beginning of a round stands at
its end.
Of a batch as many requests are sent at once as k6 does, six unless options say otherwise, and the next ones
after all of these.
An iteration of an arrival rate is a session of one loop, or a request where it makes only one.
Iterations that users share are shared out evenly.
A variable of the environment with a default, `__ENV.BASE || "…"`, is its default.
An entry of a list that is picked by chance comes again only after all others.
A random value that several requests share is drawn for each where an iteration draws it several times.
With an arrival rate, entries that a user's own iterations pick come in one order for all users.
A pause behind requests that answers decide about stands behind the last one before it that is always made.
A check behind an end of the iteration is one of every answer.
Nothing is taken out of the JSON or the body of an answer that failed.
Where a pattern finds nothing, the value is empty and the requests go on; k6 ends the iteration.
The text of an element is that of the first one selected, each white space of it one blank.
Several scenarios of users with the same course: every user picks one of them anew each time, by their shares.
Signs that no query may hold are escaped; a redirect names no page before by `Referer`.
Each user keeps its cookies, also where a request has a jar of its own, and logs in by itself where `setup`
logs in once.

## What is dropped

Whatever only running the script would tell, each by its line: computed arguments, also where a condition, a
loop, an iteration before or a module that is not read may have changed a value; other conditions and loops,
modules other than the client of HTTP, `teardown`, `startTime`, `gracefulStop`, `abortOnFail`, tags but the
name.
Scenarios whose load is of another kind than that of the first.

Source: the documentation of Grafana k6, "Options", "Executors" and "k6/http".
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from loadrig.base.units import Count, Seconds
from loadrig.converters._address import PlanServers
from loadrig.converters._draft import Conversion, FeedDraft, PlanDraft, ScenarioDraft, StepDraft
from loadrig.converters._k6_address import ScriptAddress, address_in
from loadrig.converters._k6_changes import reading_functions
from loadrig.converters._k6_files import ScriptFeeds
from loadrig.converters._k6_guards import GuardedStep, with_conditions
from loadrig.converters._k6_load import (
    ScriptLoad,
    SentAtOnce,
    connections_of,
    goals_of,
    line_at,
    loads_of,
    trial_of,
)
from loadrig.converters._k6_requests import ScriptScope, ScriptStep
from loadrig.converters._k6_script import ScriptFile
from loadrig.converters._k6_steps import FunctionReader
from loadrig.converters._k6_texts import UNREAD, Value
from loadrig.converters._k6_tree import defaults_in, line_of, parsed, shown_code
from loadrig.converters._listed import OWN_HEADERS, RouteNames
from loadrig.converters._locust_values import MixedText
from loadrig.converters._source import TestSource
from loadrig.language.choice import texts_of
from loadrig.language.en.converters.k6 import ConvertersK6Texts
from loadrig.language.en.converters.room import ConvertersTexts
from loadrig.plan.arrivals import Users
from loadrig.plan.model import Tls
from loadrig.plan.requests import Think
from loadrig.plan.servers import MOST_SERVERS
from loadrig.plan.written import EarlyEnd, WrittenLogin, WrittenRequest

TEXTS, ROOM_TEXTS = texts_of(ConvertersK6Texts), texts_of(ConvertersTexts)

TOOL = "k6"
FILES = TEXTS.files

SERVER = "http://127.0.0.1"
"""Server of a script none of whose requests can be read."""

MOST_REDIRECTS = 10
"""Redirects that k6 follows where the script says nothing."""

TIMEOUT_S = 60.0
"""Time in seconds that k6 waits for an answer where the script says nothing."""

_IMPORTS = re.compile(rb"""(?:\bfrom\s*|\bimport\s*|\brequire\(\s*)["']k6(?:/[\w/.-]+)?["']""")
_NEVER = (418,)
"""Statuses upon which a user logs in anew. None that servers give: `setup` runs once."""


def recognises(head: bytes, name: str) -> bool:
    """Return whether the first bytes import a module of k6."""
    del name
    return _IMPORTS.search(head) is not None


def convert(source: TestSource) -> Conversion:
    """Return the plan of a script. Raise PlanError `import.bad-test`, `import.too-large`."""
    script = _Script(parsed(source), feeds=ScriptFeeds(source=source))
    script.modules[str(source.path.resolve())] = script
    return script.conversion()


@dataclass(slots=True)
class _Route:
    """A request with its address."""

    step: ScriptStep
    where: ScriptAddress


@dataclass(slots=True)
class _Script(ScriptFile):
    """Work on one script."""

    def conversion(self) -> Conversion:
        """Return the plan and the account of it."""
        self.read()
        declared = self.declared
        scope = ScriptScope(
            declared.names, declared.functions, self.feeds, frozenset(declared.clients), declared.aliases,
            reading_functions(declared.functions),
        )  # fmt: skip
        login, data = self._setup(scope)
        if "teardown" in self.declared.functions:
            self.account.drop(line_of(self.declared.functions["teardown"]), "teardown", TEXTS.no_end)
        if "handleSummary" in self.declared.functions:
            self.account.drop(
                line_of(self.declared.functions["handleSummary"]), "handleSummary", TEXTS.no_summary
            )
        for script in self.modules.values():
            for node in defaults_in(script.root):
                self.account.alter(line_of(node), shown_code(node), TEXTS.default_of_variable)
        loads = loads_of(self.options, self.option_lines, self.account)
        if not loads:
            loads = [ScriptLoad("", "default", "users", 1.0)]
            self.account.alter_whole(TEXTS.users, TEXTS.users_of_command)
        ways = [(load, self._way(load, scope, data)) for load in loads]
        return self._plan(ways, login)

    def _setup(self, scope: ScriptScope) -> tuple[ScriptStep | None, Value]:
        """Return the request of `setup` that a plan makes as its login, and what `setup` returns."""
        function = self.declared.functions.get("setup")
        if function is None:
            return None, None
        reader = FunctionReader(scope, self.account, decides=False)
        steps = reader.read(function)
        if len(steps) == 1:
            steps[0].is_login = True
            self.account.alter(line_of(function), "setup", TEXTS.login_each)
            return steps[0], reader.result
        for step in steps:
            self.account.drop(step.line, f"{step.method.upper()} {_plain(step.url)}", TEXTS.no_second_login)
        return None, reader.result if not steps else None

    def _way(self, load: ScriptLoad, scope: ScriptScope, data: Value) -> list[_Route]:
        function = self.declared.functions.get(load.function)
        if function is None:
            place = line_at(self.option_lines, "scenarios", load.name)
            self.account.drop(place, load.function, TEXTS.unknown_function)
            return []
        routes = []
        arguments = () if data in (None, UNREAD) else (data,)
        for step in FunctionReader(scope, self.account).read(function, arguments):
            where = address_in(step.url)
            if where is None:
                shown = f"{step.method.upper()} {_plain(step.url)}"
                self.account.drop(step.line, shown, ROOM_TEXTS.no_http_url)
            else:
                routes.append(_Route(step, where))
        return routes

    # --- the plan ---------------------------------------------------------------------------------

    def _plan(self, ways: Sequence[tuple[ScriptLoad, list[_Route]]], login: ScriptStep | None) -> Conversion:
        counts = Counter(route.where.server for _, routes in ways for route in routes)
        servers = PlanServers(counts.most_common(1)[0][0] if counts else SERVER)
        names = RouteNames()
        written_login = self._login(login, servers, names)
        drafts, first = list[ScenarioDraft](), ways[0][0]
        level = sum(load.share for load, _ in ways)
        for load, routes in ways:
            steps = tuple(self._steps(routes, servers, names))
            if steps:
                drafts.append(ScenarioDraft(load.name or load.function, steps, weight=round(load.share, 6)))
        if len(drafts) == 1:
            drafts = [ScenarioDraft("", drafts[0].steps)]
        is_single = all(len(draft.steps) == 1 for draft in drafts)
        arrivals = first.arrivals(level, is_single=is_single)
        if isinstance(arrivals, Users):
            self.account.alter_whole(TEXTS.cookies, TEXTS.cookies_stay)
        if any(route.step.redirects != 0 for _, routes in ways for route in routes):
            self.account.alter_whole(TEXTS.redirects, TEXTS.no_referer)
        agent = self.options.get("userAgent")
        feeds = self.feeds.used([step.request for draft in drafts for step in draft.steps], written_login)
        plan = PlanDraft(
            **servers.parts(),
            arrivals=arrivals, scenarios=tuple(drafts), login=written_login,
            feeds=self._as_counted(feeds, arrivals),
            headers={"User-Agent": agent.template} if isinstance(agent, MixedText) else {},
            timeout_s=TIMEOUT_S, tls=Tls(insecure=self.options.get("insecureSkipTLSVerify") is True),
            connections=connections_of([load.most for load, _ in ways]),
            limit=EarlyEnd(loops=Count(first.loops)) if first.loops else EarlyEnd(),
            goals=goals_of(self.options.get("thresholds"), self.option_lines, self.account),
            trial=trial_of(first.length_s),
        )  # fmt: skip
        parts = self.account.parts
        return Conversion(plan, parts.dropped, parts.altered, parts.carried)

    def _as_counted(self, feeds: Mapping[str, FeedDraft], arrivals: object) -> Mapping[str, FeedDraft]:
        """Return the feeds, noting draws unlike the script's: a visitor comes once, and counts nothing."""
        counted = {}
        for name, draft in feeds.items():
            line = self.feeds.draws[name].line + 1
            if self.feeds.is_overdrawn(name, draft):
                self.account.alter(line, f"{{{name}}}", TEXTS.drawn_by_request)
            if draft.feed.order == "sequential_per_user" and not isinstance(arrivals, Users):
                self.account.alter_whole(f"{{{name}}}", TEXTS.order_of_all)
                draft = replace(draft, feed=replace(draft.feed, order="sequential"))
            counted[name] = draft
        return counted

    def _login(self, step: ScriptStep | None, servers: PlanServers, names: RouteNames) -> WrittenLogin | None:
        where = address_in(step.url) if step is not None else None
        if step is None:
            return None
        if where is None:
            self.account.drop(step.line, f"{step.method.upper()} {_plain(step.url)}", ROOM_TEXTS.no_http_url)
            return None
        if not self._is_taken(_Route(step, where), servers):
            return None
        keys = {**self._keys(_Route(step, where), names), **servers.keys(where.server)}
        keys.pop("think", None)
        return WrittenLogin(again_on=_NEVER, **keys)

    def _steps(
        self, routes: Sequence[_Route], servers: PlanServers, names: RouteNames
    ) -> Iterator[StepDraft]:
        together = SentAtOnce(self.options)
        steps = []
        for route in (route for route in routes if self._is_taken(route, servers)):
            place = together.place(route.step.batch)
            if place == together.most > 1:
                self.account.alter(route.step.line, "http.batch", TEXTS.parts_of_batch(together.most))
            keys = {**self._keys(route, names), **servers.keys(route.where.server)}
            request = WrittenRequest(**keys, beside=place % together.most > 0)
            steps.append(
                GuardedStep(StepDraft(request, route.step.line), route.step.guard, route.step.rounds)
            )
        yield from with_conditions(steps, self.account)

    def _is_taken(self, route: _Route, servers: PlanServers) -> bool:
        """Return whether the plan has the server of a request; note one beyond those that it can have."""
        if servers.take(route.where.server):
            return True
        shown = f"{route.step.method.upper()} {route.where.server}{route.where.target.partition('?')[0]}"
        self.account.drop(route.step.line, shown, ROOM_TEXTS.too_many_servers(MOST_SERVERS))
        return False

    def _keys(self, route: _Route, names: RouteNames) -> dict[str, Any]:
        step = route.step
        self.account.carry(ROOM_TEXTS.requests)
        path = route.where.target
        if route.where.is_escaped:
            self.account.alter(step.line, f"{step.method.upper()} {_plain(step.url)}", TEXTS.escaped_query)
        for name in sorted(step.patterns):
            self.account.alter(step.line, f"{{{name}}}", TEXTS.goes_on_without)
        headers = self._sent(step.headers, step.line)
        if route.where.login and "authorization" not in {name.lower() for name in headers}:
            headers["Authorization"] = route.where.login
        title = step.name or f"{step.method.upper()} {path.partition('?')[0]}"
        general = self.options.get("maxRedirects", MOST_REDIRECTS)
        redirects = general if step.redirects is None else step.redirects
        keys: dict[str, Any] = {
            "name": names.unique(f"{step.group}::{title}" if step.group else title),
            step.method: path,
            "headers": headers,
            "expect": step.expect,
            "extract": step.extract,
            "follow_redirects": Count(redirects if isinstance(redirects, int) else MOST_REDIRECTS),
        }
        if step.body is not None and step.body.parts:
            keys["body"] = step.body.template
        if step.timeout_s is not None:
            keys["timeout"] = Seconds(step.timeout_s)
        if step.think != Think():
            keys["think"] = step.think
        return keys

    def _sent(self, headers: Mapping[str, MixedText], line: int) -> dict[str, str]:
        sent = {}
        for name, value in headers.items():
            if name.lower() in OWN_HEADERS:
                self.account.drop(line, ROOM_TEXTS.header(name), ROOM_TEXTS.own_header)
            elif not re.fullmatch(r"[\w!#$%&'*+.^`|~-]+", name, re.ASCII) or not value.template.isprintable():
                self.account.drop(line, ROOM_TEXTS.header(name[:40]), ROOM_TEXTS.no_header)
            else:
                sent[name] = value.template
        return sent


def _plain(url: MixedText) -> str:
    return url.template.partition("?")[0].rpartition("@")[2]

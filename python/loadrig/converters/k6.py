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
Groups and functions of the script, also exported ones that scenarios name.
Values that statements change step by step: `x += …`, `x++`, members of objects, `push`, `pop`, `delete`.
Cookies that a script puts into a jar of its own, or of the user, by `jar.set`.
Checks of the status, the duration, texts of the body and values of its JSON, as `expect`.
Constants and functions that are imported from files in the script's folder or below.
`SharedArray`, and lists that `open` reads from JSON and CSV (papaparse) beside the script: an entry that is
picked by `Math.random`, `randomItem`, the user's number, the test's iteration or the user's own is a feed.
Its value holds for an iteration where several requests share it (`per: loop`).
What the statements of the script itself draw, which every user runs once, is drawn once for each user.
`maxVUs` of arrival rates, as the most connections.
`sleep` behind a request, also of `randomIntBetween` and `Math.random`, as `think`.
Values that are taken out of an answer's JSON, or out of its body by a pattern, as `extract`:
`res.body.match(/id="(.+?)"/)[1]`. Checks also before `|| fail()`.
The only request of `setup` as the `login`.
Loops of a counter and over the items of a list whose rounds the text tells, made out in full.
Requests to other servers than the one that most go to name theirs, which stands under `servers`.

## What is altered

Of a batch as many requests are sent at once as k6 does, six unless options say otherwise, and the next ones
after all of these.
An iteration of an arrival rate is a session of one loop, or a request where it makes only one.
Iterations that users share are shared out evenly.
A variable of the environment with a default, `__ENV.BASE || "…"`, is its default.
An entry of a list that is picked by chance comes again only after all others.
A random value that several requests share is drawn for each where an iteration draws it several times.
With an arrival rate, entries that a user's own iterations pick come in one order for all users.
Where a pattern finds nothing, the value is empty and the requests go on; k6 ends the iteration.
Several scenarios of users with the same course: every user picks one of them anew each time, by their shares.
Signs that no query may hold are escaped; a redirect names no page before by `Referer`.
Each user keeps its cookies, also where a request has a jar of its own, and logs in by itself where `setup`
logs in once.

## What is dropped

Whatever only running the script would tell, each by its line: computed arguments, also where a condition, a
loop, an iteration before or a module that is not read may have changed a value; conditions, other loops,
modules other than the client of HTTP, `teardown`, `startTime`, `gracefulStop`, `abortOnFail`, tags but the
name.
Scenarios whose load is of another kind than that of the first.

Source: the documentation of Grafana k6, "Options", "Executors" and "k6/http".
"""

import contextlib
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from loadrig.base.units import Count, Seconds
from loadrig.converters._address import PlanServers
from loadrig.converters._draft import Conversion, FeedDraft, PlanDraft, ScenarioDraft, StepDraft
from loadrig.converters._k6_address import ScriptAddress, address_in
from loadrig.converters._k6_changes import ScriptChanges, changed_by_functions, effects_of
from loadrig.converters._k6_files import ScriptFeeds, Unread
from loadrig.converters._k6_load import (
    CARRIED,
    Place,
    ScriptLoad,
    SentAtOnce,
    connections_of,
    goals_of,
    line_at,
    loads_of,
    trial_of,
)
from loadrig.converters._k6_modules import (
    MOST_MODULES,
    ScriptAccount,
    ScriptNames,
    declared_in,
    imports_in,
    module_beside,
    specifiers_in,
)
from loadrig.converters._k6_requests import ScriptScope, ScriptStep
from loadrig.converters._k6_steps import UNREAD, FunctionReader
from loadrig.converters._k6_texts import Value
from loadrig.converters._k6_values import (
    ScriptEvaluator,
    defaults_in,
    key_of,
    line_of,
    named_parts,
    parsed,
    shown_code,
    text_in,
)
from loadrig.converters._listed import OWN_HEADERS, RouteNames
from loadrig.converters._locust_values import MixedText
from loadrig.converters._source import TestSource
from loadrig.language.choice import texts_of
from loadrig.language.en.converters.k6 import ConvertersK6Texts
from loadrig.language.en.converters.room import ConvertersTexts
from loadrig.plan.arrivals import Users
from loadrig.plan.model import Think, Tls
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
MOST_OPTIONS_DEEP = 8
"""Levels of objects in the options, at most: those that k6 reads have four."""

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
class _Script:
    """Work on one script."""

    root: Any
    account: ScriptAccount = field(default_factory=ScriptAccount)
    feeds: ScriptFeeds = field(default_factory=ScriptFeeds)
    declared: ScriptNames = field(default_factory=ScriptNames)
    modules: "dict[str, _Script]" = field(default_factory=dict)
    file: str = ""
    options: dict[str, Value] = field(default_factory=dict)
    option_lines: dict[Place, int] = field(default_factory=dict)

    def conversion(self) -> Conversion:
        """Return the plan and the account of it."""
        self._read()
        declared = self.declared
        scope = ScriptScope(
            declared.names, declared.functions, self.feeds, frozenset(declared.clients), declared.aliases
        )
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

    def _read(self) -> None:
        self.account.follow(self.root, self.file)
        self.declared.own = declared_in(self.root)
        for statement in named_parts(self.root):
            self._top(statement)
        for name in changed_by_functions(self.declared.functions):
            self.declared.names.pop(name, None)

    def _top(self, node: Any) -> None:
        match node.type:
            case "import_statement":
                self._import(node)
            case "export_statement":
                declared = node.child_by_field_name("declaration")
                value = node.child_by_field_name("value")
                if declared is not None and declared.child_by_field_name("body") is not None:
                    is_default = any(child.type == "default" for child in node.children)
                    self._function("default" if is_default else "", declared)
                elif declared is not None:
                    self._top(declared)
                elif value is not None and value.child_by_field_name("body") is not None:
                    self._function("default", value)
                elif value is not None and value.type == "identifier":
                    self._export(text_in(value), "default")
                elif value is not None:
                    self._declare("default", value)
                for clause in (part for part in node.named_children if part.type == "export_clause"):
                    for name, alias in specifiers_in(clause):
                        self._export(name, alias)
            case "function_declaration":
                self._function("", node)
            case "lexical_declaration" | "variable_declaration":
                for declared in named_parts(node):
                    self._declared(declared)
            case "expression_statement" if named_parts(node)[0].type == "string":
                pass  # "use strict"
            case "comment" | "empty_statement" | "hash_bang_line" | "type_alias_declaration":
                pass
            case "interface_declaration" | "ambient_declaration":
                pass
            case _:
                self.account.drop(line_of(node), shown_code(node), TEXTS.computed_flow)
                clients = frozenset(self.declared.clients)
                ScriptChanges(self).forget(self.declared.names, effects_of(node, clients=clients))

    def _function(self, name: str, node: Any) -> None:
        own = node.child_by_field_name("name")
        for title in (name, text_in(own) if own is not None else ""):
            if title:
                self.declared.functions[title] = node

    def _import(self, node: Any) -> None:
        module = text_in(node.child_by_field_name("source")).strip("\"'")
        clause = next((part for part in node.named_children if part.type == "import_clause"), None)
        imports = list(imports_in(clause)) if clause is not None else []
        if module.startswith(".") and not self._take(module, imports):
            self.account.drop(line_of(node), shown_code(node), TEXTS.other_file)
        for exported, local in imports if module in ("k6", "k6/http") else ():
            is_whole = exported in ("default", "*")
            if module == "k6/http" and is_whole:
                self.declared.clients.add(local)
            elif module == "k6/http":
                self.declared.aliases[local] = f"http.{exported}"
            elif is_whole:
                self.declared.aliases |= {f"{local}.{name}": name for name in ("check", "group", "sleep")}
            else:
                self.declared.aliases[local] = exported

    def _take(self, name: str, imports: list[tuple[str, str]]) -> bool:
        """Take over what a file beside the script declares; return whether that can be done."""
        if len(self.modules) >= MOST_MODULES:
            return False
        module = module_beside(self.feeds, name, self.account)
        if module is None:
            return False
        path, root = module
        if path not in self.modules:
            script = _Script(root, self.account, self.feeds, modules=self.modules, file=Path(path).name)
            self.modules[path] = script
            folder, self.feeds.folder = self.feeds.folder, Path(path).parent
            script._read()
            self.feeds.folder = folder
        return self.declared.take(self.modules[path].declared, imports)

    def _export(self, name: str, alias: str) -> None:
        if alias == "options" and not self.options and name in self.declared.nodes:
            self._declare("options", self.declared.nodes[name])
        for values in (self.declared.names, self.declared.functions, self.declared.nodes):
            if name in values:
                values[alias] = values[name]

    def _declared(self, node: Any) -> None:
        name, value = (node.child_by_field_name(part) for part in ("name", "value"))
        if name is None or value is None:
            return
        self._declare(text_in(name), value)

    def _declare(self, title: str, value: Any) -> None:
        self.declared.nodes[title] = value
        if title == "options" and not self.file:
            try:
                self._read_options(value)
            except (Unread, AttributeError):
                self.account.drop(line_of(value), "options", TEXTS.computed)
        elif value.child_by_field_name("body") is not None:
            self.declared.functions[title] = value
        elif value.type == "call_expression" and "require" in text_in(value) and "k6/http" in text_in(value):
            self.declared.clients.add(title)
        else:
            # Each user runs the file's own statements once, and keeps what chance draws there.
            self.feeds.drawn_for = "user"
            with contextlib.suppress(Unread):
                self.declared.names[title] = ScriptEvaluator(self.declared.names, self.feeds).value(value)
            self.feeds.drawn_for = "request"

    def _read_options(self, node: Any) -> None:
        self.option_lines[()] = line_of(node)
        self.options = self._option_tree(node, ())
        for key in self.options.keys() - CARRIED:
            self.account.drop(line_at(self.option_lines, key), f"options.{key}", TEXTS.no_option)

    def _option_tree(self, node: Any, place: Place) -> Value:
        """Return an object of the options; parts of it that are computed are noted, and missing."""
        node = self.declared.nodes.get(text_in(node), node) if node.type == "identifier" else node
        self.option_lines.setdefault(place, line_of(node))
        if node.type != "object" or len(place) > MOST_OPTIONS_DEEP:
            return ScriptEvaluator(self.declared.names, self.feeds).value(node)
        tree: dict[str, Value] = {}
        for part in named_parts(node):
            title = ".".join(("options", *place))
            try:
                if part.type == "spread_element":
                    tree |= self._option_tree(named_parts(part)[0], place)
                    continue
                is_pair = part.type == "pair"
                key = key_of(part) if is_pair else text_in(part)
                title = f"{title}.{key}"
                self.option_lines[*place, key] = line_of(part)
                inner = part.child_by_field_name("value") if is_pair else part
                if part.type == "shorthand_property_identifier":
                    inner = self.declared.nodes.get(key, part)
                tree[key] = self._option_tree(inner, (*place, key))
            except (Unread, TypeError):
                self.account.drop(line_of(part), title, TEXTS.computed)
        return tree

    def _setup(self, scope: ScriptScope) -> tuple[ScriptStep | None, Value]:
        """Return the request of `setup` that a plan makes as its login, and what `setup` returns."""
        function = self.declared.functions.get("setup")
        if function is None:
            return None, None
        reader = FunctionReader(scope, self.account)
        steps = reader.read(function)
        if len(steps) == 1:
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
        for route in (route for route in routes if self._is_taken(route, servers)):
            place = together.place(route.step.batch)
            if place == together.most > 1:
                self.account.alter(route.step.line, "http.batch", TEXTS.parts_of_batch(together.most))
            keys = {**self._keys(route, names), **servers.keys(route.where.server)}
            yield StepDraft(WrittenRequest(**keys, beside=place % together.most > 0), route.step.line)

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

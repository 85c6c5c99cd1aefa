"""Locustfiles: tests of Locust in Python.

## What is read

The text of the file alone: nothing of it is executed, and files that it imports are not read.
Classes of users (`HttpUser`, `FastHttpUser`, and `HttpLocust` of old files) and of tasks (`TaskSet`,
`SequentialTaskSet`), also those that derive from others in the file.

## What is carried

Tasks by `@task` with their weights, by lists and by dicts, with the users' own weights; sequential sets as
one sequence.
`self.client.get`, `post`, `put`, `patch`, `delete`, `head`, `options`, `request` and `rest` with `json`,
`data`, `params`, `headers`, `cookies`, `auth`, `name`, `timeout`, `allow_redirects` and `verify`, where the
arguments are literals, constants of the file, or texts that are put together of such. Of `data` and `json`
in one call goes what Locust sends: `json` only where `data` is empty.
JSON is sent in the bytes that Python writes.
Values that statements change step by step: `x += …`, items of dicts and lists, `update`, `append`, `pop`,
`del` and their like. Of two branches what both give alike.
`random.choice` among literals and `random.randint` as feeds: drawn for each request, once a loop where
several requests share the value, or once for each user where `on_start` or `__init__` draws.
Lists of dicts or of tuples are tables; an entry that `pop` takes out of a list is each user's own there, and
the next one in a task.
A value that is taken out of an answer's JSON as `extract`.
Checks below `with … as response`, of which one alone makes a failure, as `expect`: of the status, texts of
the body, values of its JSON, and the time: `if response.status_code != 200: response.failure("…")`; below a
`rest` of FastHttpUser `assert`, too.
`constant` and `between` as `think` behind each task, `time.sleep` behind a request.
Loops over literals, made out in full, and `else` of loops and of `try`; functions of the file that a task
calls, with their arguments and what they return.
The only request of `on_start` as the `login`, and headers that it or `__init__` gives to the client.
Requests to other servers than the one that most go to name theirs, which stands under `servers`.

## What is altered

Users stand on Locust's command line; there is its default, a single one.
`User-Agent` is that of loadrig where the test gives none.
`constant_pacing` and `constant_throughput` are pauses of that length after the task.
A user picks a task anew each time, and does not stay in a set of tasks within another; tasks of a set that
`interrupt` leaves come as often as until then, and a task that only leaves has no share.
Signs such as `/` in a value of a path are escaped where an answer tells it or other requests share it.
A random value that several requests share is drawn for each of them where a task draws it several times.
A value that is drawn once for all users, outside of their functions, is drawn for each user.
A server that stands on the command line is one of this machine.

## What is dropped

Whatever only running the file would tell, each by its line: computed arguments, also where a value may have
been changed by a condition, by another task or by a function of another file; conditions, other
checks of answers, shapes of the load, hooks, other clients than that of HTTP.

Source: the documentation of Locust, "Writing a locustfile", and `locust/user` of locustio/locust.
"""

import ast
import math
import re
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from loadrig.base.units import Count, Seconds
from loadrig.converters._account import LineAccount
from loadrig.converters._address import PlanServers
from loadrig.converters._draft import Conversion, FeedDraft, PlanDraft, ScenarioDraft, StepDraft
from loadrig.converters._listed import OWN_HEADERS, RouteNames, server_and_target
from loadrig.converters._locust_classes import FAST, LocustClasses, TaskSequence, WaitTime, leaves_set
from loadrig.converters._locust_effects import FunctionFacts, changed_globals
from loadrig.converters._locust_module import changing_names, names_of_module
from loadrig.converters._locust_paths import begins_path, with_raw_values
from loadrig.converters._locust_requests import TaskScope, TaskStep, path_of
from loadrig.converters._locust_tasks import TaskReader
from loadrig.converters._locust_values import (
    ChosenFeeds,
    DrawnFor,
    MixedText,
    Value,
    needs_answer,
)
from loadrig.converters._source import TestSource
from loadrig.language.choice import texts_of
from loadrig.language.en.converters.locust import ConvertersLocustTexts
from loadrig.language.en.converters.room import ConvertersTexts
from loadrig.plan.arrivals import Users
from loadrig.plan.model import Tls
from loadrig.plan.requests import Think
from loadrig.plan.servers import MOST_SERVERS
from loadrig.plan.written import WrittenLogin, WrittenRequest

TEXTS, ROOM_TEXTS = texts_of(ConvertersLocustTexts), texts_of(ConvertersTexts)

TOOL = "Locust"
FILES = TEXTS.files

MOST_BYTES = 2_000_000
"""Bytes of a locustfile at most: the tree of a text takes a hundred times as much memory."""

SERVER = "http://127.0.0.1:8000"
"""Server of a test that names none."""

MOST_WEIGHT = 1_000_000
"""Greatest whole weight; beyond it weights are shares."""

_IMPORTS = re.compile(
    rb"^[ \t]*(?:from[ \t]+locust\b[\w.]*[ \t]+import\b|import[ \t]+locust\b)", re.MULTILINE
)
_SERVER = re.compile(r"(https?://[^/?#]+)(.*)", re.DOTALL | re.IGNORECASE)
_NEVER = (418,)
"""Statuses upon which a user logs in anew. None that servers give: Locust logs in once."""


_NO_PAUSE = WaitTime().after(0.0)


def recognises(head: bytes, name: str) -> bool:
    """Return whether the first bytes import locust."""
    del name
    return _IMPORTS.search(head) is not None


def convert(source: TestSource) -> Conversion:
    """Return the plan of a locustfile. Raise PlanError `import.bad-test`, `import.too-large`."""
    return _Locustfile(parsed(source)).conversion()


def parsed(source: TestSource) -> ast.Module:
    """Return the tree of a file. Raise PlanError `import.bad-test` where it is no Python."""
    text = source.text()
    if len(text) > MOST_BYTES:
        raise source.bad(TEXTS.too_long(MOST_BYTES), TEXTS.mend_file, line=1)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except SyntaxError as error:
        line = error.lineno or 1
        raise source.bad(error.msg, TEXTS.mend_file, line=line, text=error.text or "") from error
    except (ValueError, RecursionError, MemoryError) as error:
        raise source.bad(TEXTS.no_python, TEXTS.mend_file, line=1) from error


@dataclass(slots=True)
class _Way:
    """Requests of a sequence, with the server of each, and the pause after its tasks."""

    sequence: TaskSequence
    steps: list[tuple[TaskStep, str, MixedText]]
    think: Think


class _Locustfile:
    """Work on one file."""

    def __init__(self, tree: ast.Module) -> None:
        self._account = LineAccount()
        self._feeds = ChosenFeeds()
        self._sole: frozenset[str] = frozenset()
        computed = changing_names(tree) | changed_globals(tree)
        self._names = names_of_module(tree, self._feeds, computed)
        self._classes = LocustClasses(tree, self._names, self._feeds, self._account)
        self._all_facts: dict[tuple[ast.ClassDef, ast.ClassDef], FunctionFacts] = {}
        self._headers: dict[str, str] = {}
        self._is_insecure = False

    def conversion(self) -> Conversion:
        """Return the plan and the account of it."""
        users = self._classes.users()
        for shape in self._classes.shapes():
            self._account.drop(shape.lineno, f"class {shape.name}", TEXTS.no_shapes)
        for other in self._classes.others():
            self._account.drop(other.lineno, f"class {other.name}", TEXTS.other_client)
        login: TaskStep | None = None
        ways: list[_Way] = []
        for user in users:
            scope = self._scope(user)
            login = self._start(user, scope, is_only=len(users) == 1) or login
            share = Fraction(self._classes.weight(user))
            sequences = self._classes.sequences(user, share)
            self._forget_changed(user, sequences, scope)
            ways += _by_class([self._way(user, sequence, scope) for sequence in sequences], share)
            self._headers |= scope.headers
            self._is_insecure = self._is_insecure or scope.is_insecure
        return self._plan(users, ways, login)

    def _facts(self, user: ast.ClassDef, owner: ast.ClassDef) -> FunctionFacts:
        """Return what is known about the functions of a class that stands within a user's."""
        facts = self._all_facts.get((user, owner))
        if facts is None:
            facts = FunctionFacts({**self._classes.functions(user), **self._classes.functions(owner)})
            self._all_facts[user, owner] = facts
        return facts

    def _scope(self, user: ast.ClassDef) -> TaskScope:
        names = {**self._names, **self._classes.attributes(user)}
        is_fast = self._classes.is_kind(user, FAST)
        return TaskScope(names, self._facts(user, user), self._feeds, is_fast=is_fast)

    def _start(self, user: ast.ClassDef, scope: TaskScope, *, is_only: bool) -> TaskStep | None:
        """Return the request of `on_start`, if it is one that a plan can make as its login."""
        starts: dict[ast.FunctionDef, DrawnFor] = {}
        for owner in self._classes.with_sets(user):
            start = self._classes.functions(owner).get("on_start")
            if start is not None:
                starts.setdefault(start, "request" if self._classes.is_left(owner) else "user")
        for owner in self._classes.with_sets(user):
            stop = self._classes.functions(owner).get("on_stop")
            if stop is not None:
                self._account.drop(stop.lineno, "on_stop", TEXTS.no_end)
        initial_steps: list[TaskStep] = []
        for owner in reversed(self._classes.lineage(user)):
            for inner in owner.body:
                if isinstance(inner, ast.FunctionDef) and inner.name == "__init__":
                    initial_steps += TaskReader(scope, self._account, "user").read(inner)
        before, headers = dict(scope.names), dict(scope.headers)
        steps: list[TaskStep] = []
        for start, drawn_for in starts.items():
            steps += TaskReader(scope, self._account, drawn_for).read(start)
        if len(steps) == 1 and is_only and not initial_steps:
            return steps[0]
        steps = [*initial_steps, *steps]
        for step in steps:
            self._account.drop(step.line, f"{step.method.upper()} {_plain(step.url)}", TEXTS.no_second_login)
        if steps:
            # Nobody makes these requests, so nothing that their answers tell is there.
            scope.names = before | {
                name: value for name, value in scope.names.items() if not needs_answer(value, scope.extracts)
            }
            scope.headers = headers | {
                name: text
                for name, text in scope.headers.items()
                if not any(f"{{{hole}}}" in text for hole in scope.extracts)
            }
        return None

    def _forget_changed(
        self, user: ast.ClassDef, sequences: Sequence[TaskSequence], scope: TaskScope
    ) -> None:
        """Take attributes as unknown that tasks change: any task may have done so before."""
        for sequence in sequences:
            for owner, function in zip(sequence.owners, sequence.functions, strict=True):
                scope.changed |= self._facts(user, owner).of_self(function)
        for name in scope.changed:
            scope.names.pop(name, None)

    def _own_attributes(self, owner: ast.ClassDef, scope: TaskScope) -> dict[str, Value]:
        """Return the attributes of a class that neither a task nor its user's beginning changes."""
        facts, changed = self._facts(owner, owner), set(scope.changed)
        for name in ("__init__", "on_start"):
            if name in facts.functions:
                changed |= facts.of_self(facts.functions[name])
        attributes = self._classes.attributes(owner)
        return {name: value for name, value in attributes.items() if name not in changed}

    def _way(self, user: ast.ClassDef, sequence: TaskSequence, scope: TaskScope) -> _Way:
        before = dict(scope.names)
        wait = self._classes.wait_time(sequence.owners, user)
        steps: list[TaskStep] = []
        for owner, function in zip(sequence.owners, sequence.functions, strict=True):
            scope.facts = self._facts(user, owner)
            scope.names |= self._own_attributes(owner, scope)
            task_steps = TaskReader(scope, self._account).read(function)
            if task_steps:
                task_steps[-1].keys["think"] = wait.after(task_steps[-1].pause_s)
                for step in task_steps[:-1]:
                    step.keys["think"] = WaitTime().after(step.pause_s)
            elif not leaves_set(function):
                self._account.drop(function.lineno, f"task {function.name}", TEXTS.nothing_in_it)
            steps += task_steps
        scope.names = {name: value for name, value in before.items() if name not in scope.changed}
        host = self._classes.host(user)
        placed = []
        for step in steps:
            where = self._server_of(step.url, host)
            if where is None:
                shown = f"{step.method.upper()} {_plain(step.url)}"
                self._account.drop(step.line, shown, ROOM_TEXTS.no_http_url)
            else:
                placed.append((step, *where))
        return _Way(sequence, placed, wait.after(0.0))

    def _server_of(self, url: MixedText, host: str) -> tuple[str, MixedText] | None:
        """Return the server of a URL, empty where the command line names it, and the path; None for none."""
        first = url.parts[0] if url.parts else ("", False)
        if first[1] or not first[0].lower().startswith(("http://", "https://")):
            if not host:
                is_below = begins_path(url, self._feeds) or (not first[1] and first[0].startswith("/"))
                return "", url if is_below else MixedText((("/", False), *url.parts))
            if begins_path(url, self._feeds):
                where = server_and_target(host)
                return None if where is None else (where[0], url)
            url = MixedText(((host, False),)) + url
        text, is_hole = url.parts[0]
        match = _SERVER.fullmatch(text + ("" if is_hole else "".join(_next_texts(url))))
        rest = url.parts[1 + len(_next_texts(url)) :]
        if match is None or (rest and not match[2]):
            return None
        where = server_and_target(match[1])
        if where is None:
            return None
        path = match[2] if match[2].startswith("/") else f"/{match[2]}"
        return where[0], MixedText(((path.partition("#")[0], False), *rest))

    # --- the plan ---------------------------------------------------------------------------------

    def _plan(
        self, users: Sequence[ast.ClassDef], ways: Sequence[_Way], login: TaskStep | None
    ) -> Conversion:
        counts = Counter(server for way in ways for _, server, _ in way.steps if server)
        servers = PlanServers(counts.most_common(1)[0][0] if counts else SERVER)
        if not counts:
            self._account.alter_whole(TEXTS.server, TEXTS.server_of_command(SERVER))
        self._account.alter_whole(TEXTS.users, TEXTS.users_of_command)
        all_steps = [step for way in ways for step, _, _ in way.steps] + ([login] if login else [])
        self._sole = self._feeds.of_one([f"{step.url.template} {step.keys!r}" for step in all_steps])
        general = ways[0].think if ways else _NO_PAUSE
        names = RouteNames()
        written_login = self._login(login, users, servers, names)
        scale = _scale([way.sequence.share for way in ways])
        drafts = []
        is_bare = all(len(way.steps) <= 1 for way in ways)
        for way in ways:
            steps = tuple(self._steps(way, servers, general, names))
            if steps:
                title = way.sequence.name if len(users) < 2 else f"{way.sequence.user}.{way.sequence.name}"
                weight = float(way.sequence.share * scale)
                drafts.append(ScenarioDraft("" if is_bare else title, steps, weight=round(weight, 6)))
        feeds = self._used_feeds(drafts, written_login)
        plan = PlanDraft(
            **servers.parts(),
            arrivals=Users(count=Count(1)),
            scenarios=_named_apart(drafts),
            think=Think() if general == _NO_PAUSE else general,
            login=written_login,
            feeds=feeds,
            headers=self._sent(self._headers, 1),
            tls=Tls(insecure=self._is_insecure),
        )
        return Conversion(
            plan, self._account.parts.dropped, self._account.parts.altered, self._account.parts.carried
        )

    def _login(
        self, login: TaskStep | None, users: Sequence[ast.ClassDef], servers: PlanServers, names: RouteNames
    ) -> WrittenLogin | None:
        if login is None:
            return None
        where = self._server_of(login.url, self._classes.host(users[0]))
        if where is None:
            shown = f"{login.method.upper()} {_plain(login.url)}"
            self._account.drop(login.line, shown, ROOM_TEXTS.no_http_url)
            return None
        if not self._is_taken(login, *where, servers):
            return None
        self._account.carry(ROOM_TEXTS.requests)
        keys = {**self._keys(login, where[1]), **servers.keys(where[0] or servers.target)}
        keys.pop("think", None)
        return WrittenLogin(name=names.unique(_name(login, where[1])), again_on=_NEVER, **keys)

    def _is_taken(self, step: TaskStep, server: str, path: MixedText, servers: PlanServers) -> bool:
        """Return whether the plan has the server of a request; note one beyond those that it can have."""
        if not server or servers.take(server):
            return True
        shown = f"{step.method.upper()} {server}{_plain(path)}"
        self._account.drop(step.line, shown, ROOM_TEXTS.too_many_servers(MOST_SERVERS))
        return False

    def _steps(
        self, way: _Way, servers: PlanServers, general: Think, names: RouteNames
    ) -> Iterator[StepDraft]:
        for step, server, path in way.steps:
            if not self._is_taken(step, server, path, servers):
                continue
            keys = {**self._keys(step, path), **servers.keys(server or servers.target)}
            if keys.get("think") == general:
                keys.pop("think")
            self._account.carry(ROOM_TEXTS.requests)
            yield StepDraft(WrittenRequest(name=names.unique(_name(step, path)), **keys), step.line)

    def _keys(self, step: TaskStep, path: MixedText) -> dict[str, Any]:
        keys = {key: value for key, value in step.keys.items() if value is not None}
        if keys.get("headers"):
            keys["headers"] = self._sent(keys["headers"], step.line)
        if "timeout" in keys:
            keys["timeout"] = Seconds(keys["timeout"])
        keys["follow_redirects"] = Count(step.keys["follow_redirects"])
        path, otherwise = with_raw_values(path, self._feeds, self._sole)
        for hole in otherwise:
            self._account.alter(step.line, f"{{{hole}}}", TEXTS.value_escaped)
        return {**keys, "extract": step.extract, step.method: path_of(path)}

    def _sent(self, headers: Mapping[str, str], line: int) -> dict[str, str]:
        """Return the headers that a plan may give."""
        sent = {}
        for name, value in headers.items():
            if name.lower() in OWN_HEADERS:
                self._account.drop(line, ROOM_TEXTS.header(name), ROOM_TEXTS.own_header)
            elif not re.fullmatch(r"[\w!#$%&'*+.^`|~-]+", name, re.ASCII) or not value.isprintable():
                self._account.drop(line, ROOM_TEXTS.header(name[:40]), ROOM_TEXTS.no_header)
            else:
                sent[name] = value
        return sent

    def _used_feeds(
        self, drafts: Sequence[ScenarioDraft], login: WrittenLogin | None
    ) -> Mapping[str, FeedDraft]:
        """Return the feeds of all holes, and note which are drawn more often than in the test."""
        requests = [step.request for draft in drafts for step in draft.steps]
        feeds = self._feeds.used(requests, (login, self._headers))
        for name, draft in feeds.items():
            line, _, drawn_for = self._feeds.draws[name]
            if drawn_for == "all":
                self._account.alter(line, f"{{{name}}}", TEXTS.drawn_by_each)
            elif self._feeds.is_overdrawn(name, draft):
                self._account.alter(line, f"{{{name}}}", TEXTS.drawn_by_request)
        return feeds


def _by_class(ways: Sequence[_Way], share: Fraction) -> list[_Way]:
    """Return the ways of a class, which share out what a task had that only leaves its set."""
    staying = [way for way in ways if way.steps or not all(map(leaves_set, way.sequence.functions))]
    total = sum(way.sequence.share for way in staying)
    for way in staying:
        way.sequence = replace(way.sequence, share=way.sequence.share * share / total)
    return staying


def _next_texts(url: MixedText) -> list[str]:
    """Return the texts behind the first one up to a hole."""
    texts = []
    for text, is_hole in url.parts[1:]:
        if is_hole:
            break
        texts.append(text)
    return texts


def _plain(url: MixedText) -> str:
    text = "".join(f"{{{part}}}" if is_hole else part for part, is_hole in url.parts)
    return text.partition("?")[0][:100]


def _name(step: TaskStep, path: MixedText) -> str:
    return step.name.strip() or f"{step.method.upper()} {_plain(path)}"


def _scale(shares: Sequence[Fraction]) -> int:
    """Return the factor by which shares become whole numbers; 1 where that would make them too large."""
    factor = math.lcm(*(share.denominator for share in shares)) if shares else 1
    return factor if factor <= MOST_WEIGHT else 1


def _named_apart(drafts: Sequence[ScenarioDraft]) -> tuple[ScenarioDraft, ...]:
    names = RouteNames()
    return tuple(
        ScenarioDraft(names.unique(draft.name), draft.steps, draft.weight) if draft.name else draft
        for draft in drafts
    )

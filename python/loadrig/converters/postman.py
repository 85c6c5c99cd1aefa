"""Collections of Postman: all requests in their order, by one user after the other.

## What is read

Collections 2.1 and 2.0 as Postman exports them (JSON), and environments and globals that are named after the
collection: `loadrig import shop.postman_collection.json test.postman_environment.json`.
The data file of newman's `-d`, CSV or JSON, in the same way: `loadrig import shop.json logins.csv`.
Files that bodies name are read where they lie in the collection's folder or below.

## What is carried

Requests of all folders in their order: address, path variables, query, headers.
Bodies: raw, urlencoded, form-data (also with files), GraphQL, file.
Logins, also those that folders and collection hand down: basic, bearer, API key, and an OAuth 2.0 token that
stands there; a name and a password within an address.
Variables of collection, globals and environment; `{{$guid}}`, `{{$randomUUID}}`, `{{$timestamp}}` and
`{{$randomInt}}` as feeds.
Of test scripts `pm.response.to.have.status(200)` and the like, `pm.expect(…)` with one assertion of chai
about the status, the time, the body, a header or a value of its JSON (`to.exist`, `to.have.property("id")`,
`to.be.above(0)`, `to.not.include("error")`), `pm.response.to.have.header("X-Id")`, and conditions given to
`tests["…"]`.
Variables that are set from a place of the JSON of an answer, from one of its headers or from its status:
`pm.environment.set("token", pm.response.json().token)`.
The order that scripts ask for by `setNextRequest`, with a name or null, always or in an `if` that `when` can
say: a jump ahead is `when` of the steps between, a jump back `repeat`, and steps that are gone past in any
case are left out.
Rows of a data file: a variable that is the same in all rows is fixed, others are columns of a feed that gives
each loop the next row (`per: loop`).
Requests that scripts make by `pm.sendRequest`, as steps before or behind their request, with what the
callback checks and sets in the same forms: `pm.environment.set("token", res.json().access_token)`.
Fixed values that scripts give to variables, before a request or after it: `pm.environment.set("page", "2")`.
Redirects are followed, as Postman does.
Requests to other servers than the one that most go to name theirs, which stands under `servers`.

## What is altered

A collection says no load: the plan has one user, who makes all requests again and again.
Secrets without a value come from a variable of the environment, `{env:SECRET_NAME}`, that you set.
A variable that nothing sets has its own name as its value, in a feed.
Made-up words (`{{$randomFirstName}}` and its like) are one fixed word.
`{{$isoTimestamp}}` is the time of the file.
Two headers of one name are one, with a comma.
Headers that Postman adds by itself are not sent: `Postman-Token`, `Cache-Control`, `Accept-Encoding`.
After the last row of a data file the first comes again.
Signs of its values that a path, a query, a form or JSON cannot hold are escaped.
What a script takes only behind `if (pm.response.code === 200)` is taken from every good answer, and what it
takes behind `if (json.token)` where the answer has it; else the variable has no value.
Signs of an address are encoded also where the collection switches that off.
Where no variable fixes the host, the plan loads 127.0.0.1.

## What is dropped

All else that scripts do, before a request and after it: checks of types and lengths, computed values, loops,
requests under a condition, and an order that is computed, goes back in any case, or parts another.
Logins by digest, NTLM, Hawk, AWS, OAuth 1.0 and the like.
Requests of methods that a plan does not have.
What is switched off, and saved answers, say nothing of a test, and are not listed.

Source: the schema of collections 2.1.0 of Postman.
"""

import re
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from loadrig.base.masks import is_secret_name
from loadrig.base.units import Count
from loadrig.converters._account import DocumentAccount
from loadrig.converters._address import NOWHERE, PlanServers
from loadrig.converters._document import JsonValue, list_of, object_of, read_document, text_in
from loadrig.converters._draft import Conversion, FeedDraft, PlanDraft, ScenarioDraft, StepDraft
from loadrig.converters._pm_data import ESCAPED_IN_JSON, ESCAPED_IN_TARGETS, Row, read_rows
from loadrig.converters._pm_jumps import ScriptJump, jumps_of
from loadrig.converters._pm_order import jumped_steps
from loadrig.converters._pm_requests import CollectionRequest, RequestReader
from loadrig.converters._pm_scripts import ReadScript, check_count, joined_checks
from loadrig.converters._pm_sends import CALL, Script, ScriptSend, parts_of, scripts_in
from loadrig.converters._pm_steps import AnsweredRequest, Inherited, SentRequest
from loadrig.converters._pm_variables import PostmanVariables
from loadrig.converters._source import TestSource, encoding_of
from loadrig.language.choice import texts_of
from loadrig.language.en.converters.postman import ConvertersPostmanErrors, ConvertersPostmanTexts
from loadrig.language.en.converters.room import ConvertersTexts
from loadrig.plan.arrivals import Users
from loadrig.plan.holes import holes_in
from loadrig.plan.model import Feed
from loadrig.plan.requests import Expect, Extract
from loadrig.plan.servers import MOST_SERVERS
from loadrig.plan.written import METHODS, WrittenRequest

TEXTS, ERRORS = texts_of(ConvertersPostmanTexts), texts_of(ConvertersPostmanErrors)
ROOM_TEXTS = texts_of(ConvertersTexts)

TOOL = "Postman"
FILES = TEXTS.files

MOST_REQUESTS = 2_000
"""Requests of a collection at most. The longest of people have some hundred."""

_MARKS = re.compile(
    r'(?<!\\)"(?:schema|_postman_schema)"\s*:\s*"https?://schema\.(?:getpostman|postman)\.com/'
    r'|(?<!\\)"_postman_(?:id|variable_scope)"\s*:\s*"'
)
_SCOPE = "_postman_variable_scope"
_OF_SCRIPTS: Mapping[str, JsonValue] = {"disableBodyPruning": True}
"""Settings of requests that scripts make: they have a body whatever their method is."""


def recognises(head: bytes, name: str) -> bool:
    """Return whether the first bytes name Postman's schema, or have its marks."""
    del name
    text = head.decode(encoding_of(head), "replace").lstrip("\ufeff").lstrip()
    return text.startswith("{") and _MARKS.search(text) is not None


def convert(source: TestSource) -> Conversion:
    """Return the plan of a collection. Raise PlanError `import.bad-test`, `import.too-large`."""
    root = object_of(read_document(source))
    # The interface of Postman's service hands a collection out in a shell.
    root = object_of(root.get("collection")) or root
    if _SCOPE in root:
        raise source.bad(ERRORS.no_collection, ERRORS.collection_first, place=source.name)
    if not isinstance(root.get("item"), list):
        raise source.bad(ERRORS.no_items, ERRORS.export_anew, place=source.name)
    return _CollectionConversion(root, source).result()


class _CollectionConversion:
    """Work on one collection."""

    def __init__(self, root: dict[str, JsonValue], source: TestSource) -> None:
        self._root = root
        self._account = DocumentAccount()
        self._source = source
        self._names: set[str] = set()
        self._requests = 0
        self._sends = 0
        self._rows: list[Row] = []
        self._data = source
        values, of_environment, open_secrets = self._values()
        set_by_scripts = {
            name for script in _scripts_below(root) for name in (*script.extracts, *script.fixed)
        }
        self._variables = PostmanVariables(
            values, of_environment, open_secrets, set_by_scripts, self._account,
            zlib.crc32(source.name.encode()), int(source.path.stat().st_mtime),
        )  # fmt: skip
        if self._rows:
            self._variables.give_rows(self._rows, self._data)
        self._reader = RequestReader(self._variables, self._account, source)

    def result(self) -> Conversion:
        """Return the plan and the account of it."""
        self._account.place = TEXTS.collection
        self._account.alter(TEXTS.load, TEXTS.one_user)
        top = self._handed_down(Inherited(), self._root)
        requests = list(self._below(self._root, top))
        self._account.place, self._account.order = TEXTS.collection, 2 * self._requests + 1
        if self._requests > MOST_REQUESTS:
            self._account.drop(TEXTS.requests, TEXTS.too_many(self._requests - MOST_REQUESTS, MOST_REQUESTS))
        counts = Counter(sent.address for sent in requests if sent.address is not None)
        address = max(counts, key=lambda server: counts[server]) if counts else NOWHERE
        servers = PlanServers(address.url)
        steps = tuple(jumped_steps(list(self._steps(requests, servers)), self._variables, self._account))
        files = {file.name: file for sent in requests for file in sent.files}
        self._account.carry(TEXTS.requests, len(steps))
        if self._rows:
            self._note_rows()
        plan = PlanDraft(
            **servers.parts(),
            arrivals=Users(count=Count(1)),
            scenarios=(ScenarioDraft("", steps),),
            name=text_in(object_of(self._root.get("info")).get("name"))[:200].strip(),
            feeds=self._feeds(steps),
            files=tuple(files.values()),
        )
        return Conversion(
            plan, self._account.parts.dropped, self._account.parts.altered, self._account.parts.carried
        )

    def _note_rows(self) -> None:
        """Note what becomes of the data file."""
        file = TEXTS.data_file(self._data.name[:80])
        if not self._variables.uses_rows:
            self._account.drop(file, TEXTS.no_column_used)
            return
        self._account.carry(TEXTS.rows, len(self._rows))
        self._account.alter(file, TEXTS.in_turn)

    def _steps(self, requests: Sequence[SentRequest], servers: PlanServers) -> Iterator[SentRequest]:
        """Yield the steps whose servers the plan can have; note the others."""
        for sent in requests:
            url = servers.target if sent.address is None else sent.address.url
            if servers.take(url):
                request = replace(sent.step.request, **servers.keys(url))
                yield replace(sent, step=replace(sent.step, request=request))
                continue
            self._account.place, self._account.order = sent.step.request.name or "", sent.step.order
            self._account.drop(TEXTS.request, ROOM_TEXTS.too_many_servers(MOST_SERVERS))

    def _feeds(self, steps: Sequence[StepDraft]) -> dict[str, FeedDraft]:
        """Return the feeds of all holes that the requests have, and no answer fills."""
        extracted = {hole for step in steps for hole in step.request.extract}
        feeds: dict[str, FeedDraft] = {}
        for step in steps:
            self._account.place, self._account.order = step.request.name or "", step.order
            for hole in (hole for text in _templates(step.request) for hole in holes_in(text)):
                if hole in extracted or hole in feeds:
                    continue
                if feed := self._variables.row_feed(hole):
                    feeds[feed] = self._variables.feeds[feed]
                    self._note_escapes(step.request, hole)
                    continue
                if hole not in self._variables.feeds:
                    self._account.alter(hole, TEXTS.nothing_sets(hole))
                unset = FeedDraft(Feed(values=(hole,)), comment=TEXTS.nothing_sets(hole))
                feeds[hole] = self._variables.feeds.get(hole, unset)
        return feeds

    def _note_escapes(self, request: WrittenRequest, hole: str) -> None:
        """Note that signs of a row's values are escaped where the tool sends them as they are."""
        is_json = any(
            name.lower() == "content-type" and "json" in value.lower()
            for name, value in request.headers.items()
        )
        for signs, texts in (
            (ESCAPED_IN_TARGETS, (*_paths(request), *request.form.values())),
            (ESCAPED_IN_JSON, (request.body or "",) if is_json else ()),
        ):
            if self._variables.row_has(signs, hole) and any(hole in holes_in(text) for text in texts):
                self._account.alter(hole, TEXTS.row_escaped)

    # --- companions -------------------------------------------------------------------------------

    def _companions(self) -> dict[str, list[JsonValue]]:
        """Return the variables of the companions by their scope; keep the rows of a data file."""
        scopes: dict[str, list[JsonValue]] = {"globals": [], "environment": []}
        for companion in self._source.companions:
            if (rows := read_rows(companion)) is not None:
                if self._rows:
                    raise companion.bad(ERRORS.second_data, ERRORS.join_rows, place=companion.name)
                self._rows, self._data = rows, companion
                continue
            content = read_document(companion)
            # Old files of globals are the list alone.
            values = {"values": content, _SCOPE: "globals"}
            document = values if isinstance(content, list) else object_of(content)
            if not isinstance(document.get("values"), list):
                raise companion.bad(ERRORS.no_environment, ERRORS.environment_after, place=companion.name)
            scope = "globals" if document.get(_SCOPE) == "globals" else "environment"
            scopes[scope] += list_of(document["values"])
        return scopes

    # --- variables --------------------------------------------------------------------------------

    def _values(self) -> tuple[dict[str, str], set[str], set[str]]:
        """Return what the files fix, the names of the environment, and the secrets left open."""
        scopes = self._companions()
        values: dict[str, str] = {}
        open_secrets: set[str] = set()
        for entry in (*scopes["globals"], *list_of(self._root.get("variable")), *scopes["environment"]):
            entry = object_of(entry)
            name = text_in(entry.get("key")) or text_in(entry.get("id"))
            if not name or entry.get("disabled") is True or entry.get("enabled") is False:
                continue
            value = text_in(entry.get("value"))
            if value or not (entry.get("type") == "secret" or is_secret_name(name)):
                values[name] = value
                open_secrets.discard(name)
            elif name not in values:
                open_secrets.add(name)
        of_environment = {text_in(object_of(entry).get("key")) for entry in scopes["environment"]}
        return values, of_environment & values.keys(), open_secrets

    # --- folders ----------------------------------------------------------------------------------

    def _below(self, folder: Mapping[str, JsonValue], inherited: Inherited) -> Iterator[SentRequest]:
        for entry in list_of(folder.get("item")):
            item = object_of(entry)
            self._account.order = 2 * self._requests + 1
            if isinstance(item.get("item"), list):
                yield from self._below(item, self._handed_down(inherited, item))
            elif "request" in item:
                self._requests += 1
                self._account.order = 2 * self._requests - 1
                if self._requests > MOST_REQUESTS:
                    continue
                yield from self._sent(item, self._handed_down(inherited, item))

    def _handed_down(self, inherited: Inherited, item: Mapping[str, JsonValue]) -> Inherited:
        """Return what an item hands down; note the scripts that are not carried, by its name."""
        name = text_in(item.get("name"))[:100].strip()
        names = (*inherited.names, name) if name else inherited.names
        self._account.place = " / ".join(names) or TEXTS.collection
        scripts: dict[str, list[Script]] = {"prerequest": [], "test": []}
        jumps: tuple[ScriptJump, ...] = ()
        for listen, text in _events(item):
            if listen not in scripts:
                continue
            if listen == "test" and "request" in item:
                own_jumps, text = jumps_of(text)
                jumps = (*jumps, *own_jumps)
            parts = parts_of(text, has_answer=listen == "test")
            scripts[listen].append(parts)
            left_out = list[str]()
            for script in scripts_in(parts):
                self._account.carry(TEXTS.checks, check_count(script))
                self._account.carry(TEXTS.extractions, len(script.extracts))
                self._account.carry(TEXTS.assignments, len(script.fixed))
                left_out += script.left_out
                for variable in script.of_good:
                    self._account.alter(f"{{{{{variable}}}}}", TEXTS.of_good_answers)
                for variable in script.of_present:
                    self._account.alter(f"{{{{{variable}}}}}", TEXTS.of_present)
            if left_out:
                why = TEXTS.not_read(len(left_out), left_out[0])
                self._account.drop(TEXTS.script_after if listen == "test" else TEXTS.script_before, why)
        behaviour = object_of(item.get("protocolProfileBehavior"))
        return replace(
            inherited,
            names=names,
            login=item.get("auth") or inherited.login,
            before=(*inherited.before, *scripts["prerequest"]),
            scripts=(*inherited.scripts, *scripts["test"]),
            behaviour={**(inherited.behaviour or {}), **behaviour},
            jumps=jumps,
        )

    def _sent(self, item: Mapping[str, JsonValue], inherited: Inherited) -> Iterator[SentRequest]:
        """Yield a request, with those that scripts make before it and after it."""
        name = " / ".join(inherited.names) or TEXTS.request
        for sent in self._sent_all(item, inherited, name):
            yield replace(sent, item=self._requests)

    def _sent_all(
        self, item: Mapping[str, JsonValue], inherited: Inherited, name: str
    ) -> Iterator[SentRequest]:
        yield from self._answered(inherited.before, name, 2 * self._requests - 1).sent
        request = self._reader.request(item["request"], inherited.login, inherited.behaviour or {})
        answered = self._answered(inherited.scripts, name, 2 * self._requests)
        if request is not None:
            step = self._step(request, name, 2 * self._requests, answered)
            ids = (text_in(item.get(key)) for key in ("name", "id", "_postman_id"))
            yield replace(step, titles=tuple(filter(None, ids)), jumps=inherited.jumps)
        else:
            for jump in inherited.jumps:
                self._account.drop(jump.text, TEXTS.other_order)
        yield from answered.sent

    def _step(
        self, request: CollectionRequest, name: str, order: int, answered: "AnsweredRequest"
    ) -> SentRequest:
        step = WrittenRequest(
            name=self._name(name),
            expect=answered.expect,
            extract=answered.extracts,
            **request.parts,
        )
        return SentRequest(request.address, StepDraft(step, order), request.files)

    def _answered(self, scripts: Sequence[Script], name: str, order: int) -> "AnsweredRequest":
        """Carry out scripts that run after a request, and return what they ask of its answer."""
        expect = Expect()
        extracts: dict[str, Extract] = {}
        sent: list[SentRequest] = []
        for script in scripts:
            sends: list[tuple[ScriptSend, CollectionRequest]] = []
            for part in script:
                expect = joined_checks(expect, part.script)
                for variable, place in part.script.extracts.items():
                    if variable in part.script.local:
                        self._variables.release(variable)
                    if not self._variables.is_hidden(variable):
                        extracts[self._variables.set(variable)] = place
                self._assign(part.script)
                if part.send is not None and (request := self._made_by_script(part.send)) is not None:
                    sends.append((part.send, request))
            sent += self._at_once(sends, name, order)
        return AnsweredRequest(expect, extracts, tuple(sent))

    def _made_by_script(self, send: ScriptSend) -> CollectionRequest | None:
        """Return a request that a script makes; None for one that a plan cannot have."""
        self._sends += 1
        if self._sends > MOST_REQUESTS:
            self._account.drop(CALL, TEXTS.too_many_sends(MOST_REQUESTS))
            return None
        if any(self._variables.is_other_text(scope, name) for scope, name in send.raw):
            self._account.drop(CALL, TEXTS.other_text)
            return None
        return self._reader.request(send.request, None, _OF_SCRIPTS)

    def _at_once(
        self, sends: Sequence[tuple[ScriptSend, CollectionRequest]], name: str, order: int
    ) -> Iterator[SentRequest]:
        """Yield the requests of one script, none of which waits for another, and those of their callbacks."""
        later: list[SentRequest] = []
        for number, (send, request) in enumerate(sends):
            answered = self._answered((send.parts,), name, order)
            sent = self._step(request, f"{name} / {CALL}", order, answered)
            beside = replace(sent.step.request, beside=number > 0)
            yield replace(sent, step=replace(sent.step, request=beside))
            later += answered.sent
        yield from later

    def _assign(self, script: ReadScript) -> None:
        """Give variables the values that a script fixes, for what comes after it."""
        for name, fixed in script.fixed.items():
            if name in script.local:
                self._variables.release(name)
            if self._variables.is_hidden(name):
                continue
            self._variables.assign(name, fixed.text, is_weak=fixed.is_weak)

    def _name(self, stem: str) -> str:
        name, number = stem, 2
        while name in self._names:
            name, number = f"{stem} ({number})", number + 1
        self._names.add(name)
        return name


def _paths(request: WrittenRequest) -> list[str]:
    return [text for key in METHODS if (text := getattr(request, key)) is not None]


def _templates(request: WrittenRequest) -> list[str]:
    return [
        *_paths(request),
        *request.headers.values(),
        request.body or "",
        *request.form,
        *request.form.values(),
    ]


def _events(item: Mapping[str, JsonValue]) -> Iterator[tuple[str, str]]:
    """Yield the scripts of an item, each with when it runs; those without a statement are none."""
    for entry in list_of(item.get("event")):
        event = object_of(entry)
        if event.get("disabled") is True:
            continue
        lines = object_of(event.get("script")).get("exec")
        text = "\n".join(map(text_in, lines)) if isinstance(lines, list) else text_in(lines)
        if text.strip():
            yield text_in(event.get("listen")), text


def _scripts_below(item: Mapping[str, JsonValue]) -> Iterator[ReadScript]:
    """Yield the scripts of an item and of all below it."""
    for listen, text in _events(item):
        yield from scripts_in(parts_of(text, has_answer=listen == "test"))
    for entry in list_of(item.get("item")):
        yield from _scripts_below(object_of(entry))

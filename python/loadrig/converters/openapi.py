"""Descriptions of OpenAPI: one request for each operation.

## What is read

OpenAPI 3.0 to 3.2, as JSON or YAML; a long one as JSON, which is read faster.
Swagger 2.0 is refused: converters of the makers of OpenAPI bring it to 3.0.

## What is carried

Operations, each as a request of the same weight, named by its `operationId`; of a deprecated one a comment
says so.
The first server, with the defaults of its variables; where all operations have servers of their own, that of
most of them.
Operations on other servers name theirs, which stands under `servers`.
Required parameters in path, query, headers and cookies, in their styles.
Values of parameters and bodies: `example`, `const`, `default`, or the first of `examples` or `enum`.
Bodies of JSON, forms (also with files, each field by its `encoding`), and other texts that have an example.
`$ref` within the document, `allOf`, and the first possible choice of `oneOf` and `anyOf`.
Statuses of responses from 200 to 399 as `expect`, and the first type of their content as `Accept`.

## What is altered

A description says no load: the plan has one user, who picks among the requests.
Values that the description does not give are made up, of the right type, format and length; what a `pattern`
wants is not looked at.
Of an object its required properties are sent, and those with an example; all where none is required.
Secrets are never made up: what a security scheme asks for, and texts whose names speak of a secret, come from
a variable of the environment, `{env:SECRET_NAME}`, that you set.
Where the server has no host, the plan loads 127.0.0.1.

## What is dropped

Optional parameters, further servers, further alternatives of security, mutual TLS.
References to other files; where they stand is said.
Headers of the parts of a form; operations on more servers than a plan has.
The methods TRACE and QUERY and further ones, webhooks, callbacks and links.
Bodies of types that are neither JSON nor forms and have no example.

Source: the OpenAPI Specification 3.0.4, 3.1.1 and 3.2.0.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from loadrig.base.units import Count
from loadrig.converters._account import DocumentAccount
from loadrig.converters._address import (
    NOWHERE,
    PlanServers,
    ServerAddress,
    address_of,
    is_header,
    of_one_server,
    one_line,
)
from loadrig.converters._document import JsonValue, list_of, object_of, read_document, text_in
from loadrig.converters._draft import Conversion, PlanDraft, ScenarioDraft, StepDraft
from loadrig.converters._oas_bodies import DocumentBody, body, preferred
from loadrig.converters._oas_parameters import IN_A_PATH, RESERVED, encoded, in_path, in_query, simple
from loadrig.converters._oas_refs import DocumentReferences
from loadrig.converters._oas_samples import Nothing, SchemaSampler
from loadrig.converters._oas_security import SecuritySchemes
from loadrig.converters._source import TestSource, encoding_of
from loadrig.language.choice import texts_of
from loadrig.language.en.converters.openapi import ConvertersOpenapiErrors, ConvertersOpenapiTexts
from loadrig.language.en.converters.room import ConvertersTexts
from loadrig.plan.arrivals import Users
from loadrig.plan.holes import literal
from loadrig.plan.requests import Expect
from loadrig.plan.servers import MOST_SERVERS
from loadrig.plan.written import METHODS, WrittenRequest

TEXTS, ERRORS = texts_of(ConvertersOpenapiTexts), texts_of(ConvertersOpenapiErrors)
ROOM_TEXTS = texts_of(ConvertersTexts)

TOOL = "OpenAPI"
FILES = TEXTS.files

MOST_OPERATIONS = 2_000
"""Operations that become requests at most. The longest descriptions of people have some thousand."""

MOST_BODY_LETTERS = 400_000
"""Letters of all bodies at most: a plan has a million, and a file of a few lines may mean any number."""

_VERSION = re.compile(r"""^[{\s,]*["']?(?:openapi|swagger)["']?\s*:\s*["']?[23]\.""", re.MULTILINE)
_IN_JSON = re.compile(r'(?<!\\)"(?:openapi|swagger)"\s*:\s*"[23]\.')
_READ = re.compile(r"3\.[012](?:\.\d+)?(?:-\S+)?")
_OPEN_HOST = re.compile(r"^\{[^/]*(//[^/]*)?")
"""Host of a server that a variable without a default stands for: "{host}/v1", "{scheme}://host"."""

_HOLE = re.compile(r"\{([^{}]*)\}")
_NO_BODY = ("get", "head")
_NO_METHODS = ("trace", "query")
"""Methods of OpenAPI that a plan has not, beside those of `additionalOperations`."""

_GOOD = range(200, 400)
"""Statuses that a plan takes for good by itself."""

_SET_BY_SCHEMES = ("accept", "content-type", "authorization")
"""Headers that OpenAPI takes from elsewhere; a parameter of such a name means nothing."""


def recognises(head: bytes, name: str) -> bool:
    """Return whether the first bytes name a version of OpenAPI or Swagger."""
    del name
    text = head.decode(encoding_of(head), "replace").lstrip("\ufeff")
    if text.lstrip().startswith("{"):
        return _IN_JSON.search(text) is not None
    return _VERSION.search(text) is not None


def convert(source: TestSource) -> Conversion:
    """Return the plan of a description. Raise PlanError `import.bad-test`, `import.too-large`."""
    root = read_document(source)
    version = text_in(object_of(root).get("openapi"))
    if "swagger" in object_of(root):
        raise source.bad(ERRORS.swagger, ERRORS.convert_first, place=source.name)
    if not _READ.fullmatch(version):
        raise source.bad(ERRORS.other_version(version[:40]), ERRORS.versions_read, place=source.name)
    return _DescriptionConversion(object_of(root)).result()


class _DescriptionConversion:
    """Work on one description."""

    def __init__(self, root: dict[str, JsonValue]) -> None:
        self._root = root
        self._account = DocumentAccount()
        self._references = DocumentReferences(root)
        self._security = SecuritySchemes(root, self._references, self._account)
        self._letters_left = MOST_BODY_LETTERS
        self._names: dict[str, None] = {}
        self._operations = 0

    def result(self) -> Conversion:
        """Return the plan and the account of it."""
        self._account.place = TEXTS.description
        self._account.alter(TEXTS.load, TEXTS.one_user)
        address, base = self._server(self._servers(), tells=True)
        self._plan_servers = PlanServers((address or NOWHERE).url)
        if self._root.get("webhooks"):
            self._account.place = "webhooks"
            self._account.drop(TEXTS.requests_to_you, TEXTS.no_webhooks)
        steps = list(self._steps(base))
        self._account.place, self._account.order = TEXTS.description, 2 * self._operations + 1
        if self._operations > MOST_OPERATIONS:
            left_out = self._operations - MOST_OPERATIONS
            self._account.drop(TEXTS.operations, TEXTS.too_many_operations(left_out, MOST_OPERATIONS))
        plan = PlanDraft(
            **self._plan_servers.parts(),
            arrivals=Users(count=Count(1)),
            scenarios=tuple(ScenarioDraft("", (step,)) for step in steps),
            name=text_in(object_of(self._root.get("info")).get("title"))[:200].strip(),
        )
        return Conversion(
            plan, self._account.parts.dropped, self._account.parts.altered, self._account.parts.carried
        )

    # --- servers ----------------------------------------------------------------------------------

    def _server(self, servers: JsonValue, *, tells: bool) -> tuple[ServerAddress | None, str]:
        """Return the address of the first server, and the path that all its requests begin with."""
        first, *others = list_of(servers) or [{"url": "/"}]
        address, base = address_of(_filled(object_of(first)))
        if address is None:
            base = _OPEN_HOST.sub("", base)
        if tells:
            self._account.place = "servers"
            if address is None:
                self._account.alter(TEXTS.server, TEXTS.host_not_fixed)
            for server in others:
                self._account.drop(text_in(object_of(server).get("url")) or TEXTS.server, TEXTS.first_server)
        return address, literal(encoded(base, f"{IN_A_PATH}/%"))

    def _servers(self) -> JsonValue:
        """Return the servers that requests go to: those of the description, or of most of its operations."""
        own = [
            object_of(operation).get("servers") or object_of(item).get("servers")
            for item in object_of(self._root.get("paths")).values()
            for method, operation in object_of(item).items()
            if method in METHODS
        ]
        if not own or not all(own):
            return self._root.get("servers")
        by_text = {json.dumps(servers, sort_keys=True): servers for servers in own}
        counts = Counter(json.dumps(servers, sort_keys=True) for servers in own)
        return by_text[counts.most_common(1)[0][0]]

    # --- operations -------------------------------------------------------------------------------

    def _steps(self, base: str) -> Iterator[StepDraft]:
        self._account.place = "paths"
        paths = self._references.followed(self._root.get("paths"))
        self._tell_lost()
        for path, entry in paths.items():
            if path.startswith("x-"):
                continue
            self._account.place, self._account.order = path, 2 * self._operations + 1
            item = self._references.followed(entry)
            self._tell_lost()
            for method in object_of(item.get("additionalOperations")):
                self._account.drop(TEXTS.operation, TEXTS.no_method(method[:40]))
            for method, operation in item.items():
                if method not in (*METHODS, *_NO_METHODS) or not isinstance(operation, dict):
                    continue
                self._operations += 1
                self._account.place = f"{method.upper()} {path}"
                self._account.order = 2 * self._operations - 1
                if self._operations > MOST_OPERATIONS:
                    continue
                if method in _NO_METHODS:
                    self._account.drop(TEXTS.operation, TEXTS.no_method(method.upper()))
                    continue
                step = self._step(method, path, base, item, operation)
                self._tell_lost()
                if step is not None:
                    self._account.carry(TEXTS.operations)
                    yield step

    def _step(
        self,
        method: str,
        path: str,
        base: str,
        item: Mapping[str, JsonValue],
        operation: dict[str, JsonValue],
    ) -> StepDraft | None:
        url = self._plan_servers.target
        if own := operation.get("servers") or item.get("servers"):
            address, base = self._server(own, tells=False)
            url = address.url if address is not None else url
            if not self._plan_servers.take(url):
                self._account.drop(TEXTS.operation, ROOM_TEXTS.too_many_servers(MOST_SERVERS))
                return None
            if address is None and not text_in(object_of(list_of(own)[0]).get("url")).startswith("/"):
                self._account.alter(TEXTS.server, TEXTS.host_not_fixed)
        if operation.get("callbacks"):
            self._account.drop("callbacks", TEXTS.no_webhooks)
        request = _RequestMaker(self._references, self._account)
        request.parameters(self._parameters(item, operation))
        credentials = self._security.credentials(operation.get("security", self._root.get("security")))
        headers = {**self._accepted(operation), **request.headers, **credentials.headers}
        cookies = [*request.cookies, *credentials.cookies]
        if cookies:
            headers["Cookie"] = "; ".join(cookies)
        written = self._body(method, operation)
        if written.kind:
            headers["Content-Type"] = one_line(literal(written.kind))
        query = "&".join(part for part in (*request.query, *credentials.query) if part)
        address_path = of_one_server(f"{base}{request.path(path)}") + (f"?{query}" if query else "")
        parts: dict[str, Any] = {method: address_path, **self._plan_servers.keys(url), **written.parts}
        return StepDraft(
            WrittenRequest(
                name=self._name(operation, method, path),
                headers=headers,
                expect=Expect(status=_statuses(operation)),
                **parts,
            ),
            2 * self._operations,
            TEXTS.deprecated if operation.get("deprecated") is True else "",
        )

    def _name(self, operation: dict[str, JsonValue], method: str, path: str) -> str:
        stem = text_in(operation.get("operationId")).strip()[:200] or f"{method.upper()} {path}"
        name, number = stem, 2
        while name in self._names:
            name, number = f"{stem} ({number})", number + 1
        self._names[name] = None
        return name

    def _parameters(
        self, item: Mapping[str, JsonValue], operation: Mapping[str, JsonValue]
    ) -> list[dict[str, JsonValue]]:
        """Return the parameters of an operation: its own, and those of its path that it does not replace."""
        merged: dict[tuple[str, str], dict[str, JsonValue]] = {}
        for entry in (*list_of(item.get("parameters")), *list_of(operation.get("parameters"))):
            parameter = self._references.followed(entry)
            name = text_in(parameter.get("name"))
            if name:
                merged[name, text_in(parameter.get("in"))] = parameter
        return list(merged.values())

    def _accepted(self, operation: Mapping[str, JsonValue]) -> dict[str, str]:
        for status, response in object_of(operation.get("responses")).items():
            if not status.startswith("2") and status != "default":
                continue
            for kind in object_of(self._references.followed(response).get("content")):
                if "*" not in kind and kind.isprintable():
                    return {"Accept": literal(kind)}
        return {}

    def _body(self, method: str, operation: Mapping[str, JsonValue]) -> DocumentBody:
        declared = self._references.followed(operation.get("requestBody"))
        content = object_of(declared.get("content"))
        kinds = preferred(list(content))
        if not kinds:
            return DocumentBody({})
        if method in _NO_BODY:
            self._account.drop(TEXTS.body, TEXTS.no_body_here(method.upper()))
            return DocumentBody({})
        for kind in kinds:
            sampler = SchemaSampler(self._references)
            written = body(kind, self._references.followed(content[kind]), sampler)
            if written is None:
                continue
            letters = len(json.dumps(written.parts))
            if letters > self._letters_left:
                self._account.drop(TEXTS.body, TEXTS.long_bodies(MOST_BODY_LETTERS))
                return DocumentBody({})
            self._letters_left -= letters
            _tell(self._account, TEXTS.body, sampler)
            self._account.carry(TEXTS.bodies)
            return written
        self._account.drop(TEXTS.body, TEXTS.no_such_body(", ".join(kinds)[:80]))
        return DocumentBody({})

    def _tell_lost(self) -> None:
        for name in self._references.take_lost():
            self._account.drop(f"$ref {name}", TEXTS.leads_nowhere)


class _RequestMaker:
    """Parameters of one operation: its path, query, headers and cookies."""

    def __init__(self, references: DocumentReferences, account: DocumentAccount) -> None:
        self.query: list[str] = []
        self.headers: dict[str, str] = {}
        self.cookies: list[str] = []
        self._in_path: dict[str, str] = {}
        self._references = references
        self._account = account

    def parameters(self, parameters: list[dict[str, JsonValue]]) -> None:
        """Take the required parameters; note the others."""
        optional = []
        for parameter in parameters:
            name, place = text_in(parameter.get("name")), text_in(parameter.get("in"))
            if place == "header" and name.lower() in _SET_BY_SCHEMES:
                continue
            if place != "path" and parameter.get("required") is not True:
                optional.append(name)
            elif self._take(name, place, parameter):
                self._account.carry(TEXTS.parameters)
        if optional:
            self._account.drop(TEXTS.parameters_named(", ".join(optional)), TEXTS.optional)

    def path(self, template: str) -> str:
        """Return the path of an operation with its parameters in place."""
        path, place = "", 0
        for match in _HOLE.finditer(template):
            path += literal(encoded(template[place : match.start()], f"{IN_A_PATH}/"))
            place = match.end()
            if match[1] not in self._in_path:
                self._account.alter(TEXTS.parameter(match[1]), TEXTS.not_declared)
            path += self._in_path.get(match[1], "1")
        path += literal(encoded(template[place:], f"{IN_A_PATH}/"))
        return path if path.startswith("/") else f"/{path}"

    def _take(self, name: str, place: str, parameter: dict[str, JsonValue]) -> bool:
        sampler = SchemaSampler(self._references)
        value = self._value(name, parameter, sampler)
        if isinstance(value, Nothing):
            self._account.drop(TEXTS.parameter(name), TEXTS.no_value)
            return False
        style = text_in(parameter.get("style"))
        explode = parameter.get("explode", style in ("", "form") and place in ("query", "cookie")) is True
        match place:
            case "path":
                self._in_path[name] = in_path(name, value, style, explode=explode)
            case "query":
                safe = f"-._~{RESERVED}" if parameter.get("allowReserved") is True else "-._~"
                part = in_query(name, value, style, explode=explode, encode=lambda text: encoded(text, safe))
                self.query.append(part)
            case "header" if is_header(name):
                self.headers[name] = simple(value, explode=explode, encode=one_line)
            case "cookie":
                self.cookies.append(
                    in_query(name, value, "form", explode=explode, encode=encoded).replace("&", "; ")
                )
            case _:
                self._account.drop(TEXTS.parameter(name), TEXTS.no_such_place)
                return False
        _tell(self._account, TEXTS.parameter(name), sampler)
        return True

    def _value(
        self, name: str, parameter: dict[str, JsonValue], sampler: SchemaSampler
    ) -> JsonValue | Nothing:
        value = sampler.example(parameter)
        if not isinstance(value, Nothing):
            return value
        for media in object_of(parameter.get("content")).values():
            inner = sampler.followed(media)
            value = sampler.example(inner)
            value = sampler.value(inner.get("schema"), name) if isinstance(value, Nothing) else value
            return value if isinstance(value, Nothing | str) else json.dumps(value, ensure_ascii=False)
        return sampler.value(parameter.get("schema"), name)


def _tell(account: DocumentAccount, what: str, sampler: SchemaSampler) -> None:
    """Note what of a value is made up, open, or left out."""
    places = [place or TEXTS.whole_value for place in sampler.made]
    if places:
        account.alter(what, TEXTS.made_up(_listed(places)))
    if sampler.unlike:
        account.alter(
            what, TEXTS.no_patterns(_listed([place or TEXTS.whole_value for place in sampler.unlike]))
        )
    if sampler.secrets:
        account.alter(what, TEXTS.secrets_wanted(_listed(sampler.secrets)))
    if sampler.part_headers:
        account.drop(what, TEXTS.headers_of_parts(_listed(sampler.part_headers)))
    if sampler.is_cut:
        account.alter(what, TEXTS.has_no_end)


_MOST_NAMED = 8
"""Places that a note names at most."""


def _listed(places: list[str]) -> str:
    unlike = list(dict.fromkeys(places))
    rest = len(unlike) - _MOST_NAMED
    return ", ".join(unlike[:_MOST_NAMED]) + (f", +{rest}" if rest > 0 else "")


def _statuses(operation: Mapping[str, JsonValue]) -> tuple[int, ...]:
    """Return the good statuses that an operation names; none where it names a range, or any."""
    statuses = list(object_of(operation.get("responses")))
    if any(status.upper() in ("2XX", "3XX") for status in statuses):
        return ()
    numbers = [int(status) for status in statuses if re.fullmatch(r"[0-9]{3}", status, re.ASCII)]
    return tuple(sorted(number for number in numbers if number in _GOOD))


def _filled(server: dict[str, JsonValue]) -> str:
    """Return the address of a server with the defaults of its variables."""
    variables = object_of(server.get("variables"))

    def default(match: re.Match[str]) -> str:
        return text_in(object_of(variables.get(match[1])).get("default")) or match[0]

    return _HOLE.sub(default, text_in(server.get("url"))[:2000])

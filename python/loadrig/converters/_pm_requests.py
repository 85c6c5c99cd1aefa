"""A request of Postman as a request of a plan: address, query, headers, login and body.

Source: the schema of collections 2.1, and the guides of Postman for requests and authorization.
"""

import base64
import contextlib
import json
import re
import socket
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from mimetypes import guess_type
from typing import Any
from urllib.parse import unquote

from loadrig.base.units import Count
from loadrig.converters._account import DocumentAccount
from loadrig.converters._address import (
    ServerAddress,
    address_of,
    is_header,
    joined_values,
    of_one_server,
    one_line,
)
from loadrig.converters._document import JsonValue, json_text, list_of, object_of, text_in
from loadrig.converters._draft import FileDraft
from loadrig.converters._jmx_bodies import MOST_FILE_BYTES, safe_file_name
from loadrig.converters._jmx_multipart import BOUNDARY, FormField, FormFile, body_of
from loadrig.converters._oas_parameters import encoded
from loadrig.converters._pm_variables import PostmanVariables
from loadrig.converters._secret_holes import secret_variable
from loadrig.converters._source import TestSource
from loadrig.language.choice import texts_of
from loadrig.language.en.converters.postman import ConvertersPostmanTexts
from loadrig.language.en.converters.room import ConvertersTexts
from loadrig.plan.holes import literal
from loadrig.plan.written import METHODS

TEXTS, ROOM_TEXTS = texts_of(ConvertersPostmanTexts), texts_of(ConvertersTexts)

MOST_REDIRECTS = 10
"""Redirects that Postman follows at most."""

_ADDRESS = re.compile(r"(?:([A-Za-z][A-Za-z0-9+.-]*)://)?([^/?#]*)([^#]*)", re.DOTALL)
_HOLES = re.compile(r"\{\{[^{}]*\}\}")
_NUMBERS = re.compile(r"(?:0[xX][0-9a-fA-F]*|\d+)(?:\.(?:0[xX][0-9a-fA-F]*|\d+)){0,3}")
_TYPES = {
    "json": "application/json",
    "xml": "application/xml",
    "html": "text/html",
    "javascript": "application/javascript",
    "text": "text/plain",
}
"""Types that Postman gives to a raw body by its language."""

_NOT_IN_A_PATH = re.compile(r"[^!-~]|[\"#<>?`{}]")
_NOT_IN_A_QUERY = re.compile(r"[^!-~]|[\"#<>']")
"""Signs that Postman encodes in paths and queries; all others are sent as they stand."""

_SAME_IN_FORMS = re.compile(r"[A-Za-z0-9._-]*", re.ASCII)
"""Pattern of texts that every way to encode a form leaves as they are."""

_NO_BODY = ("GET", "HEAD")
"""Methods whose body Postman does not send, unless it is told to."""


@dataclass(frozen=True, slots=True)
class CollectionRequest:
    """Parts of a request, as `WrittenRequest` takes them, and its server; None where nothing fixes it."""

    address: ServerAddress | None
    parts: Mapping[str, Any]
    files: tuple[FileDraft, ...]


class RequestReader:
    """Reader of a collection's requests."""

    def __init__(self, variables: PostmanVariables, account: DocumentAccount, source: TestSource) -> None:
        self._variables = variables
        self._account = account
        self._source = source

    def request(
        self, request: JsonValue, login: JsonValue, behaviour: Mapping[str, JsonValue]
    ) -> CollectionRequest | None:
        """Return a request; None, and a note, where a plan cannot send it. login: what it inherits."""
        request = {"url": request} if isinstance(request, str) else object_of(request)
        method = (text_in(request.get("method")) or "GET").upper()
        if method.lower() not in METHODS:
            self._account.drop(TEXTS.request, TEXTS.other_method(method[:40]))
            return None
        url = self._url(request.get("url"))
        if not url.strip():
            self._account.drop(TEXTS.request, TEXTS.no_address)
            return None
        parts_of_url = object_of(request.get("url"))
        address, path = self._address(url, parts_of_url)
        if behaviour.get("disableUrlEncoding") is True:
            self._note_encoding(url)
        headers = self._headers(request.get("header"))
        query = self._login(request.get("auth") or login, headers)
        self._login_of_address(url, object_of(parts_of_url.get("auth")), headers)
        path += ("&" if "?" in path else "?") + query if query else ""
        parts: dict[str, Any] = {method.lower(): path}
        files: tuple[FileDraft, ...] = ()
        body = object_of(request.get("body"))
        is_sent = method not in _NO_BODY or behaviour.get("disableBodyPruning") is True
        if is_sent and body.get("disabled") is not True:
            files = self._body(body, parts, headers)
        parts["headers"] = headers
        if behaviour.get("followRedirects") is not False:
            parts["follow_redirects"] = Count(MOST_REDIRECTS)
        return CollectionRequest(address, parts, files)

    # --- address ----------------------------------------------------------------------------------

    def _url(self, url: JsonValue) -> str:
        """Return an address as a text, with variables in it."""
        if isinstance(url, str):
            return url
        parts = object_of(url)
        host = parts.get("host")
        if not host:
            return text_in(parts.get("raw"))
        text = ".".join(map(text_in, host)) if isinstance(host, list) else text_in(host)
        if scheme := text_in(parts.get("protocol")).removesuffix("://"):
            text = f"{scheme}://{text}"
        if port := text_in(parts.get("port")):
            text += f":{port}"
        path = parts.get("path")
        steps = path if isinstance(path, list) else text_in(path).removeprefix("/").split("/")
        named = (text_in(step.get("value") if isinstance(step, dict) else step) for step in steps)
        text += "/" + "/".join(named) if path else ""
        pairs = []
        for pair in list_of(parts.get("query")):
            pair = object_of(pair)
            if pair.get("disabled") is not True:
                key, value = _of_query(text_in(pair.get("key")), "#&="), pair.get("value")
                pairs.append(key + ("" if value is None else f"={_of_query(text_in(value), '#&')}"))
        return text + ("?" + "&".join(pairs) if pairs else "")

    def _address(self, url: str, parts: Mapping[str, JsonValue]) -> tuple[ServerAddress | None, str]:
        """Return the server of an address, and its path as a template."""
        scheme, host, rest = self._split(url)
        host = _as_sent(host.rpartition("@")[2])
        address = None if "{{" in host else address_of(f"{scheme}://{host}")[0]
        if address is None:
            self._account.alter(TEXTS.server, TEXTS.host_not_fixed(host[:80]))
        path, sign, query = rest.partition("?")
        values = {
            # Older collections name a variable by its id.
            text_in(entry.get("key")) or text_in(entry.get("id")): text_in(entry.get("value"))
            for entry in map(object_of, list_of(parts.get("variable")))
        }
        steps = [values.get(step[1:], step) if step.startswith(":") else step for step in path.split("/")]
        template = of_one_server(self._variables.template("/".join(steps), _encoded_path))
        template += sign + self._variables.template(query, _encoded_query)
        return address, template if template.startswith("/") else f"/{template}"

    def _split(self, url: str) -> tuple[str, str, str]:
        """Return scheme, host and the rest of an address."""
        # Of spaces around it Postman takes away those before it alone.
        match = _ADDRESS.match(self._variables.expanded(url).lstrip())
        assert match is not None
        return match[1] or "http", match[2], match[3]

    def _note_encoding(self, url: str) -> None:
        """Note that signs are encoded which Postman is told to send as they stand."""
        path, _, query = self._split(url)[2].partition("?")
        if _NOT_IN_A_PATH.search(_HOLES.sub("", path)) or _NOT_IN_A_QUERY.search(_HOLES.sub("", query)):
            self._account.alter(TEXTS.request, TEXTS.encoded_all_the_same)

    def _login_of_address(self, url: str, fields: Mapping[str, JsonValue], headers: dict[str, str]) -> None:
        """Add the name and the password of an address as a header, where there is no other login."""
        before, sign, _ = self._split(url)[1].rpartition("@")
        if fields and not sign:
            texts = [self._variables.expanded(text_in(fields.get(key))) for key in ("user", "password")]
            before = ":".join(texts)
        if not (sign or fields) or any(name.lower() == "authorization" for name in headers):
            return
        if "{{" in before:
            self._account.drop(TEXTS.login_in_address, TEXTS.as_header)
            return
        name, _, password = before.partition(":")
        pair = f"{unquote(name)}:{unquote(password)}"
        headers["Authorization"] = "Basic " + base64.b64encode(pair.encode()).decode()
        self._account.carry(TEXTS.logins)

    # --- headers ----------------------------------------------------------------------------------

    def _headers(self, declared: JsonValue) -> dict[str, str]:
        headers: dict[str, tuple[str, str]] = {}
        for name, value in _header_pairs(declared):
            name = (self._variables.constant(name) or "").strip()
            if not is_header(name) or name.lower() == "host":
                self._account.drop(TEXTS.header(name[:80]), TEXTS.own_header)
                continue
            text = one_line(self._variables.template(value))
            _, before = headers.get(name.lower(), ("", ""))
            if before:
                self._account.alter(TEXTS.header(name), ROOM_TEXTS.headers_joined)
                text = joined_values(name, before, text)
            headers[name.lower()] = (name, text)
        return dict(headers.values())

    def _login(self, login: JsonValue, headers: dict[str, str]) -> str:
        """Add a login to the headers, or return what it adds to the query."""
        kind = text_in(object_of(login).get("type"))
        written = object_of(login).get(kind)
        fields = object_of(written) or {
            text_in(object_of(entry).get("key")): object_of(entry).get("value") for entry in list_of(written)
        }
        match kind:
            case "" | "noauth":
                return ""
            case "basic":
                value = self._basic(fields)
            case "bearer":
                value = f"Bearer {self._secret(fields, 'token', 'bearer token')}"
            case "oauth2":
                prefix = text_in(fields.get("headerPrefix")).strip() or "Bearer"
                value = f"{literal(prefix)} {self._secret(fields, 'accessToken', 'oauth2 token')}"
            case "apikey":
                return self._key(fields, headers)
            case _:
                self._account.drop(TEXTS.login, TEXTS.other_login(kind[:40]))
                return ""
        self._account.carry(TEXTS.logins)
        if not any(name.lower() == "authorization" for name in headers):
            headers["Authorization"] = one_line(value)
        return ""

    def _basic(self, fields: Mapping[str, JsonValue]) -> str:
        user, password = (
            self._variables.constant(text_in(fields.get(key))) for key in ("username", "password")
        )
        if user is not None and password:
            return "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()
        variable = secret_variable("basic login")
        self._account.alter(TEXTS.login, TEXTS.user_and_password(variable))
        return f"Basic {{env:{variable}}}"

    def _key(self, fields: Mapping[str, JsonValue], headers: dict[str, str]) -> str:
        name = self._variables.constant(text_in(fields.get("key"))) or ""
        is_query = text_in(fields.get("in")) == "query" and bool(name)
        value = self._secret(fields, "value", name, _encoded_query if is_query else str)
        if is_query:
            self._account.carry(TEXTS.logins)
            return f"{literal(encoded(name))}={value}"
        if not is_header(name):
            self._account.drop(TEXTS.login, TEXTS.own_header)
            return ""
        self._account.carry(TEXTS.logins)
        headers[name] = one_line(value)
        return ""

    def _secret(
        self, fields: Mapping[str, JsonValue], key: str, name: str, encode: Callable[[str], str] = str
    ) -> str:
        """Return a secret of a login as a template: what is given, else a hole that a person fills."""
        if text := self._variables.template(text_in(fields.get(key)), encode):
            return text
        variable = secret_variable(name)
        self._account.alter(TEXTS.login, TEXTS.secret_wanted(variable))
        return f"{{env:{variable}}}"

    # --- bodies -----------------------------------------------------------------------------------

    def _body(
        self, body: Mapping[str, JsonValue], parts: dict[str, Any], headers: dict[str, str]
    ) -> tuple[FileDraft, ...]:
        mode = text_in(body.get("mode"))
        content = body.get(mode)
        match mode:
            case "raw" if text_in(content):
                parts["body"] = self._variables.template(text_in(content))
                language = object_of(object_of(body.get("options")).get("raw")).get("language")
                _give_type(headers, _TYPES.get(text_in(language), _TYPES["text"]))
            case "urlencoded" if not _enabled(list_of(content)):
                # Postman sends no body then, and no type of one.
                return ()
            case "urlencoded":
                self._form(list_of(content), parts, headers)
            case "formdata":
                return self._multipart(list_of(content), parts, headers)
            case "graphql":
                self._graphql(object_of(content), parts, headers)
            case "file":
                return self._file(object_of(content), parts, headers)
            case "" | "raw" | "none":
                return ()
            case _:
                self._account.drop(TEXTS.body, TEXTS.other_body(mode[:40]))
                return ()
        self._account.carry(TEXTS.bodies)
        return ()

    def _form(self, entries: list[JsonValue], parts: dict[str, Any], headers: dict[str, str]) -> None:
        pairs = [(text_in(entry.get("key")), text_in(entry.get("value"))) for entry in _enabled(entries)]
        names = [self._variables.template(name) for name, _ in pairs]
        # What fills a hole is encoded in a form alone; fixed texts are written as Postman encodes them.
        texts = [self._variables.constant(text) for pair in pairs for text in pair]
        is_form = None in texts or all(_SAME_IN_FORMS.fullmatch(text or "") for text in texts)
        if is_form and len(set(names)) == len(names) and pairs and not _has_type(headers):
            values = [self._variables.template(value) for _, value in pairs]
            parts["form"] = dict(zip(names, values, strict=True))
            return
        _give_type(headers, "application/x-www-form-urlencoded")
        encode = self._variables.template
        if text := "&".join(f"{encode(name, encoded)}={encode(value, encoded)}" for name, value in pairs):
            parts["body"] = text

    def _multipart(
        self, entries: list[JsonValue], parts: dict[str, Any], headers: dict[str, str]
    ) -> tuple[FileDraft, ...]:
        fields: list[FormField] = []
        files: list[FormFile] = []
        for entry in _enabled(entries):
            name = text_in(entry.get("key"))
            if entry.get("type") != "file":
                kind = one_line(text_in(entry.get("contentType")))
                pieces = self._variables.pieces
                fields.append(
                    FormField(pieces(name), pieces(text_in(entry.get("value"))), kind, is_bare=True)
                )
                continue
            paths = entry["src"] if isinstance(entry.get("src"), list) else [entry.get("src")]
            files += [
                FormFile(name, _base_name(path), guess_type(path)[0] or "", content, is_bare=True)
                for path in map(text_in, paths)
                if (content := self._content(path)) is not None
            ]
        if not fields and not files:
            # Postman sends no body then, and no type of one.
            return ()
        body = body_of(fields, files)
        for header in [header for header in headers if header.lower() == "content-type"]:
            del headers[header]
        if body is None:
            self._account.drop(TEXTS.body, TEXTS.no_multipart)
            return ()
        headers["Content-Type"] = f"multipart/form-data; boundary={BOUNDARY}"
        self._account.carry(TEXTS.bodies)
        if isinstance(body, str):
            parts["body"] = body
            return ()
        return self._as_file("form.bin", body, parts)

    def _graphql(
        self, content: Mapping[str, JsonValue], parts: dict[str, Any], headers: dict[str, str]
    ) -> None:
        written = {"query": text_in(content.get("query"))}
        if name := text_in(content.get("operationName")):
            written["operationName"] = name
        text = json.dumps(written, ensure_ascii=False, separators=(",", ":"))
        raw = content.get("variables")
        variables = raw if isinstance(raw, str) else json.dumps(raw) if raw else ""
        if variables.strip():
            if json_text(self._variables.expanded(variables)) is None and "{{" not in variables:
                self._account.drop(TEXTS.graphql_variables, TEXTS.no_json)
            else:
                text = f'{text[:-1]},"variables":{variables.strip()}}}'
        parts["body"] = self._variables.template(text)
        _give_type(headers, _TYPES["json"])

    def _file(
        self, content: Mapping[str, JsonValue], parts: dict[str, Any], headers: dict[str, str]
    ) -> tuple[FileDraft, ...]:
        path = text_in(content.get("src"))
        data = self._content(path)
        if data is None:
            return ()
        self._account.carry(TEXTS.bodies)
        # Postman gives any file this type: `getRequestOptions` of postmanlabs/postman-runtime.
        _give_type(headers, _TYPES["text"])
        return self._as_file(_base_name(path), data, parts)

    def _as_file(self, name: str, content: bytes, parts: dict[str, Any]) -> tuple[FileDraft, ...]:
        draft = FileDraft(f"body-{self._account.order}-{name}", content)
        parts["body_file"] = draft.name
        return (draft,)

    def _content(self, name: str) -> bytes | None:
        """Return the bytes of a file that a body names; None, and a note, where it is not beside the test."""
        path = self._source.beside(self._variables.constant(name) or "") if name else None
        if path is None or path.stat().st_size > MOST_FILE_BYTES:
            self._account.drop(TEXTS.file(name[:80]), TEXTS.no_file_beside)
            return None
        return path.read_bytes()


def _as_sent(host: str) -> str:
    """Return a host with its port as Postman names it: `127.1` and its like are whole addresses.

    Source: WHATWG, URL, IPv4 parser, which reads them as `inet_aton` does.
    """
    name, sign, port = host.partition(":")
    if _NUMBERS.fullmatch(name) is None:
        return host
    with contextlib.suppress(OSError):
        name = socket.inet_ntoa(socket.inet_aton(name))
    return name + sign + port


def _encoded_path(text: str) -> str:
    return _NOT_IN_A_PATH.sub(_percent, text)


def _encoded_query(text: str) -> str:
    return _NOT_IN_A_QUERY.sub(_percent, text)


def _of_query(text: str, signs: str) -> str:
    """Return a key or a value without signs that would end it in a query; variables are filled later."""
    pattern = rf"\{{\{{[^{{}}]*\}}\}}|[{signs}]"
    return re.sub(pattern, lambda match: _percent(match) if len(match[0]) == 1 else match[0], text)


def _percent(match: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in match[0].encode())


def _base_name(path: str) -> str:
    return safe_file_name(path.replace("\\", "/").rpartition("/")[2])


def _enabled(entries: list[JsonValue]) -> list[dict[str, JsonValue]]:
    return [object_of(entry) for entry in entries if object_of(entry).get("disabled") is not True]


def _header_pairs(declared: JsonValue) -> list[tuple[str, str]]:
    """Return headers as names and values, also of a text of lines, as older collections have them."""
    if isinstance(declared, str):
        lines = (line.partition(":") for line in declared.splitlines() if ":" in line)
        return [(name.strip(), value.strip()) for name, _, value in lines]
    return [(text_in(entry.get("key")), text_in(entry.get("value"))) for entry in _enabled(list_of(declared))
            if text_in(entry.get("key"))]  # fmt: skip


def _has_type(headers: Mapping[str, str]) -> bool:
    return any(name.lower() == "content-type" for name in headers)


def _give_type(headers: dict[str, str], kind: str) -> None:
    if not _has_type(headers):
        headers["Content-Type"] = kind

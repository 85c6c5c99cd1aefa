"""A command of curl as requests of a plan, and what a plan cannot say of it.

Source: src/tool_operate.c and src/tool_getparam.c of curl/curl.
"""

import base64
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import SplitResult, unquote

from loadrig.converters._account import PartsAccount
from loadrig.converters._address import ServerAddress, joined_values
from loadrig.converters._curl_body import FORM, MULTIPART, CurlBody
from loadrig.converters._curl_options import OF_CONNECTIONS, OF_LOGINS, OF_OUTPUT, OF_TLS, CurlOption
from loadrig.converters._jmx_bodies import MOST_FILE_BYTES
from loadrig.converters._jmx_multipart import BOUNDARY
from loadrig.converters._plain_requests import (
    OWN_HEADERS,
    TOKEN,
    PlainRequest,
    address_of,
    can_be_asked,
    target_of,
)
from loadrig.converters._shell_words import ShellCommand, is_open_sign
from loadrig.converters._source import TestSource
from loadrig.language.choice import texts_of
from loadrig.language.en.converters.curl import ConvertersCurlTexts
from loadrig.language.en.converters.room import ConvertersTexts
from loadrig.plan.holes import literal

TEXTS, ROOM_TEXTS = texts_of(ConvertersCurlTexts), texts_of(ConvertersTexts)

MOST_REDIRECTS = 50
"""Redirects that curl follows at most where --max-redirs says nothing. Source: curl(1)."""

SHORTEST_S = 0.001
"""Time-out at least, in seconds: the shortest that a plan and curl have."""

LONGEST_S = 86_400.0
"""Time-out at most, in seconds: a day is longer than any load waits for an answer."""

_DATA = ("data", "data-ascii", "data-raw", "data-binary", "data-urlencode", "json", "url-query")
_FORMS = ("form", "form-string")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
_PATTERN = re.compile(r"\{[^{}]*,[^{}]*\}|\{[^{}]+\}|\[[^\[\]]+-[^\[\]]+\]")
_BREAKS = re.compile(r"[\r\n\0]+")
_FLAGS = ("location", "location-trusted", "insecure", "compressed", "globoff", "path-as-is")
_STANDS_FOR_NOTHING = frozenset(("basic", "disable", "no-sessionid", "no-basic", "raw"))


def order_of_part(line: int) -> int:
    """Return the position of a part of a command in the file. A request comes behind its last line."""
    return 2 * line


@dataclass(slots=True)
class CommandSettings:
    """Settings that the options of one request make. upload: the file that is sent, None without one."""

    body: CurlBody
    method: str = ""
    urls: list[str] = field(default_factory=list)
    headers: list[str] = field(default_factory=list)
    cookies: list[str] = field(default_factory=list)
    fields: dict[str, str] = field(default_factory=dict)
    flags: set[str] = field(default_factory=set)
    upload: str | None = None
    timeout_s: float | None = None
    most_redirects: int = MOST_REDIRECTS
    made_headers: dict[tuple[str | None, str | None], dict[str, str]] = field(default_factory=dict)
    """Headers that were made, by the login of the address: a command may have many of both."""


class CommandReader:
    """Reader of the commands of one file."""

    def __init__(self, source: TestSource, account: PartsAccount, variables: Mapping[str, str]) -> None:
        self._source = source
        self._account = account
        self._variables = variables
        self.connect_timeouts_s: list[float] = []
        self.insecure: set[bool] = set()
        self.keeps_cookies: set[bool] = set()
        self.compressed: set[bool] = set()

    def requests(self, command: ShellCommand, options: Sequence[CurlOption]) -> list[PlainRequest]:
        """Return the requests of a command: for each address, and each part behind --next, its own."""
        requests: list[PlainRequest] = []
        part: list[CurlOption] = []
        for option in (*options, CurlOption("next", "--next", "", command.line)):
            if option.name != "next" or option.is_open:
                part.append(option)
                continue
            requests += self._part(command, part)
            part = []
        return requests

    # --- options ----------------------------------------------------------------------------------

    def _part(self, command: ShellCommand, options: Sequence[CurlOption]) -> list[PlainRequest]:
        settings = CommandSettings(CurlBody(lambda name: self._content(name, command)))
        of_output: list[str] = []
        for option in options:
            if option.is_open:
                self._drop(option.written, TEXTS.no_such_option, option.line)
            elif option.name in OF_OUTPUT or option.name.removeprefix("no-") in OF_OUTPUT:
                of_output.append(option.written)
            elif not self._take(settings, option):
                self._drop(option.written, _why_not(option.name), option.line)
        if of_output:
            self._drop(", ".join(dict.fromkeys(of_output)), TEXTS.of_output, command.line)
        if not settings.urls and (options or not command.words[1:]):
            self._drop(TEXTS.command, TEXTS.no_address, command.line)
        requests = [self._request(settings, url, command) for url in settings.urls]
        return [request for request in requests if request is not None]

    def _take(self, settings: CommandSettings, option: CurlOption) -> bool:
        """Take an option into the settings. Return whether it has a part in a plan."""
        name, value = option.name, option.value
        if name in _DATA or name in _FORMS:
            settings.body.take(name, value)
            return True
        match name:
            case "" | "url":
                settings.urls.append(value)
            case "request":
                settings.method = value
            case "head" | "get":
                settings.flags.add(name)
            case "header" if value.startswith("@"):
                text = self._content(value[1:], ShellCommand((), option.line))
                settings.headers += (text or "").splitlines()
            case "header":
                settings.headers.append(value)
            case "cookie" if "=" in value or any(map(is_open_sign, value)):
                settings.cookies.append(value)
            case "cookie" | "cookie-jar":
                settings.flags.add("cookies")
                if name == "cookie" and value:
                    self._drop(f"{option.written} {_shown(value)}", TEXTS.no_cookie_file, option.line)
            case "user" | "oauth2-bearer" | "user-agent" | "referer" | "range":
                settings.fields[name] = value
            case "upload-file":
                settings.upload = value
            case "max-time" | "connect-timeout":
                return self._take_time(settings, option)
            case "max-redirs":
                count = int(value) if re.fullmatch(r"-?\d{1,4}", value) else None
                settings.most_redirects = MOST_REDIRECTS if count is None or count < 0 else count
            case _ if name in OF_LOGINS:
                settings.flags.add("other-login")
                return False
            case _ if name in _FLAGS:
                settings.flags.add(name)
            case _ if (bare := name.removeprefix("no-")) != name and bare in _FLAGS:
                settings.flags.discard(bare)
            case _:
                return name in _STANDS_FOR_NOTHING
        return True

    def _take_time(self, settings: CommandSettings, option: CurlOption) -> bool:
        if not re.fullmatch(r"\d{1,9}(?:\.\d{1,9})?", option.value):
            return False
        seconds = min(float(option.value), LONGEST_S)
        if seconds < SHORTEST_S:
            return seconds == 0  # curl takes 0 for its default: no time-out.
        if option.name == "max-time":
            settings.timeout_s = seconds
        else:
            self.connect_timeouts_s.append(seconds)
        return True

    # --- requests ---------------------------------------------------------------------------------

    def _request(self, settings: CommandSettings, url: str, command: ShellCommand) -> PlainRequest | None:
        place = ROOM_TEXTS.at_line(command.line)
        body = settings.body
        method = settings.method.upper() or _default_method(settings)
        if not can_be_asked(method):
            self._drop(TEXTS.command, TEXTS.other_method(_shown(method)), command.line)
            return None
        if _PATTERN.search(url) and "globoff" not in settings.flags and not url.startswith("http://["):
            self._drop(TEXTS.command, TEXTS.pattern_of_addresses, command.line)
            return None
        full, is_open = self._full(url, command)
        addressed = address_of(full)
        if addressed is None:
            self._drop(TEXTS.command, TEXTS.other_address, command.line)
            return None
        address, parts = addressed
        if is_open:
            address = ServerAddress(address.scheme, "127.0.0.1", 0, is_open=True)
        target = self._target(settings, parts)
        login = parts.username, parts.password
        if login not in settings.made_headers:
            settings.made_headers[login] = self._headers(settings, command, *login)
        headers = dict(settings.made_headers[login])
        end = max(word.line for word in command.words)
        # Parts of a command stand before it, in the plan as comments above its request.
        request = PlainRequest(method, address, target, place, order_of_part(end) + 1, headers)
        request.timeout_s = settings.timeout_s
        if settings.flags & {"location", "location-trusted"}:
            request.redirects = settings.most_redirects
            if settings.method and method not in ("GET", "HEAD"):
                self._alter(f"-X {method}", TEXTS.method_of_redirects, command.line)
        self._give_body(settings, request, command)
        if body.data is not None and body.parts:
            self._drop(TEXTS.body, TEXTS.two_bodies, command.line)
        self.insecure.add("insecure" in settings.flags)
        self.keeps_cookies.add("cookies" in settings.flags)
        self.compressed.add("compressed" in settings.flags)
        return request

    def _full(self, url: str, command: ShellCommand) -> tuple[str, bool]:
        """Return an address with its scheme, and whether variables leave its server open."""
        full = url.strip()
        if not _SCHEME.match(full):
            full = f"http://{full}"
        scheme, _, rest = full.partition("://")
        end = min((place for sign in "/?#" if (place := rest.find(sign)) >= 0), default=len(rest))
        if not any(map(is_open_sign, rest[:end])):
            return full, False
        self._alter(TEXTS.command, TEXTS.host_not_fixed, command.line)
        return f"{scheme}://127.0.0.1{rest[end:]}", True

    def _target(self, settings: CommandSettings, parts: SplitResult) -> str:
        if parts.path.endswith("/") and settings.upload:
            parts = parts._replace(path=parts.path + settings.upload.rpartition("/")[2])
        query = [parts.query] if parts.query else []
        query += settings.body.query
        if "get" in settings.flags and settings.body.data:
            query.append(settings.body.data)
        parts = parts._replace(query=_joined(query))
        signs: list[str] = []

        def put_aside(text: str) -> str:
            # The letters of an open variable pass through the encoding of addresses as a word of their own.
            for sign in dict.fromkeys(filter(is_open_sign, text)):
                signs.append(sign)
                text = text.replace(sign, f"~open{len(signs) - 1}~")
            return text

        parts = parts._replace(path=put_aside(parts.path), query=put_aside(parts.query))
        target = target_of(parts, keeps_dots="path-as-is" in settings.flags)
        for number, sign in enumerate(signs):
            target = target.replace(f"~open{number}~", self._hole(sign))
        return target

    def _headers(
        self, settings: CommandSettings, command: ShellCommand, user: str | None, password: str | None
    ) -> dict[str, str]:
        """Return the headers as templates; those of one name joined."""
        headers: dict[str, tuple[str, str]] = {}
        removed: set[str] = set()
        for line in settings.headers:
            match = re.fullmatch(r"\s*([^:;]*)([:;])(.*)", line, re.DOTALL)
            name, sign, value = match.groups() if match else (line, "", "")
            name = name.strip()
            value = _BREAKS.sub(" ", value).strip(" \t")
            low = name.lower()
            if not TOKEN.fullmatch(name) or not sign or (sign == ";" and value):
                self._drop(f"-H {_shown(name)}", TEXTS.no_header, command.line)
            elif low in OWN_HEADERS:
                if value:
                    self._drop(f"-H {name}", TEXTS.own_header, command.line)
            elif not value and sign == ":":
                removed.add(low)
                if low in ("accept", "user-agent", "host"):
                    self._drop(f"-H {name}:", TEXTS.always_sent, command.line)
            elif low in headers:
                headers[low] = (headers[low][0], joined_values(name, headers[low][1], self._template(value)))
                self._alter(f"-H {name}", TEXTS.header_joined, command.line)
            else:
                headers[low] = (name, self._template(value))
        if settings.body.parts and "content-type" in headers:
            headers["content-type"] = (headers["content-type"][0], _with_boundary(headers["content-type"][1]))
        defaults = self._default_headers(settings, user, password, command.line)
        for name, value in defaults.items():
            if name.lower() not in headers and name.lower() not in removed:
                headers[name.lower()] = (name, self._template(_BREAKS.sub(" ", value)))
        return dict(headers.values())

    def _default_headers(
        self, settings: CommandSettings, user: str | None, password: str | None, line: int
    ) -> dict[str, str]:
        fields = settings.fields
        headers: dict[str, str] = {}
        login = fields.get("user")
        if login is None and user is not None:
            login = f"{unquote(user)}:{unquote(password or '')}"
        if "other-login" in settings.flags:
            pass
        elif login is not None and not any(map(is_open_sign, login)):
            content = (login if ":" in login else f"{login}:").encode("utf-8", "surrogateescape")
            headers["Authorization"] = "Basic " + base64.b64encode(content).decode()
        elif login is not None:
            self._drop("-u", TEXTS.login_of_variables, line)
        if "oauth2-bearer" in fields and "other-login" not in settings.flags:
            headers["Authorization"] = f"Bearer {fields['oauth2-bearer']}"
        if fields.get("user-agent"):
            headers["User-Agent"] = fields["user-agent"]
        elif "user-agent" in fields:
            self._drop('-A ""', TEXTS.always_sent, line)
        if referer := fields.get("referer", "").removesuffix(";auto"):
            headers["Referer"] = referer
        if "range" in fields:
            span = fields["range"]
            headers["Range"] = f"bytes={span}" if "-" in span else f"bytes={span}-"
        if settings.cookies:
            headers["Cookie"] = ";".join(settings.cookies)
        if settings.body.is_json:
            headers |= {"Content-Type": "application/json", "Accept": "application/json"}
        elif settings.body.parts:
            headers["Content-Type"] = MULTIPART
        elif settings.body.data is not None and "get" not in settings.flags and "head" not in settings.flags:
            headers["Content-Type"] = FORM
        return headers

    def _give_body(self, settings: CommandSettings, request: PlainRequest, command: ShellCommand) -> None:
        body = settings.body
        text: str | None = None
        if "head" in settings.flags and (body.data is not None or body.parts):
            self._drop(TEXTS.body, TEXTS.no_body_here, command.line)
        elif settings.flags & {"head", "get"}:
            pass
        elif settings.upload is not None:
            text = self._content(settings.upload, command)
        elif body.parts:
            text = body.multipart
        else:
            text = body.data
        if not text:
            return
        if not any(0xDC80 <= ord(sign) <= 0xDCFF for sign in text):
            request.body = self._template(text)
        elif any(map(is_open_sign, text)):
            self._drop(TEXTS.body, TEXTS.bytes_and_variables, command.line)
        else:
            request.body = text.encode("utf-8", "surrogateescape")

    # --- texts ------------------------------------------------------------------------------------

    def _template(self, text: str) -> str:
        """Return a text as a template: its braces doubled, its open variables holes."""
        doubled = literal(text)
        if doubled.isascii():
            return doubled
        return "".join(self._hole(sign) if is_open_sign(sign) else _sign(sign) for sign in doubled)

    def _hole(self, sign: str) -> str:
        return f"{{{self._variables[sign]}}}"

    def _content(self, name: str, command: ShellCommand) -> str | None:
        """Return what a command reads: its given input, or a file beside it, as a text with signs."""
        if name in ("-", ".") and command.stdin is not None:
            return command.stdin
        path = (
            self._source.beside(name) if name and name != "-" and not any(map(is_open_sign, name)) else None
        )
        if path is None or path.stat().st_size > MOST_FILE_BYTES:
            self._drop(f"@{_shown(name)}", TEXTS.no_file_beside, command.line)
            return None
        return path.read_bytes().decode("utf-8", "surrogateescape")

    def _drop(self, what: str, why: str, line: int) -> None:
        self._account.drop(ROOM_TEXTS.at_line(line), what, why, order_of_part(line))

    def _alter(self, what: str, how: str, line: int) -> None:
        self._account.alter(ROOM_TEXTS.at_line(line), what, how, order_of_part(line))


def _default_method(settings: CommandSettings) -> str:
    if "head" in settings.flags:
        return "HEAD"
    if settings.upload is not None:
        return "PUT"
    if "get" in settings.flags:
        return "GET"
    body = settings.body
    return "POST" if body.data is not None or body.parts or body.is_json else "GET"


def _with_boundary(kind: str) -> str:
    """Return the type of a form in parts that a command gives, with the line between the parts, as curl."""
    bare = kind.partition(";")[0].strip()
    return f"{bare}; boundary={BOUNDARY}" if bare.lower().startswith("multipart/") else kind


def _joined(queries: Sequence[str]) -> str:
    """Return parts of a query joined, a sign between them that is there already not doubled."""
    return "&".join((*(query.removesuffix("&") for query in queries[:-1]), *queries[-1:]))


def _why_not(name: str) -> str:
    bare = name.removeprefix("no-")
    if name in OF_CONNECTIONS or bare in OF_CONNECTIONS or bare.startswith("proxy-"):
        return TEXTS.of_connections
    if name in OF_TLS or bare in OF_TLS:
        return TEXTS.of_tls
    if name in OF_LOGINS:
        return TEXTS.other_login
    return TEXTS.no_part


def _sign(sign: str) -> str:
    return "\ufffd" if 0xD800 <= ord(sign) <= 0xDFFF else sign


def _shown(text: str) -> str:
    """Return a name of the file for a sentence, not longer than one."""
    return "".join("$" if is_open_sign(sign) else _sign(sign) for sign in text[:80])

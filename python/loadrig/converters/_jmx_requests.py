"""An HTTP sampler of JMeter as a request of a plan: address, method, query, body and headers.

Source: `HTTPSamplerBase.getUrl`, `getQueryString` and `HTTPHC4Impl.setupHttpEntityEnclosingRequestData` of
apache/jmeter.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote_plus, urlsplit

from loadrig.base.units import Count, Seconds
from loadrig.converters._address import ServerAddress
from loadrig.converters._draft import FileDraft
from loadrig.converters._jmx_charsets import Charset, charset_named
from loadrig.converters._jmx_headers import SamplerHeaders
from loadrig.converters._jmx_multipart import TYPE, FormField, FormFile, body_of
from loadrig.converters._jmx_report import JmxReport
from loadrig.converters._jmx_targets import TargetPart, escape_of, template_of_parts, written_target
from loadrig.converters._jmx_text import Variables
from loadrig.converters._jmx_tree import Property, TreeElement
from loadrig.converters._pieces import Hole, Piece, template_of
from loadrig.converters._source import TestSource
from loadrig.language.choice import texts_of
from loadrig.language.en.converters.jmeter import ConvertersJmeterTexts
from loadrig.plan.written import METHODS

TEXTS = texts_of(ConvertersJmeterTexts)

MOST_REDIRECTS = 20
"""Redirects that JMeter follows at most: `httpsampler.max_redirects`."""

IN_THE_QUERY = ("GET", "DELETE", "OPTIONS")
"""Methods whose arguments go into the query."""

WITH_A_FORM = ("POST", "PUT", "PATCH", "DELETE")
"""Methods whose arguments are sent as a form, by DELETE beside the query."""

WITH_A_BODY = (*WITH_A_FORM, "GET")
"""Methods that send a text as their body."""

_ARGUMENTS = ("HTTPsampler.Arguments", "Arguments.arguments")
_FILES = ("HTTPsampler.Files", "HTTPFileArgs.files")
_NOT_IN_A_PATH = re.compile(r"[^!-~]|[\"<>\\^`{|}]")
_FORM = "application/x-www-form-urlencoded; charset="
_TEXT = "text/plain; charset="
"""Beginnings of the types that JMeter's HTTP client gives to bodies where the test gives none."""

_JAVA_FORM = "application/x-www-form-urlencoded"
_JAVA_ACCEPT = "text/html, image/gif, image/jpeg, */*; q=0.2"
"""Headers that Java's own client adds where the test has none. Source: `HttpURLConnection` of OpenJDK 17."""

_SAME_IN_FORMS = re.compile(r"[A-Za-z0-9 ._-]*", re.ASCII)
MOST_FILE_BYTES = 16_000_000
"""Bytes of a file that is sent as a body and copied beside the plan, at most."""


_Argument = tuple[list[Piece], list[Piece], str, bool]
"""Name and value of an argument, the sign between them, and whether it is to be encoded."""


@dataclass(frozen=True, slots=True)
class SampledRequest:
    """Parts of a request, as `WrittenRequest` takes them, and its server.

    path: template of the path with its query, before rows get a column for it.
    connect_timeout_s: longest wait for a connection; 0 where the test has none.
    """

    address: ServerAddress
    path: str
    parts: Mapping[str, Any]
    headers: Mapping[str, str]
    files: tuple[FileDraft, ...]
    keeps_alive: bool
    connect_timeout_s: float


@dataclass(slots=True)
class Samplers:
    """Maker of requests. defaults: elements "HTTP Request Defaults" around a sampler, the nearest last."""

    variables: Variables
    report: JmxReport
    source: TestSource
    headers: SamplerHeaders

    def request(
        self, sampler: TreeElement, defaults: Sequence[TreeElement], headers: Sequence[TreeElement],
        logins: Sequence[TreeElement],
    ) -> SampledRequest | None:  # fmt: skip
        """Return a sampler's request; None, and a note, where a plan cannot send it."""
        method = (self._constant(sampler, defaults, "HTTPSampler.method") or "GET").upper()
        if method.lower() not in METHODS:
            self.report.drop(sampler, TEXTS.other_method(method[:80]))
            return None
        path = self._pieces(sampler, defaults, "HTTPSampler.path")
        address = self._whole_address(path) or self._address(sampler, defaults)
        if address is None:
            self.report.drop(sampler, TEXTS.no_host)
            return None
        arguments = self._arguments(sampler, defaults)
        # A body that is a text stays one: JMeter puts the values of the defaults behind it.
        is_text = sampler.is_true("HTTPSampler.postBodyRaw") or all(not name for name, _, _, _ in arguments)
        is_raw = bool(arguments) and is_text
        parts: dict[str, Any] = {}
        charset = self._charset(sampler, defaults, arguments)
        query = _query(arguments, charset) if method in IN_THE_QUERY and not is_raw else []
        target = [*self._path(path, sampler), *query]
        plain = template_of_parts(target)
        parts[method.lower()] = self._target(target, sampler)
        fields = self.headers.of(headers, logins, address, plain)
        is_java = self._is_java(sampler, defaults)
        files = self._body(sampler, method, parts, fields, arguments, charset, is_raw=is_raw, is_java=is_java)
        if is_java and not any(name.lower() == "accept" for name in fields):
            fields["Accept"] = _JAVA_ACCEPT
        self._limits(sampler, defaults, parts)
        return SampledRequest(
            address,
            plain,
            parts,
            fields,
            files,
            self._is_true(sampler, defaults, "HTTPSampler.use_keepalive", "true"),
            self._connect_timeout_s(sampler, defaults),
        )

    def _body(
        self, sampler: TreeElement, method: str, parts: dict[str, Any], fields: dict[str, str],
        arguments: Sequence[_Argument], charset: Charset, *, is_raw: bool, is_java: bool,
    ) -> tuple[FileDraft, ...]:  # fmt: skip
        """Give a request its body and the type of that; return the files that it needs beside the plan.

        is_raw: whether the arguments are one text. is_java: whether Java's own client sends it.
        """
        with_a_form: tuple[str, ...] = WITH_A_FORM
        form, text = _FORM + charset.name, _TEXT + charset.name
        if is_java:
            with_a_form = ("POST", "PUT")
            form = text = _JAVA_FORM if method == "POST" else ""
        files: tuple[FileDraft, ...] = ()
        named = [file for file in sampler.items(*_FILES) if file.get("File.path")]
        if not named and sampler.get("HTTPSampler.FILE_NAME"):
            named = [_old_file(sampler)]
        is_whole = len(named) == 1 and not named[0].get("File.paramname") and not arguments
        if method == "POST" and not is_whole and (named or sampler.is_true("HTTPSampler.DO_MULTIPART_POST")):
            files = self._multipart_body(sampler, named, parts, fields, arguments)
        elif named:
            files = self._file_body(sampler, named, parts, fields, arguments)
        elif is_raw and method in WITH_A_BODY:
            pieces: list[Piece] = []
            for _, value, _, is_to_encode in arguments:
                pieces += (
                    self.variables.url_encoded(value, charset.quoted, sampler) if is_to_encode else value
                )
            files = self._text_body(sampler, parts, pieces, charset)
            _give_type(fields, text)
            self._keep_values(sampler, fields, pieces)
        elif arguments and method in with_a_form:
            self._form_body(sampler, parts, fields, arguments, form, charset)
        if method in with_a_form and not parts.keys() & {"body", "form", "body_file"}:
            # An empty form is a form for JMeter.
            _give_type(fields, form)
        if not parts.get("body"):
            parts.pop("body", None)
        return files

    def _limits(self, sampler: TreeElement, defaults: Sequence[TreeElement], parts: dict[str, Any]) -> None:
        """Give a request what JMeter does with its answer: redirects, a time-out, resources in a page."""
        if sampler.is_true("HTTPSampler.image_parser") or any(
            element.is_true("HTTPSampler.image_parser") for element in defaults
        ):
            self.report.drop(sampler, TEXTS.no_embedded_resources, TEXTS.embedded_resources)
        for name, part in (("proxyHost", TEXTS.proxy), ("ipSource", TEXTS.source_address)):
            if self._text(sampler, defaults, f"HTTPSampler.{name}").strip():
                self.report.drop(sampler, TEXTS.not_of_requests, part)
        if self._is_true(sampler, defaults, "HTTPSampler.follow_redirects") or self._is_true(
            sampler, defaults, "HTTPSampler.auto_redirects"
        ):
            parts["follow_redirects"] = Count(MOST_REDIRECTS)
        timeout_ms = self.variables.number(
            self._text(sampler, defaults, "HTTPSampler.response_timeout"), sampler
        )
        if timeout_ms >= 1:
            parts["timeout"] = Seconds(timeout_ms / 1000)

    def _connect_timeout_s(self, sampler: TreeElement, defaults: Sequence[TreeElement]) -> float:
        text = self._text(sampler, defaults, "HTTPSampler.connect_timeout")
        wait_ms = self.variables.number(text, sampler)
        return wait_ms / 1000 if wait_ms >= 1 else 0.0

    # --- values of sampler and defaults ---------------------------------------------------------

    def _text(self, sampler: TreeElement, defaults: Sequence[TreeElement], name: str) -> str:
        """Return a property: the sampler's, else that of the nearest defaults."""
        for element in (sampler, *reversed(defaults)):
            if text := element.get(name):
                return text
        return ""

    def _pieces(self, sampler: TreeElement, defaults: Sequence[TreeElement], name: str) -> list[Piece]:
        return self.variables.pieces(self._text(sampler, defaults, name), sampler)

    def _constant(self, sampler: TreeElement, defaults: Sequence[TreeElement], name: str) -> str | None:
        return self.variables.constant(self._text(sampler, defaults, name), sampler)

    def _is_true(
        self, sampler: TreeElement, defaults: Sequence[TreeElement], name: str, default: str = "false"
    ) -> bool:
        return (self._text(sampler, defaults, name) or default).strip().lower() == "true"

    def _charset(
        self, sampler: TreeElement, defaults: Sequence[TreeElement], arguments: Sequence[_Argument]
    ) -> Charset:
        """Return the character set of arguments and bodies; note what a plan sends in UTF-8 instead."""
        name = self._constant(sampler, defaults, "HTTPSampler.contentEncoding")
        charset = charset_named(name) if name is not None else None
        if charset is None:
            self.report.alter(sampler, TEXTS.other_charset((name or "${…}")[:40]))
            return Charset()
        pieces = (piece for key, value, _, _ in arguments for piece in (*key, *value))
        has_holes = any(isinstance(piece, Hole) for piece in pieces)
        if not charset.is_utf_8 and (has_holes or sampler.is_true("HTTPSampler.DO_MULTIPART_POST")):
            self.report.alter(sampler, TEXTS.values_in_other_charset(charset.name))
        return charset

    def _is_java(self, sampler: TreeElement, defaults: Sequence[TreeElement]) -> bool:
        """Return whether Java's own client sends a request, as the test asks for."""
        chosen = self._text(sampler, defaults, "HTTPSampler.implementation").strip()
        return chosen in ("Java", "HTTPSampler")

    def _address(self, sampler: TreeElement, defaults: Sequence[TreeElement]) -> ServerAddress | None:
        scheme = (self._constant(sampler, defaults, "HTTPSampler.protocol") or "http").strip().lower()
        host = self._text(sampler, defaults, "HTTPSampler.domain").strip()
        if not host or scheme not in ("http", "https"):
            return None
        port_text = self._text(sampler, defaults, "HTTPSampler.port").strip()
        port = self.variables.constant(port_text, sampler) or ""
        number = int(port) if port.strip().isdecimal() and int(port) < 1 << 16 else 0
        fixed = self.variables.constant(host, sampler)
        if fixed is None or not re.fullmatch(r"[A-Za-z0-9.:_-]+|\[[0-9a-fA-F:]+\]", fixed.strip()):
            return ServerAddress(scheme, host, number, is_open=True)
        return ServerAddress(scheme, fixed.strip().strip("[]"), number)

    def _whole_address(self, path: list[Piece]) -> ServerAddress | None:
        """Return the address that a path begins with, and take it from the path; None where it has none."""
        first = path[0]
        if not isinstance(first, str) or not first.startswith(("http://", "https://")):
            return None
        try:
            url = urlsplit(first)
            address = ServerAddress(url.scheme, url.hostname or "", url.port or 0)
        except ValueError:
            return None
        path[0] = first[len(url.scheme) + len("://") + len(url.netloc) :]
        return address if address.host else None

    # --- path and query ---------------------------------------------------------------------------

    def _path(self, path: Sequence[Piece], sampler: TreeElement) -> list[TargetPart]:
        """Return the parts of a path, which begins with a slash or a value, up to a `#`."""
        parts: list[TargetPart] = []
        for piece in path:
            is_cut = isinstance(piece, str) and "#" in piece
            parts.append(
                TargetPart(piece.partition("#")[0] if isinstance(piece, str) else piece, _encoded_path)
            )
            if is_cut:
                self.report.alter(sampler, TEXTS.no_fragment)
                break
        first = parts[0].piece
        if isinstance(first, str) and not first.startswith("/"):
            parts[0] = TargetPart(f"/{first}", _encoded_path)
        return parts

    def _target(self, parts: Sequence[TargetPart], sampler: TreeElement) -> str:
        """Return a target as a template; note values that are sent otherwise than JMeter sends them."""
        target = written_target(parts, self.variables)
        for hole in target.otherwise:
            self.report.alter(sampler, TEXTS.value_escaped, f"{{{hole}}}")
        return target.template

    def _arguments(self, sampler: TreeElement, defaults: Sequence[TreeElement]) -> list[_Argument]:
        """Return the arguments as (name, value, sign between, is to be encoded): the defaults' last.

        An empty list for the name means none.
        """
        arguments = []
        for element in (sampler, *defaults):
            for part in element.items(*_ARGUMENTS):
                if part.get("Argument.enabled").lower() == "false":
                    continue
                name, value = part.get("Argument.name"), part.get("Argument.value")
                arguments.append(
                    (
                        self.variables.pieces(name, element) if name else [],
                        self.variables.pieces(value, element),
                        part.get("Argument.metadata") or "=",
                        part.get("HTTPArgument.always_encode").strip().lower() == "true",
                    )
                )
        return arguments

    # --- bodies -----------------------------------------------------------------------------------

    def _text_body(
        self, sampler: TreeElement, parts: dict[str, Any], pieces: Sequence[Piece], charset: Charset
    ) -> tuple[FileDraft, ...]:
        """Take a text as the body: as bytes in a file where the plan's own set of characters is another."""
        fixed = "".join(piece for piece in pieces if isinstance(piece, str))
        if charset.is_utf_8 or fixed.isascii() or any(isinstance(piece, Hole) for piece in pieces):
            parts["body"] = template_of(pieces)
            return ()
        draft = FileDraft(f"body-{sampler.line}.txt", charset.encoded(fixed))
        parts["body_file"] = draft.name
        return (draft,)

    def _keep_values(self, sampler: TreeElement, headers: dict[str, str], pieces: Sequence[Piece]) -> None:
        """Let rows fill a text as they are, which a plan escapes where the type is JSON or a form.

        A type that a hole says does that: the generator then knows no type to escape for.
        """
        name = next((name for name in headers if name.lower() == "content-type"), "")
        escaped = escape_of(headers.get(name, ""))
        holes = {
            piece.name: self.variables.values_of(piece.name) for piece in pieces if isinstance(piece, Hole)
        }
        if escaped is None or not holes:
            return
        if any(escaped(value) != value for values in holes.values() for value in values or ()):
            headers[name] = template_of(
                [self.variables.fixed_hole("content_type", headers[name], TEXTS.type_of_text)]
            )
            return
        for hole in [hole for hole, values in holes.items() if values is None]:
            self.report.alter(sampler, TEXTS.value_escaped, f"{{{hole}}}")

    def _decoded(self, sampler: TreeElement, pieces: Sequence[Piece], charset: Charset) -> list[Piece]:
        """Return a text of a form that is encoded already, with holes for what its values say decoded.

        JMeter decodes it and encodes it anew, and a plan encodes what fills a hole.
        """
        return [
            piece if isinstance(piece, str) else self._decoded_hole(sampler, piece.name, charset)
            for piece in pieces
        ]

    def _decoded_hole(self, sampler: TreeElement, name: str, charset: Charset) -> Hole:
        values = self.variables.values_of(name)
        if values is not None and all(charset.quoted_anew(text) == charset.quoted(text) for text in values):
            return Hole(name)
        hole = self.variables.rows.column({name}, lambda value: unquote_plus(value(name)), "decoded")
        if hole is None:
            self.report.alter(sampler, TEXTS.value_escaped, f"{{{name}}}")
        return hole or Hole(name)

    def _form_body(
        self, sampler: TreeElement, parts: dict[str, Any], headers: dict[str, str],
        arguments: Sequence[_Argument], kind: str, charset: Charset,
    ) -> None:  # fmt: skip
        names = [template_of(name) for name, _, _, _ in arguments if name]
        is_plain = len(set(names)) == len(names) and all(
            is_to_encode and sign == "=" and name and all(map(_is_same_in_forms, (*name, *value)))
            for name, value, sign, is_to_encode in arguments
        )
        _give_type(headers, kind)
        if is_plain and headers.get("Content-Type") == kind:
            parts["form"] = {template_of(name): template_of(value) for name, value, _, _ in arguments}
        else:
            decoded = [
                (name, value if is_to_encode else self._decoded(sampler, value, charset), sign, is_to_encode)
                for name, value, sign, is_to_encode in arguments
            ]
            parts["body"] = _pairs(decoded, charset.quoted, charset.quoted_anew)

    def _file_body(
        self, sampler: TreeElement, files: Sequence[Property], parts: dict[str, Any], headers: dict[str, str],
        arguments: Sequence[_Argument],
    ) -> tuple[FileDraft, ...]:  # fmt: skip
        """Take the bytes of a file as the body, where the file is the whole body."""
        file = files[0]
        if len(files) > 1 or arguments:
            self.report.drop(sampler, TEXTS.no_multipart, TEXTS.body)
            return ()
        path = self._path_beside(sampler, file)
        if path is None:
            return ()
        kind = self.variables.constant(file.get("File.mimetype"), sampler)
        if kind:
            _give_type(headers, kind)
        draft = FileDraft(f"body-{sampler.line}-{safe_file_name(path.name)}", path.read_bytes())
        parts["body_file"] = draft.name
        return (draft,)

    def _multipart_body(
        self, sampler: TreeElement, files: Sequence[Property], parts: dict[str, Any], headers: dict[str, str],
        arguments: Sequence[_Argument],
    ) -> tuple[FileDraft, ...]:  # fmt: skip
        """Take a form with files as the body."""
        fields = [FormField(name, value) for name, value, _, _ in arguments if name]
        form_files = []
        for file in files:
            path = self._path_beside(sampler, file)
            if path is None:
                return ()
            field, kind = (
                self.variables.constant(file.get(f"File.{key}"), sampler) or ""
                for key in ("paramname", "mimetype")
            )
            form_files.append(FormFile(field, path.name, kind, path.read_bytes()))
        body = body_of(fields, form_files)
        if body is None:
            self.report.drop(sampler, TEXTS.no_multipart, TEXTS.body)
            return ()
        for name in [name for name in headers if name.lower() == "content-type"]:
            del headers[name]
        headers["Content-Type"] = TYPE
        if isinstance(body, str):
            parts["body"] = body
            return ()
        draft = FileDraft(f"body-{sampler.line}.bin", body)
        parts["body_file"] = draft.name
        return (draft,)

    def _path_beside(self, sampler: TreeElement, file: Property) -> Path | None:
        """Return the path of a file of a body; None, and a note, where it is not in the test's folder."""
        name = self.variables.constant(file.get("File.path"), sampler) or ""
        path = self.source.beside(name) if name else None
        if path is None or path.stat().st_size > MOST_FILE_BYTES:
            self.report.drop(sampler, TEXTS.no_file_beside(name[:200]), TEXTS.body)
            return None
        return path


def _pairs(
    arguments: Sequence[_Argument], encoded: Callable[[str], str], encoded_already: Callable[[str], str]
) -> str:
    """Return arguments as a query or a form has them; those without a name are left out, as JMeter does.

    encoded, encoded_already: what becomes of fixed texts that are to be encoded, and of those that are so.
    """
    pairs = []
    for name, value, sign, is_to_encode in arguments:
        if not name:
            continue
        encode = encoded if is_to_encode else encoded_already
        pairs.append(f"{template_of(name, encode)}{sign}{template_of(value, encode)}")
    return "&".join(pairs)


def _query(arguments: Sequence[_Argument], charset: Charset) -> list[TargetPart]:
    """Return the arguments as parts of a target; those without a name are left out, as JMeter does."""
    parts: list[TargetPart] = []
    for name, value, sign, is_to_encode in arguments:
        if not name:
            continue
        encode = charset.quoted if is_to_encode else _encoded_path
        parts.append(TargetPart("&", str, is_joint=not parts))
        parts += [TargetPart(piece, encode) for piece in name]
        parts.append(TargetPart(sign, str))
        parts += [TargetPart(piece, encode) for piece in value]
    return parts


def _give_type(headers: dict[str, str], kind: str) -> None:
    """Give a body its type where the test gives it none. kind: empty where the tool gives none either."""
    if kind and not any(header.lower() == "content-type" for header in headers):
        headers["Content-Type"] = kind


def encoded_form(text: str) -> str:
    """Return a text as Java's URLEncoder writes it in UTF-8."""
    return Charset().quoted(text)


def _encoded_path(text: str) -> str:
    """Return a text with the signs encoded that cannot stand in a request line."""
    return _NOT_IN_A_PATH.sub(lambda match: "".join(f"%{byte:02X}" for byte in match[0].encode()), text)


def _is_same_in_forms(piece: Piece) -> bool:
    return isinstance(piece, Hole) or bool(_SAME_IN_FORMS.fullmatch(piece))


def _old_file(sampler: TreeElement) -> Property:
    """Return the file of a sampler of JMeter 2.3 and older, which had one."""
    names = {
        "File.path": "HTTPSampler.FILE_NAME",
        "File.paramname": "HTTPSampler.FILE_FIELD",
        "File.mimetype": "HTTPSampler.mimetype",
    }
    return Property("", parts=[Property(new, sampler.get(old)) for new, old in names.items()])


def safe_file_name(name: str) -> str:
    """Return a name for a file beside the plan, made of a foreign one."""
    return re.sub(r"[^A-Za-z0-9._-]+", "_", name).lstrip(".")[-80:] or "file"

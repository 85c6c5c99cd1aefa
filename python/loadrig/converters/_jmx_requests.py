"""An HTTP sampler of JMeter as a request of a plan: address, method, query, body and headers.

Source: `HTTPSamplerBase.getUrl`, `getQueryString` and `HTTPHC4Impl.setupHttpEntityEnclosingRequestData` of
apache/jmeter.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from loadrig.base.units import Count, Seconds
from loadrig.converters._address import ServerAddress
from loadrig.converters._draft import FileDraft
from loadrig.converters._jmx_bodies import SamplerArgument, SamplerBodies
from loadrig.converters._jmx_charsets import Charset, charset_named
from loadrig.converters._jmx_headers import SamplerHeaders
from loadrig.converters._jmx_report import JmxReport
from loadrig.converters._jmx_targets import TargetPart, template_of_parts, written_target
from loadrig.converters._jmx_text import Variables
from loadrig.converters._jmx_tree import TreeElement
from loadrig.converters._pieces import Hole, Piece
from loadrig.language.choice import texts_of
from loadrig.language.en.converters.jmeter import ConvertersJmeterTexts
from loadrig.plan.written import METHODS

TEXTS = texts_of(ConvertersJmeterTexts)

MOST_REDIRECTS = 20
"""Redirects that JMeter follows at most: `httpsampler.max_redirects`."""

IN_THE_QUERY = ("GET", "DELETE", "OPTIONS")
"""Methods whose arguments go into the query."""


_ARGUMENTS = ("HTTPsampler.Arguments", "Arguments.arguments")
_NOT_IN_A_PATH = re.compile(r"[^!-~]|[\"<>\\^`{|}]")

_JAVA_ACCEPT = "text/html, image/gif, image/jpeg, */*; q=0.2"
"""Headers that Java's own client adds where the test has none. Source: `HttpURLConnection` of OpenJDK 17."""


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
    headers: SamplerHeaders
    bodies: SamplerBodies

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
        files = self.bodies.give(
            sampler, method, parts, fields, arguments, charset, is_raw=is_raw, is_java=is_java
        )
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
        self, sampler: TreeElement, defaults: Sequence[TreeElement], arguments: Sequence[SamplerArgument]
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

    def _arguments(self, sampler: TreeElement, defaults: Sequence[TreeElement]) -> list[SamplerArgument]:
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


def _query(arguments: Sequence[SamplerArgument], charset: Charset) -> list[TargetPart]:
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


def _encoded_path(text: str) -> str:
    """Return a text with the signs encoded that cannot stand in a request line."""
    return _NOT_IN_A_PATH.sub(lambda match: "".join(f"%{byte:02X}" for byte in match[0].encode()), text)

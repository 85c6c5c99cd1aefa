"""Bodies of JMeter's HTTP samplers: texts, forms, files, and forms with files; and the types of these.

Source: `HTTPHC4Impl.setupHttpEntityEnclosingRequestData` of apache/jmeter.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote_plus

from loadrig.converters._draft import FileDraft
from loadrig.converters._jmx_charsets import Charset
from loadrig.converters._jmx_multipart import TYPE, FormField, FormFile, body_of
from loadrig.converters._jmx_report import JmxReport
from loadrig.converters._jmx_targets import escape_of
from loadrig.converters._jmx_text import Variables
from loadrig.converters._jmx_tree import Property, TreeElement
from loadrig.converters._pieces import Hole, Piece, template_of
from loadrig.converters._source import TestSource
from loadrig.language.choice import texts_of
from loadrig.language.en.converters.jmeter import ConvertersJmeterTexts

TEXTS = texts_of(ConvertersJmeterTexts)

WITH_A_FORM = ("POST", "PUT", "PATCH", "DELETE")
"""Methods whose arguments are sent as a form, by DELETE beside the query."""

WITH_A_BODY = (*WITH_A_FORM, "GET")
"""Methods that send a text as their body."""

_FILES = ("HTTPsampler.Files", "HTTPFileArgs.files")

_FORM = "application/x-www-form-urlencoded; charset="
_TEXT = "text/plain; charset="
"""Beginnings of the types that JMeter's HTTP client gives to bodies where the test gives none."""

_JAVA_FORM = "application/x-www-form-urlencoded"

_SAME_IN_FORMS = re.compile(r"[A-Za-z0-9 ._-]*", re.ASCII)

MOST_FILE_BYTES = 16_000_000
"""Bytes of a file that is sent as a body and copied beside the plan, at most."""

SamplerArgument = tuple[list[Piece], list[Piece], str, bool]
"""Name and value of an argument, the sign between them, and whether it is to be encoded."""


@dataclass(slots=True)
class SamplerBodies:
    """Maker of bodies."""

    variables: Variables
    report: JmxReport
    source: TestSource

    def give(
        self, sampler: TreeElement, method: str, parts: dict[str, Any], fields: dict[str, str],
        arguments: Sequence[SamplerArgument], charset: Charset, *, is_raw: bool, is_java: bool,
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
        arguments: Sequence[SamplerArgument], kind: str, charset: Charset,
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
        arguments: Sequence[SamplerArgument],
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
        arguments: Sequence[SamplerArgument],
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
    arguments: Sequence[SamplerArgument], encoded: Callable[[str], str], encoded_already: Callable[[str], str]
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


def _give_type(headers: dict[str, str], kind: str) -> None:
    """Give a body its type where the test gives it none. kind: empty where the tool gives none either."""
    if kind and not any(header.lower() == "content-type" for header in headers):
        headers["Content-Type"] = kind


def encoded_form(text: str) -> str:
    """Return a text as Java's URLEncoder writes it in UTF-8."""
    return Charset().quoted(text)


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

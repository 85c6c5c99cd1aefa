"""Forms with files: multipart/form-data in one text, or in one file.

JMeter's HTTP client writes more heads than others do.

Source: `HTTPHC4Impl.setupHttpEntityEnclosingRequestData` of apache/jmeter; RFC 7578.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from loadrig.converters._pieces import Piece, template_of
from loadrig.plan.holes import literal

BOUNDARY = "loadrig-part-d3b07384d113edec49eaa6238ad5ff00"
"""Line between parts: the hash of a word, which no text has by chance."""

TYPE = f"multipart/form-data; boundary={BOUNDARY}; charset=UTF-8"
"""Type of the body."""

_LINE = "\r\n"


@dataclass(frozen=True, slots=True)
class FormField:
    """A field of a form: a text. is_bare: whether it has no head beyond its name, and its type if any."""

    name: Sequence[Piece]
    value: Sequence[Piece]
    kind: str = "text/plain"
    is_bare: bool = False


@dataclass(frozen=True, slots=True)
class FormFile:
    """A field of a form: a file. is_bare: whether it has no head beyond its names and type."""

    field: str
    name: str
    kind: str
    content: bytes
    is_bare: bool = False


def body_of(fields: Sequence[FormField], files: Sequence[FormFile]) -> str | bytes | None:
    """Return the body: a template, or bytes where a file is no text; None where a plan has no such body."""
    heads = [_head_of_file(file) for file in files]
    try:
        texts = [literal(file.content.decode()) for file in files]
    except UnicodeDecodeError:
        if any(not isinstance(piece, str) for field in fields for piece in (*field.name, *field.value)):
            return None
        pieces = [_part_of_field(field).replace("{{", "{").replace("}}", "}").encode() for field in fields]
        pieces += [
            head.encode() + file.content + _LINE.encode() for head, file in zip(heads, files, strict=True)
        ]
        return b"".join(pieces) + f"--{BOUNDARY}--{_LINE}".encode()
    parts = [_part_of_field(field) for field in fields]
    parts += [f"{literal(head)}{text}{_LINE}" for head, text in zip(heads, texts, strict=True)]
    return "".join(parts) + f"--{BOUNDARY}--{_LINE}"


def _part_of_field(field: FormField) -> str:
    kind = field.kind if ";" in field.kind or field.is_bare else f"{field.kind}; charset=UTF-8"
    return _LINE.join(
        (
            f"--{BOUNDARY}",
            f'Content-Disposition: form-data; name="{template_of(field.name, _quoted)}"',
            *([f"Content-Type: {literal(kind)}"] if kind else []),
            *([] if field.is_bare else ["Content-Transfer-Encoding: 8bit"]),
            "",
            template_of(field.value),
            "",
        )
    )


def _head_of_file(file: FormFile) -> str:
    return _LINE.join(
        (
            f"--{BOUNDARY}",
            f'Content-Disposition: form-data; name="{_quoted(file.field)}"; filename="{_quoted(file.name)}"',
            f"Content-Type: {file.kind or 'application/octet-stream'}",
            *([] if file.is_bare else ["Content-Transfer-Encoding: binary"]),
            "",
            "",
        )
    )


def _quoted(text: str) -> str:
    """Return a text as it stands between quotes in a header."""
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\r", " ").replace("\n", " ")

"""Bodies of curl: data joined by &, JSON, forms in parts, files; each as curl 7.88 to 8 writes them.

Texts hold signs for open variables and for bytes that are no text, as `_shell_words` has them.
Source: `set_data` in src/tool_getparam.c, src/tool_formparse.c and lib/mime.c of curl/curl.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import PurePath

from loadrig.converters._jmx_multipart import BOUNDARY
from loadrig.converters._shell_words import is_open_sign

_UNRESERVED = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_LINE = "\r\n"
_KINDS = {
    ".gif": "image/gif", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".png": "image/png",
    ".svg": "image/svg+xml", ".txt": "text/plain", ".htm": "text/html", ".html": "text/html",
    ".pdf": "application/pdf", ".xml": "application/xml",
}  # fmt: skip
_OTHER_KIND = "application/octet-stream"

FileReader = Callable[[str], str | None]
"""Reader of a file that a command names, as a text with signs; None, and a note, where it is not read."""

FORM = "application/x-www-form-urlencoded"
MULTIPART = f"multipart/form-data; boundary={BOUNDARY}"


@dataclass(slots=True)
class CurlBody:
    """Body of a command, as its options make it. data: None where there is none; query: of --url-query."""

    read: FileReader
    data: str | None = None
    is_json: bool = False
    parts: list[str] = field(default_factory=list)
    query: list[str] = field(default_factory=list)

    def take(self, name: str, value: str) -> None:
        """Add the data of an option."""
        match name:
            case "data" | "data-ascii":
                self._add(self._of_file(value[1:], strip=True) if value.startswith("@") else value)
            case "data-raw":
                self._add(value)
            case "data-binary":
                self._add(self._of_file(value[1:]) if value.startswith("@") else value)
            case "data-urlencode":
                self._add(self._encoded(value))
            case "json":
                text = self._of_file(value[1:]) if value.startswith("@") else value
                self.is_json = True
                if text is not None:
                    self.data = (self.data or "") + text
            case "url-query":
                text = value[1:] if value.startswith("+") else self._encoded(value)
                self.query += [text] if text is not None else []
            case "form":
                self._form(value)
            case _:
                field_name, _, text = value.partition("=")
                self.parts.append(_part(field_name, text, "", None))

    @property
    def multipart(self) -> str:
        """Body of a form in parts."""
        return "".join(self.parts) + f"--{BOUNDARY}--{_LINE}"

    def _add(self, text: str | None) -> None:
        # A file that cannot be read is none to curl: there is data, and it is empty.
        text = text or ""
        self.data = text if self.data is None else f"{self.data}&{text}"

    def _of_file(self, name: str, *, strip: bool = False) -> str | None:
        text = self.read(name)
        if text is None or not strip:
            return text
        # curl takes a file of -d line by line, each up to its first zero byte.
        return "".join(line.partition("\0")[0].rstrip("\r") for line in re.split(r"[\r\n]", text))

    def _encoded(self, value: str) -> str | None:
        at, sign = min(((place, sign) for sign in "=@" if (place := value.find(sign)) >= 0), default=(-1, ""))
        name, text = (value[:at], value[at + 1 :]) if sign else ("", value)
        content = self.read(text) if sign == "@" else text
        if content is None:
            return None
        encoded = url_encoded(content).replace("%20", "+")
        return f"{name}={encoded}" if name else encoded

    def _form(self, value: str) -> None:
        name, _, rest = value.partition("=")
        content, kind, file_name = _parameters(rest)
        if content[:1] not in ("@", "<"):
            self.parts.append(_part(name, content, kind, file_name))
            return
        # Several files of one field, separated by commas, would be a form within the form.
        text = self.read(content[1:])
        if text is None:
            return
        if content[0] == "@":
            path = PurePath(content[1:])
            kind = kind or _KINDS.get(path.suffix.lower(), _OTHER_KIND)
            file_name = path.name if file_name is None else file_name
        self.parts.append(_part(name, text, kind, file_name))


def url_encoded(text: str) -> str:
    """Return a text as curl_easy_escape writes it; signs of open variables stay."""
    return "".join(sign if is_open_sign(sign) else _escaped(sign) for sign in text)


def _escaped(sign: str) -> str:
    content = sign.encode("utf-8", "surrogateescape")
    return "".join(chr(byte) if byte in _UNRESERVED else f"%{byte:02X}" for byte in content)


def _parameters(text: str) -> tuple[str, str, str | None]:
    """Return the content of a form's field, its type, and the name of its file."""
    mark, quoted = (text[0], text[1:]) if text[:1] in ("@", "<") else ("", text)
    if quoted.startswith('"') and (end := _closing_quote(quoted)):
        content, rest = mark + re.sub(r"\\([\\\"])", r"\1", quoted[1:end]), quoted[end + 1 :]
    else:
        # What stands behind a semicolon is a parameter, or nothing to curl.
        content, sign, rest = text.partition(";")
        rest = sign + rest
    kind, file_name = "", None
    for part in re.split(r";\s*(?=(?:type|filename|headers|encoder)=)", rest, flags=re.IGNORECASE):
        name, _, value = part.partition("=")
        if name.lower() == "type":
            kind = value.strip()
        elif name.lower() == "filename":
            value = value.strip()
            end = _closing_quote(value) if value.startswith('"') else 0
            file_name = re.sub(r"\\([\\\"])", r"\1", value[1:end]) if end else value
    return content, kind, file_name


def _closing_quote(text: str) -> int:
    match = re.match(r'"(?:[^"\\]|\\.)*"', text, re.DOTALL)
    return match.end() - 1 if match else 0


def _part(name: str, text: str, kind: str, file_name: str | None) -> str:
    head = f'--{BOUNDARY}{_LINE}Content-Disposition: form-data; name="{_quoted(name)}"'
    if file_name is not None:
        head += f'; filename="{_quoted(file_name)}"'
    if kind:
        head += f"{_LINE}Content-Type: {kind}"
    return f"{head}{_LINE}{_LINE}{text}{_LINE}"


def _quoted(text: str) -> str:
    return text.replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")

"""Recordings of browsers, read: the entries of a HAR file in the order in which a user caused them.

Whatever a file holds in the place of a text, a number or a list is taken for none: tools write HAR freely.

Source: HAR 1.2 (W3C Web Performance, "HTTP Archive format"), and what Chrome and Firefox add to it.
"""

import base64
import binascii
import json
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, NamedTuple

from loadrig.converters._address import one_line
from loadrig.converters._source import TestSource
from loadrig.language.choice import texts_of
from loadrig.language.en.converters.har import ConvertersHarErrors

ERRORS = texts_of(ConvertersHarErrors)

LONGEST_NUMBER = 19
"""Digits of a whole number that is taken exactly; what is longer is no count of anything."""

MOST_ANSWER = 2_000_000
"""Letters of an answer that is looked through for tokens, at most. Pages and JSON are smaller."""

_HALVES = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class HarMessage:
    """Headers and content of a request or an answer. kind: its media type. content: None for none."""

    headers: tuple[tuple[str, str], ...] = ()
    kind: str = ""
    content: str | bytes | None = None


class HarField(NamedTuple):
    """Field of a form. value: None where the recording has none; file_name: None where it is no file."""

    name: str
    value: str | None
    file_name: str | None
    kind: str


@dataclass(frozen=True, slots=True)
class HarEntry:
    """A request of a recording. number: its position in the file, from 1 on. Times in seconds.

    start_s: None where it has no time. params: fields of a form whose text was not recorded.
    status: None where the file has no answers, as one that was written by hand; 0 where none came.
    """

    number: int
    page: str
    start_s: float | None
    length_s: float
    method: str
    url: str
    version: str
    request: HarMessage
    params: tuple[HarField, ...]
    expects_body: bool
    status: int | None
    answer: HarMessage
    is_cached: bool

    @property
    def has_files(self) -> bool:
        """Whether its form has files."""
        return any(field.file_name for field in self.params)


def entries_of(source: TestSource) -> list[HarEntry]:
    """Return the entries, by their pages and then their times. Raise PlanError `import.bad-test`."""
    log = _mapping(_mapping(parsed(source)).get("log"))
    listed = log.get("entries")
    if not isinstance(listed, list):
        raise source.bad(ERRORS.no_entries, ERRORS.export_anew)
    starts = {
        _text(page.get("id")): start
        for page in map(_mapping, _list(log.get("pages")))
        if (start := _time_s(page.get("startedDateTime"))) is not None
    }
    entries = [_entry(number, _mapping(entry)) for number, entry in enumerate(listed, start=1)]
    return _in_order(entries, starts)


def parsed(source: TestSource) -> Any:
    """Return the document of a file."""
    text = source.text().removeprefix("\ufeff")
    try:
        return json.loads(text, parse_int=_whole)
    except json.JSONDecodeError as error:
        what = ERRORS.no_json(error.msg)
        raise source.bad(what, ERRORS.export_anew, line=error.lineno, column=error.colno) from error
    except RecursionError as error:
        raise source.bad(ERRORS.deep_json, ERRORS.export_anew) from error


def json_of(text: str) -> Any:
    """Return the document of an answer or a body; None where it is no JSON, or too deep."""
    try:
        return json.loads(text, parse_int=_whole)
    except (ValueError, RecursionError):
        return None


def _in_order(entries: list[HarEntry], starts: Mapping[str, float]) -> list[HarEntry]:
    """Return entries by the start of their page; of those without one, the page that runs."""
    times = sorted(starts.values())

    def place(entry: HarEntry) -> tuple[float, float]:
        time = entry.start_s if entry.start_s is not None else math.inf
        running = max((start for start in times if start <= time), default=-math.inf)
        return starts.get(entry.page, running), time

    return sorted(entries, key=place)


def _entry(number: int, entry: Mapping[str, Any]) -> HarEntry:
    request, answer = _mapping(entry.get("request")), _mapping(entry.get("response"))
    posted, content = _mapping(request.get("postData")), _mapping(answer.get("content"))
    headers = _headers(request)
    length = next((value for name, value in headers if name.lower() == "content-length"), "")
    params = [_mapping(param) for param in _list(posted.get("params"))]
    return HarEntry(
        number=number,
        page=_text(entry.get("pageref")),
        start_s=_time_s(entry.get("startedDateTime")),
        length_s=_number(entry.get("time")) / 1000,
        method=_text(request.get("method")).upper() or "GET",
        url=_text(request.get("url")),
        version=_text(request.get("httpVersion")).lower(),
        request=HarMessage(headers, _text(posted.get("mimeType")), _content(posted)),
        params=tuple(map(_field, params)),
        expects_body=(length.isdecimal() and length.strip("0") != "") or _number(request.get("bodySize")) > 0,
        status=int(_number(answer["status"])) if "status" in answer else None,
        answer=HarMessage(_headers(answer), _text(content.get("mimeType")), _content(content)),
        is_cached=entry.get("_fromCache") not in (None, False, "") or entry.get("fromCache") is True,
    )


def _field(param: Mapping[str, Any]) -> HarField:
    value, file_name = param.get("value"), _text(param.get("fileName"))
    recorded = _text(value) if isinstance(value, str) and (value or not file_name) else None
    return HarField(
        _text(param.get("name")), recorded, file_name or None, one_line(_text(param.get("contentType")))
    )


def _headers(message: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    headers = (_mapping(header) for header in _list(message.get("headers")))
    return tuple((_text(header.get("name")), _text(header.get("value"))) for header in headers)


def _content(part: Mapping[str, Any]) -> str | bytes | None:
    """Return the text of a body or an answer; its bytes where they are no UTF-8."""
    text = part.get("text")
    if not isinstance(text, str) or not text:
        return None
    if part.get("encoding", part.get("_encoding")) != "base64":
        return _text(text)
    try:
        content = base64.b64decode(text, validate=False)
    except (binascii.Error, ValueError):
        return None
    try:
        return content.decode()
    except UnicodeDecodeError:
        return content


def _time_s(value: object) -> float | None:
    try:
        time = datetime.fromisoformat(_text(value))
    except ValueError:
        return None
    return (time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp()


def _whole(digits: str) -> int | float:
    """Return a whole number; one of too many digits as a float, which takes no time to read."""
    return int(digits) if len(digits) <= LONGEST_NUMBER else float(digits)


def _number(value: object) -> float:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    number = float(value) if is_number and isinstance(value, int | float) else 0.0
    return number if math.isfinite(number) and number > 0 else 0.0


def _text(value: object) -> str:
    """Return a text without halves of pairs, which no encoding has; "" for anything else."""
    return _HALVES.sub("\ufffd", value) if isinstance(value, str) else ""


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: object) -> Iterator[object]:
    return iter(value if isinstance(value, list) else ())

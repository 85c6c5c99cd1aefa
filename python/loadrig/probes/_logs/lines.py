"""A line of a log as text and level: of plain lines, of JSON, and of lines that a container's log wraps."""

import json
import re
from dataclasses import dataclass
from typing import Any

MOST_LINE_BYTES = 4096
"""Bytes of a line that are looked at, at most."""

_LEVELS = {
    "emerg": "fatal", "emergency": "fatal", "alert": "fatal", "panic": "fatal", "fatal": "fatal",
    "critical": "fatal", "crit": "fatal", "severe": "error", "error": "error", "err": "error",
    "warning": "warning", "warn": "warning", "notice": "info", "info": "info", "information": "info",
    "log": "info", "debug": "debug", "trace": "debug", "verbose": "debug",
}  # fmt: skip

_SYSLOG = ("fatal", "fatal", "fatal", "error", "warning", "info", "info", "debug")
"""Levels of the priorities 0 to 7. Source: RFC 5424, 6.2.1."""

_PINO = ((60, "fatal"), (50, "error"), (40, "warning"), (30, "info"))
"""Least number of each level, as pino and bunyan write them."""

_LEVEL = re.compile(
    r"\b(?P<word>EMERG|ALERT|PANIC|FATAL|CRITICAL|CRIT|SEVERE|ERROR|WARNING|WARN|NOTICE|INFO|LOG|DEBUG|TRACE)\b"
    r"|\[(?P<bracketed>[A-Za-z]{3,9})\]|\blevel=\"?(?P<named>[A-Za-z]{3,9})|^(?P<go>panic|fatal error): "
    r"|^(?:\w{1,80}\.){0,12}\w{0,80}(?P<raised>Error|Exception|Timeout|Exhausted)\b(?=:|$|\()"
)
_WORDS = {"go": "fatal", "raised": "error"}

_REQUEST = re.compile(
    r"\"(?:GET|POST|PUT|HEAD|DELETE|PATCH|OPTIONS|CONNECT|TRACE|PRI) \S+ HTTP/[\d.]{1,3}\" \d{3}\b"
)
"""Request in a line of an access log: the status stands behind it, which no error log has."""
_COLOUR = re.compile(r"\x1b\[[0-9;]{0,20}m")
_MOST_STRANGE_SHARE = 0.1
"""Share of characters that are no text, up to which a line counts as text."""

_TEXTS = ("message", "msg", "log", "MESSAGE", "event", "error")
_NAMES = ("level", "severity", "levelname", "lvl", "PRIORITY")


@dataclass(frozen=True, slots=True)
class LogLine:
    """A line. kind: text; more, a part of the line before it (a stack); request; binary."""

    text: str
    level: str = ""
    kind: str = "text"


def parse(raw: bytes) -> LogLine:
    """Return a line as its program wrote it, without its end."""
    text = raw[:MOST_LINE_BYTES].decode("utf-8", "replace").rstrip("\r\n")
    return _parsed(text, deep=True)


def _parsed(text: str, deep: bool) -> LogLine:
    if "\x1b" in text:
        text = _COLOUR.sub("", text)
    if not text.isprintable():
        strange = sum(not (letter.isprintable() or letter == "\t") or letter == "\ufffd" for letter in text)
        if strange > _MOST_STRANGE_SHARE * len(text):
            return LogLine("", kind="binary")
    elif "\ufffd" in text and text.count("\ufffd") > _MOST_STRANGE_SHARE * len(text):
        return LogLine("", kind="binary")
    if text.startswith("{") and text.endswith("}"):
        line = _json_line(text, deep)
        if line is not None:
            return line
    if not text.strip() or text[0] in " \t":
        return LogLine(text, kind="more")
    if _REQUEST.search(text):
        return LogLine(text, kind="request")
    return LogLine(text, level_of(text))


def level_of(text: str) -> str:
    """Return the level that a line gives; "" for none."""
    for match in _LEVEL.finditer(text[:200]):
        kind = match.lastgroup or ""
        level = _WORDS.get(kind) or _LEVELS.get(match[kind].lower(), "")
        if level:
            return level
    return ""


def _json_line(text: str, deep: bool) -> LogLine | None:
    """Return the line in a JSON document of a program or of a container's log; None if it is neither."""
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(document, dict):
        return None
    text_of_document = next((document[name] for name in _TEXTS if isinstance(document.get(name), str)), None)
    if text_of_document is None:
        return None
    level = next((parsed_level for name in _NAMES if (parsed_level := _level(name, document.get(name)))), "")
    if not deep:
        return LogLine(text_of_document, level)
    inner = _parsed(text_of_document.rstrip("\r\n").partition("\n")[0], deep=False)
    return LogLine(inner.text, level or inner.level, inner.kind)


def _level(name: str, value: Any) -> str:
    if isinstance(value, str):
        if name == "PRIORITY":
            return _SYSLOG[int(value)] if value.isdecimal() and int(value) < len(_SYSLOG) else ""
        return _LEVELS.get(value.lower(), "")
    if isinstance(value, int):
        return next((level for least, level in _PINO if value >= least), "debug")
    return ""

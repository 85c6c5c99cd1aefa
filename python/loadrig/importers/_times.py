"""Instants as other tools write them, to the nanosecond, which a float of seconds since 1970 would lose."""

import calendar
import re

from loadrig.base.clock import NS
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.importers import ImportersSampleErrors

ERRORS = texts_of(ImportersSampleErrors)

_ISO = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d):(\d\d)(?:[.,](\d{1,9}))?\d*(Z|[+-]\d\d:?\d\d)", re.IGNORECASE
)
_KNOWN: dict[str, int] = {}


def since_1970(text: object) -> int:
    """Return the nanoseconds since 1970 of an instant of RFC 3339 with a zone, or of such a number in digits.

    Raise ValueError for all else.
    """
    if isinstance(text, str) and text.isdecimal():
        return int(text)
    match = _ISO.fullmatch(text) if isinstance(text, str) else None
    if match is None:
        raise ValueError(ERRORS.no_instant(repr(text)))
    return _second(match) * NS + int((match[7] or "0").ljust(9, "0"))


def _second(match: "re.Match[str]") -> int:
    # Thousands of rows may share a second, so its date is converted once.
    key = match.string[: match.end(6)] + match[8]
    seconds = _KNOWN.get(key)
    if seconds is None:
        if len(_KNOWN) > 1000:
            _KNOWN.clear()
        year, month, day, hour, minute, second = (int(match[place]) for place in range(1, 7))
        if not (
            year >= 1970 and 1 <= month <= 12 and 1 <= day <= 31 and hour < 24 and minute < 60 and second < 61
        ):
            raise ValueError(ERRORS.no_date(repr(match.string)))
        zone = match[8].upper()
        away = (
            0 if zone == "Z" else (int(zone[1:3]) * 60 + int(zone[-2:])) * 60 * (1 if zone[0] == "+" else -1)
        )
        seconds = _KNOWN[key] = calendar.timegm((year, month, day, hour, minute, second)) - away
    return seconds

"""Times as the function `__time` of JMeter writes them.

Source: `TimeFunction` of apache/jmeter 5.6 and `DateTimeFormatter` of OpenJDK 17.
"""

import re
from collections.abc import Callable, Mapping
from datetime import datetime

_SHORT: Mapping[str, str] = {"YMD": "yyyyMMdd", "HMS": "HHmmss", "YMDHMS": "yyyyMMdd-HHmmss"}
"""Patterns of the names that `jmeter.properties` gives."""

_TOKEN = re.compile(r"''|'((?:[^']|'')*)'|([A-Za-z])\2*|[^A-Za-z']+")
_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
    "November", "December",
)  # fmt: skip
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_FIELDS: Mapping[str, Callable[[datetime], str]] = {
    "yyyy": lambda moment: f"{moment.year:04}",
    "uuuu": lambda moment: f"{moment.year:04}",
    "yy": lambda moment: f"{moment.year % 100:02}",
    "MMMM": lambda moment: _MONTHS[moment.month - 1],
    "MMM": lambda moment: _MONTHS[moment.month - 1][:3],
    "MM": lambda moment: f"{moment.month:02}",
    "M": lambda moment: f"{moment.month}",
    "dd": lambda moment: f"{moment.day:02}",
    "d": lambda moment: f"{moment.day}",
    "HH": lambda moment: f"{moment.hour:02}",
    "H": lambda moment: f"{moment.hour}",
    "hh": lambda moment: f"{moment.hour % 12 or 12:02}",
    "h": lambda moment: f"{moment.hour % 12 or 12}",
    "mm": lambda moment: f"{moment.minute:02}",
    "m": lambda moment: f"{moment.minute}",
    "ss": lambda moment: f"{moment.second:02}",
    "s": lambda moment: f"{moment.second}",
    "SSS": lambda moment: f"{moment.microsecond // 1000:03}",
    "a": lambda moment: "AM" if moment.hour < 12 else "PM",
    "E": lambda moment: _DAYS[moment.weekday()][:3],
    "EEE": lambda moment: _DAYS[moment.weekday()][:3],
    "EEEE": lambda moment: _DAYS[moment.weekday()],
    "Z": lambda _: "+0000",
    "X": lambda _: "Z",
    "X" * 3: lambda _: "Z",
}
"""Texts of the fields of a pattern, of a time of UTC."""


def written_time(pattern: str, moment: datetime) -> str | None:
    """Return a time of UTC by a pattern of Java; None for a pattern with fields that few tests have."""
    pattern = _SHORT.get(pattern, pattern)
    text, place = "", 0
    for match in _TOKEN.finditer(pattern):
        if match.start() != place:
            return None
        place = match.end()
        if match[2] is None:
            text += (
                match[0] if match[1] is None and match[0] != "''" else (match[1] or "'").replace("''", "'")
            )
        elif match[0] in _FIELDS:
            text += _FIELDS[match[0]](moment)
        else:
            return None
    return text if place == len(pattern) else None

"""Lines of InfluxDB's line protocol: a measurement, tags, fields that are numbers, and an instant."""

import math
from collections.abc import Mapping

_IN_A_NAME = str.maketrans({",": "\\,", " ": "\\ ", "\n": "\\ ", "\r": "\\ "})
_IN_A_TAG = _IN_A_NAME | str.maketrans({"=": "\\="})


def protocol_line(name: str, tags: Mapping[str, str], fields: Mapping[str, float], t_ns: int) -> str:
    """Return a line with its newline; "" where no field is a finite number. t_ns: nanoseconds since 1970.

    A tag without a value is left out, as the protocol has no empty ones.
    """
    texts = [
        f"{key.translate(_IN_A_TAG)}={float(value)!r}"
        for key, value in fields.items()
        if math.isfinite(value)
    ]
    if not texts:
        return ""
    labels = "".join(f",{key}={_tag(value)}" for key, value in tags.items() if value)
    return f"{name.translate(_IN_A_NAME)}{labels} {','.join(texts)} {t_ns}\n"


def _tag(value: str) -> str:
    """Return a tag's value. A backslash at its end would take away the sign after it: a space follows it."""
    return value.translate(_IN_A_TAG) + ("\\ " if value.endswith("\\") else "")

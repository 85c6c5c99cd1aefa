"""Parts of a path as a route has them: words stay, and what tells items apart becomes `*`."""

import re
from functools import lru_cache

ITEM = "*"
"""Sign in the place of what tells items apart: a number, a UUID, a token, a long name."""


@lru_cache(maxsize=4096)
def route_part(part: str) -> str:
    """Return a part of a path if it is a word or a file's name, else `*`, with its ending if it has it.

    >>> [route_part(part) for part in ("users", "4711", "v2", "app.3f2a1b.js", "style.css")]
    ['users', '*', 'v2', '*.js', 'style.css']
    """
    name, dot, ending = part.rpartition(".")
    plain = name if dot and re.fullmatch(r"[a-z]{1,5}\d?", ending) else part
    if re.fullmatch(r"v\d{1,2}", part) or re.fullmatch(r"[A-Za-z_\-.~]{0,24}", plain):
        return part
    return f"{ITEM}.{ending}" if plain is not part else ITEM

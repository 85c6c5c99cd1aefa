"""Secrets that this process has come to know, and texts without them: the last thing before anything is kept.

Whatever a plan, a variable, a file or the command line gives as a secret is learnt where it enters. Every
way out (files of a run, the terminal, the page, leases) passes its texts through `hidden`, so a server that
repeats a password in its error page, or a library that quotes one, gives nothing away.

A value that looks like a usual word is not looked for: `postgres` stands in many places where it is no
password. Such a value is still never written where it was given, as a plan keeps a hole there.
"""

import base64
import binascii
import html
import json
import re
from typing import Any
from urllib.parse import quote, quote_plus

from loadrig.base.masks import MASK

SHORTEST = 6
"""Least number of letters of a value that is looked for; a shorter value stands in many words by chance."""

LONG = 16
"""Number of letters from which on a value is looked for even where it has only one kind of letters: no usual
word is as long."""

_SCHEME = re.compile(r"(?:Bearer|Basic|Digest|Token|ApiKey)\s+(?=\S)", re.IGNORECASE)
_KINDS = (str.islower, str.isupper, str.isdecimal)

_shown_by_form: dict[str, str] = {}
_pattern: re.Pattern[str] | None = None


def learn(value: str, shown: str = MASK) -> None:
    """Hide a value from now on in everything that this process writes. shown: the text that replaces it.

    A value of several parts (`Bearer TOKEN`, cookies, user and password in base64) is learnt by its parts.
    """
    global _pattern
    before = len(_shown_by_form)
    for part in _parts(value.strip()):
        if is_distinct(part):
            for form in _forms(part):
                _shown_by_form.setdefault(form, shown)
    if len(_shown_by_form) > before:
        longest_first = sorted(_shown_by_form, key=len, reverse=True)
        _pattern = re.compile("|".join(re.escape(form) for form in longest_first))


def is_distinct(value: str) -> bool:
    """Return whether a value is unlike any word or number that a text may hold for another reason.

    >>> [is_distinct(value) for value in ("hunter2!", "postgres", "8080", "correcthorsebattery")]
    [True, False, False, True]
    """
    if len(value) < SHORTEST or value.isdecimal():
        return False
    kinds = {next((n for n, kind in enumerate(_KINDS) if kind(letter)), len(_KINDS)) for letter in value}
    return len(kinds) > 1 or len(value) >= LONG


def hidden_forms() -> tuple[str, ...]:
    """Return every form of every value that is hidden."""
    return tuple(_shown_by_form)


def hidden(text: str) -> str:
    """Return a text without the values that are known."""
    if _pattern is None:
        return text
    return _pattern.sub(lambda match: _shown_by_form[match[0]], text)


def hidden_in(document: Any) -> Any:
    """Return a JSON document with its texts and keys hidden; the same object where nothing is known."""
    if _pattern is None:
        return document
    match document:
        case str():
            return hidden(document)
        case dict():
            return {
                hidden(key) if isinstance(key, str) else key: hidden_in(item)
                for key, item in document.items()
            }
        case list() | tuple():
            return [hidden_in(item) for item in document]
        case _:
            return document


def _parts(value: str) -> set[str]:
    """Return a value and its parts.

    Parts are what stands behind its scheme, each cookie of several, and both halves of a Basic login.
    """
    parts = {value}
    bare = _SCHEME.sub("", value, count=1) if _SCHEME.match(value) else value
    parts.add(bare)
    if "=" in bare:
        parts |= {pair.partition("=")[2].strip() for pair in bare.split(";")}
    if "&" in bare:
        parts.add(bare.partition("&")[0])
    if ":" in bare:
        parts.add(bare.partition(":")[2])
    if bare != value:
        try:
            login = base64.b64decode(bare, validate=True).decode()
        except (binascii.Error, ValueError):
            login = ""
        if ":" in login:
            parts |= {login, login.partition(":")[2]}
    return parts


def _forms(value: str) -> set[str]:
    """Return the forms of a value in other texts: in JSON, in an address, in a page, in base64."""
    in_json = json.dumps(value, ensure_ascii=False)[1:-1]
    # As a server reads the bytes of a header: RFC 9110 knows no other letters than those of Latin-1.
    read = {value, in_json, *(text.encode().decode("latin-1") for text in (value, in_json))}
    printed = {text.replace("\\", "\\\\") for text in read}
    printed |= {text.replace("'", "\\'") for text in printed} | {repr(text)[1:-1] for text in read}
    forms = {value, in_json, json.dumps(value)[1:-1], html.escape(value), repr(value)[1:-1]}
    forms |= {quote(value), quote(value, safe=""), quote_plus(value)}
    forms |= read | printed | {html.escape(in_json)}
    return forms | {base64.b64encode(value.encode()).decode().rstrip("=")}

"""Sources of a secret that is not written down: a variable of the environment, or a file.

What is read is known as a secret from then on (see known_secrets), so nothing that is written holds it.
"""

import os
from pathlib import Path

from loadrig.base import known_secrets, masks, user_files
from loadrig.base.base_texts import texts

MOST_BYTES = 64_000
"""Largest size of a file that holds a secret, in bytes: a key with all its certificates is a tenth of it."""


class NoSecret(Exception):
    """A secret that cannot be had.

    what: a sentence without a full stop. reason: why a file cannot be read.
    """

    def __init__(self, what: str, reason: str = "") -> None:
        self.what, self.reason = what, reason
        super().__init__(what)


def of_variable(name: str, shown: str = masks.MASK) -> str:
    """Return the value of a variable. shown: what is written in its place. Raises NoSecret."""
    value = os.environ.get(name)
    if value is None:
        raise NoSecret(texts().variable_not_set(name))
    known_secrets.learn(value, shown)
    return value


def of_file(path: Path, shown: str = masks.MASK) -> str:
    """Return the text of a file without its last line break. shown: what is written in its place.

    Raises NoSecret.
    """
    try:
        text = user_files.read_bytes(path, MOST_BYTES).decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = (error.strerror or str(error)) if isinstance(error, OSError) else texts().not_utf8
        raise NoSecret(texts().secret_unreadable(str(path), why), why) from None
    value = text.removesuffix("\n").removesuffix("\r")
    for line in {value, *value.splitlines()}:
        known_secrets.learn(line, shown)
    return value

"""Licences of the Python packages that a lock names, as the installed packages state them.

    .venv/bin/python scripts/licences.py locks/dev.txt locks/demo.txt

Prints a line for each package whose licence is unknown or not allowed; exit code 1 where there is one. The
interpreter that runs this must be the one into which the locks were installed. The rules for crates stand in
deny.toml.
"""

import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib import metadata
from pathlib import Path

ALLOWED = frozenset(
    (
        "0BSD",
        "Apache-2.0",
        "BSD-2-Clause",
        "BSD-3-Clause",
        "CC0-1.0",
        "ISC",
        "LicenseRef-Public-Domain",
        "MIT",
        "MIT-0",
        "PSF-2.0",
        "Unlicense",
        "Zlib",
    )
)
"""SPDX names of licences that allow distribution under Apache-2.0, with a notice at most."""

EXCEPTIONS: Mapping[str, tuple[str, str]] = {
    "axe-playwright-python": (
        "MPL-2.0",
        "carries axe-core, which runs in tests; it is not distributed with loadrig",
    ),
    "bidict": (
        "MPL-2.0",
        "a part of Locust, beside which tests run; it is not distributed with loadrig",
    ),
    "certifi": ("MPL-2.0", "a list of authorities for pip-audit and Ray; it is not distributed with loadrig"),
    "docutils": (
        "GPL-3.0-or-later",
        "one file for Emacs, in a part of twine, which checks wheels; it is not distributed with loadrig",
    ),
    "hypothesis": ("MPL-2.0", "runs tests; it is not distributed with loadrig"),
    "pathspec": ("MPL-2.0", "a part of mypy, which checks types; it is not distributed with loadrig"),
    "tqdm": ("MPL-2.0", "a part of Optuna, which no user of loadrig needs; it is not distributed with it"),
    "zope-event": ("ZPL-2.1", "a part of Locust's gevent; it is not distributed with loadrig"),
    "zope-interface": ("ZPL-2.1", "a part of Locust's gevent; it is not distributed with loadrig"),
}
"""Packages under another licence: its SPDX name, and why it does no harm. None is of the demo's lock."""

ELSEWHERE: Mapping[str, str] = {
    "async-timeout": "Apache-2.0",
    "axe-playwright-python": "MIT AND MPL-2.0",
    "cffi": "MIT",
    "colorama": "BSD-3-Clause",
    "pycparser": "BSD-3-Clause",
    "pywin32": "PSF-2.0",
    "pywin32-ctypes": "BSD-3-Clause",
    "tomli": "MIT",
    "typing-extensions": "PSF-2.0",
    "uv": "MIT OR Apache-2.0",
}
"""Packages that a lock names for other systems or Pythons alone, the installer, which goes to a place of its
own, and those that state nothing where it can be read: licences of their own pages and files."""

_IN_WORDS: Mapping[str, str] = {
    "3-Clause BSD License": "BSD-3-Clause",
    "Apache 2.0": "Apache-2.0",
    "Apache Software License": "Apache-2.0",
    "BSD 2-Clause License": "BSD-2-Clause",
    "BSD 3-Clause License": "BSD-3-Clause",
    "BSD License": "BSD-3-Clause",
    "BSD": "BSD-3-Clause",
    "Apache License 2.0": "Apache-2.0",
    "GNU General Public License (GPL)": "GPL-3.0-or-later",
    "MIT License": "MIT",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "Public Domain": "LicenseRef-Public-Domain",
    "Python Software Foundation License": "PSF-2.0",
}
"""Names of licences in fields that are older than SPDX expressions, with their SPDX names."""

_PACKAGE = re.compile(r"^([A-Za-z0-9._-]+)==", re.MULTILINE)
_TOKEN = re.compile(r"\(|\)|[^\s()]+")


def packages(lock: str) -> list[str]:
    """Names of the packages in the text of a lock, sorted, each once."""
    return sorted({name.lower() for name in _PACKAGE.findall(lock)})


def stated(name: str) -> str | None:
    """Return the licence that an installed package states, as an SPDX expression where it can be read as one.

    Returns None if the package is not installed, and "" if it states nothing; what ELSEWHERE knows of either.
    """
    try:
        facts = metadata.metadata(name)
    except metadata.PackageNotFoundError:
        return ELSEWHERE.get(name)
    expression = _field(facts, "License-Expression")
    if expression:
        return expression
    marks = [mark.split(" :: ")[-1] for mark in facts.get_all("Classifier") or () if _is_licence(mark)]
    marks = [mark for mark in marks if mark not in ("DFSG approved", "OSI Approved")]
    if marks:
        # Several classifiers may mean "either" or "all": only the stricter reading is safe.
        return " AND ".join(_IN_WORDS.get(mark, mark) for mark in marks)
    text = _field(facts, "License").strip() or ELSEWHERE.get(name, "")
    return _IN_WORDS.get(text, text.splitlines()[0] if text else "")


def _field(facts: metadata.PackageMetadata, name: str) -> str:
    return str(next(iter(facts.get_all(name) or ()), ""))


def _is_licence(classifier: str) -> bool:
    return classifier.startswith("License :: ")


def allows(expression: str, allowed: frozenset[str] = ALLOWED) -> bool:
    """Return whether allowed licences alone meet an SPDX expression. What cannot be read is not allowed."""
    tokens = _TOKEN.findall(expression)
    try:
        is_allowed = _either(tokens, allowed)
    except IndexError:
        return False
    return is_allowed and not tokens


def _either(tokens: list[str], allowed: frozenset[str]) -> bool:
    return _joined(tokens, "OR", any, lambda: _all(tokens, allowed))


def _all(tokens: list[str], allowed: frozenset[str]) -> bool:
    return _joined(tokens, "AND", all, lambda: _term(tokens, allowed))


def _joined(
    tokens: list[str], word: str, whether: Callable[[Iterable[bool]], bool], part: Callable[[], bool]
) -> bool:
    """Read parts joined by a word, each to its end whatever the others said. whether: any or all of them."""
    parts = [part()]
    while tokens and tokens[0] == word:
        del tokens[0]
        parts.append(part())
    return whether(parts)


def _term(tokens: list[str], allowed: frozenset[str]) -> bool:
    token = tokens.pop(0)
    if token == "(":
        is_allowed = _either(tokens, allowed)
        return tokens.pop(0) == ")" and is_allowed
    if tokens and tokens[0] == "WITH":
        token = f"{token} WITH {tokens[1]}"
        del tokens[:2]
    return token in allowed


def wrong(names: Sequence[str]) -> Iterator[str]:
    """Yield a sentence for each package whose licence is unknown or not allowed."""
    for name in names:
        licence = stated(name)
        exception = EXCEPTIONS.get(name)
        if licence is None:
            yield f"{name} is not installed, so its licence is not known: install the lock, or name it here"
        elif not licence:
            yield f"{name} states no licence"
        elif not allows(licence, ALLOWED | {exception[0]} if exception else ALLOWED):
            yield f"{name} is under {licence}, which is not on the list of scripts/licences.py"


def main(locks: Sequence[str]) -> int:
    """Check the locks, print what is wrong, return the exit code."""
    names = sorted({name for lock in locks for name in packages(Path(lock).read_text(encoding="utf-8"))})
    sentences = list(wrong(names))
    for sentence in sentences:
        print(sentence)
    return 1 if sentences or not names else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

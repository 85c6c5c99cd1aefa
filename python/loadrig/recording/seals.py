"""A seal as plain data: sizes and digests of files, as SEALED of a trial and of a run hold them.

What is read here may have been written by anybody: it is bounded, and each name is looked at.
"""

import hashlib
import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from loadrig.language.choice import texts_of
from loadrig.language.en.errors.recording import RecordingSealsErrors
from loadrig.recording import below

ERRORS = texts_of(RecordingSealsErrors)

NAME = "SEALED"

VERSION = 1
"""Version of a seal. A seal without a number is of a trial of an earlier version, which had sizes and digests
alone."""

MOST_BYTES = 64_000_000
"""Largest size of a seal that is read, in bytes. A line has some 120 bytes, so that is half a million
files."""

_DIGEST = re.compile(r"[0-9a-f]{64}")


class SealError(ValueError):
    """A seal that cannot be used. Its text says why, as the end of a sentence that begins with its path."""


@dataclass(frozen=True, slots=True)
class FileSeal:
    """A file as it was when it was sealed: its size in bytes and its SHA-256 in hexadecimal digits."""

    size: int
    digest: str

    def to_json(self) -> dict[str, int | str]:
        """Return the facts as a seal holds them."""
        return {"bytes": self.size, "sha256": self.digest}


@dataclass(frozen=True, slots=True)
class Seal:
    """The content of a SEALED. files: facts by path; open: files that a command was about to write.

    A name in `open` that ends in a slash stands for a folder with all that is in it. others: names of entries
    that are no regular file, such as a server's socket; they have no digest.
    """

    files: Mapping[str, FileSeal]
    open: tuple[str, ...] = ()
    others: tuple[str, ...] = ()

    def is_open(self, name: str) -> bool:
        """Return whether a command had the file open for writing and did not come to its end."""
        return any(
            name == opened or (opened.endswith("/") and name.startswith(opened)) for opened in self.open
        )

    def to_json(self) -> dict[str, Any]:
        """Return the document of a seal, with a digest of itself.

        The digest keeps a flipped bit in the seal from accusing another file.
        """
        files = {name: facts.to_json() for name, facts in sorted(self.files.items())}
        lists = {"open": sorted(self.open), "others": sorted(self.others)}
        document = {**{name: names for name, names in lists.items() if names}, "files": files}
        return {"seal": VERSION, "sha256": _digest(document), **document}


def _digest(document: Mapping[str, Any]) -> str:
    """Return the digest of a seal's content, whatever its spaces and the order of its keys."""
    content = {name: document[name] for name in ("open", "others", "files") if name in document}
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def facts_of(path: Path) -> FileSeal:
    """Return size and digest of a file. Raises OSError."""
    with path.open("rb") as file:
        return facts_of_handle(file.fileno())


def facts_of_handle(handle: int) -> FileSeal:
    """Return size and digest of an open file. Raises OSError."""
    with os.fdopen(os.dup(handle), "rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
        return FileSeal(os.fstat(handle).st_size, digest)


def read(folder: int) -> Seal | None:
    """Return the seal of an open folder; None where it has none. Raises SealError where it cannot be used."""
    try:
        content = below.read(folder, NAME, MOST_BYTES)
    except FileNotFoundError:
        return None
    except ValueError as error:
        raise SealError(str(error)) from None
    except OSError as error:
        is_link = os.path.islink(f"/proc/self/fd/{folder}/{NAME}")
        reason = ERRORS.is_link if is_link else ERRORS.not_read(error.strerror or str(error))
        raise SealError(reason) from None
    if not content.endswith(b"\n"):
        raise SealError(ERRORS.is_cut_short)
    try:
        document = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise SealError(ERRORS.not_json(str(error))) from None
    return _parsed(document)


def _parsed(document: Any) -> Seal:
    if not isinstance(document, dict) or not isinstance(document.get("files"), dict):
        raise SealError(ERRORS.names_no_files)
    version = document.get("seal", VERSION)
    if version != VERSION:
        raise SealError(ERRORS.other_version(repr(version), VERSION))
    if document.get("sha256", "") not in ("", _digest(document)):
        raise SealError(ERRORS.was_changed)
    files = {name: _facts(name, facts) for name, facts in document["files"].items()}
    return Seal(files, _names(document, "open"), _names(document, "others"))


def _names(document: Mapping[str, Any], key: str) -> tuple[str, ...]:
    names = document.get(key, [])
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise SealError(ERRORS.no_list_of_names(key))
    return tuple(names)


def _facts(name: str, facts: Any) -> FileSeal:
    if not below.is_inside(name):
        raise SealError(ERRORS.file_outside(name))
    if not isinstance(facts, dict):
        raise SealError(ERRORS.nothing_of_file(name))
    size, digest = facts.get("bytes"), facts.get("sha256")
    if type(size) is not int or size < 0 or not isinstance(digest, str) or not _DIGEST.fullmatch(digest):
        raise SealError(ERRORS.no_size_and_digest(name))
    return FileSeal(size, digest)

"""A seal as plain data: sizes and digests of files, as SEALED of a trial and of a run hold them.

What is read here may have been written by anybody: it is bounded, and each name is looked at.
"""

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from loadrig.language.choice import texts_of
from loadrig.language.en.errors.recording import RecordingSealsErrors
from loadrig.recording import below

ERRORS = texts_of(RecordingSealsErrors)

NAME = "SEALED"

MOST_BYTES = 64_000_000
"""Largest size of a seal that is read, in bytes. A line has some 120 bytes, so that is half a million
files."""


class SealError(ValueError):
    """A seal that cannot be used. Its text says why, as the end of a sentence that begins with its path."""


@dataclass(frozen=True, slots=True)
class FileSeal:
    """A file as it was when it was sealed: its size in bytes and its SHA-256 in hexadecimal digits."""

    size: int
    digest: str


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
        """Return the document of a seal, with a digest of itself."""
        from msgspec.structs import replace

        from loadrig.base.documents import plain
        from loadrig.recording.seal_document import VERSION, SealDocument, SealedFile

        document = SealDocument(
            open=tuple(sorted(self.open)),
            others=tuple(sorted(self.others)),
            files={
                name: SealedFile(bytes=facts.size, sha256=facts.digest)
                for name, facts in sorted(self.files.items())
            },
        )
        sealed: dict[str, Any] = plain(replace(document, seal=VERSION, sha256=document.digest))
        return sealed


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
    return _parsed(content)


def _parsed(content: bytes) -> Seal:
    # Not at the top: a command looks for a seal before the load, and the load need not wait for msgspec.
    import msgspec

    from loadrig.recording.seal_document import VERSION, SealDocument

    try:
        document = msgspec.json.decode(content, type=SealDocument)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise SealError(ERRORS.no_seal(str(error))) from None
    if document.seal not in (0, VERSION):
        raise SealError(ERRORS.other_version(str(document.seal), VERSION))
    if document.sha256 not in ("", document.digest):
        raise SealError(ERRORS.was_changed)
    for name in document.files:
        if not below.is_inside(name):
            raise SealError(ERRORS.file_outside(name))
    files = {name: FileSeal(file.bytes, file.sha256) for name, file in document.files.items()}
    return Seal(files, document.open, document.others)

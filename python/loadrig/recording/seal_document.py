"""Type of a SEALED, of a trial and of a run, as its file holds it.

A seal is looked for before the load has begun, when nothing waits for msgspec (decision 0030): what a command
works with is `seals.Seal`, and this is imported once there is a seal to read or to write.
"""

import hashlib
import json
from collections.abc import Mapping
from typing import Annotated

import msgspec

from loadrig.base.documents import Document, Says, plain

VERSION = 1
"""Version of a seal. A seal without a number is of a trial of an earlier version, which had sizes and digests
alone."""

Sha256 = Annotated[
    str,
    msgspec.Meta(pattern="^[0-9a-f]{64}$", max_length=64, description="its SHA-256, in hexadecimal"),
]


class SealedFile(Document, frozen=True, kw_only=True):
    """A file as it was when it was sealed."""

    bytes: Annotated[int, msgspec.Meta(ge=0, description="its size")]
    sha256: Sha256


class SealDocument(Document, frozen=True, kw_only=True, omit_defaults=True):
    """The files of a folder as they were when it was sealed."""

    seal: Annotated[int, Says("version of the seal; left out by those of earlier versions")] = 0
    sha256: Annotated[str, Says("digest of what follows, in hexadecimal digits; empty: none")] = ""
    open: Annotated[tuple[str, ...], Says("files that a command was about to write; `…/`: a folder")] = ()
    others: Annotated[tuple[str, ...], Says("entries that are no regular file, such as a socket")] = ()
    files: Annotated[Mapping[str, SealedFile], Says("files by their paths in the folder")]

    @property
    def digest(self) -> str:
        """Digest of the content, whatever the spaces and the order of the keys in the file.

        It keeps a flipped bit in the seal from accusing another file.
        """
        content = msgspec.structs.replace(self, seal=0, sha256="")
        return hashlib.sha256(json.dumps(plain(content), sort_keys=True).encode()).hexdigest()

"""Folders on their way between a study's driver and a node of another host: packed, sent in parts, unpacked.

What goes is a tar file, packed by gzip; what comes is written by our own program on the other host, and all
the same only files and folders below the place that it is for are taken out of it.
"""

import base64
import tarfile
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO

from loadrig.base import own_files, private
from loadrig.recording.layout import TrialFolder

PART_BYTES = 48 * 1024
"""Bytes of a part: as base64 a line of 64 KiB, as many as a pipe of Linux holds."""

LEVEL = 1
"""Level of gzip: series and long frames are packed already, and the next trial waits for this one."""


def parts_of(folder: Path) -> Iterator[str]:
    """Yield what is in a folder, packed, as parts of text."""
    with tempfile.TemporaryFile() as packed:
        with tarfile.open(fileobj=packed, mode="w:gz", compresslevel=LEVEL) as tar:
            for path in sorted(folder.iterdir()):
                tar.add(path, path.name)
        packed.seek(0)
        while part := packed.read(PART_BYTES):
            yield base64.b64encode(part).decode()


def packed_files(base: Path, names: Sequence[str]) -> str:
    """Return files and folders below a folder, packed, as text. Raises OSError where one cannot be read."""
    with tempfile.TemporaryFile() as packed:
        with tarfile.open(fileobj=packed, mode="w:gz") as tar:
            for name in names:
                tar.add(base / name, str(Path(name)))
        packed.seek(0)
        return base64.b64encode(packed.read()).decode()


def unpack(packed: IO[bytes], into: Path) -> None:
    """Take files and folders out of what was packed, into a folder; nothing lands outside of it.

    Raises OSError or tarfile.TarError where it is damaged or cannot be written.
    """
    packed.seek(0)
    with tarfile.open(fileobj=packed, mode="r:gz") as tar:
        for member in tar:
            if not (member.isfile() or member.isdir()):
                raise tarfile.TarError(member.name)
            tar.extract(member, into, filter=_as_sent)


def _as_sent(member: tarfile.TarInfo, into: str) -> tarfile.TarInfo:
    """Return a member for this user, with the permissions it had: a sealed file is not to be written to."""
    mode = private.FOLDER_MODE if member.isdir() else member.mode & 0o755
    return tarfile.data_filter(member, into).replace(mode=mode, deep=False)


def keep_trial(packed: IO[bytes], folder: TrialFolder) -> None:
    """Put a trial that has come into its place at once, whole; what a killed rig left there is set aside.

    Raises as `unpack`.
    """
    arriving = folder.path.with_name(f"{folder.path.name}-arriving")
    with suppress(FileNotFoundError):  # of a driver that was killed
        own_files.remove_tree(arriving)
    private.make_folder(arriving)
    unpack(packed, arriving)
    if folder.path.exists():
        folder.set_aside()
    arriving.rename(folder.path)

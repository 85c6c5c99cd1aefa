"""Facts from an ELF file: its sections, the Go version that built it, versions among its texts.

Sources: elf(5); the comment of buildInfoMagic in debug/buildinfo of Go's standard library.
"""

import re
import struct
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO

MOST_TEXT_BYTES = 8 << 20
"""Size in bytes above which a section of constants is not searched: that takes longer than a look may."""

_MAGIC = b"\xff Go buildinf:"
_GODEBUG = "DefaultGODEBUG="
_INLINE = 0x2
"""Flag of Go 1.18 and later: the texts follow in place of pointers to them."""


@dataclass(frozen=True, slots=True)
class GoBuild:
    """Build information that Go writes into a program.

    version: of Go, "1.26.8"; "" where an old Go hides it. path: of the main package. module: of that package.
    modules: path -> version of each module that went into it. godebug: defaults of GODEBUG, as the variable.
    """

    version: str
    path: str = ""
    module: str = ""
    modules: Mapping[str, str] = field(default_factory=dict)
    godebug: str = ""


def go_build(path: Path) -> GoBuild | None:
    """Return what Go wrote into a program about its build; None if Go did not build it."""
    key = _key(path)
    return _go_build(key) if key else None


def text_like(path: Path, pattern: str) -> str:
    """Return the first group of a pattern among the constants of a program or library; "" without a match."""
    key = _key(path)
    return _text_like(key, pattern) if key else ""


_Key = tuple[Path, int, int, int]


def _key(path: Path) -> _Key | None:
    """Return what identifies a file as it is now: a link names another one once its pid is used again."""
    try:
        status = path.stat()
    except OSError:
        return None
    return path, status.st_dev, status.st_ino, status.st_mtime_ns


@lru_cache(maxsize=256)
def _go_build(key: _Key) -> GoBuild | None:
    try:
        with open(key[0], "rb") as file:
            place = _sections(file).get(".go.buildinfo")
            if place is None:
                return None
            file.seek(place[0])
            return parse_go_build(file.read(min(place[1], 1 << 20)))
    except (OSError, struct.error):
        return None


def parse_go_build(data: bytes) -> GoBuild | None:
    """Return what the section .go.buildinfo holds; None for other data.

    Form: 14 bytes of magic, pointer size, flags; at byte 32 two counted texts.
    """
    if not data.startswith(_MAGIC) or len(data) < 32:
        return None
    if not data[15] & _INLINE:
        return GoBuild("")
    version, rest = _counted(data[32:])
    described, _ = _counted(rest)
    # Sixteen bytes before and behind mark where it lies.
    facts: dict[str, list[str]] = {}
    modules = {}
    for line in described[16:-16].decode(errors="replace").splitlines():
        what, *words = line.split("\t")
        if words:
            facts.setdefault(what, []).append(words[0])
        if what in ("mod", "dep") and len(words) > 1:
            modules[words[0]] = words[1]
    path, module = (facts.get(what, [""])[0] for what in ("path", "mod"))
    godebug = next(
        (word[len(_GODEBUG) :] for word in facts.get("build", ()) if word.startswith(_GODEBUG)), ""
    )
    return GoBuild(version.decode(errors="replace").removeprefix("go"), path, module, modules, godebug)


def _counted(data: bytes) -> tuple[bytes, bytes]:
    """Return a text that stands behind its length (an unsigned varint), and the bytes after the text."""
    length = place = 0
    for byte in data[:10]:
        length |= (byte & 0x7F) << 7 * place
        place += 1
        if not byte & 0x80:
            break
    return data[place : place + length], data[place + length :]


@lru_cache(maxsize=256)
def _text_like(key: _Key, pattern: str) -> str:
    try:
        with open(key[0], "rb") as file:
            offset, size = _sections(file).get(".rodata", (0, 0))
            if size > MOST_TEXT_BYTES:
                return ""
            file.seek(offset)
            match = re.search(pattern.encode(), file.read(size))
    except (OSError, struct.error):
        return ""
    return match[1].decode(errors="replace") if match else ""


def _sections(file: BinaryIO) -> dict[str, tuple[int, int]]:
    """Return the sections of an ELF file: name -> offset and size; empty if it is no ELF file of 64 bits."""
    head = file.read(64)
    if len(head) < 64 or head[:5] != b"\x7fELF\x02":
        return {}
    order = "<" if head[5] == 1 else ">"
    (table,) = struct.unpack_from(f"{order}Q", head, 0x28)
    size, count, names = struct.unpack_from(f"{order}HHH", head, 0x3A)
    file.seek(table)
    entries = file.read(size * count)
    form = struct.Struct(f"{order}IIQQQQ")  # name, type, flags, address, offset, size
    rows = [form.unpack_from(entries, place) for place in range(0, len(entries) - form.size + 1, size or 1)]
    if names >= len(rows):
        return {}
    file.seek(rows[names][4])
    texts = file.read(rows[names][5])
    return {
        texts[row[0] : texts.find(b"\0", row[0])].decode(errors="replace"): (row[4], row[5]) for row in rows
    }

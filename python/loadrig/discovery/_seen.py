"""Facts on a process from /proc; each is read when it is first asked for, and then remembered."""

import os
import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path

from loadrig.base import jvm_threads, processes, user_files

MOST_BYTES = 256 * 1024
"""Bytes that are read of any text, at most; command lines, environments and version files are far shorter."""


class VisibleProcess:
    """Facts on a process that can be seen. proc: the process file system.

    What may not be read is empty; `is_open` says whether this user may look into it at all.
    """

    def __init__(self, pid: int, proc: Path = processes.PROC) -> None:
        self.pid = pid
        self._folder = proc / str(pid)

    @cached_property
    def argv(self) -> tuple[str, ...]:
        """Command line of the process, which some programs write anew when they run."""
        words = self._read("cmdline").rstrip("\0").split("\0")
        return tuple(words) if words != [""] else ()

    @cached_property
    def environment(self) -> Mapping[str, str]:
        """Environment as it was when the program began."""
        pairs = (entry.partition("=") for entry in self._read("environ").split("\0"))
        return {name: value for name, equals, value in pairs if equals}

    @cached_property
    def exe(self) -> str:
        """Path of the program, in the process's own file system; empty if this user may not know."""
        return self._link("exe").removesuffix(" (deleted)")

    @cached_property
    def folder(self) -> str:
        """Current folder, in the process's own file system."""
        return self._link("cwd")

    @property
    def is_open(self) -> bool:
        """Whether this user may read its program, environment and descriptors."""
        return bool(self.exe)

    @cached_property
    def program(self) -> str:
        """Name of the file that the process runs: "python3.11", "redis-server"."""
        return os.path.basename(self.exe or (self.argv[0].partition(" ")[0] if self.argv else ""))

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the program: that of its file, and that by which it was started.

        The two differ where one file is several programs: Debian's redis-server is a link to redis-check-rdb.
        """
        started = os.path.basename(re.split(r"[\s:]", self.argv[0])[0]) if self.argv else ""
        return tuple(dict.fromkeys(name for name in (self.program, started) if name))

    @cached_property
    def mapped(self) -> tuple[str, ...]:
        """Files that are mapped into memory: the program and its libraries."""
        lines = self._read("maps", 8 * MOST_BYTES).splitlines()
        return tuple({path: None for line in lines if (path := line[73:].strip()).startswith("/")})

    @cached_property
    def threads(self) -> frozenset[str]:
        """Names of the threads, of which the kernel keeps the first 15 letters."""
        return jvm_threads.names(self._folder)

    def open_files(self) -> Iterator[str]:
        """Yield the paths of the files that the process holds open."""
        try:
            names = os.listdir(self._folder / "fd")
        except OSError:
            return
        for name in names:
            path = self._link(f"fd/{name}")
            if path.startswith("/"):
                yield path

    def inside(self, path: str) -> Path:
        """Return where this process's `path` is for the rig: the process may be in a container.

        A relative path is taken from the process's current folder.
        """
        whole = os.path.join(self.folder or "/", path)
        return self._folder / "root" / whole.lstrip("/")

    @property
    def binary(self) -> Path:
        """Program of the process, readable even where its file is gone."""
        return self._folder / "exe"

    def text(self, path: str) -> str:
        """Return the beginning of a text file of the process; empty if it is missing or may not be read."""
        return read_text(self.inside(path))

    def _read(self, name: str, most: int = MOST_BYTES) -> str:
        return read_text(self._folder / name, most)

    def _link(self, name: str) -> str:
        try:
            return os.readlink(self._folder / name)
        except OSError:
            return ""


def read_text(path: Path, most: int = MOST_BYTES) -> str:
    """Return the beginning of a text file; empty if it cannot be read."""
    try:
        with user_files.open_bytes(path) as file:
            return file.read(most).decode("utf-8", "replace")
    except OSError:
        return ""

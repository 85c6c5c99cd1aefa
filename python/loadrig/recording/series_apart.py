"""Work of the Arrow library, done in a process of its own that ends and gives the memory back.

The library takes some 50 MB. A command that runs one trial and says what it found needs it once, for a few
kilobytes of series, and would have that memory to the end: the process that compacts them answers with what
it has written. A command that reads many recordings, or a large one, has the library itself: it is imported
once then, and nothing is copied.

Run by its path, this file is that process: the parent's import path, what to do and the files are its
arguments, and it answers with one pickled message on standard output.
"""

import os
import subprocess
import sys
from collections.abc import Hashable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from loadrig.base.series import Key
    from loadrig.recording.series_parts import Part

MOST_TIMES = 2
"""Number of times that one command uses a process apart: two trials. Each starts Python; one import is
cheaper."""

LARGEST_BYTES = 4_000_000
"""Size of a file, in bytes, up to which it is worked on apart: series of hours would have to be copied
through the pipe."""

FRUGAL = {"ARROW_DEFAULT_MEMORY_POOL": "system", "OPENBLAS_NUM_THREADS": "1"}
"""Variables by which the libraries take less memory; the memory is for speed at sizes that do not occur
here."""

_times = 0
_last: "tuple[Hashable, list[Part]] | None" = None
"""Series that were read apart last, and their file: result and report of a trial both ask for its series."""


def write(stream: Path, parquet: Path) -> None:
    """Write a stream as a Parquet file, which is there already and empty. Raises OSError.

    The file's content is kept for the next reader.
    """
    global _last
    parts = _asked_apart("write", stream, stream, parquet)
    if parts is not None:
        _last = (_state(parquet), parts)
        return
    from loadrig.recording import series_table

    series_table.write(stream, parquet)


def arrays(stream: Path, parquet: Path) -> "dict[Key, tuple[NDArray[np.int64], NDArray[np.float64]]]":
    """Return instants and values of each series, in the order of time. Raises OSError.

    They are read from the Parquet file, or where there is none yet from the stream.
    """
    from loadrig.recording import series_arrays

    return series_arrays.arrays(_parts(stream, parquet))


def _parts(stream: Path, parquet: Path) -> "Iterable[Part]":
    global _last
    source = parquet if parquet.is_file() else stream
    state = _state(source)
    if _last is None or _last[0] != state:
        read = _asked_apart("read", source, stream, parquet)
        _last = (state, read) if read is not None else None
    if _last is not None:
        return _last[1]
    from loadrig.recording import series_table

    return series_table.parts(stream, parquet)


def _asked_apart(work: str, size_of: Path, *paths: Path) -> "list[Part] | None":
    """Return the parts that a process of its own has read.

    None where it was not asked, or could not answer. Raises the OSError that it met.
    """
    global _times
    if "pyarrow" in sys.modules or _times >= MOST_TIMES or not _is_small(size_of):
        return None
    _times += 1
    try:
        done = subprocess.run(
            [
                sys.executable,
                "-I",
                "-S",
                __file__,
                os.pathsep.join(sys.path),
                work,
                *map(os.path.abspath, paths),
            ],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=os.environ | FRUGAL,
            # A Ctrl-C must reach only the rig, which then ends this process.
            process_group=0,
            check=False,
        )
    except OSError:  # no process can be started: do it here
        return None
    if done.returncode != 0:  # killed, or out of memory
        return None
    import pickle  # here and below, as every trial writes series before it reads any

    failure, parts = pickle.loads(done.stdout)
    if failure is not None:
        raise OSError(*failure)
    read_parts: list[Part] = parts
    return read_parts


def _state(path: Path) -> Hashable:
    """Return a key that changes when a file does."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


def _is_small(path: Path) -> bool:
    try:
        return path.stat().st_size <= LARGEST_BYTES
    except OSError:
        return False


def _main() -> None:
    import pickle

    path, work, stream, parquet = sys.argv[1:]
    sys.path[:] = path.split(os.pathsep)
    # The Arrow library imports numpy where there is one, and needs it for arrays alone.
    sys.modules["numpy"] = None  # type: ignore[assignment]
    failure, parts = None, []
    try:
        from loadrig.recording import series_table

        if work == "write":
            series_table.write(Path(stream), Path(parquet))
        parts = [part.copied() for part in series_table.parts(Path(stream), Path(parquet))]
    except OSError as error:
        failure = (error.errno, error.strerror)
    with os.fdopen(sys.stdout.fileno(), "wb", closefd=False) as out:
        pickle.dump((failure, parts), out, protocol=pickle.HIGHEST_PROTOCOL)


if __name__ == "__main__":
    _main()

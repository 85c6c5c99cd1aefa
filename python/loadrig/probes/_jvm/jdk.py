"""The JDK that runs the reader of MBeans, and the reader compiled by it, once for all runs."""

import contextlib
import hashlib
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

from loadrig.base import own_files, state
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.probes_jvm import ProbesJvmJdkErrors
from loadrig.probes._session import Lost

ERRORS = texts_of(ProbesJvmJdkErrors)

SOURCE = Path(__file__).with_name("JmxReader.java")
RELEASE = "11"
"""Least version of Java that the reader runs on: compiled by any JDK it runs on every later one."""

FLAGS = (
    "-XX:+UseSerialGC",
    "-Xms8m",
    "-Xmx64m",
    "-XX:TieredStopAtLevel=1",
    "-Xshare:auto",
    "-XX:-UsePerfData",
)
"""Options for a small JVM: the reader's compiler and collector are not to take a core from the server."""


def cache() -> Path:
    """Return the folder of the compiled reader; it depends on the reader's source."""
    digest = hashlib.sha256(SOURCE.read_bytes()).hexdigest()[:12]
    return Path(state.cache()) / f"jmx-{digest}"


def is_compiled() -> bool:
    """Return whether the reader is compiled. Raises Lost where others than this user can have written it."""
    try:
        with own_files.opened(cache().parent, make=True):
            return cache().is_dir()
    except own_files.NotPrivateError as error:
        wording = ERRORS.reader_not_private(str(error.filename), str(error.strerror), str(cache().parent))
        raise Lost.of(wording, code="probe.refused") from None
    except OSError:
        return False


def find(pid: int | None, tool: str) -> Path | None:
    """Return a tool of a JDK ("java", "javac"): beside the watched JVM's, else by JAVA_HOME or PATH."""
    for folder in _folders(pid):
        if os.access(folder / tool, os.X_OK):
            return folder / tool
    return None


def _folders(pid: int | None) -> Iterator[Path]:
    if pid is not None:
        with contextlib.suppress(OSError):
            # For a JVM in a container this path names another file here, or none, which `find` then notices.
            yield Path(os.readlink(f"/proc/{pid}/exe")).parent
    if home := os.environ.get("JAVA_HOME"):
        yield Path(home) / "bin"
    if javac := shutil.which("javac"):
        yield Path(os.path.realpath(javac)).parent
    if java := shutil.which("java"):
        yield Path(os.path.realpath(java)).parent


def needed(tool: str) -> Lost:
    """Return the error for a missing tool."""
    return Lost.of(ERRORS.tool_missing(tool), code="probe.no-tool")


class Compiling:
    """Compilation of the reader, which takes a second or two, once on a machine."""

    def __init__(self, javac: Path) -> None:
        self._folder = cache()
        self._fresh = self._folder.with_name(f"{self._folder.name}.{os.getpid()}")
        self._fresh.mkdir(parents=True, exist_ok=True)
        argv = [str(javac), "-nowarn", "--release", RELEASE, "-d", str(self._fresh), str(SOURCE)]
        self._process = subprocess.Popen(
            argv, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
            start_new_session=True,
        )  # fmt: skip

    def is_over(self, wait_s: float) -> bool:
        """Return whether it is done, after at most `wait_s` seconds. Raises Lost if it failed."""
        try:
            _, errors = self._process.communicate(timeout=wait_s)
        except subprocess.TimeoutExpired:
            return False
        if self._process.returncode != 0:
            shutil.rmtree(self._fresh, ignore_errors=True)
            raise Lost.of(ERRORS.not_compiled(errors.strip()[:200]), code="probe.no-tool")
        try:
            self._fresh.rename(self._folder)
        except OSError:  # another rig was quicker
            shutil.rmtree(self._fresh, ignore_errors=True)
        return True

    def stop(self) -> None:
        """Stop the compiler, and remove what it has written."""
        self._process.kill()
        self._process.communicate()
        shutil.rmtree(self._fresh, ignore_errors=True)

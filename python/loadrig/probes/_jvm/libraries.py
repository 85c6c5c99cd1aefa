"""Libraries that a JVM has loaded: to tell a server without a pool from one whose pool shows nothing."""

import zipfile
from collections.abc import Iterator
from pathlib import Path

from loadrig.probes._jvm.attach import Jvm


def uses(jvm: Jvm | None, *names: str) -> bool:
    """Return whether a JVM holds a jar open whose name begins with one of `names`.

    The jar may be packed in another, as Spring Boot does.
    """
    if jvm is None:
        return False
    for path in _jars(jvm):
        if path.name.startswith(names):
            return True
        if any(inner.startswith(names) for inner in _packed(path)):
            return True
    return False


def _jars(jvm: Jvm) -> Iterator[Path]:
    for path in jvm.files():
        if path.endswith((".jar", ".war")):
            yield Path(f"{jvm.root()}{path}") if jvm.has_own_files() else Path(path)


def _packed(path: Path) -> list[str]:
    """Return the names of the jars within a jar or war."""
    try:
        with zipfile.ZipFile(path) as outer:
            return [name.rpartition("/")[2] for name in outer.namelist() if name.endswith(".jar")]
    except (OSError, zipfile.BadZipFile):
        return []

"""What runs a program: CPython, a JVM, Go, Node or nothing but the machine, and which version of it.

Versions come from files that lie beside the program (a virtual environment's pyvenv.cfg, the release
file of a JDK, node_version.h) or from the program itself, never from running it.
"""

import os
import re
from collections.abc import Iterator

from loadrig.discovery import _elf
from loadrig.discovery._seen import Seen

_PYTHON = re.compile(r"python([\d.]*)[a-z]*$")
_VERSION_IN_PATH = re.compile(r"/(?:[a-z-]*[@-]?v?)(\d+\.\d+\.\d+)[^/]*/")


def runtime_of(seen: Seen) -> tuple[str, str]:
    """Return the runtime and its version; each "" where it is not known. "native" has no version."""
    name = seen.program
    if _PYTHON.match(name):
        return "cpython", python_version(seen)
    if name in ("java", "javaw", "jsvc"):
        return "jvm", _jvm_version(seen)
    if name in ("node", "nodejs"):
        return "node", _node_version(seen)
    if not seen.is_open:
        return "", ""
    build = _elf.go_build(seen.binary)
    if build:
        return "go", build.version
    # Programs that carry a runtime within them: uwsgi, a launcher of a JVM.
    for path in seen.mapped:
        library = os.path.basename(path)
        if library == "libjvm.so":
            return "jvm", _jvm_version(seen)
        if re.match(r"libpython\d", library):
            return "cpython", python_version(seen)
    return "native", ""


def prefixes(seen: Seen) -> Iterator[str]:
    """Yield folders in which a Python may be installed: the virtual environment first, then its base."""
    interpreter = seen.argv[0].partition(" ")[0] if seen.argv else ""
    if _PYTHON.match(os.path.basename(interpreter)):
        if "/" not in interpreter:
            interpreter = next(_on_path(seen, interpreter), "")
        if interpreter:
            yield os.path.dirname(os.path.dirname(os.path.join(seen.folder, interpreter)))
    if seen.environment.get("VIRTUAL_ENV"):
        yield seen.environment["VIRTUAL_ENV"]
    for word in seen.argv[1:3]:
        # /srv/venv/bin/gunicorn: the script lies beside the interpreter that it was installed for.
        if os.path.basename(os.path.dirname(word)) == "bin":
            yield os.path.dirname(os.path.dirname(os.path.join(seen.folder, word)))
    if seen.exe:
        yield os.path.dirname(os.path.dirname(seen.exe))
    for path in seen.mapped if not _PYTHON.match(seen.program) else ():
        if re.match(r"libpython\d", os.path.basename(path)):
            yield path.rpartition("/lib")[0]


def _on_path(seen: Seen, name: str) -> Iterator[str]:
    for folder in seen.environment.get("PATH", "").split(":"):
        path = os.path.join(folder, name)
        if folder and seen.inside(path).exists():
            yield path


def python_version(seen: Seen) -> str:
    """Return the version of a CPython; without the patch where only the name of its file tells a version."""
    minor = _minor(seen)
    for prefix in dict.fromkeys(prefixes(seen)):
        settings = seen.text(f"{prefix}/pyvenv.cfg")
        if match := re.search(r"^version(?:_info)?\s*=\s*(\d+\.\d+\.\d+)", settings, re.MULTILINE):
            return match[1]
        if minor:
            header = seen.text(f"{prefix}/include/python{minor}/patchlevel.h")
            if match := re.search(r'define PY_VERSION\s+"([^"]+)"', header):
                return match[1]
    if minor:
        pattern = rf"\x00({re.escape(minor)}\.\d+[a-z0-9+]*)\x00"
        libraries = (path for path in seen.mapped if os.path.basename(path).startswith(f"libpython{minor}"))
        for path in (seen.binary, *map(seen.inside, libraries)):
            if version := _elf.text_like(path, pattern):
                return version
    return _version_in_path(seen.exe) or minor


def _minor(seen: Seen) -> str:
    """Return the minor version, "3.11": from the name of the program, its library or the library's folder."""
    for path in (seen.exe, *seen.mapped):
        if match := re.search(r"(?:lib)?python(\d\.\d+)(?:[/.a-z]|$)", path):
            return match[1]
    return ""


def _jvm_version(seen: Seen) -> str:
    homes = [os.path.dirname(os.path.dirname(seen.exe))] if seen.program == "java" else []
    homes += [path.rpartition("/lib/")[0] for path in seen.mapped if path.endswith("/libjvm.so")]
    for home in homes:
        if match := re.search(r'^JAVA_VERSION="([^"]+)"', seen.text(f"{home}/release"), re.MULTILINE):
            return match[1]
        if home.endswith("/jre") and (
            match := re.search(r'^JAVA_VERSION="([^"]+)"', seen.text(f"{home[:-4]}/release"), re.MULTILINE)
        ):
            return match[1]
    return ""


def _node_version(seen: Seen) -> str:
    prefix = os.path.dirname(os.path.dirname(seen.exe))
    header = seen.text(f"{prefix}/include/node/node_version.h") if seen.exe else ""
    numbers = [
        match[1]
        for part in ("MAJOR", "MINOR", "PATCH")
        if (match := re.search(rf"#define NODE_{part}_VERSION (\d+)", header))
    ]
    if len(numbers) == 3:
        return ".".join(numbers)
    return _version_in_path(seen.exe) or seen.environment.get("NODE_VERSION", "").removeprefix("v")


def _version_in_path(path: str) -> str:
    match = _VERSION_IN_PATH.search(path)
    return match[1] if match else ""

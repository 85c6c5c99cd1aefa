"""Runtimes of programs and their versions: CPython, a JVM, Go, Node, or the bare machine.

Versions come from files that lie beside the program (a virtual environment's pyvenv.cfg, the release
file of a JDK, node_version.h) or from the program itself, never from running it.
"""

import os
import re
from collections.abc import Iterator

from loadrig.discovery import _elf
from loadrig.discovery._seen import VisibleProcess

_PYTHON = re.compile(r"python([\d.]*)[a-z]*$")
_VERSION_IN_PATH = re.compile(r"/(?:[a-z-]*[@-]?v?)(\d+\.\d+\.\d+)[^/]*/")


def runtime_of(process: VisibleProcess) -> tuple[str, str]:
    """Return the runtime and its version; each "" where it is not known. "native" has no version."""
    name = process.program
    if _PYTHON.match(name):
        return "cpython", python_version(process)
    if name in ("java", "javaw", "jsvc"):
        return "jvm", _jvm_version(process)
    if name in ("node", "nodejs"):
        return "node", _node_version(process)
    if not process.is_open:
        return "", ""
    build = _elf.go_build(process.binary)
    if build:
        return "go", build.version
    # Programs that carry a runtime within them: uwsgi, a launcher of a JVM.
    for path in process.mapped:
        library = os.path.basename(path)
        if library == "libjvm.so":
            return "jvm", _jvm_version(process)
        if re.match(r"libpython\d", library):
            return "cpython", python_version(process)
    return "native", ""


def prefixes(process: VisibleProcess) -> Iterator[str]:
    """Yield folders in which a Python may be installed: the virtual environment first, then its base."""
    interpreter = process.argv[0].partition(" ")[0] if process.argv else ""
    if _PYTHON.match(os.path.basename(interpreter)):
        if "/" not in interpreter:
            interpreter = next(_on_path(process, interpreter), "")
        if interpreter:
            yield os.path.dirname(os.path.dirname(os.path.join(process.folder, interpreter)))
    if process.environment.get("VIRTUAL_ENV"):
        yield process.environment["VIRTUAL_ENV"]
    for word in process.argv[1:3]:
        # /srv/venv/bin/gunicorn: the script lies beside the interpreter that it was installed for.
        if os.path.basename(os.path.dirname(word)) == "bin":
            yield os.path.dirname(os.path.dirname(os.path.join(process.folder, word)))
    if process.exe:
        yield os.path.dirname(os.path.dirname(process.exe))
    for path in process.mapped if not _PYTHON.match(process.program) else ():
        if re.match(r"libpython\d", os.path.basename(path)):
            yield path.rpartition("/lib")[0]


def _on_path(process: VisibleProcess, name: str) -> Iterator[str]:
    for folder in process.environment.get("PATH", "").split(":"):
        path = os.path.join(folder, name)
        if folder and process.inside(path).exists():
            yield path


def python_version(process: VisibleProcess) -> str:
    """Return the version of a CPython; without the patch where only the name of its file tells a version."""
    minor = _minor(process)
    for prefix in dict.fromkeys(prefixes(process)):
        settings = process.text(f"{prefix}/pyvenv.cfg")
        if match := re.search(r"^version(?:_info)?\s*=\s*(\d+\.\d+\.\d+)", settings, re.MULTILINE):
            return match[1]
        if minor:
            header = process.text(f"{prefix}/include/python{minor}/patchlevel.h")
            if match := re.search(r'define PY_VERSION\s+"([^"]+)"', header):
                return match[1]
    if minor:
        pattern = rf"\x00({re.escape(minor)}\.\d+[a-z0-9+]*)\x00"
        libraries = (
            path for path in process.mapped if os.path.basename(path).startswith(f"libpython{minor}")
        )
        for path in (process.binary, *map(process.inside, libraries)):
            if version := _elf.text_like(path, pattern):
                return version
    return _version_in_path(process.exe) or minor


def _minor(process: VisibleProcess) -> str:
    """Return the minor version, "3.11": from the name of the program, its library or the library's folder."""
    for path in (process.exe, *process.mapped):
        if match := re.search(r"(?:lib)?python(\d\.\d+)(?:[/.a-z]|$)", path):
            return match[1]
    return ""


def _jvm_version(process: VisibleProcess) -> str:
    homes = [os.path.dirname(os.path.dirname(process.exe))] if process.program == "java" else []
    homes += [path.rpartition("/lib/")[0] for path in process.mapped if path.endswith("/libjvm.so")]
    for home in homes:
        if match := re.search(r'^JAVA_VERSION="([^"]+)"', process.text(f"{home}/release"), re.MULTILINE):
            return match[1]
        if home.endswith("/jre") and (
            match := re.search(r'^JAVA_VERSION="([^"]+)"', process.text(f"{home[:-4]}/release"), re.MULTILINE)
        ):
            return match[1]
    return ""


def _node_version(process: VisibleProcess) -> str:
    prefix = os.path.dirname(os.path.dirname(process.exe))
    header = process.text(f"{prefix}/include/node/node_version.h") if process.exe else ""
    numbers = [
        match[1]
        for part in ("MAJOR", "MINOR", "PATCH")
        if (match := re.search(rf"#define NODE_{part}_VERSION (\d+)", header))
    ]
    if len(numbers) == 3:
        return ".".join(numbers)
    return _version_in_path(process.exe) or process.environment.get("NODE_VERSION", "").removeprefix("v")


def _version_in_path(path: str) -> str:
    match = _VERSION_IN_PATH.search(path)
    return match[1] if match else ""

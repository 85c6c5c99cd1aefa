"""Own code of a running program, told from its libraries by its command line and its program file."""

import os
import re
import zipfile
from collections.abc import Sequence
from pathlib import Path

from loadrig.base import processes
from loadrig.base.component import Component
from loadrig.discovery._elf import go_build
from loadrig.discovery._jvm import command
from loadrig.profilers._origin import JDK, JVM_LIBRARIES, Own

_APP = re.compile(r"(?P<package>[A-Za-z_]\w*)(?:\.\w+)*:[A-Za-z_][\w.]*(?:\(.*\))?$")
_PYTHON_SERVERS = {"gunicorn", "uvicorn", "hypercorn", "daphne", "granian", "flask", "waitress"}


def own_of(component: Component, pid: int) -> Own:
    """Return what tells a process's own code, from its command line and its program. Never raises.

    pid: the process of the component that was profiled.
    """
    argv = component.argv or processes.words(pid)
    names: tuple[str, ...] = ()
    if component.runtime == "cpython":
        names = packages_of_python(argv)
    elif component.runtime == "jvm":
        names = packages_of_jvm(argv, Path(f"/proc/{pid}/cwd"))
    elif component.runtime == "go":
        build = go_build(Path(f"/proc/{pid}/exe"))
        names = (build.module,) if build and build.module else ()
    elif program := _program(pid):
        names = (program,)
    return Own(component.runtime, names)


def packages_of_python(argv: Sequence[str]) -> tuple[str, ...]:
    """Return the application's package on a server's command line: "shop" for `gunicorn shop.wsgi:app`.

    It is needed only for an application that is installed beside its libraries.
    """
    packages = []
    for before, word in zip(("", *argv), argv, strict=False):
        match = _APP.match(word)
        if match:
            packages.append(match["package"])
        elif before == "-m" and word.partition(".")[0] not in _PYTHON_SERVERS:
            packages.append(word.partition(".")[0])
    return tuple(dict.fromkeys(packages))


def packages_of_jvm(argv: Sequence[str], folder: Path) -> tuple[str, ...]:
    """Return the package that a program's classes begin with, from its main class; empty if that tells none.

    folder: folder to which the path of a jar is relative.
    """
    main, jar, _ = command(argv)
    if jar:
        main = _main_of_jar(folder / jar)
    elif main.endswith(".java"):
        return ()
    package = main.rpartition(".")[0]
    if not package or JDK.match(f"{package}.") or f"{package}.".startswith(JVM_LIBRARIES):
        return ()
    return (".".join(package.split(".")[:2]),)


def _main_of_jar(path: Path) -> str:
    """Return the main class of a jar; where a framework starts the program, the class that it starts."""
    try:
        with zipfile.ZipFile(path) as jar:
            manifest = jar.read("META-INF/MANIFEST.MF").decode("utf-8", "replace")
    except (OSError, KeyError, zipfile.BadZipFile):
        return ""
    # A line goes on where the next one begins with a blank. Source: JAR File Specification.
    lines = re.sub(r"\r?\n ", "", manifest).splitlines()
    pairs = {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}
    return pairs.get("Start-Class") or pairs.get("Main-Class") or ""


def _program(pid: int) -> str:
    try:
        return os.readlink(f"/proc/{pid}/exe")
    except OSError:
        return ""

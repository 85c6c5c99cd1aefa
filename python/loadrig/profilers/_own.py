"""Own code of a running program, told from its libraries by its command line and its program file."""

import mmap
import os
import re
import zipfile
from collections.abc import Sequence
from pathlib import Path

from loadrig.base.component import Component
from loadrig.profilers._origin import JDK, JVM_LIBRARIES, Own

_APP = re.compile(r"(?P<package>[A-Za-z_]\w*)(?:\.\w+)*:[A-Za-z_][\w.]*(?:\(.*\))?$")
_PYTHON_SERVERS = {"gunicorn", "uvicorn", "hypercorn", "daphne", "granian", "flask", "waitress"}


def own_of(component: Component, pid: int) -> Own:
    """Return what tells a process's own code, from its command line and its program. Never raises.

    pid: the process of the component that was profiled.
    """
    argv = component.argv or _argv(pid)
    names: tuple[str, ...] = ()
    if component.runtime == "cpython":
        names = packages_of_python(argv)
    elif component.runtime == "jvm":
        names = packages_of_jvm(argv, Path(f"/proc/{pid}/cwd"))
    elif component.runtime == "go":
        module = module_of_go(Path(f"/proc/{pid}/exe"))
        names = (module,) if module else ()
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


_WITH_A_VALUE = {
    "-cp", "-classpath", "--class-path", "-p", "--module-path", "--upgrade-module-path", "--add-modules",
    "--add-reads", "--add-exports", "--add-opens", "--limit-modules", "--patch-module", "--source",
}  # fmt: skip
"""Options of `java` whose value is the next word. Source: the tool's reference, JDK 17."""


def packages_of_jvm(argv: Sequence[str], folder: Path) -> tuple[str, ...]:
    """Return the package that a program's classes begin with, from its main class; empty if that tells none.

    folder: folder to which the path of a jar is relative.
    """
    main = _main_class(list(argv[1:]), folder)
    package = main.rpartition(".")[0]
    if not package or JDK.match(f"{package}.") or f"{package}.".startswith(JVM_LIBRARIES):
        return ()
    return (".".join(package.split(".")[:2]),)


def _main_class(words: list[str], folder: Path) -> str:
    while words:
        word = words.pop(0)
        if word in _WITH_A_VALUE:
            words[:1] = []
        elif word == "-jar" and words:
            return _main_of_jar(folder / words[0])
        elif word in ("-m", "--module") and words:
            return words[0].rpartition("/")[2]
        elif not word.startswith(("-", "@")):
            return "" if word.endswith(".java") else word
    return ""


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


_MODULE_BEGINS = bytes.fromhex("3077af0c9274080241e1c107e6d618e6")
_MODULE_ENDS = bytes.fromhex("f932433186182072008242104116d8f2")
"""Bytes around the module information in a Go program. Source: Go, cmd/go/internal/modload/build.go."""


def module_of_go(program: Path) -> str:
    """Return the path of the main module of a Go program; "" where the program does not say."""
    try:
        with program.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            begins = data.find(_MODULE_BEGINS)
            ends = data.find(_MODULE_ENDS, begins)
            text = data[begins + len(_MODULE_BEGINS) : ends] if 0 <= begins < ends else b""
    except (OSError, ValueError):
        return ""
    for line in text.decode("utf-8", "replace").splitlines():
        words = line.split("\t")
        if words[0] == "mod" and len(words) > 1:
            return words[1]
    return ""


def _argv(pid: int) -> tuple[str, ...]:
    try:
        raw = Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return ()
    return tuple(word.decode("utf-8", "replace") for word in raw.rstrip(b"\0").split(b"\0"))


def _program(pid: int) -> str:
    try:
        return os.readlink(f"/proc/{pid}/exe")
    except OSError:
        return ""

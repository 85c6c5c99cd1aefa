"""Making what the stacks need: packages, programs, classes and libraries; once for good.

All of it goes to a folder that git ignores, each by a digest of what it is made from.
"""

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from tests.servers import java

from bench.programs import need

APPS = Path(__file__).with_name("apps")
CACHE = Path(__file__).parents[2] / ".tools" / "zoo"
GO_PROGRAMS, CLASSES, NODE, SPRING, VENV = (
    CACHE / name for name in ("go", "classes", "node", "spring", "venv")
)
PYTHON = VENV / "bin" / "python"
REQUIREMENTS = APPS / "requirements.txt"
WITHIN_S = 300


def prepare() -> None:
    """Make what is not there yet, or was made from other sources."""
    _made(VENV, [REQUIREMENTS], _venv)
    _made(GO_PROGRAMS, sorted((APPS / "go").rglob("*.*")), _go)
    _made(CLASSES, [APPS / "java" / "Shop.java"], _java)
    _made(NODE, sorted((APPS / "node").iterdir()), _node)
    _made(SPRING, sorted((APPS / "spring").iterdir()), _spring)


def libraries() -> Path:
    """Folder of the libraries of the JVM, MariaDB's driver among them."""
    return java.libraries()


def _made(folder: Path, sources: Sequence[Path], make: Callable[[Path], None]) -> None:
    digest = hashlib.sha256(b"\0".join(source.read_bytes() for source in sources)).hexdigest()
    stamp = folder / ".made-from"
    if stamp.exists() and stamp.read_text(encoding="ascii") == digest:
        return
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    make(folder)
    stamp.write_text(digest, encoding="ascii")


def _run(*argv: str, folder: Path | None = None, **environment: str) -> None:
    subprocess.run(argv, check=True, cwd=folder, env={**os.environ, **environment}, timeout=WITHIN_S)


def _venv(folder: Path) -> None:
    _run(sys.executable, "-m", "venv", str(folder))
    _run(str(folder / "bin" / "pip"), "install", "--quiet", "-r", str(REQUIREMENTS))


def _go(folder: Path) -> None:
    _run(need("go", "golang-go"), "build", "-trimpath", "-o", f"{folder}/", "./...", folder=APPS / "go")


def _java(folder: Path) -> None:
    _compiled(folder, APPS / "java")


def _spring(folder: Path) -> None:
    fetch = ["-q", "-B", "dependency:copy-dependencies", f"-DoutputDirectory={folder / 'lib'}"]
    _run(need("mvn", "maven"), "-f", str(APPS / "spring" / "pom.xml"), *fetch)
    # Spring reads the names of parameters.
    _compiled(folder / "classes", APPS / "spring", "-parameters", "-cp", f"{folder / 'lib'}/*")


def _compiled(folder: Path, sources: Path, *options: str) -> None:
    javac = need("javac", "openjdk-17-jdk-headless")
    _run(javac, "--release", "17", *options, "-d", str(folder), *map(str, sorted(sources.glob("*.java"))))


def _node(folder: Path) -> None:
    for source in (APPS / "node").iterdir():
        shutil.copy(source, folder)
    _run(need("npm", "npm"), "ci", "--silent", "--no-audit", "--no-fund", folder=folder)

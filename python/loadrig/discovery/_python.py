"""Programs that a CPython runs: which server, by its script or module; which version, by its metadata."""

import os
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path

from loadrig.discovery._identity import Identity
from loadrig.discovery._runtimes import prefixes
from loadrig.discovery._seen import VisibleProcess

_SERVERS = {
    "gunicorn": "gunicorn", "uvicorn": "uvicorn", "hypercorn": "hypercorn", "daphne": "daphne",
    "waitress-serve": "waitress", "waitress": "waitress", "uwsgi": "uwsgi", "flask": "flask",
    "granian": "granian", "celery": "celery", "fastapi": "uvicorn", "http.server": "http.server",
    "manage.py": "django", "django-admin": "django", "django": "django", "bjoern": "bjoern",
    "cheroot": "cheroot", "sanic": "sanic", "tornado": "tornado",
}  # fmt: skip

_WITH_A_VALUE = "WXQ"
"""Short options of the interpreter that take the next word, besides -c and -m."""

# Calls by which a script that is a server itself begins to serve, the most certain first.
_CALLS = (
    ("uvicorn", re.compile(r"\buvicorn\.(run|Server)\s*\(")),
    ("hypercorn", re.compile(r"\bhypercorn\b.*\bserve\b", re.DOTALL)),
    ("waitress", re.compile(r"\bwaitress\.serve\s*\(|\bfrom\s+waitress\s+import\s+serve\b")),
    ("gevent", re.compile(r"\bgevent\.pywsgi\b|\bfrom\s+gevent\.pywsgi\s+import\b")),
    ("aiohttp", re.compile(r"\bweb\.run_app\s*\(")),
    ("tornado", re.compile(r"\btornado\.(web|httpserver|ioloop)\b")),
    ("flask", re.compile(r"\b(from|import)\s+flask\b.*\.run\s*\(", re.DOTALL)),
    ("http.server", re.compile(r"\b(from|import)\s+http\.server\b")),
)


def python_program(process: VisibleProcess) -> Identity:
    """Return the server that a Python process runs."""
    script, rest = split(process.argv)
    if not script and process.argv and (title := re.match(r"(gunicorn): master \[(.*)\]", process.argv[0])):
        # With the package setproctitle gunicorn writes its command line anew.
        return Identity(title[1], package_version(process, title[1]), title[1])
    name = os.path.basename(script)
    kind = _SERVERS.get(name) or _SERVERS.get(name.removesuffix(".py"), "")
    if (kind == "django" and "runserver" not in rest) or (kind == "flask" and "run" not in rest):
        kind = ""
    if not kind and script.endswith(".py"):
        text = process.text(script)
        kind = next((kind for kind, pattern in _CALLS if pattern.search(text)), "")
    label = name.removesuffix(".py") or "python"
    if not kind:
        return Identity("program", label=label)
    return Identity(kind, package_version(process, kind), kind, _workers_of_another_kind(process, kind, rest))


def split(argv: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """Return the script or module of a Python command line, and what follows; "" for `-c` and for none."""
    place = 1
    while place < len(argv):
        word = argv[place]
        if word.startswith("--") or not word.startswith("-") or word == "-":
            if word.startswith("--"):
                place += 2 if word == "--check-hash-based-pycs" else 1
                continue
            return word, tuple(argv[place + 1 :])
        for position, letter in enumerate(word[1:], start=1):
            if letter == "c":
                return "", ()
            if letter == "m":
                module = word[position + 1 :] or (argv[place + 1] if place + 1 < len(argv) else "")
                used = place + (1 if word[position + 1 :] else 2)
                return module if module in _SERVERS else module.partition(".")[0], tuple(argv[used:])
            if letter in _WITH_A_VALUE:
                place += 0 if word[position + 1 :] else 1
                break
        place += 1
    return "", ()


def _workers_of_another_kind(process: VisibleProcess, kind: str, rest: Sequence[str]) -> dict[str, str]:
    """Return the package whose workers gunicorn or its like runs: "uvicorn 0.35.0", "gevent 25.1"."""
    if kind != "gunicorn":
        return {}
    words = " ".join([*rest, process.environment.get("GUNICORN_CMD_ARGS", "")])
    match = re.search(r"(?:-k\s*|--worker-class[ =])([\w.]+)", words)
    package = match[1].partition(".")[0].removesuffix("_worker") if match else ""
    version = package_version(process, package) if package and package not in ("sync", "gthread") else ""
    return {"workers by": f"{package} {version}"} if version else {}


def package_version(process: VisibleProcess, package: str) -> str:
    """Return the version of an installed package, from the metadata beside it; "" if it is not found."""
    wanted = package.replace("-", "_").lower()
    for folder in dict.fromkeys(_package_folders(process)):
        versions = _installed(process.inside(folder))
        if wanted in versions:
            return versions[wanted]
    return ""


def _package_folders(process: VisibleProcess) -> Iterator[str]:
    for prefix in dict.fromkeys(prefixes(process)):
        for library in ("lib", "lib64", "local/lib"):
            try:
                names = os.listdir(process.inside(f"{prefix}/{library}"))
            except OSError:
                continue
            for name in sorted(names, reverse=True):
                if re.fullmatch(r"python3[.\d]*", name):
                    yield f"{prefix}/{library}/{name}/site-packages"
                    yield f"{prefix}/{library}/{name}/dist-packages"
    yield from (path for path in process.environment.get("PYTHONPATH", "").split(":") if path)


def _installed(folder: Path) -> dict[str, str]:
    try:
        return _listed(folder, folder.stat().st_mtime_ns)
    except OSError:
        return {}


@lru_cache(maxsize=64)
def _listed(folder: Path, changed_ns: int) -> dict[str, str]:
    """Return package -> version of a folder of packages, by the names of their metadata."""
    del changed_ns  # a folder that has changed is read anew
    versions = {}
    for name in os.listdir(folder):
        match = re.fullmatch(r"(.+?)-(\d[^-]*)(?:-py[\d.]+)?\.(?:dist|egg)-info", name)
        if match:
            versions[match[1].replace("-", "_").lower()] = match[2]
    return versions

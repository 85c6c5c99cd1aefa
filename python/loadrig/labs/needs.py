"""Needs of a lab on this machine: whether they are met, and the commands that install them."""

import importlib.util
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from loadrig.base.errors import TargetError
from loadrig.base.safe_python import safe_python
from loadrig.labs.format import Lab, Needs, Service
from loadrig.labs.work import cache_folder
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.labs import LabsNeedsErrors
from loadrig.language.labels import joined

ERRORS = texts_of(LabsNeedsErrors)

_MORE_FOLDERS = ("/usr/local/sbin", "/usr/sbin", "/sbin", "/usr/local/go/bin")
"""Folders of servers and toolchains that are not in everybody's PATH."""

ASK_WITHIN_S = 20.0

_QUESTION = (
    "import importlib.util as u, sys; print(*[m for m in sys.argv[1:] if u.find_spec(m) is None], sep='\\n')"
)


@dataclass(frozen=True, slots=True)
class MissingNeeds:
    """Things that a lab needs and this machine lacks.

    programs: program -> package. modules: module -> requirement. why: sentences about all else.
    """

    programs: Mapping[str, str]
    modules: Mapping[str, str]
    why: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.programs or self.modules or self.why)


def search_path() -> str:
    """Return PATH and the folders beside it in which servers and toolchains lie."""
    clusters = sorted(map(str, Path("/usr/lib/postgresql").glob("*/bin")), reverse=True)
    return os.pathsep.join((os.environ.get("PATH", ""), *_MORE_FOLDERS, *clusters))


def program(name: str) -> str | None:
    """Return the path of a program; None without such a program."""
    return shutil.which(name, path=search_path())


def venv() -> Path:
    """Return the folder of the environment that `loadrig lab setup` makes for modules that ours lacks."""
    return cache_folder() / "venv"


def interpreter(modules: Iterable[str]) -> str | None:
    """Return an interpreter with all these modules: our own, else that of `lab setup`; None without one."""
    wanted = tuple(modules)
    if all(importlib.util.find_spec(module) is not None for module in wanted):
        return sys.executable
    own = venv() / "bin" / "python"
    return str(own) if own.exists() and not _lacking(str(own), wanted) else None


@cache
def _lacking(python: str, modules: tuple[str, ...]) -> tuple[str, ...]:
    """Return the modules that an interpreter does not have; all modules where it cannot be asked."""
    argv = safe_python("-c", _QUESTION, *modules, python=python)
    try:
        done = subprocess.run(
            argv, capture_output=True, text=True, timeout=ASK_WITHIN_S, stdin=subprocess.DEVNULL, cwd="/",
            check=True,
        )  # fmt: skip
    except (OSError, subprocess.SubprocessError):
        return modules
    return tuple(done.stdout.split())


def missing(lab: Lab) -> MissingNeeds:
    """Return what this machine lacks for a lab (as Lab.for_plan gives it)."""
    needs = all_needs(lab)
    programs = {name: package for name, package in needs.programs.items() if program(name) is None}
    modules: Mapping[str, str] = {}
    if interpreter(needs.python) is None:
        modules = {
            name: requirement for name, requirement in needs.python.items()
            if name in _lacking(str(venv() / "bin" / "python"), tuple(needs.python))
        }  # fmt: skip
    cores = len(os.sched_getaffinity(0))
    why = [] if cores >= needs.cores else [ERRORS.few_cores(needs.cores, cores)]
    if parts := _lacks_root(lab):
        why.append(ERRORS.for_root_alone(parts))
    return MissingNeeds(programs, modules, tuple(why))


_PROGRAMS: Mapping[str, Mapping[str, str]] = {
    "redis": {"redis-server": "redis-server"},
    "mariadb": {"mariadbd": "mariadb-server", "mariadb-install-db": "mariadb-server"},
    "postgresql": {"postgres": "postgresql", "initdb": "postgresql"},
}


def all_needs(lab: Lab) -> Needs:
    """Return the needs that a lab names together with those of its services."""
    programs = dict(lab.needs.programs)
    for service in lab.services.values():
        programs.update(_PROGRAMS.get(_kind(service), {}))
    return Needs(programs, lab.needs.python, lab.needs.cores)


def _kind(service: Service) -> str:
    return service.kind or "command"


def _lacks_root(lab: Lab) -> str:
    """Return in words what only root can make for a lab; "" for nothing, or where this user is root."""
    parts = []
    if lab.network is not None:
        parts.append(ERRORS.its_namespace)
    if any(service.cpu for service in lab.services.values()):
        parts.append(ERRORS.its_groups)
    return "" if os.geteuid() == 0 else joined(parts)


def require(lab: Lab) -> None:
    """Raise TargetError lab.needs, with the commands that install it, if something is missing."""
    absent = missing(lab)
    if not absent:
        return
    lacking = [*absent.programs, *map(ERRORS.python_module, absent.modules)]
    reasons = "; ".join(absent.why)
    if lacking:
        installs = "; ".join(shlex.join(words) for words in commands(absent))
        wording = ERRORS.missing_needs(lab.name, _listed(lacking), installs, reasons)
    else:
        wording = ERRORS.cannot_run_here(lab.name, reasons, is_for_root=bool(_lacks_root(lab)))
    raise TargetError.of(wording, code="lab.needs")


def _listed(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else ", ".join(words[:-1]) + ERRORS.before_last + words[-1]


def commands(absent: MissingNeeds) -> list[list[str]]:
    """Return the commands, as words, that install what is missing: packages by apt-get, modules by pip."""
    done: list[list[str]] = []
    if absent.programs:
        packages = sorted(set(absent.programs.values()))
        done.append([*_as_root(), "apt-get", "update"])
        done.append(
            [*_as_root(), "env", *_QUIET, "apt-get", "install", "-y", "--no-install-recommends", *packages]
        )
    if absent.modules:
        python = venv() / "bin" / "python"
        if not python.exists():
            done.append(safe_python("-m", "venv", str(venv())))
        words = ("-m", "pip", "install", "--quiet", *absent.modules.values())
        done.append(safe_python(*words, python=str(python)))
    return done


_QUIET = ("DEBIAN_FRONTEND=noninteractive", "RUNLEVEL=1")
"""Variables that keep Debian from asking and from starting what it installs: labs start their own servers."""


def _as_root() -> list[str]:
    return [] if os.geteuid() == 0 else ["sudo"]

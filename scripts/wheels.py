"""Builds the files that are published into dist/, and checks each of them.

    .tools/wheels/bin/python scripts/wheels.py [--only x86_64|aarch64|sdist]

A wheel for each machine, for CPython 3.11 and newer and glibc 2.17 and newer, and the source. maturin builds,
zig compiles and links (so that neither an old distribution nor a second compiler is needed), auditwheel says
whether the tag of a wheel is true, twine whether an index would take the file, and the source is installed in
an environment of its own, where it answers. Exit code 1 if something could not be built or is not as it
should be; the rest is built all the same.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DIST = ROOT / "dist"
LOCKS = ROOT / "locks"
MACHINES = ("x86_64", "aarch64")
OLDEST_GLIBC = "manylinux_2_17"
"""Tag of the oldest C library that a wheel must run with: distributions of ten years have a newer one."""


PLAN = """
loadrig: 1
target: {external: "http://127.0.0.1:9"}
workload: {users: 1, requests: [{get: /}]}
"""
"""Plan of which it is asked what it would send; nothing is."""


@dataclass(frozen=True)
class Published:
    """A file that is published. seconds: how long its build took."""

    path: Path
    seconds: float


class BuildFailure(Exception):
    """Failure of one of the files, in a sentence; the others are built all the same."""


def main(words: Sequence[str]) -> int:
    """Build and check all files, or one of them; print a table; 1 if one of them failed, else 0."""
    parser = argparse.ArgumentParser(description="Build and check what is published, in dist/.")
    parser.add_argument("--only", choices=(*MACHINES, "sdist"), help="build this alone (default: all)")
    only = parser.parse_args(words).only
    os.environ["PATH"] = os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", "")))
    DIST.mkdir(exist_ok=True)
    rows: list[str] = []
    failures: list[str] = []
    for name in (*MACHINES, "sdist"):
        if only not in (None, name):
            continue
        try:
            built = _source() if name == "sdist" else _wheel(name)
        except BuildFailure as failure:
            failures.append(f"{name}: {failure}")
            continue
        rows.append(f"  {built.path.stat().st_size / 1e6:7.1f} MB {built.seconds:6.0f} s  {built.path.name}")
    print("\nin dist/", *rows, sep="\n")
    for line in failures:
        print(f"failed: {line}")
    return 1 if failures else 0


def _wheel(machine: str) -> Published:
    """Build the wheel for a machine, and check its tag and its description."""
    target = f"{machine}-unknown-linux-gnu"
    _add_target(target)
    options = ("--release", "--locked", "--zig", "--compatibility", "manylinux2014", "--target", target)
    built = _built(f"*_{machine}.whl", lambda: _run("maturin", "build", *options, "--out", str(DIST)))
    audit = _run("auditwheel", "show", str(built.path), is_quiet=True)
    if f"{OLDEST_GLIBC}_{machine}" not in audit:
        raise BuildFailure(f"auditwheel does not find it {OLDEST_GLIBC}:\n{audit}")
    _check_description(built.path)
    return built


def _source() -> Published:
    """Build the source distribution, check its description, and install it as pip would, to its end."""
    built = _built("loadrig-[0-9]*.tar.gz", lambda: _run("maturin", "sdist", "--out", str(DIST)))
    _check_description(built.path)
    with tempfile.TemporaryDirectory(prefix="loadrig-sdist-") as folder:
        _run("uv", "venv", "--quiet", "--no-project", "--python", sys.executable, folder)
        python = str(Path(folder, "bin", "python"))
        # Crates of others need not be compiled anew for it.
        environment = {**os.environ, "CARGO_TARGET_DIR": str(ROOT / "target" / "sdist")}
        locks = ("--build-constraints", str(LOCKS / "wheels.txt"), "--constraints", str(LOCKS / "run.txt"))
        words = ("uv", "pip", "install", "--quiet", "--python", python, *locks, str(built.path))
        _run(*words, folder=Path(folder), environment=environment)
        # What a plan would send is said by the engine that was built.
        Path(folder, "plan.yaml").write_text(PLAN, encoding="utf-8")
        dry_run = (python, "-m", "loadrig.cli", "run", "plan.yaml", "--dry")
        sent = _run(*dry_run, folder=Path(folder), is_quiet=True)
        if "GET / HTTP/1.1" not in sent:
            raise BuildFailure(f"what was installed from it does not say what it would send:\n{sent}")
    return built


def _built(pattern: str, build: Callable[[], object]) -> Published:
    """Build a file into dist/ in the place of an older one of the pattern."""
    for path in DIST.glob(pattern):
        path.unlink()
    began = time.monotonic()
    build()
    paths = list(DIST.glob(pattern))
    if len(paths) != 1:
        raise BuildFailure(f"{len(paths)} files of dist/ are {pattern}, where one was to be built")
    return Published(paths[0], time.monotonic() - began)


def _add_target(target: str) -> None:
    """Fetch Rust's library for a target by rustup, where it is not there."""
    library = Path(_run("rustc", "--print", "target-libdir", "--target", target, is_quiet=True).strip())
    if library.is_dir():
        return
    missing = f"Rust's library for {target} is missing at {library}"
    if shutil.which("rustup") is None:
        raise BuildFailure(f"{missing}, and there is no rustup to fetch it with")
    try:
        _run("rustup", "target", "add", target)
    except BuildFailure as failure:
        raise BuildFailure(f"{missing}: {failure}") from failure


def _check_description(path: Path) -> None:
    """Check that an index would take the file: its names, its licence, its description."""
    _run("twine", "check", "--strict", str(path))


def _run(
    *words: str,
    folder: Path = ROOT,
    environment: dict[str, str] | None = None,
    is_quiet: bool = False,
) -> str:
    """Run a program and return what it prints, which is shown unless `is_quiet`. Raises BuildFailure."""
    where = subprocess.PIPE if is_quiet else None
    try:
        done = subprocess.run(words, cwd=folder, env=environment, stdout=where, text=True, check=False)
    except OSError as error:
        raise BuildFailure(f"{words[0]} could not be started: {error.strerror}") from error
    if done.returncode:
        raise BuildFailure(f"`{' '.join(words)}` ended with {done.returncode}, its own words are above")
    return done.stdout or ""


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

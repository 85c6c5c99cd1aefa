"""Builds the container image from dist/ with no registry of images; needs root, and PROGRAMS_OF_THE_BUILD.

    .venv/bin/python scripts/image.py [--try]

Its root is Debian's Python, numpy and scipy and what these need, unpacked by mmdebstrap and added to an empty
image; the rest is as the Dockerfile says below "In common". numpy and scipy are Debian's because those share
one small library of linear algebra, where each wheel brings its own of 24 MB, for matrices that nobody here
has. A Docker engine of its own, with all that it keeps in one folder, is started for it, and stopped by its
pid. What comes out is dist/loadrig-image.tar.gz, for `docker load`. With --try every module is imported in a
container, and `loadrig attack` runs in one, in the host's network, against a server of this script's own.
"""

import argparse
import contextlib
import gzip
import http.server
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import image_scipy

ROOT = Path(__file__).resolve().parents[1]
DIST = ROOT / "dist"
IMAGE = DIST / "loadrig-image.tar.gz"
NAME = "loadrig"

DEBIAN = "trixie"
PACKAGES = "base-files,python3-minimal,libpython3-stdlib,python3-numpy,python3-scipy,libstdc++6,zlib1g"
PYTHON = "3.13"
"""Python of that Debian."""

OF_DEBIAN = ("numpy", "scipy")
"""Packages of Python that Debian brings, and the lock's are left out for."""

LIBRARIES = f"usr/lib/{os.uname().machine}-linux-gnu"
"""Folder of shared libraries in the root."""

LINEAR_ALGEBRA = ("blas", "lapack")
"""Libraries of which Debian has several: one of each is to be chosen. Source: update-alternatives(1)."""

PROGRAMS_OF_THE_BUILD = ("mmdebstrap", "uv", "docker", "dockerd", "readelf", "strip")

USER = 65532
"""User and group of the program: no user of a host has it, and other images without root use it, too."""

NOT_NEEDED = (
    "usr/share/man", "usr/share/locale", "usr/share/perl5", "usr/share/info", "usr/share/zoneinfo",
    "usr/share/lintian", "usr/share/bash-completion", "usr/share/gcc", "usr/share/gdb", "usr/share/dpkg",
    "usr/libexec", "usr/include", "usr/games", f"{LIBRARIES}/gconv", f"{LIBRARIES}/perl-base",
    f"{LIBRARIES}/python3-numpy/numpy/_core/include",
    "var/lib/apt", "var/lib/dpkg/info", "var/cache", "var/log", "boot", "media", "mnt", "opt", "srv",
)  # fmt: skip
"""Folders of the root that no program of the image reads."""

STANDARD_NOT_NEEDED = (
    "pydoc_data", "test", "ensurepip", "idlelib", "turtledemo", "venv", "tkinter", "turtle.py",
    "_pydecimal.py", "_pydatetime.py", "_pyio.py", "doctest.py", "pdb.py", "pickletools.py",
    "mailbox.py", "imaplib.py", "xmlrpc", "curses", "poplib.py", "plistlib.py",
    "antigravity.py", "this.py", "zipapp.py", "pyclbr.py", "modulefinder.py", "tabnanny.py",
)  # fmt: skip
"""Parts of Python's standard library that no program of the image imports."""

MODULES_NOT_NEEDED = (
    "_simd", "_dbm", "_test", "_xxtestfuzz", "xxlimited", "xxsubtype", "_ctypes_test", "_ctest", "_cytest",
    "_multiarray_tests", "_umath_tests", "_rational_tests", "_struct_ufunc_tests", "_operand_flag_tests",
    "readline", "_curses",
)  # fmt: skip
"""Beginnings of names of compiled modules for tests, and of some that need libraries of databases and of
terminals: nobody types into a Python there."""

STRIPPED = ("hiredis", "nanoarrow", "tree_sitter", "tree_sitter_javascript", "tree_sitter_typescript")
"""Packages besides py-spy whose wheels hold symbols for debuggers, and no libraries beside them: a library
that auditwheel has put there must be left as it is."""

PARTS_NOT_NEEDED = (
    "pygments", "markdown_it", "mdurl",  # rich's, for sources and Markdown, which are not shown
    "scipy/cluster", "scipy/datasets", "scipy/differentiate", "scipy/fftpack", "scipy/io", "scipy/misc",
    "scipy/odr", "scipy/stats/_unuran", "scipy/_lib/cobyqa", "scipy/special/_precompute",
    "scipy/special/_add_newdocs.py",
)  # fmt: skip
"""Parts of packages that nothing of loadrig leads to; `--try` imports every module of it without them."""

KINDS_NOT_NEEDED = ("pyi", "pyx", "pxd", "pxi", "a", "h", "f90")
"""Endings of files of packages that only compilers, type checkers and tests read."""

READ_AS_TEXT = ("_static_version.py",)
"""Sources that are read as they are, besides those of loadrig: nanoarrow's of its version."""

IN_TESTS = ("_natype.py",)
"""Files in folders of tests that are imported besides tests."""

COMPILING = """
import ast, importlib._bootstrap_external as imports, pathlib, sys
own, *others = sys.argv[1:]
functions = (ast.FunctionDef, ast.AsyncFunctionDef)
for path in (path for place in (own, *others) for path in pathlib.Path(place).rglob("*.py")):
    is_own = path.is_relative_to(own)
    holders = functions if is_own else (ast.Module, ast.ClassDef, *functions)
    tree = ast.parse(path.read_bytes())
    for node in ast.walk(tree):
        if isinstance(node, holders) and ast.get_docstring(node, clean=False):
            node.body[0].value.value = ""
    code = compile(tree, str(path), "exec", dont_inherit=True)
    state = path.stat()
    content = imports._code_to_timestamp_pyc(code, int(state.st_mtime), state.st_size)
    compiled = pathlib.Path(imports.cache_from_source(str(path))) if is_own else path.with_suffix(".pyc")
    compiled.parent.mkdir(exist_ok=True)
    compiled.write_bytes(content)
"""
"""Program that compiles loadrig, named first, and the packages of others without the text of docstrings, a
third of all. It is empty there and not missing: scipy makes docstrings from docstrings as it is imported.
loadrig shows those of its modules and classes, so these stay."""

PROGRAMS = ("python3", f"python{PYTHON}", "loadrig", "py-spy")
"""Programs that stay in usr/bin. Where there is no shell, nobody gets one."""

MOST_FETCHED = 65_000_000
MOST_UNPACKED = 150_000_000
"""Sizes of the image at most, in bytes: a half minute on 20 Mbit/s, and what a machine keeps of it. Half of
it is scipy, numpy and the Fortran that they rest on; the rest is loadrig, Python and its other packages."""

WAIT_S = 60.0
"""Seconds in which the engine must have come up."""


def main(words: Sequence[str]) -> int:
    """Build the image, try it if asked, print its sizes; 1 if it is too large, else 0."""
    parser = argparse.ArgumentParser(description="Build dist/loadrig-image.tar.gz.")
    parser.add_argument("--try", dest="is_tried", action="store_true", help="run it (default: build it)")
    is_tried = parser.parse_args(words).is_tried
    wheels = sorted(DIST.glob(f"*_{os.uname().machine}.whl"))
    missing = [name for name in PROGRAMS_OF_THE_BUILD if shutil.which(name) is None]
    if len(wheels) != 1 or missing or os.geteuid():
        print(
            f"image: it needs a wheel for this machine in dist/ ({len(wheels)} are there), root, and these"
            f" programs, which are missing: {', '.join(missing) or 'none'}\n\n"
            "   mend: make wheels; apt-get install mmdebstrap docker.io binutils; run it as root",
            file=sys.stderr,
        )
        return 2
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="loadrig-image-") as text:
        folder = Path(text)
        _make_context(folder / "context", wheels[0])
        with _engine(folder / "engine") as docker:
            _run(*docker, "build", "--quiet", "--network", "none", "--tag", NAME, str(folder / "context"))
            unpacked = int(_run(*docker, "image", "inspect", "--format", "{{.Size}}", NAME))
            _save(docker)
            if is_tried:
                _try(docker, folder)
    packed = IMAGE.stat().st_size
    print(
        f"  {packed / 1e6:.1f} MB to fetch, {unpacked / 1e6:.1f} MB unpacked,"
        f" {time.monotonic() - began:.0f} s  dist/{IMAGE.name}"
    )
    if packed > MOST_FETCHED or unpacked > MOST_UNPACKED:
        print(f"failed: at most {MOST_FETCHED / 1e6:.0f} and {MOST_UNPACKED / 1e6:.0f} MB are wanted")
        return 1
    return 0


def _make_context(folder: Path, wheel: Path) -> None:
    """Make the folder that is built from: the root as an archive, and a Dockerfile."""
    root = folder / "root"
    folder.mkdir()
    _run("mmdebstrap", "--quiet", "--variant=extract", f"--include={PACKAGES}", DEBIAN, str(root))
    packages = root / "usr" / "lib" / "python3" / "dist-packages"
    # Copied, as links into uv's cache would be stripped there, too, and be in use by whoever runs them.
    install = ("uv", "pip", "install", "--quiet", "--link-mode", "copy", "--target", str(packages))
    install += ("--python-version", PYTHON)
    (folder / "run.txt").write_text(_wanted((ROOT / "locks" / "run.txt").read_text(encoding="utf-8")))
    _run(*install, "--no-deps", "--require-hashes", "-r", str(folder / "run.txt"))
    (folder / "run.txt").unlink()
    _run(*install, "--no-deps", str(wheel))
    for name in LINEAR_ALGEBRA:
        (root / LIBRARIES / f"lib{name}.so.3").symlink_to(f"{name}/lib{name}.so.3")
    _trim(root, packages)
    image_scipy.leave_out(packages)
    _drop_libraries(root, packages)
    _add_authorities(root, folder)
    for name, line in (
        ("passwd", f"loadrig:x:{USER}:{USER}::/data:/nologin"),
        ("group", f"loadrig:x:{USER}:"),
    ):
        (root / "etc" / name).write_text(
            f"root:x:0:{'0:root:/:/nologin' if name == 'passwd' else ''}\n{line}\n"
        )
    (root / "etc" / "nsswitch.conf").write_text("hosts: files dns\n")
    (root / "data").mkdir()
    os.chown(root / "data", USER, USER)
    _compile(root, packages)
    _run("tar", "--create", "--file", str(folder / "root.tar"), "--directory", str(root), ".")
    shutil.rmtree(root)
    common = (ROOT / "Dockerfile").read_text(encoding="utf-8").partition("# In common\n")[2]
    (folder / "Dockerfile").write_text(f"FROM scratch\nADD root.tar /\nENV PATH=/usr/bin\n{common}")


def _wanted(lock: str) -> str:
    """Return a lock without what Debian brings: each entry begins a line, and its hashes are indented."""
    entries = re.split(r"^(?=\S)", lock, flags=re.MULTILINE)
    return "".join(entry for entry in entries if entry.partition("==")[0] not in OF_DEBIAN)


def _compile(root: Path, packages: Path) -> None:
    """Compile all Python, for the container's user may not write there: else each start takes seconds.

    loadrig reads its own sources (of a member what it states, without importing it) and keeps them; of all
    else the compiled files stand in the place of the sources, which are as large again. Columns of lines are
    left out, which only draw carets below the lines of a traceback.
    """
    standard = root / "usr" / "lib" / f"python{PYTHON}"
    own, aside = packages / "loadrig", root / "loadrig"
    places = [f"/{place.relative_to(root)}" for place in (own, packages, standard)]
    _run("chroot", str(root), "/usr/bin/python3", "-X", "no_debug_ranges", "-c", COMPILING, *places)
    own.rename(aside)
    for place in (packages, standard):
        for path in [*place.rglob("__pycache__")]:
            shutil.rmtree(path)
        for path in place.rglob("*.py"):
            if path.name not in READ_AS_TEXT and path.with_suffix(".pyc").is_file():
                path.unlink()
    aside.rename(own)


def _drop_libraries(root: Path, packages: Path) -> None:
    """Remove the shared libraries that no program and no module of the image is linked with.

    Those that look up names of hosts and users are loaded by name (`libnss_*`) and stay.
    """
    libraries = {path.name: path for path in (root / LIBRARIES).rglob("*.so*")}
    modules = [path for place in (packages, root / "usr" / "lib") for path in place.rglob("*.so")]
    seeds = [path for path in modules if root / LIBRARIES not in path.parents]
    seeds += [root / "usr" / "bin" / name for name in PROGRAMS]
    seeds += [path for name, path in libraries.items() if name.startswith(("libnss_", "ld-linux"))]
    needed: set[Path] = set()
    while seeds:
        path = seeds.pop()
        if path in needed or not path.is_file():
            continue
        needed.add(path)
        shown = subprocess.run(
            ("readelf", "-d", str(path)), capture_output=True, text=True, check=False
        ).stdout
        seeds += [libraries[name] for name in re.findall(r"NEEDED.*\[(.+)\]", shown) if name in libraries]
    # A link is needed with what it leads to.
    staying = {path.resolve() for path in needed}
    for path in libraries.values():
        if path.resolve() not in staying:
            path.unlink()


def _add_authorities(root: Path, folder: Path) -> None:
    """Add the authorities of TLS certificates that Debian trusts, and none that this host trusts besides."""
    place = folder / "authorities"
    place.mkdir()
    subprocess.run(["apt-get", "download", "--quiet", "ca-certificates"], cwd=place, check=True)
    (package,) = place.glob("*.deb")
    _run("dpkg-deb", "--extract", str(package), str(place))
    texts = [path.read_text() for path in sorted((place / "usr/share/ca-certificates").rglob("*.crt"))]
    bundle = root / "etc" / "ssl" / "certs" / "ca-certificates.crt"
    bundle.parent.mkdir(parents=True, exist_ok=True)
    bundle.write_text("".join(texts))
    shutil.rmtree(place)


def _trim(root: Path, packages: Path) -> None:
    """Remove what nobody needs who only runs loadrig, and move programs of packages to their place."""
    places = [root / name for name in NOT_NEEDED]
    places += [root / "usr" / "lib" / f"python{PYTHON}" / name for name in STANDARD_NOT_NEEDED]
    places += [packages / name for name in PARTS_NOT_NEEDED]
    for place in places:
        if place.is_file():
            place.unlink()
        shutil.rmtree(place, ignore_errors=True)
    for path in [*(root / "usr" / "lib").rglob("*.so")]:
        if path.name.startswith(MODULES_NOT_NEEDED):
            path.unlink()
    # Licences stay: of the documents of Debian's packages these alone.
    for path in [*(root / "usr" / "share" / "doc").rglob("*")]:
        if path.is_file() and path.name != "copyright":
            path.unlink()
    for place in sorted(packages.rglob("tests"), key=lambda path: -len(path.parts)):
        if place.is_dir():
            for path in place.iterdir():
                if path.is_dir() and not path.is_symlink():
                    shutil.rmtree(path)
                elif path.name not in IN_TESTS:
                    path.unlink()
    for path in [path for kind in KINDS_NOT_NEEDED for path in packages.rglob(f"*.{kind}")]:
        if packages / "loadrig" not in path.parents:
            path.unlink()
    for place in (root / "usr" / "bin", root / "bin", root / "usr" / "sbin", root / "sbin"):
        for path in place.iterdir() if place.is_dir() else ():
            if path.name not in PROGRAMS:
                path.unlink()
    programs = root / "usr" / "bin"
    for path in packages.glob("*.dist-info/RECORD"):  # which tells an installer what to remove
        path.unlink()
    (packages / "bin" / "py-spy").rename(programs / "py-spy")
    shutil.rmtree(packages / "bin")
    for path in [programs / "py-spy", *packages.rglob("*.so")]:
        if path.parent == programs or path.relative_to(packages).parts[0] in STRIPPED:
            _run("strip", "--strip-unneeded", str(path))
    # uv writes the path of the Python that it ran with.
    (programs / "loadrig").write_text(
        "#!/usr/bin/python3\nimport sys\n\nfrom loadrig.cli.__main__ import main\n\nsys.exit(main())\n"
    )
    (programs / "loadrig").chmod(0o755)


@contextlib.contextmanager
def _engine(folder: Path) -> Iterator[tuple[str, ...]]:
    """Yield the words that begin a command to a Docker engine of our own, stopped and removed afterwards."""
    folder.mkdir()
    groups = [path for path in Path("/sys/fs/cgroup").glob("**/docker") if path.is_dir()]
    socket = f"unix://{folder}/docker.sock"
    with (folder / "log").open("w") as log:
        process = subprocess.Popen(
            [
                "dockerd", "--storage-driver=vfs", "--iptables=false", "--bridge=none", f"--host={socket}",
                f"--data-root={folder}/data", f"--exec-root={folder}/exec", f"--pidfile={folder}/pid",
            ],
            stdout=log,
            stderr=log,
        )  # fmt: skip
    docker = ("docker", "--host", socket)
    try:
        end = time.monotonic() + WAIT_S
        while subprocess.run([*docker, "info"], capture_output=True, check=False).returncode:
            if process.poll() is not None or time.monotonic() > end:
                sys.exit(f"image: dockerd did not come up:\n{(folder / 'log').read_text()[-2000:]}")
            time.sleep(0.2)
        yield docker
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(WAIT_S)
        _unmount_below(folder)
        for group in Path("/sys/fs/cgroup").glob("**/docker"):
            if group not in groups:
                with contextlib.suppress(OSError):  # somebody else's engine has put something into it
                    group.rmdir()


def _unmount_below(folder: Path) -> None:
    """Unmount what an engine that was stopped has left mounted below its folder, the innermost first."""
    lines = Path("/proc/self/mounts").read_text(encoding="utf-8").splitlines()
    for place in sorted((line.split()[1] for line in lines), key=len, reverse=True):
        if place.startswith(f"{folder}/"):
            _run("umount", "--lazy", place)


def _save(docker: Sequence[str]) -> None:
    """Write the image as it would be fetched: packed."""
    with subprocess.Popen([*docker, "save", NAME], stdout=subprocess.PIPE) as saving:
        assert saving.stdout is not None
        with gzip.open(IMAGE, "wb", compresslevel=6) as file:
            shutil.copyfileobj(saving.stdout, file, 1 << 20)
    if saving.returncode:
        sys.exit(f"image: docker save ended with {saving.returncode}")


class _Handler(http.server.BaseHTTPRequestHandler):
    """Answers every request with two bytes, and says nothing of it."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        """Answer."""
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"ok")

    def log_message(self, *_: object) -> None:
        """Say nothing."""


IMPORTING = """
import importlib, pkgutil, loadrig
import scipy.fft, scipy.linalg, scipy.optimize, scipy.signal, scipy.stats
for module in pkgutil.walk_packages(loadrig.__path__, "loadrig."):
    if not module.name.startswith(("loadrig.testing", "loadrig.labs.")) and "__main__" not in module.name:
        importlib.import_module(module.name)
"""
"""Program that imports all that may be missing in the image."""

NO_RIGHT = ("--cap-drop", "ALL")
ALL_RIGHTS = ("--cap-drop", "ALL", "--cap-add", "SYS_PTRACE", "--cap-add", "DAC_READ_SEARCH", "--pid", "host")
"""Rights of a container that sees the processes of all users of the host, besides the user 0."""


def _try(docker: Sequence[str], folder: Path) -> None:
    """Load a server of this host from two containers: one with no right, one that sees its process.

    Before that every module is imported and scipy called; then the run is reported, explained and exported.
    """
    for program in (IMPORTING, image_scipy.CALLING):
        # Compiled code of scipy that lacks a file complains on standard error, and its figures are wrong.
        words = (*docker, "run", "--rm", "--entrypoint", "python3", NAME, "-c", program)
        if printed := _run(*words, stderr=subprocess.STDOUT):
            sys.exit(f"image: a part of it is missing:\n{printed}")
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_address[1]}/"
        for user, rights in ((USER, NO_RIGHT), (0, ALL_RIGHTS)):
            runs = folder / f"runs-of-{user}"
            runs.mkdir()
            os.chown(runs, user, user)
            words = ("run", "--rm", "--network", "host", "--read-only", "--tmpfs", "/tmp")
            place = ("-v", f"{runs}:/data", NAME, "attack", url, "-c", "4", "-z", "3s")
            out = _run(*docker, *words, "--user", str(user), *rights, *place)
            inside = (*docker, *words, "--user", str(user), "-v", f"{runs}:/data", NAME)
            (run,) = (path.name for path in (runs / "runs").iterdir() if path.is_dir())
            for then in (
                ("report", f"runs/{run}"),
                ("explain", "p95"),
                *(
                    ("export", f"runs/{run}", "--to", to, "-o", f"of-{to}")
                    for to in ("csv", "parquet", "hlog")
                ),
            ):
                _run(*inside, *then)
            print(f"as user {user} with {' '.join(rights)}:", *_lines_on_the_server(out), sep="\n  ")
        server.shutdown()


def _lines_on_the_server(out: str) -> list[str]:
    """Return the lines of a result on rates, outcomes and tiers; ends this program where there are none."""
    lines = [line.strip() for line in out.splitlines() if "good answers" in line or "server  " in line]
    if not lines:
        sys.exit(f"image: the container answered otherwise:\n{out}")
    return lines


def _run(*words: str, stderr: int | None = None) -> str:
    """Run a program and return what it prints; ends this one where it fails."""
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=stderr, text=True, check=False)
    if done.returncode:
        sys.exit(f"image: `{' '.join(words)}` ended with {done.returncode}\n{done.stdout}")
    return done.stdout.strip()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

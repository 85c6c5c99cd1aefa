"""Builds the container image from dist/ with no registry of images; needs root, mmdebstrap, uv and docker.

    .venv/bin/python scripts/image.py [--try]

Its root is Debian's Python and what that needs, unpacked by mmdebstrap and added to an empty image; the rest
is as the Dockerfile says below "In common". A Docker engine of its own, with all that it keeps in one folder,
is started for it, and stopped by its pid. What comes out is dist/loadrig-image.tar.gz, for `docker load`.
With --try `loadrig attack` runs in a container, in the host's network, against a server of this script's own.
"""

import argparse
import contextlib
import gzip
import http.server
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DIST = ROOT / "dist"
IMAGE = DIST / "loadrig-image.tar.gz"
NAME = "loadrig"

DEBIAN = "bookworm"
PACKAGES = "base-files,python3-minimal,libpython3-stdlib,libstdc++6,zlib1g"
PYTHON = "3.11"
"""Python of that Debian."""

USER = 65532
"""User and group of the program: no user of a host has it, and other images without root use it, too."""

NOT_NEEDED = (
    "usr/share/doc", "usr/share/man", "usr/share/locale", "usr/share/perl5", "usr/share/info",
    "usr/share/zoneinfo", "usr/share/lintian", "usr/lib/x86_64-linux-gnu/gconv", "usr/share/bash-completion",
    "var/lib/apt", "var/cache", "var/log", "boot", "media", "mnt", "opt", "srv", "usr/games", "usr/include",
)  # fmt: skip
"""Folders of the root that no program of the image reads."""

PROGRAMS = ("python3", "python3.11", "loadrig", "py-spy")
"""Programs that stay in usr/bin. Where there is no shell, nobody gets one."""

MOST_BYTES = 150_000_000
"""Size of the image as it is fetched, at most: a minute on 20 Mbit/s."""

WAIT_S = 60.0
"""Seconds in which the engine must have come up."""


def main(words: Sequence[str]) -> int:
    """Build the image, try it if asked, print its sizes; 1 if it is too large, else 0."""
    parser = argparse.ArgumentParser(description="Build dist/loadrig-image.tar.gz.")
    parser.add_argument("--try", dest="is_tried", action="store_true", help="run it (default: build it)")
    is_tried = parser.parse_args(words).is_tried
    wheels = sorted(DIST.glob(f"*_{os.uname().machine}.whl"))
    missing = [name for name in ("mmdebstrap", "uv", "docker", "dockerd") if shutil.which(name) is None]
    if len(wheels) != 1 or missing or os.geteuid():
        print(
            f"image: it needs a wheel for this machine in dist/ ({len(wheels)} are there), root, and these"
            f" programs, which are missing: {', '.join(missing) or 'none'}\n\n"
            "   mend: make wheels; apt-get install mmdebstrap docker.io; run it as root",
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
    if packed > MOST_BYTES:
        print(f"failed: more than {MOST_BYTES / 1e6:.0f} MB")
        return 1
    return 0


def _make_context(folder: Path, wheel: Path) -> None:
    """Make the folder that is built from: the root as an archive, and a Dockerfile."""
    root = folder / "root"
    folder.mkdir()
    _run("mmdebstrap", "--quiet", "--variant=extract", f"--include={PACKAGES}", DEBIAN, str(root))
    packages = root / "usr" / "lib" / "python3" / "dist-packages"
    install = ("uv", "pip", "install", "--quiet", "--target", str(packages), "--python-version", PYTHON)
    _run(*install, "--no-deps", "--require-hashes", "-r", str(ROOT / "locks" / "run.txt"))
    _run(*install, "--no-deps", str(wheel))
    _trim(root, packages)
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
    # Compiled for the container's user, who may not write there: else each start takes seconds.
    compiled = (
        "-m",
        "compileall",
        "-q",
        "-j",
        "0",
        f"/{packages.relative_to(root)}",
        f"/usr/lib/python{PYTHON}",
    )
    _run("chroot", str(root), "/usr/bin/python3", *compiled)
    _run("tar", "--create", "--file", str(folder / "root.tar"), "--directory", str(root), ".")
    shutil.rmtree(root)
    common = (ROOT / "Dockerfile").read_text(encoding="utf-8").partition("# In common\n")[2]
    (folder / "Dockerfile").write_text(f"FROM scratch\nADD root.tar /\nENV PATH=/usr/bin\n{common}")


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
    for name in NOT_NEEDED:
        shutil.rmtree(root / name, ignore_errors=True)
    for path in sorted(packages.rglob("tests"), key=lambda path: -len(path.parts)):
        if path.is_dir():
            shutil.rmtree(path)
    for path in [*packages.rglob("*.pyi"), *packages.rglob("*.pxd"), *packages.rglob("*.a")]:
        if packages / "loadrig" not in path.parents:
            path.unlink()
    for place in (root / "usr" / "bin", root / "bin", root / "usr" / "sbin", root / "sbin"):
        for path in place.iterdir() if place.is_dir() else ():
            if path.name not in PROGRAMS:
                path.unlink()
    programs = root / "usr" / "bin"
    (packages / "bin" / "py-spy").rename(programs / "py-spy")
    shutil.rmtree(packages / "bin")
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


NO_RIGHT = ("--cap-drop", "ALL")
ALL_RIGHTS = ("--cap-drop", "ALL", "--cap-add", "SYS_PTRACE", "--cap-add", "DAC_READ_SEARCH", "--pid", "host")
"""Rights of a container that sees the processes of all users of the host, besides the user 0."""


def _try(docker: Sequence[str], folder: Path) -> None:
    """Load a server of this host from two containers: one with no right, one that sees its process."""
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
            print(f"as user {user} with {' '.join(rights)}:", *_lines_on_the_server(out), sep="\n  ")
        server.shutdown()


def _lines_on_the_server(out: str) -> list[str]:
    """Return the lines of a result on rates, outcomes and tiers; ends this program where there are none."""
    lines = [line.strip() for line in out.splitlines() if "good answers" in line or "server  " in line]
    if not lines:
        sys.exit(f"image: the container answered otherwise:\n{out}")
    return lines


def _run(*words: str) -> str:
    """Run a program and return what it prints; ends this one where it fails."""
    done = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        sys.exit(f"image: `{' '.join(words)}` ended with {done.returncode}\n{done.stdout}")
    return done.stdout.strip()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Real JVM servers for tests: one of the JDK alone, and an embedded Tomcat with a HikariCP pool.

    with java.plain(jvm=["-XX:+UseG1GC", "-Xmx64m"]) as server:
        server.get("/allocate?bytes=50000000")

Both answer `/`, `/burn?ms=`, `/allocate?bytes=&keep=`, `/gc`, `/sleep?ms=`; the shop also `/query?ms=`, which
holds a connection of its pool for so long. The hot method of `/burn` is `Work.hotLoop`.
What they need is compiled and fetched once into the repository's `.tools/java`, which git ignores.
"""

import fcntl
import hashlib
import http.client
import os
import shlex
import shutil
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from loadrig.base import processes, sockets
from loadrig.base.component import SERVER, Component
from loadrig.base.running import Address
from tests.pauses import pause
from tests.servers._daemon import free_port

_SOURCES = Path(__file__).parent / "_java"
_CACHE = Path(__file__).parents[2] / ".tools" / "java"
_DEADLINE_S = 60.0
_FETCH_S = 100.0

DEFAULT_JVM = ("-Xmx96m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")
"""A small JVM that starts quickly; what a test gives replaces all of it."""


@dataclass(frozen=True, slots=True)
class JavaServer:
    """A JVM that answers on 127.0.0.1. log: the file of what it prints."""

    process: "subprocess.Popen[bytes]"
    port: int
    argv: tuple[str, ...]
    cwd: Path
    log: Path

    @property
    def pid(self) -> int:
        """The JVM's process."""
        return self.process.pid

    @property
    def url(self) -> str:
        """Address at which it answers, without a slash at the end."""
        return f"http://127.0.0.1:{self.port}"

    def component(self) -> Component:
        """As discovery would describe it."""
        return Component(
            SERVER,
            "program",
            runtime="jvm",
            pid=self.pid,
            start=processes.start_of(self.pid),
            address=Address("127.0.0.1", self.port),
            argv=self.argv,
            log=self.log,
        )

    def get(self, path: str = "/", timeout_s: float = _DEADLINE_S) -> int:
        """Ask it once over a connection of its own. Returns the status."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout_s)
        try:
            connection.request("GET", path)
            answer = connection.getresponse()
            answer.read()
            return answer.status
        finally:
            connection.close()

    def stop(self) -> None:
        """Kill it and wait for its end; it may be dead already."""
        self.process.kill()
        self.process.wait()


def jdk(version: int | None = None) -> Path:
    """Return the home of a JDK: of the one on PATH, or of the feature version asked for.

    Skips if there is none.
    """
    if version is None:
        javac = shutil.which("javac")
        if javac is None:
            pytest.skip("no JDK is installed: apt-get install openjdk-17-jdk-headless")
        return Path(javac).resolve().parents[1]
    for release in sorted(Path("/usr/lib/jvm").glob("*/release")):
        if f'JAVA_VERSION="{version}' in release.read_text() and (release.parent / "bin" / "javac").exists():
            return release.parent
    pytest.skip(f"JDK {version} is not installed: apt-get install openjdk-{version}-jdk-headless")


@contextmanager
def plain(
    folder: Path,
    *,
    jvm: Sequence[str] = DEFAULT_JVM,
    home: Path | None = None,
    threads: int = 8,
    env: Mapping[str, str] | None = None,
    beside: Path | None = None,
) -> Iterator[JavaServer]:
    """Yield the server of the JDK alone. folder: where it runs and logs; home: its JDK's, else that on PATH.

    beside: a folder of jars that lie first on its class path, and that it does not use.
    """
    compiled = classes()
    port = free_port()
    java = str((home or jdk()) / "bin" / "java")
    path = f"{beside}/*:{compiled}" if beside else str(compiled)
    argv = (java, *jvm, "-cp", path, "Plain", str(port), str(threads))
    with _running(argv, port, folder, env) as server:
        yield server


@contextmanager
def shop(
    folder: Path,
    *,
    jvm: Sequence[str] = DEFAULT_JVM,
    home: Path | None = None,
    threads: int = 200,
    pool: int = 10,
    jdbc: str | None = None,
    user: str | None = None,
    mbeans: bool = True,
    env: Mapping[str, str] | None = None,
) -> Iterator[JavaServer]:
    """Tomcat with a pool named ShopPool, of H2 in memory unless `jdbc` names another database.

    mbeans: whether Tomcat and the pool register theirs. The database's password: SHOP_PASSWORD in `env`.
    """
    jars = libraries()
    compiled = classes(jars)
    port = free_port()
    settings = {"port": port, "base": folder, "threads": threads, "pool": pool, "mbeans": str(mbeans).lower()}
    settings |= {name: value for name, value in (("jdbc", jdbc), ("user", user)) if value is not None}
    java = str((home or jdk()) / "bin" / "java")
    defined = [f"-D{name}={value}" for name, value in settings.items()]
    argv = (java, *jvm, *defined, "-cp", f"{compiled}:{jars}/*", "Shop")
    with _running(argv, port, folder, env) as server:
        yield server


@contextmanager
def contained(folder: Path) -> Iterator[Component]:
    """Yield the server of the JDK alone as in a container: with mounts, pids and a network of its own.

    Only its component is told: nobody outside can reach its port.
    """
    unshare = shutil.which("unshare")
    if os.geteuid() != 0 or unshare is None:
        pytest.skip("a JVM in namespaces of its own needs root and unshare: apt-get install util-linux")
    # By its open folder: the checkout may itself lie in the /tmp that is hidden.
    server = " ".join([f"{jdk()}/bin/java", *DEFAULT_JVM, "-cp", "/proc/self/fd/9", "Plain", "1234", "2"])
    inside = (
        f"exec 9<{shlex.quote(str(classes()))} && mount -t tmpfs tmpfs /tmp && ip link set lo up"
        f" && exec {server}"
    )
    namespaces = ["--mount", "--net", "--pid", "--fork", "--kill-child", "--mount-proc"]
    with open(folder / "java.out", "wb") as out:
        process = subprocess.Popen(
            [unshare, *namespaces, "sh", "-c", inside], stdout=out, stderr=out, cwd="/"
        )
    try:
        pid = _java_below(process.pid, folder / "java.out")
        yield Component(SERVER, "program", runtime="jvm", pid=pid, start=processes.start_of(pid))
    finally:
        process.kill()
        process.wait()


def _java_below(pid: int, log: Path) -> int:
    began = time.monotonic()
    while time.monotonic() < began + _DEADLINE_S:
        for child in processes.tree(pid, processes.table()):
            # Its signals are as a JVM's only when it has begun to run.
            if processes.command_line(child).endswith(" Plain 1234 2") and "/java" in processes.command_line(
                child
            ):
                stat = processes.stat(child)
                if stat is not None and stat.name == "java" and _listens_inside(child):
                    return child
        pause(began, 0.02)
    pytest.fail(f"no JVM was started:\n{log.read_text()}")


def _listens_inside(pid: int) -> bool:
    """Return whether somebody listens in the network of a process: in one of its own only its server can."""
    try:
        return any(
            sockets.parse_listeners(Path(f"/proc/{pid}/net/{name}").read_text()) for name in ("tcp", "tcp6")
        )
    except OSError:  # it has just ended
        return False


@contextmanager
def _running(
    argv: tuple[str, ...], port: int, folder: Path, env: Mapping[str, str] | None
) -> Iterator[JavaServer]:
    log = folder / "java.out"
    with open(log, "ab") as out:
        process = subprocess.Popen(
            argv,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=out,
            env={**os.environ, **(env or {})},
        )
    server = JavaServer(process, port, argv, folder, log)
    try:
        _wait_until_it_answers(server)
        yield server
    finally:
        server.stop()


def _wait_until_it_answers(server: JavaServer) -> None:
    began = time.monotonic()
    while True:
        try:
            if server.get("/") == 200:
                return
        except OSError:
            pass
        if server.process.poll() is not None or time.monotonic() > began + _DEADLINE_S:
            pytest.fail(f"{' '.join(server.argv)} never answered:\n{server.log.read_text()}")
        pause(began, 0.02)


def libraries() -> Path:
    """Return the folder of the jars that pom.xml names, fetched if it is not there; skip if it cannot be."""
    pom = _SOURCES / "pom.xml"
    folder = _CACHE / f"lib-{_digest([pom])}"
    if not folder.is_dir():
        maven = shutil.which("mvn")
        if maven is None:
            pytest.skip("Maven is not installed: apt-get install maven")
        with _made_once(folder) as fresh:
            if fresh is not None:
                argv = [maven, "-q", "-B", "-f", str(pom), "dependency:copy-dependencies"]
                argv.append(f"-DoutputDirectory={fresh}")
                try:
                    subprocess.run(argv, check=True, capture_output=True, timeout=_FETCH_S)
                except (subprocess.CalledProcessError, subprocess.TimeoutExpired):
                    pytest.skip("Maven cannot fetch Tomcat and HikariCP: its registry cannot be reached")
    return folder


def classes(jars: Path | None = None) -> Path:
    """Return the folder of the compiled servers: Plain, and Shop too where its jars are given."""
    names = ["Work.java", "Plain.java"] + (["Shop.java"] if jars else [])
    sources = [_SOURCES / name for name in names]
    folder = _CACHE / f"classes-{_digest(sources)}"
    if not folder.is_dir():
        javac = jdk() / "bin" / "javac"
        with _made_once(folder) as fresh:
            if fresh is not None:
                path = ["-cp", f"{jars}/*"] if jars else []
                argv = [str(javac), "--release", "17", *path, "-d", str(fresh), *map(str, sources)]
                subprocess.run(argv, check=True)
    return folder


def _digest(files: Sequence[Path]) -> str:
    return hashlib.sha256(b"\0".join(file.read_bytes() for file in files)).hexdigest()[:12]


@contextmanager
def _made_once(folder: Path) -> Iterator[Path | None]:
    """Yield a folder to fill, which becomes `folder` if that goes well; None if another made it meanwhile."""
    _CACHE.mkdir(parents=True, exist_ok=True)
    with open(_CACHE / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if folder.is_dir():
            yield None
            return
        fresh = folder.with_suffix(".fresh")
        shutil.rmtree(fresh, ignore_errors=True)
        fresh.mkdir()
        try:
            yield fresh
            fresh.rename(folder)
        finally:
            shutil.rmtree(fresh, ignore_errors=True)

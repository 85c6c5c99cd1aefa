"""Identity of a process: what runs, in which version, how it is set and limited; real and recorded."""

import os
import re
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from loadrig.base import cgroups, processes
from loadrig.base.component import SERVER, Component
from loadrig.base.masks import MASK
from loadrig.discovery import _elf, _jvm, _kinds, _node, _python
from loadrig.discovery._describe import container_in, describe, limits_of
from loadrig.discovery._seen import VisibleProcess
from loadrig.discovery._settings import settings_of
from tests.conftest import Deadline
from tests.servers import go, java, node
from tests.servers._daemon import program
from tests.servers.gunicorn import started_gunicorn
from tests.servers.mariadb import started_mariadb
from tests.servers.postgres import started_postgres

pytestmark = pytest.mark.integration


def described(pid: int) -> Component:
    return describe(SERVER, pid, processes.table())[0]


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("beam.smp -W w -root /usr/lib/erlang -s rabbit boot -noshell", "rabbitmq"),
        ("beam.smp -- -root /srv/shop -progname erl -s elixir start_cli -mode embedded", "program"),
    ],
)
def test_not_all_that_runs_in_the_virtual_machine_of_erlang_is_rabbitmq(line: str, kind: str) -> None:
    process = VisibleProcess(0)
    process.__dict__.update(exe="/srv/erts/beam.smp", argv=tuple(line.split()), environment={})
    assert _kinds.identify(process, "native").kind == kind


@pytest.mark.parametrize(
    ("argv", "kind", "version"),
    [
        (("puma 5.6.5 (tcp://127.0.0.1:8080) [shop]",), "puma", "5.6.5"),
        (("puma: cluster worker 0: 77 [shop]",), "puma", ""),
        (("ruby", "/usr/bin/puma", "-t", "3:3"), "puma", ""),
        (("unicorn worker[0] -c /etc/unicorn.rb",), "unicorn", ""),
        (("ruby", "shop.rb"), "program", ""),
    ],
)
def test_a_server_of_ruby_is_known_by_what_it_calls_itself(
    argv: tuple[str, ...], kind: str, version: str
) -> None:
    process = VisibleProcess(0)
    process.__dict__.update(exe="/usr/bin/ruby3.1", argv=argv, environment={})
    identity = _kinds.identify(process, "native")
    assert (identity.kind, identity.version) == (kind, version)


@pytest.mark.parametrize(
    ("library", "driver"),
    [("asyncpg/protocol/protocol.so", "asyncpg"), ("lib/libpq.so.5", "psycopg"), ("lib/libz.so", "")],
)
def test_the_driver_of_a_database_is_known_by_the_library_that_a_worker_has_loaded(
    library: str, driver: str, tmp_path: Path
) -> None:
    """A master that forks workers need not have loaded what they load."""
    path = tmp_path / library
    path.parent.mkdir(parents=True)
    path.write_bytes(b"\0" * 4096)
    load = (
        f"import mmap; f = open({str(path)!r}, 'rb'); m = mmap.mmap(f.fileno(), 0, access=mmap.ACCESS_READ)"
    )
    worker = f"{load}; print(flush=True); input()"
    code = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {worker!r}])"
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", code], stdin=pipe, stdout=pipe) as master:
        assert master.stdout is not None
        master.stdout.readline()
        assert described(master.pid).settings.get("driver", "") == driver
        master.communicate(b"\n")


# --- command lines ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "script", "rest"),
    [
        ("python app.py --port 80", "app.py", ("--port", "80")),
        ("python3.11 -u -X dev -W ignore app.py", "app.py", ()),
        ("python -Xdev /venv/bin/gunicorn -w 4 shop:app", "/venv/bin/gunicorn", ("-w", "4", "shop:app")),
        ("python -m flask run -p 8000", "flask", ("run", "-p", "8000")),
        ("python -um uvicorn.main shop:app", "uvicorn", ("shop:app",)),
        ("python -m http.server 80", "http.server", ("80",)),
        ("python -c x=1 app.py", "", ()),
        ("python --check-hash-based-pycs never app.py", "app.py", ()),
        ("python", "", ()),
    ],
)
def test_the_script_of_a_python_is_told_from_its_options(
    line: str, script: str, rest: tuple[str, ...]
) -> None:
    assert _python.split(line.split()) == (script, rest)


@pytest.mark.parametrize(
    ("line", "main", "jar", "paths"),
    [
        (
            "java -Xmx1g -cp lib/*:app.jar --add-opens a/b=ALL shop.Main 80",
            "shop.Main",
            "",
            ("lib/*", "app.jar"),
        ),
        ("java -jar /srv/shop-1.2.jar --port=80", "", "/srv/shop-1.2.jar", ("/srv/shop-1.2.jar",)),
        ("java -p mods -m shop/shop.Main", "shop.Main", "", ("mods",)),
        ("java --class-path=a.jar shop.Main", "shop.Main", "", ("a.jar",)),
        ("java @args", "", "", ()),
    ],
)
def test_the_main_class_of_a_jvm_is_told_from_its_options(
    line: str, main: str, jar: str, paths: tuple[str, ...]
) -> None:
    assert _jvm.command(line.split()) == (main, jar, paths)


@pytest.mark.parametrize(
    ("line", "script"),
    [
        ("node --max-old-space-size=512 -r dotenv/config server.js 80", "server.js"),
        ("node -e 1", ""),
        ("node", ""),
    ],
)
def test_the_script_of_a_node_is_told_from_its_options(line: str, script: str) -> None:
    assert _node.script_of(line.split()) == script


def test_jars_within_a_jar_are_listed_without_unpacking_it(tmp_path: Path) -> None:
    names = [
        "BOOT-INF/lib/tomcat-embed-core-10.1.34.jar",
        "BOOT-INF/lib/spring-boot-3.4.1.jar",
        "shop/Main.class",
    ]
    with zipfile.ZipFile(tmp_path / "shop.jar", "w") as jar:
        for name in names:
            jar.writestr(name, b"x" * 1000)
        jar.comment = b"a comment behind the directory"
    assert list(_jvm._packed(tmp_path / "shop.jar")) == [name.rpartition("/")[2] for name in names[:2]]
    (tmp_path / "no.jar").write_bytes(b"not a zip")
    assert list(_jvm._packed(tmp_path / "no.jar")) == []
    assert list(_jvm._packed(tmp_path / "missing.jar")) == []


# --- runtimes -----------------------------------------------------------------------------------------


def test_a_gunicorn_its_workers_and_its_settings_are_told(tmp_path: Path, deadline: Deadline) -> None:
    environment = {
        "WEB_CONCURRENCY": "2", "GUNICORN_CMD_ARGS": "--threads=3 --env=API_TOKEN=tell-nobody",
        "DATABASE_URL": "mysql://shop:tell-nobody@db:3306/shop", "SECRET_KEY": "tell-nobody",
    }  # fmt: skip
    with started_gunicorn(
        tmp_path, "--max-requests", "1000", "--env", "PASSWORD=tell-nobody", environment=environment
    ) as process:
        deadline.wait_for(lambda: described(process.pid).workers == 2, "both workers")
        identity = described(process.pid)
    import gunicorn

    assert (identity.kind, identity.program_version) == ("gunicorn", gunicorn.__version__)
    assert (identity.runtime, identity.version) == ("cpython", ".".join(map(str, sys.version_info[:3])))
    assert identity.settings["--max-requests"] == "1000"
    assert identity.settings["WEB_CONCURRENCY"] == "2"
    assert identity.settings["arguments"] == "shop:app"
    assert identity.settings["DATABASE_URL"] == f"mysql://{MASK}@db:3306/shop"
    assert identity.settings["GUNICORN_CMD_ARGS"].startswith("--threads=3")
    assert "tell-nobody" not in repr(identity)
    assert identity.notes == ()


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("from flask import Flask\napp = Flask(__name__)\nif 1:\n    app.run(port=PORT)\n", "flask"),
        ("import uvicorn\nuvicorn.run(app, port=PORT)\n", "uvicorn"),
        ("from waitress import serve\nserve(app)\n", "waitress"),
        ("from http.server import HTTPServer\n", "http.server"),
        ("import socketserver\n", "program"),
    ],
)
def test_a_script_that_is_its_own_server_is_known_by_what_it_calls(
    text: str, kind: str, tmp_path: Path
) -> None:
    # It only sleeps: what it would call stands behind that.
    script = tmp_path / "billing.py"
    script.write_text(f"import time\nprint(1, flush=True)\ntime.sleep(60)\n{text}")
    with subprocess.Popen([sys.executable, "billing.py"], cwd=tmp_path, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.read(1)
        identity, label = describe(SERVER, process.pid, processes.table())
        process.kill()
    assert (identity.kind, label) == (kind, "billing" if kind == "program" else kind)


def test_a_go_program_says_which_go_built_it(tmp_path: Path) -> None:
    built = go.build("plain", tmp_path)
    with go.started_go(built, tmp_path, environment={"GOMAXPROCS": "1"}) as server:
        identity = described(server.pid)
    assert (identity.kind, identity.runtime, identity.version) == ("program", "go", go.version())
    assert identity.settings["GOMAXPROCS"] == "1"


def test_what_is_no_go_program_has_no_build_information(tmp_path: Path) -> None:
    (tmp_path / "cut").write_bytes(Path(sys.executable).resolve().read_bytes()[:200])
    (tmp_path / "text").write_text("#!/bin/sh\n")
    for path in (Path(sys.executable), tmp_path / "cut", tmp_path / "text", tmp_path / "missing", tmp_path):
        assert _elf.go_build(path) is None
        assert _elf.text_like(path, r"(\d+)-MariaDB") == ""


def test_a_node_says_its_version(tmp_path: Path) -> None:
    with node.started_node(
        "classic.cjs", tmp_path, "--max-old-space-size=64", environment={"UV_THREADPOOL_SIZE": "2"}
    ) as server:
        identity = described(server.pid)
    assert (identity.runtime, identity.version) == ("node", node.version())
    assert identity.settings["--max-old-space-size"] == "64"
    assert identity.settings["UV_THREADPOOL_SIZE"] == "2"


def test_a_node_server_is_known_by_the_package_that_it_asks_for(tmp_path: Path) -> None:
    (tmp_path / "package.json").write_text('{"name": "billing", "dependencies": {"express": "^4"}}')
    (tmp_path / "node_modules" / "express").mkdir(parents=True)
    (tmp_path / "node_modules" / "express" / "package.json").write_text('{"version": "4.21.2"}')
    (tmp_path / "app.js").write_text("console.log(1); setTimeout(() => {}, 60000)")
    with subprocess.Popen([node.node(), "app.js"], cwd=tmp_path, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.read(1)
        identity, label = describe(SERVER, process.pid, processes.table())
        process.kill()
    assert (identity.kind, identity.program_version, label) == ("express", "4.21.2", "billing")


def test_a_jvm_says_its_version_and_its_settings(tmp_path: Path) -> None:
    with java.plain(tmp_path, jvm=("-Xmx64m", "-XX:+UseSerialGC", "-Ddb.password=tell-nobody")) as server:
        identity = described(server.pid)
    release = (java.jdk() / "release").read_text()
    version = re.search(r'JAVA_VERSION="([^"]+)"', release)
    assert version is not None
    assert (identity.kind, identity.runtime, identity.version) == ("program", "jvm", version[1])
    assert identity.settings["-Xmx"] == "64m"
    assert identity.settings["-XX:+UseSerialGC"] == ""
    assert identity.settings["-Ddb.password"] == MASK
    assert "tell-nobody" not in repr(identity)


def test_an_embedded_tomcat_is_known_by_its_threads_and_its_version_by_a_jar(tmp_path: Path) -> None:
    with java.shop(tmp_path) as server:
        tomcat, label = describe(SERVER, server.pid, processes.table())
    assert (tomcat.kind, tomcat.runtime, label) == ("tomcat", "jvm", "Shop")
    assert re.fullmatch(r"\d+\.\d+\.\d+", tomcat.program_version)


def test_the_server_of_the_jdk_is_no_tomcat_for_a_jar_on_its_class_path(tmp_path: Path) -> None:
    with java.plain(tmp_path, beside=java.libraries()) as server:
        plain, label = describe(SERVER, server.pid, processes.table())
    assert (plain.kind, plain.program_version, label) == ("program", "", "Plain")


TOMCAT_JARS = ("tomcat-embed-core-10.1.34.jar", "HikariCP-6.2.1.jar")


def test_of_a_program_in_a_jvm_only_settings_of_its_server_are_read(tmp_path: Path) -> None:
    line = "java -Xmx1g -jar shop.jar --server.tomcat.threads.max=8 --shop.secret=tell-nobody -Xmine"
    settings = settings_of(recorded_jvm(tmp_path, line, (), ()), "tomcat", "jvm")
    assert settings == {"-Xmx": "1g", "--server.tomcat.threads.max": "8"}


def recorded_jvm(proc: Path, line: str, threads: tuple[str, ...], jars: tuple[str, ...]) -> VisibleProcess:
    """Return a JVM's process as its command line, its threads and the jars it holds open were recorded."""
    folder = proc / "7"
    (folder / "fd").mkdir(parents=True)
    (folder / "cmdline").write_text(line.replace(" ", "\0") + "\0")
    for number, jar in enumerate(jars):
        (folder / "fd" / str(number)).symlink_to(f"/srv/lib/{jar}")
    for number, name in enumerate(threads):
        (folder / "task" / str(number)).mkdir(parents=True)
        (folder / "task" / str(number) / "comm").write_text(f"{name}\n")
    return VisibleProcess(7, proc)


@pytest.mark.parametrize(
    ("line", "threads", "jars", "identity"),
    [
        (
            "java -Xmx96m -cp lib/*:classes Plain 18098 4",
            ("java", "VM Thread", "idle-timeout-ta", "HTTP-Dispatcher"),
            TOMCAT_JARS,
            ("program", "", "Plain"),
        ),
        (
            "java -Xmx96m -Dport=41933 -cp classes:lib/* Shop",
            ("java", "VM Thread", "Catalina-utilit", "http-nio-127.0.", "ShopPool housek"),
            TOMCAT_JARS,
            ("tomcat", "10.1.34", "Shop"),
        ),
        (
            "java -Xmx96m -jar /opt/jetty-home/start.jar jetty.http.port=18099",
            ("java", "VM Thread", "qtp1007653873-1", "qtp1007653873-2"),
            ("jetty-server-9.4.57.v20241219.jar", "jetty-io-9.4.57.v20241219.jar"),
            ("jetty", "9.4.57.v20241219", "start"),
        ),
        # A Tomcat that shows its figures for Prometheus by the JDK's own server.
        (
            "java -javaagent:/opt/jmx_prometheus_javaagent-1.0.1.jar=9404 -jar /srv/shop-1.2.jar",
            ("java", "VM Thread", "HTTP-Dispatcher", "http-nio-8080-e"),
            TOMCAT_JARS,
            ("tomcat", "10.1.34", "shop"),
        ),
        # A JDK 8 gives its threads no names that the kernel knows: the class path is all that there is.
        ("java -cp lib/*:classes Shop", ("java",), TOMCAT_JARS, ("tomcat", "10.1.34", "Shop")),
    ],
)
def test_a_server_in_a_jvm_is_known_by_what_runs(
    tmp_path: Path, line: str, threads: tuple[str, ...], jars: tuple[str, ...], identity: tuple[str, str, str]
) -> None:
    program = _jvm.jvm_program(recorded_jvm(tmp_path, line, threads, jars))
    assert (program.kind, program.version, program.label) == identity


@pytest.mark.nightly
def test_a_mariadb_and_a_postgres_say_their_versions(tmp_path: Path) -> None:
    with started_mariadb(tmp_path, "--max-connections=40") as server:
        identity = described(server.pid)
    printed = subprocess.run(
        [program("mariadbd", ""), "--version"], capture_output=True, text=True, check=True
    )
    assert (identity.kind, identity.runtime) == ("mariadb", "native")
    assert f" {identity.version}-MariaDB" in printed.stdout
    assert identity.settings["--max-connections"] == "40"
    with started_postgres(tmp_path, "-c", "max_connections=30") as server:
        identity = described(server.pid)
    assert (identity.kind, identity.runtime) == ("postgresql", "native")
    assert re.fullmatch(r"\d+\.\d+", identity.version)
    assert identity.settings["max_connections"] == "30"
    assert identity.workers >= 4


def test_a_process_that_may_not_be_looked_into_is_said_to_be_closed(tmp_path: Path) -> None:
    # A folder with what every user may read of another's process, and nothing else.
    (tmp_path / "7").mkdir()
    (tmp_path / "7" / "cmdline").write_bytes(b"/usr/bin/redis-server 127.0.0.1:6379\0")
    process = VisibleProcess(7, tmp_path)
    assert not process.is_open
    assert process.names == ("redis-server",)
    assert dict(process.environment) == {}
    assert list(process.open_files()) == []


# --- limits -------------------------------------------------------------------------------------------


@pytest.fixture
def group() -> Iterator[dict[str, Path]]:
    """Yield a cgroup v1 of our own in the trees of cpu and memory."""
    own = cgroups.of()
    if not {"cpu", "memory"} <= own.keys():
        pytest.skip("no cgroup v1 with cpu and memory is mounted here")
    folders = {name: own[name] / f"discovery-test-{os.getpid()}" for name in ("cpu", "memory")}
    try:
        for folder in folders.values():
            folder.mkdir()
    except OSError as error:
        pytest.skip(f"no cgroup can be made here: {error.strerror}")
    yield folders
    assert all(cgroups.remove(folder) for folder in folders.values())


def test_limits_of_a_group_of_its_own_are_found_also_from_below_it(group: dict[str, Path]) -> None:
    (group["cpu"] / "cpu.cfs_quota_us").write_text("25000")
    (group["memory"] / "memory.limit_in_bytes").write_text(str(200 << 20))
    below = group["cpu"] / "below"
    below.mkdir()
    with subprocess.Popen(["sleep", "60"]) as process:
        (below / "cgroup.procs").write_text(str(process.pid))
        (group["memory"] / "cgroup.procs").write_text(str(process.pid))
        limits = limits_of(process.pid)
        process.kill()
    assert limits["cores"] == 0.25
    assert limits["memory_bytes"] == 200 << 20
    assert limits["descriptors"] > 0


RECORDED_V2 = {"cpu.max": "150000 100000\n", "memory.max": "536870912\n", "pids.max": "max\n"}


def test_limits_of_a_v2_group_are_read_and_max_is_none(tmp_path: Path) -> None:
    for name, text in RECORDED_V2.items():
        (tmp_path / name).write_text(text)
    assert cgroups.limits_in("2", tmp_path) == {"quota_cores": 1.5, "memory_limit_bytes": 512 << 20}
    (tmp_path / "cpu.max").write_text("max 100000\n")
    assert "quota_cores" not in cgroups.limits_in("2", tmp_path)
    assert cgroups.limits_in("2", tmp_path / "gone") == {}


LONG_ID = "3f2a9c81d0e4" + "5b6c7d8e9f0a" * 4 + "1234"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (f"0::/system.slice/docker-{LONG_ID}.scope\n", "docker 3f2a9c81d0e4"),
        (f"4:memory:/docker/{LONG_ID}\n", "docker 3f2a9c81d0e4"),
        (f"0::/machine.slice/libpod-{LONG_ID}.scope/container\n", "podman 3f2a9c81d0e4"),
        (
            f"0::/kubepods.slice/kubepods-pod1.slice/cri-containerd-{LONG_ID}.scope\n",
            "containerd 3f2a9c81d0e4 in kubernetes",
        ),
        (f"5:cpu:/kubepods/burstable/pod1/{LONG_ID}\n", "kubernetes 3f2a9c81d0e4"),
        ("0::/lxc.payload.web1/init.scope\n", "lxc web1"),
        ("0::/user.slice/user-1000.slice/session-2.scope\n", ""),
        ("", ""),
    ],
)
def test_a_container_is_known_by_the_names_of_its_groups(text: str, name: str) -> None:
    assert container_in(text) == name

"""Kinds of programs ("gunicorn", "tomcat", "redis") and their versions, told from a process.

From names: of the program, of the script or class on its command line, of the packages, jars and
modules it is installed with. Nothing is asked of the process itself.
"""

import os
import re
from dataclasses import dataclass

from loadrig.base import user_files
from loadrig.discovery import _elf, _jvm, _python
from loadrig.discovery._identity import Identity
from loadrig.discovery._node import node_program
from loadrig.discovery._seen import VisibleProcess


@dataclass(frozen=True, slots=True)
class _Native:
    """A program that is known by the name of its file.

    text: pattern of the version among the program's constants. packages: its names in distributions.
    """

    kind: str
    text: str = ""
    packages: tuple[str, ...] = ()


_BEAM = "beam.smp"
"""Virtual machine of Erlang and Elixir: RabbitMQ is one of the programs that run in it."""

_VERSION = r"(\d+\.\d+[\w.]*)"
_MARIADB = _Native("mariadb", rf"{_VERSION}-MariaDB", ("mariadb-server",))
_NATIVE = {
    "redis-server": _Native("redis", packages=("redis-server", "redis")),
    "valkey-server": _Native("redis", packages=("valkey-server", "valkey")),
    "keydb-server": _Native("redis", packages=("keydb-server",)),
    "mariadbd": _MARIADB,
    "mysqld": _Native("mysql", packages=("mysql-server-core-8.0", "mysql-community-server-core", "mysql")),
    "postgres": _Native("postgresql", rf"postgres \(PostgreSQL\) {_VERSION}", ("postgresql",)),
    "memcached": _Native("memcached", packages=("memcached",)),
    "nginx": _Native("nginx", rf"nginx/{_VERSION}", ("nginx",)),
    "openresty": _Native("nginx", rf"openresty/{_VERSION}"),
    "apache2": _Native("apache", rf"Apache/{_VERSION}", ("apache2-bin", "apache2")),
    "httpd": _Native("apache", rf"Apache/{_VERSION}", ("httpd", "apache2")),
    "haproxy": _Native("haproxy", packages=("haproxy",)),
    "envoy": _Native("envoy"),
    "varnishd": _Native("varnish", packages=("varnish",)),
    "lighttpd": _Native("lighttpd", rf"lighttpd/{_VERSION}", ("lighttpd",)),
    "mongod": _Native("mongodb", packages=("mongodb-org-server", "mongodb-server-core")),
    _BEAM: _Native("rabbitmq", packages=("rabbitmq-server",)),
    "pgbouncer": _Native("pgbouncer", rf"PgBouncer {_VERSION}", ("pgbouncer",)),
    "proxysql": _Native("proxysql", packages=("proxysql",)),
    "clickhouse": _Native("clickhouse", packages=("clickhouse-server",)),
    "mosquitto": _Native("mosquitto", packages=("mosquitto",)),
    "uwsgi": _Native("uwsgi"),
    "uwsgi-core": _Native("uwsgi", packages=("uwsgi-core",)),
}
_GO_PROGRAMS = frozenset((
    "caddy", "traefik", "etcd", "prometheus", "minio", "influxd", "consul", "vault", "nats-server",
    "haproxy-ingress", "grafana",
))  # fmt: skip
_GO_FRAMEWORKS = re.compile(
    r"(?:go-)?(chi|gin|echo|fiber|mux|fasthttp|grpc|httprouter|iris|beego|kratos)(?:/v\d+)?$"
)

_GO_DRIVERS = {
    "github.com/jackc/pgx/v5": "pgx", "github.com/jackc/pgx/v4": "pgx", "github.com/lib/pq": "lib/pq",
}  # fmt: skip
"""Drivers of PostgreSQL by the module that has them."""

_RUBY_SERVERS = re.compile(rf"(?:ruby\S* )?(?:\S*/)?(puma|unicorn|falcon|thin)\b(?::? {_VERSION})?")
"""Servers of Ruby, which write what they are over their command line: "puma 5.6.5 (tcp://…) [app]"."""

BY_PORT = {
    6379: "redis", 3306: "mysql", 3307: "mysql", 5432: "postgresql", 11211: "memcached",
    9200: "elasticsearch", 27017: "mongodb", 5672: "rabbitmq", 9092: "kafka", 2379: "etcd",
    1433: "sqlserver", 1521: "oracle", 8123: "clickhouse", 9042: "cassandra", 6432: "pgbouncer",
    2181: "zookeeper", 4222: "nats", 26379: "redis-sentinel", 53: "dns", 25: "smtp",
    80: "http", 443: "https",
}  # fmt: skip
"""Kind of server that usually listens at a port: last resort for programs elsewhere or not visible."""


def identify(process: VisibleProcess, runtime: str) -> Identity:
    """Return what a process is; its kind is "program" where it is not known."""
    match runtime:
        case "cpython" if not _NATIVE.keys() & set(process.names):
            return _python.python_program(process)
        case "jvm":
            return _jvm.jvm_program(process)
        case "node":
            return node_program(process)
        case "go":
            return _go_program(process)
    if process.program.startswith("ruby") and (named := _RUBY_SERVERS.match(" ".join(process.argv))):
        return Identity(named[1], named[2] or "", label=named[1])
    native = next((_NATIVE[name] for name in process.names if name in _NATIVE), None)
    if _BEAM in process.names and not any("rabbit" in word for word in process.argv):
        native = None
    if native is None and process.program.startswith("php-fpm"):
        native = _Native("php-fpm", packages=(process.program.replace("php-fpm", "php") + "-fpm",))
    if native is None:
        return Identity("program", label=process.names[-1] if process.names else "program")
    if process.program == "mysqld" and (version := _elf.text_like(process.binary, _MARIADB.text)):
        # Before 10.5 MariaDB's program was called as MySQL's.
        return Identity("mariadb", version, label="mariadb")
    return Identity(native.kind, _native_version(process, native), label=native.kind)


def _native_version(process: VisibleProcess, native: _Native) -> str:
    if native.text and (version := _elf.text_like(process.binary, native.text)):
        return version
    if native.kind == "uwsgi" and (version := _python.package_version(process, "uwsgi")):
        return version
    if process.exe.startswith(("/usr/bin/", "/usr/sbin/", "/usr/lib/", "/usr/libexec/")):
        for package in native.packages:
            if version := _distributed(process, package):
                return version
    # The container images of many programs give the version in this variable.
    return process.environment.get(f"{native.kind.upper()}_VERSION", "")


def _distributed(process: VisibleProcess, package: str) -> str:
    """Return the version of a package of Debian or Alpine, without epoch and revision."""
    for database, head in (
        ("/var/lib/dpkg/status", f"Package: {package}\n"), ("/lib/apk/db/installed", f"P:{package}\n"),
    ):  # fmt: skip
        try:
            text = user_files.read_bytes(process.inside(database), user_files.MOST_LIST_BYTES)
        except OSError:
            continue
        start = 0 if text.startswith(head.encode()) else text.find(b"\n" + head.encode())
        if start >= 0:
            entry = text[start : text.find(b"\n\n", start + 1)].decode(errors="replace")
            if match := re.search(r"^V(?:ersion)?:\s*(?:\d+:)?(\d[\w.]*)", entry, re.MULTILINE):
                return match[1]
    return ""


def _go_program(process: VisibleProcess) -> Identity:
    build = _elf.go_build(process.binary)
    path = build.path if build else ""
    label = os.path.basename(path) if path not in ("", "command-line-arguments") else process.program
    label = process.program if re.fullmatch(r"v\d+|main|server|cmd", label) else label
    version = build.modules.get(path, "").removeprefix("v") if build else ""
    for name in (process.program, label):
        if name in _GO_PROGRAMS:
            return Identity(name, "" if version == "(devel)" else version, label=name)
    facts = {}
    for module, module_version in build.modules.items() if build else ():
        if match := _GO_FRAMEWORKS.search(module):
            facts["framework"] = f"{match[1]} {module_version.removeprefix('v')}"
            break
    if driver := next((name for name in _GO_DRIVERS if build and name in build.modules), ""):
        facts["driver"] = _GO_DRIVERS[driver]
    return Identity("program", label=label, facts=facts)

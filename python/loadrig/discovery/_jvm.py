"""Programs that a JVM runs: by the main class and the threads; their versions by the names of the jars."""

import os
import re
import struct
from collections.abc import Iterator, Sequence
from pathlib import Path

from loadrig.base import jvm_threads, user_files
from loadrig.discovery._identity import Identity
from loadrig.discovery._seen import VisibleProcess, read_text

_WITH_A_VALUE = frozenset((
    "-cp", "-classpath", "--class-path", "-p", "--module-path", "--upgrade-module-path",
    "--add-modules", "--add-exports", "--add-opens", "--add-reads", "--limit-modules", "--patch-module",
    "--source",
))  # fmt: skip
_MAINS = {
    "org.apache.catalina.startup.Bootstrap": "tomcat", "org.eclipse.jetty.start.Main": "jetty",
    "org.eclipse.jetty.xml.XmlConfiguration": "jetty", "kafka.Kafka": "kafka",
    "org.apache.zookeeper.server.quorum.QuorumPeerMain": "zookeeper",
    "org.apache.cassandra.service.CassandraDaemon": "cassandra",
    "org.elasticsearch.bootstrap.Elasticsearch": "elasticsearch",
    "org.opensearch.bootstrap.OpenSearch": "opensearch", "org.jboss.modules.Main": "wildfly",
}  # fmt: skip
# Jar that has the version of a server. Where a JVM tells no more than its class path, the first serves.
_JARS = (
    ("tomcat", "tomcat-embed-core"), ("jetty", "jetty-server"), ("undertow", "undertow-core"),
    ("netty", "reactor-netty-http"), ("vertx", "vertx-core"), ("helidon", "helidon-webserver"),
    ("grizzly", "grizzly-http-server"), ("netty", "netty-codec-http"),
)  # fmt: skip
_FRAMEWORKS = (
    "spring-boot",
    "quarkus-core",
    "micronaut-http-server",
    "dropwizard-core",
    "javalin",
    "spark-core",
)
_JAR = re.compile(r"([A-Za-z][\w.-]*?)-(\d[\w.+-]*?)(?:[.-](?:RELEASE|Final|GA))?\.jar$")
_END_OF_ZIP = b"PK\x05\x06"
_MOST_NAMES_BYTES = 4 << 20


def jvm_program(process: VisibleProcess) -> Identity:
    """Return the server that a JVM runs."""
    main, jar, paths = command(process.argv)
    label = re.sub(r"-\d[\w.+-]*$", "", os.path.basename(jar).removesuffix(".jar")) or main.rpartition(".")[2]
    kind = _MAINS.get(main, "")
    if kind == "tomcat":
        return Identity(kind, _tomcat_version(process), kind)
    jars = _jars(process, jar, paths)
    facts = {}
    for name in _FRAMEWORKS:
        if name in jars:
            facts["framework"] = f"{name.removesuffix('-core')} {jars[name]}"
            break
    server = kind or jvm_threads.server_of(process.threads)
    if server is None:
        server = next((serves for serves, name in _JARS if name in jars), "")
    versions = (jars[name] for serves, name in _JARS if serves == server and name in jars)
    return Identity(
        server or "program", next(versions, jars.get(server, "")), label or server or "java", facts
    )


def command(argv: Sequence[str]) -> tuple[str, str, tuple[str, ...]]:
    """Return the main class or module, the jar of `-jar` and the class path; each may be empty.

    argv: the command line of a JVM.
    """
    paths: list[str] = []
    place = 1
    while place < len(argv):
        word = argv[place]
        following = argv[place + 1] if place + 1 < len(argv) else ""
        if word == "-jar":
            return "", following, (*paths, following)
        if word in ("-m", "--module"):
            return following.partition("/")[2] or following, "", tuple(paths)
        if not word.startswith(("-", "@")):
            return word, "", tuple(paths)
        if word in ("-cp", "-classpath", "--class-path", "-p", "--module-path"):
            paths = following.split(":")
        elif word.startswith(("--class-path=", "--module-path=")):
            paths = word.partition("=")[2].split(":")
        place += 2 if word in _WITH_A_VALUE else 1
    return "", "", tuple(paths)


def _jars(process: VisibleProcess, jar: str, paths: Sequence[str]) -> dict[str, str]:
    """Return library -> version of the jars that a JVM may load.

    They stand on the class path, are packed into its jar, or are held open.
    """
    names = list(_packed(process.inside(jar))) if jar else []
    for path in paths or process.environment.get("CLASSPATH", "").split(":"):
        if os.path.basename(path) == "*":
            try:
                names += os.listdir(process.inside(os.path.dirname(path)))
            except OSError:
                continue
        else:
            names.append(path)
    # Command lines may name no jar at all: arguments from a file, jars that another jar names.
    names += (path for path in process.open_files() if path.endswith(".jar"))
    versions: dict[str, str] = {}
    for name in names:
        if match := _JAR.match(os.path.basename(name)):
            versions.setdefault(match[1], match[2])
    return versions


def _packed(jar: Path) -> Iterator[str]:
    """Yield the names of the jars within a jar (Spring Boot's BOOT-INF/lib, a war's WEB-INF/lib).

    Source: section 4.3 of PKWARE's APPNOTE: the central directory ends a zip file, and the record
    that ends it tells the directory's size and where it begins.
    """
    try:
        with user_files.open_bytes(jar) as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - 65_557))  # the record, and the longest comment behind it
            tail = file.read()
            end = tail.rfind(_END_OF_ZIP)
            length, offset = struct.unpack_from("<II", tail, end + 12) if end >= 0 else (0, 0)
            file.seek(offset)
            names = file.read(min(length, _MOST_NAMES_BYTES))
    except (OSError, struct.error):
        return
    for match in re.finditer(rb"(?:BOOT-INF|WEB-INF)/lib(?:-provided)?/([\w.+-]+\.jar)", names):
        yield match[1].decode()


def _tomcat_version(process: VisibleProcess) -> str:
    for word in process.argv:
        name, _, home = word.partition("=")
        if name == "-Dcatalina.home":
            notes = read_text(process.inside(f"{home}/RELEASE-NOTES"))
            if match := re.search(r"Apache Tomcat Version (\d[\w.]*)", notes):
                return match[1]
    return ""

"""The settings that a server's command line and environment show, secrets masked.

Options keep the name they were given, but that short ones of known servers are written long. Files
named there are not read, only their path is told.
"""

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence

from loadrig.base.masks import masked_address, masked_line, masked_text, masked_value
from loadrig.discovery import _jvm, _python
from loadrig.discovery._seen import VisibleProcess

LONGEST = 200
"""Characters of a value that are kept, at most."""

_VARIABLES = frozenset((
    "JAVA_OPTS", "JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS", "CATALINA_OPTS", "JVM_OPTS",
    "GOMAXPROCS", "GOGC", "GOMEMLIMIT", "GODEBUG", "WEB_CONCURRENCY", "GUNICORN_CMD_ARGS",
    "NODE_OPTIONS", "NODE_ENV", "UV_THREADPOOL_SIZE", "MALLOC_ARENA_MAX", "LD_PRELOAD",
    "OMP_NUM_THREADS", "SERVER_PORT", "SPRING_PROFILES_ACTIVE", "PORT",
))  # fmt: skip
_FAMILIES = re.compile(
    r"(PYTHON|FLASK_|UVICORN_|HYPERCORN_|UWSGI_|SERVER_(?:TOMCAT|JETTY|UNDERTOW)_|SPRING_DATASOURCE_HIKARI_)\w+$"
)
_AMOUNTS = re.compile(r"\w+_(WORKERS|THREADS|CONCURRENCY|TIMEOUT|POOL_SIZE|MAX_CONNECTIONS|MAX_REQUESTS)$")
_SPRING = re.compile(r"--server\.[\w.-]+=")
_PLACES = re.compile(r"\w+_(URL|URI|DSN|HOST|PORT|ADDR|ADDRESS|ENDPOINT)$")
# Kubernetes and Docker write these for every service, used or not; others belong to package installers.
_WRITTEN_FOR_ALL = re.compile(
    r"\w+_(SERVICE_(HOST|PORT)\w*|PORT(_\d+_(TCP|UDP)\w*))$|(PIP|NPM|CARGO)_\w+$|UV_\w*(INDEX|URL)\w*$",
    re.IGNORECASE,
)

_LONG = {
    "gunicorn": {
        "-w": "--workers", "-k": "--worker-class", "-b": "--bind", "-c": "--config", "-t": "--timeout",
        "-D": "--daemon", "-p": "--pid", "-u": "--user", "-g": "--group", "-n": "--name", "-e": "--env",
    },
    "hypercorn": {"-w": "--workers", "-k": "--worker-class", "-b": "--bind", "-c": "--config"},
    "daphne": {"-b": "--bind", "-p": "--port", "-u": "--unix-socket", "-t": "--http-timeout"},
    "flask": {"-h": "--host", "-p": "--port", "-A": "--app"},
    "celery": {"-A": "--app", "-c": "--concurrency", "-P": "--pool", "-Q": "--queues"},
    "postgresql": {
        "-D": "data_directory", "-p": "port", "-k": "unix_socket_directories", "-h": "listen_addresses",
        "-N": "max_connections", "-B": "shared_buffers",
    },
    "memcached": {"-m": "--memory-limit", "-c": "--conn-limit", "-t": "--threads", "-p": "--port"},
    "nginx": {"-c": "config", "-p": "prefix", "-g": "global"},
}  # fmt: skip
_FLAGS = frozenset(
    ("--reload", "--preload", "--daemon", "-D", "-v", "-q", "--debug", "--no-reload", "--version")
)
"""Options that take no value even where a word follows."""


def settings_of(process: VisibleProcess, kind: str, runtime: str) -> dict[str, str]:
    """Return the settings by name: options of the command line first, then variables of the environment."""
    settings = dict(_options(process, kind, runtime))
    settings.update(_variables(process.environment))
    return {
        name: value if len(value) <= LONGEST else f"{value[: LONGEST - 1]}…"
        for name, value in settings.items()
    }


def _options(process: VisibleProcess, kind: str, runtime: str) -> Iterator[tuple[str, str]]:
    match runtime:
        case "jvm":
            return _jvm_options(process.argv)
        case "cpython":
            return _named(_python.split(process.argv)[1], kind)
    if len(process.argv) == 1 and " " in process.argv[0]:
        # The words stand in a title: "nginx: master process nginx -c x".
        title = process.argv[0]
        return _named(_split(title.partition(" process ")[2] or title)[1:], kind)
    return _named(process.argv[1:], kind)


def _named(words: Iterable[str], kind: str) -> Iterator[tuple[str, str]]:
    """Yield options with their values; words that belong to no option are together called "arguments"."""
    long = _LONG.get(kind, {})
    waiting = list(reversed(list(words)))
    rest = []
    while waiting:
        word = waiting.pop()
        if not word.startswith("-") or not re.match(r"--?[A-Za-z]", word):
            rest.append(word)
            continue
        name, equals, value = word.partition("=")
        if not equals and not name.startswith("--") and name[:2] in long and len(name) > 2:
            name, value, equals = name[:2], name[2:], "="  # -w4
        has_more = bool(waiting) and not re.match(r"--?[A-Za-z]", waiting[-1])
        if not equals and has_more and name not in _FLAGS:
            value = waiting.pop()
        if name == "-c" and kind in ("postgresql", "redis") and "=" in value:
            name, _, value = value.partition("=")
        name = long.get(name, name)
        yield name, masked_value(name, value)
    if rest:
        yield "arguments", masked_line(" ".join(rest))


def _jvm_options(argv: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the options of the JVM itself, such as -Xmx512m, -XX:+UseG1GC, -Dname=value.

    Of its program's only what Spring Boot is told of its server: --server.tomcat.threads.max=8.
    """
    main, jar, _ = _jvm.command(argv)
    is_of_program = False
    for word in argv[1:]:
        is_of_program = is_of_program or word in (main, jar)
        if is_of_program:
            if _SPRING.match(word):
                name, _, value = word.partition("=")
                yield name, masked_value(name, value)
            continue
        if size := re.fullmatch(r"(-X(?:ms|mx|mn|ss))(\w+)", word):
            yield size[1], size[2]
        elif word.startswith(("-X", "-D", "-agentlib", "-javaagent", "-server")):
            name, _, value = word.partition("=")
            yield masked_text(name), masked_value(name, value)


def _variables(environment: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for name, value in sorted(environment.items()):
        if _WRITTEN_FOR_ALL.match(name):
            continue
        if _PLACES.match(name) and not name.startswith("PYTHON"):
            yield name, masked_address(value)
        elif name in _VARIABLES or _FAMILIES.match(name) or _AMOUNTS.match(name):
            yield name, masked_value(name, value)


def _split(line: str) -> Sequence[str]:
    try:
        return shlex.split(line)
    except ValueError:  # a quote that does not end
        return line.split()

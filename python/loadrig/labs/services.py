"""The services of a lab: how a redis, MariaDB or PostgreSQL of its own is started, and told its data.

Each runs as a target does: in a session of its own, leased, ended with everything it started. They
keep what they know in a folder that is removed with them, and do not wait for a disk.
"""

import contextlib
import os
import pwd
import shlex
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from loadrig.base import members, processes, sockets, user_files
from loadrig.base.errors import Problem, TargetError
from loadrig.base.units import Seconds
from loadrig.labs import needs
from loadrig.labs.format import Lab, Service
from loadrig.labs.work import cache_folder
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.labs import LabsCommandErrors, LabsServicesErrors
from loadrig.target._ready import Ready
from loadrig.target._running import Running
from loadrig.target._server import Stop

ERRORS, ENDS = texts_of(LabsServicesErrors), texts_of(LabsCommandErrors)

HOST = "127.0.0.1"
UP_WITHIN = Seconds(60.0)
INSTALL_WITHIN_S = 120.0
SHOWN_LINES = 15

_MARIADB = (
    # A small log and no waiting for the disk: tables are made in 3 s, and a lab is about CPU and
    # connections, not about this machine's disk. A lab that wants it otherwise says so in its options.
    "--innodb-log-file-size=16M",
    "--innodb-flush-log-at-trx-commit=0",
    "--skip-innodb-doublewrite",
    "--innodb-flush-method=nosync",
    "--innodb-buffer-pool-size=128M",
)
_POSTGRES = ("fsync=off", "full_page_writes=off")


@dataclass(frozen=True, slots=True)
class ServiceRecipe:
    """Way in which a service is started. argv: its command, after the words that hold it in its group."""

    argv: tuple[str, ...]
    ready: Ready
    stop: Stop = field(default_factory=Stop)


def raise_if_taken(lab: Lab) -> None:
    """Raise TargetError lab.port-in-use, naming who listens on the ports of the lab's services."""
    problems = []
    for name, service in lab.services.items():
        listeners = sockets.listeners_at(HOST, service.port)
        if not listeners:
            continue
        held = sockets.holders(listener.inode for listener in listeners)
        pid, command = (str(min(held)), processes.command_line(min(held))[:120]) if held else ("", "")
        wording = ERRORS.port_taken(name, lab.name, f"{HOST}:{service.port}", pid, command)
        problems.append(Problem.of(wording, code="lab.port-in-use"))
    if problems:
        raise TargetError(problems)


def socket_of(name: str, service: Service, data: Path) -> str:
    """Return the path of the Unix socket of a database. Raise KeyError for a service without a socket."""
    match service.kind:
        case "mariadb":
            return str(data / name / "m.sock")
        case "postgresql":
            return str(data / name / f".s.PGSQL.{service.port}")
    raise KeyError(ERRORS.no_socket(name))


def start(
    name: str, service: Service, data: Path, work: Path, prefix: Sequence[str], cores: Sequence[int], run: str
) -> Running:
    """Start a service, wait until it answers, and do its SQL.

    data: the folder for the data of all services. work: the lab's work copy. prefix: words that hold it
    in a group. cores: those that this process may use. run: of a `command`, its placeholders filled.
    Raise TargetError: lab.init-failed, or as the target `command` does for a program that does not come up.
    """
    folder = data / name
    folder.mkdir(exist_ok=True)
    recipe = _recipe(service, folder, run)
    target = members.load("loadrig.target", "command")
    options = target.Options(
        argv=(*prefix, *recipe.argv),
        env={"PATH": needs.search_path()},
        chdir=str(work if service.kind == "command" else folder),
        address=target.ListenPlace(port=service.port, host=HOST),
        ready=recipe.ready,
        stop=recipe.stop,
        cpus=tuple(cores[core] for core in service.cpus if core < len(cores)),
    )
    running: Running = target.start(options, {}, folder, folder)
    try:
        _make_database(service)
        for file in service.init:
            _do_sql(name, service, work / file)
    except BaseException:
        running.stop()
        raise
    return running


def _recipe(service: Service, folder: Path, run: str) -> ServiceRecipe:
    match service.kind:
        case "redis":
            argv = (
                _program("redis-server"), "--bind", HOST, "--port", str(service.port), "--save", "",
                "--appendonly", "no", "--dir", str(folder), *service.options,
            )  # fmt: skip
            return ServiceRecipe(argv, _ready_by_log("Ready to accept connections"))
        case "mariadb":
            ready = _ready_by_log("ready for connections")
            return ServiceRecipe(_mariadb(service, folder), ready)
        case "postgresql":
            # SIGINT is PostgreSQL's fast shutdown: it does not wait until clients have left.
            return ServiceRecipe(
                _postgres(service, folder), _ready_by_log("ready to accept connections"),
                Stop(signal="INT"),
            )  # fmt: skip
    ready = Ready(http=service.ready, within=UP_WITHIN) if service.ready else Ready(within=UP_WITHIN)
    return ServiceRecipe(tuple(shlex.split(run)), ready)


def _ready_by_log(pattern: str) -> Ready:
    return Ready(log=pattern, within=UP_WITHIN)


def _program(name: str) -> str:
    return needs.program(name) or name


# --- MariaDB --------------------------------------------------------------------------------------


def _mariadb(service: Service, folder: Path) -> tuple[str, ...]:
    tables = _tables()
    data, user = folder / "data", pwd.getpwuid(os.getuid()).pw_name
    shutil.rmtree(data, ignore_errors=True)
    shutil.copytree(tables, data)
    lines = [f"CREATE DATABASE IF NOT EXISTS `{service.database}`;"]
    for host in (HOST, "localhost"):
        account = f"'{service.user}'@'{host}'"
        lines.append(f"CREATE OR REPLACE USER {account} IDENTIFIED BY '{service.password}';")
        lines.append(f"GRANT ALL PRIVILEGES ON *.* TO {account};")
    first, scratch = folder / "first.sql", folder / "tmp"
    first.write_text("\n".join([*lines, ""]))
    # A server that starts removes temporary tables of its last life: in /tmp those of other servers, too.
    scratch.mkdir(exist_ok=True)
    return (
        _program("mariadbd"), "--no-defaults", f"--user={user}", f"--datadir={data}", f"--tmpdir={scratch}",
        f"--socket={folder / 'm.sock'}", f"--port={service.port}", f"--bind-address={HOST}",
        f"--init-file={first}", f"--pid-file={folder / 'm.pid'}", *_MARIADB, *service.options,
    )  # fmt: skip


def _tables() -> Path:
    """Return the folder of MariaDB's own tables, made once a version: it takes seconds, a copy tenths."""
    server = _program("mariadbd")
    version = _output([server, "--version"]).split("Ver ")[-1].split("-")[0].strip()
    tables = cache_folder() / "mariadb" / version
    if tables.is_dir():
        return tables
    tables.parent.mkdir(parents=True, exist_ok=True)
    draft = tables.with_name(f".{version}-{os.getpid()}")
    scratch = draft.with_name(f"{draft.name}-tmp")
    scratch.mkdir(exist_ok=True)
    user = pwd.getpwuid(os.getuid()).pw_name
    try:
        _output(
            [_program("mariadb-install-db"), "--no-defaults", f"--user={user}", f"--datadir={draft}",
             f"--tmpdir={scratch}", "--skip-test-db", *_MARIADB]
        )  # fmt: skip
        draft.rename(tables)
    finally:
        shutil.rmtree(draft, ignore_errors=True)
        shutil.rmtree(scratch, ignore_errors=True)
    return tables


# --- PostgreSQL -----------------------------------------------------------------------------------


def _postgres(service: Service, folder: Path) -> tuple[str, ...]:
    become: list[str] = []
    if os.getuid() == 0:  # PostgreSQL refuses to run as root
        try:
            entry = pwd.getpwnam("postgres")
        except KeyError:
            raise TargetError.of(ERRORS.no_user_postgres(), code="lab.init-failed") from None
        become = [
            _program("setpriv"), f"--reuid={entry.pw_uid}", f"--regid={entry.pw_gid}", "--clear-groups"
        ]  # fmt: skip
        os.chown(folder, entry.pw_uid, entry.pw_gid)
    data = folder / "data"
    secret = _secret(folder, service.password)
    _output(
        [*become, _program("initdb"), "-D", str(data), "-U", service.user, "--pwfile", str(secret),
         "--no-sync", "--locale=C", "-E", "UTF8", "--auth-local=trust", "--auth-host=scram-sha-256"]
    )  # fmt: skip
    options = [word for setting in _POSTGRES for word in ("-c", setting)]
    return (
        *become, _program("postgres"), "-D", str(data), "-p", str(service.port), "-c",
        f"listen_addresses={HOST}", "-c", f"unix_socket_directories={folder}", *options, *service.options,
    )  # fmt: skip


def _secret(folder: Path, password: str) -> Path:
    """Write a password for the user of a folder, beside that folder: what lies in it that user may change."""
    secret = folder.with_name(f"{folder.name}.password")
    secret.unlink(missing_ok=True)
    handle = os.open(secret, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(f"{password}\n")
        user = folder.stat()
        if user.st_uid != os.geteuid():
            os.fchown(handle, user.st_uid, user.st_gid)
    return secret


def _output(argv: Sequence[str]) -> str:
    """Return what a command prints that must succeed. Raise TargetError lab.init-failed."""
    try:
        done = subprocess.run(
            argv, capture_output=True, text=True, timeout=INSTALL_WITHIN_S, stdin=subprocess.DEVNULL, cwd="/",
            check=False,
        )  # fmt: skip
        lines = (done.stdout + done.stderr).strip().splitlines()
        failed = ENDS.with_status(done.returncode) if done.returncode else ""
    except (OSError, subprocess.TimeoutExpired) as error:
        lines, failed = [], str(error)
    if failed:
        raise TargetError.of(
            ERRORS.failed_command(Path(argv[0]).name, failed, shlex.join(argv)),
            code="lab.init-failed",
            detail=tuple(lines[-SHOWN_LINES:]),
        )
    return "\n".join(lines)


# --- SQL ------------------------------------------------------------------------------------------


def _make_database(service: Service) -> None:
    """Make the database of a PostgreSQL; MariaDB has made its own at the start."""
    if service.kind == "postgresql":
        with contextlib.closing(_postgres_session(service, "postgres")) as session:
            session.run(f'CREATE DATABASE "{service.database}"')


def _do_sql(name: str, service: Service, file: Path) -> None:
    """Do a file of SQL in the service's database, statement by statement, as its user."""
    try:
        text = user_files.read_text(file)
        if service.kind == "mariadb":
            _in_mariadb(service, text)
        else:
            with contextlib.closing(_postgres_session(service, service.database)) as session:
                session.run(text)
    except Exception as error:  # two libraries are used, each with its own errors
        wording = ERRORS.failed_sql(file.name, name, str(error), str(file))
        raise TargetError.of(wording, code="lab.init-failed") from None


def _in_mariadb(service: Service, text: str) -> None:
    import pymysql
    from pymysql.constants import CLIENT

    session = pymysql.connect(
        host=HOST, port=service.port, user=service.user, password=service.password, database=service.database,
        client_flag=CLIENT.MULTI_STATEMENTS, autocommit=True,
    )  # fmt: skip
    with session, session.cursor() as cursor:
        cursor.execute(text)
        while cursor.nextset():  # an error of a later statement is raised here
            continue


def _postgres_session(service: Service, database: str) -> Any:
    import pg8000.native

    return pg8000.native.Connection(service.user, HOST, database, service.port, service.password)

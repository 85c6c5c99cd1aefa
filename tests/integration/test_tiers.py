"""A run of the real program against real servers: what each tier did is in the recording, by itself.

Each test is one of the promises of watching: the server is loaded for a few seconds, and the folder says
what its author needed to see.
"""

import contextlib
import json
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from loadrig.base.errors import RigError
from loadrig.base.series import Event, Series
from loadrig.recording.layout import RunFolder
from loadrig.recording.reader import Recording
from tests.conftest import Deadline
from tests.integration.program import loadrig
from tests.servers import go, java
from tests.servers._daemon import Daemon, free_port, listens, running
from tests.servers.mariadb import started_mariadb
from tests.servers.quota import quota
from tests.servers.redis import started_redis

pytestmark = pytest.mark.integration

SECRET = "s3cret-of-the-shop-4711"

FLASK = """\
import os
import time
import redis
from flask import Flask

app = Flask(__name__)
PORT = int(os.environ["REDIS_PORT"])
POOL = redis.ConnectionPool(port=PORT, max_connections=32)

@app.get("/new")
def new():
    client = redis.Redis(port=PORT)
    client.incr("n")
    time.sleep(0.01)  # long enough that one of few looks meets it
    client.close()
    return "ok"

@app.get("/pooled")
def pooled():
    redis.Redis(connection_pool=POOL).incr("n")
    return "ok"
"""

SQL = """\
import os
import threading
import time
import pymysql
from flask import Flask

app = Flask(__name__)
LOCAL = threading.local()

@app.get("/")
def scan():
    if not hasattr(LOCAL, "link"):
        LOCAL.link = pymysql.connect(
            host="127.0.0.1", port=int(os.environ["SQL_PORT"]), user="shop",
            password=os.environ["SQL_PASSWORD"], database="shop",
        )
    with LOCAL.link.cursor() as cursor:
        cursor.execute("SELECT SUM(SHA2(CONCAT(a.n, b.n), 512) > 'a') FROM rows_of a, rows_of b")
        return str(cursor.fetchone()[0])
"""


@contextmanager
def gunicorn(folder: Path, app: str, env: dict[str, str], *options: str) -> Iterator[Daemon]:
    """Yield an application on gunicorn, with its error log in the folder."""
    (folder / "shop.py").write_text(app, encoding="utf-8")
    port, log = free_port(), folder / "gunicorn.log"
    argv = [
        sys.executable,
        "-m",
        "gunicorn",
        "shop:app",
        "--bind",
        f"127.0.0.1:{port}",
        "--chdir",
        str(folder),
    ]
    argv += ["--log-file", str(log), *options]
    with running(
        argv, folder / "gunicorn.out", lambda: listens(port), folder=folder, environment=env
    ) as process:
        yield Daemon(process, port, folder, log)


def attacked(folder: Path, url: str, *flags: str, seconds: int = 5) -> tuple[Recording, dict[str, Any]]:
    """Load a URL by the real program. Returns the recording and the printed JSON."""
    answer = loadrig(
        "attack", url, "-z", f"{seconds}s", "-o", str(folder / "run"), "--json", *flags, cwd=folder
    )
    # 111: two cores shared with the server may void it; what was seen is in the folder all the same.
    assert answer.code in (0, 111), answer.err
    return Recording.open(RunFolder(folder / "run").trial(1).path), json.loads(answer.out)


def ran(folder: Path, plan: str) -> Recording:
    """Run a plan by the real program. Returns the recording of its trial."""
    (folder / "plan.yaml").write_text(plan, encoding="utf-8")
    answer = loadrig("run", "plan.yaml", "-o", "run", cwd=folder, timeout_s=100)
    assert answer.code in (0, 111), answer.err
    return Recording.open(RunFolder(folder / "run").trial(1).path)


def series(recording: Recording, component: str, name: str, subject: str | None = None) -> Series:
    """Return the one series of this name. Fail with what there is instead."""
    probe, _, metric = name.partition(".")
    matching = recording.series(probe, metric, subject, component)
    assert matching, sorted({f"{key.component} {key.probe}.{key.metric}" for key in recording.series()})
    return next(iter(matching.values()))


def grew(readings: Series) -> float:
    return float(readings.value[-1] - readings.value[0])


def events(recording: Recording, component: str, kind: str) -> list[Event]:
    return [event for event in recording.events if (event.component, event.kind) == (component, kind)]


def edges(document: dict[str, Any]) -> set[tuple[str, str]]:
    return {(edge["source"], edge["to"]) for edge in document["map"]["edges"]}


# Ten seconds of load; that a worker's end is an event is tested with the probe (tests/probes).
@pytest.mark.nightly
def test_workers_that_max_requests_recycles_are_events_with_their_memory(tmp_path: Path) -> None:
    (tmp_path / "shop.py").write_text(
        "leaked = []\n"
        "def app(environ, start_response):\n"
        "    leaked.append(bytearray(200_000))\n"
        "    start_response('200 OK', [('Content-Length', '2')])\n"
        "    return [b'ok']\n"
    )
    recording = ran(
        tmp_path,
        "loadrig: 1\n"
        "target: {gunicorn: {app: 'shop:app', chdir: .}}\n"
        "knobs: {workers: 2, max_requests: 300}\n"
        "workload: {rate: 250/1s, requests: [{get: /}]}\n"
        "trial: {warm_up: 0s, measure: {at_least: 6s, at_most: 6s}}\n",
    )
    ended = [
        event for event in events(recording, "server", "worker_died") if event.facts["reason"] == "recycled"
    ]
    assert ended, [event.text for event in recording.events]
    born = events(recording, "server", "worker_born")
    before = [event.facts["memory_bytes"] for event in ended if event.facts.get("memory_bytes")]
    after = [event.facts["memory_bytes"] for event in born if event.facts.get("memory_bytes")]
    assert before
    assert after
    # 300 requests of 200 kB each, of which a late reading sees a part: what a worker had when it ended, its
    # successor has not.
    assert max(before) > min(after) + 5_000_000


def answered_between(recording: Recording, from_ns: int, to_ns: int) -> int:
    """Return the number of requests that were answered in the frames of a stretch of time."""
    return sum(
        sum(row.count for row in frame.routes)
        for frame in recording.frames
        if from_ns <= frame.t_ns and frame.end_ns <= to_ns
    )


# Ten seconds of load; the probes that see it have tests of their own beside a real redis.
@pytest.mark.nightly
def test_redis_without_a_pool_shows_a_connection_a_request_and_time_wait_by_direction(tmp_path: Path) -> None:
    with (
        started_redis(tmp_path) as redis,
        gunicorn(tmp_path, FLASK, {"REDIS_PORT": str(redis.port)}, "--workers", "2") as server,
    ):
        # Other tests have just talked to more destinations than are told apart by themselves.
        recording = ran(
            tmp_path,
            "loadrig: 1\n"
            f"target: {{external: 'http://127.0.0.1:{server.port}'}}\n"
            "workload: {users: 8, think: 10ms, requests: [{get: /new}]}\n"
            "trial: {warm_up: 0s, measure: {at_least: 9s, at_most: 9s}}\n"
            "probes: [{tcp_sockets: {destinations: 30000}}]\n",
        )
    document = json.loads((tmp_path / "run" / "result.json").read_text())
    assert ("server", "redis") in edges(document)
    connections = series(recording, "redis", "redis.connections")
    # About one for each request that was answered while the probe looked, which is not all of the load.
    frames = [
        frame for frame in recording.frames
        if connections.t_ns[0] <= frame.t_ns and frame.end_ns <= connections.t_ns[-1]
    ]  # fmt: skip
    from_ns, to_ns = frames[0].t_ns, frames[-1].end_ns
    before, after = np.interp([from_ns, to_ns], connections.t_ns, connections.value)
    assert (after - before) / answered_between(recording, from_ns, to_ns) == pytest.approx(1.0, abs=0.35)
    waiting = series(recording, "host", "tcp_sockets.time_wait", f"out:127.0.0.1:{redis.port}")
    # One for each request that was answered until the last look at the sockets: they wait for a minute.
    answered_by_then = answered_between(recording, recording.frames[0].t_ns, waiting.t_ns[-1])
    assert waiting.value.max() > 0.5 * answered_by_then > 0


# The other half of the test above.
@pytest.mark.nightly
def test_redis_with_a_pool_opens_no_connections(tmp_path: Path) -> None:
    with (
        started_redis(tmp_path) as redis,
        gunicorn(tmp_path, FLASK, {"REDIS_PORT": str(redis.port)}, "--workers", "2") as server,
    ):
        recording, document = attacked(tmp_path, f"http://127.0.0.1:{server.port}/pooled", "-q", "60/1s")
    assert ("server", "redis") in edges(document)
    assert grew(series(recording, "redis", "redis.connections")) <= 2
    assert grew(series(recording, "redis", "redis.commands")) > 50


# Ten seconds of load; pauses of a real JVM are read by tests/probes/test_gc_log.py as well.
@pytest.mark.nightly
def test_a_jvm_under_g1_shows_its_pauses_on_the_timeline(tmp_path: Path) -> None:
    with java.plain(tmp_path, jvm=["-XX:+UseG1GC", "-Xmx64m"]) as server:
        recording, document = attacked(
            tmp_path, f"{server.url}/allocate?bytes=2000000", "-q", "60/1s", "--permit", "jvm-attach"
        )
    pauses = events(recording, "server", "gc_pause")
    assert pauses, [event.text for event in recording.events]
    start, end = recording.frames[0].t_ns, recording.frames[-1].end_ns
    assert all(start - 10**9 <= pause.t_ns <= end + 2 * 10**9 for pause in pauses)
    assert all(0 < pause.facts["duration_s"] < 2 for pause in pauses)
    assert {pause.facts["collector"] for pause in pauses} == {"G1"}
    assert grew(series(recording, "server", "gc_log.pause_s")) > 0
    assert [
        component["runtime"] for component in document["map"]["components"] if component["name"] == "server"
    ] == ["jvm"]


# Fifteen seconds of CPU; the probe of a quota is tested beside a real one (tests/probes/test_go.py).
@pytest.mark.nightly
def test_a_go_server_in_a_quarter_of_a_core_shows_its_throttling(tmp_path: Path) -> None:
    built = go.build("plain", tmp_path)
    with go.started_go(built, tmp_path) as server, quota(server.pid, 0.25) as name:
        recording, document = attacked(tmp_path, f"{server.url}/burn?n=3000000", "-c", "4")
    throttled = recording.series("cgroup", "throttled_s", None, "server")
    # Four callers would use more than a core. On a crowded machine it gets little, and is held back less.
    assert max(grew(each) for each in throttled.values()) > 0.2
    allowed = {
        float(readings.value[-1])
        for readings in recording.series("cgroup", "quota_cores", None, "server").values()
    }
    assert 0.25 in allowed, name
    used = series(recording, "server", "process.cpu_s", "tree")
    assert grew(used) / (np.ptp(used.t_ns) / 1e9) < 0.4
    (server_told,) = [
        component for component in document["map"]["components"] if component["name"] == "server"
    ]
    assert (server_told["runtime"], server_told["limits"]["cores"]) == ("go", 0.25)


@pytest.fixture(scope="module")
def sql_run(
    tmp_path_factory: pytest.TempPathFactory,
) -> tuple[Path, Recording, dict[str, Any], int]:
    folder = tmp_path_factory.mktemp("sql")
    rows = "CREATE TABLE shop.rows_of (n INT); INSERT INTO shop.rows_of SELECT seq FROM shop.seq_1_to_60;"
    with started_mariadb(folder, sql="\n".join(f"{line.strip()};" for line in rows.split(";") if line)) as db:
        env = {"SQL_PORT": str(db.port), "SQL_PASSWORD": db.password, "SHOP_TOKEN": SECRET}
        with gunicorn(folder, SQL, env, "--threads", "4") as server:
            plan = (
                "loadrig: 1\n"
                f"target: {{external: 'http://127.0.0.1:{server.port}'}}\n"
                "workload: {users: 4, requests: [{get: /}]}\n"
                # The database is found after a second or two, and asked once a second from then on.
                "trial: {warm_up: 0s, measure: {at_least: 9s, at_most: 9s}}\n"
                "probes: [{mariadb: {user: shop, password_file: secret.txt}}]\n"
            )
            (folder / "secret.txt").write_text(db.password + "\n")
            recording = ran(folder, plan)
            document = json.loads((folder / "run" / "result.json").read_text())
    return folder, recording, document, db.port


@pytest.mark.nightly
def test_mariadb_shows_its_cpu_its_running_threads_and_the_rows_it_reads(
    sql_run: tuple[Path, Recording, dict[str, Any], int],
) -> None:
    _, recording, document, port = sql_run
    assert ("server", "mariadb") in edges(document)
    # How much CPU time a query needs is the machine's affair: a tenth of a millisecond is less than any.
    queries = document["load"]["requests"]
    assert grew(series(recording, "mariadb", "process.cpu_s", "tree")) > 1e-4 * queries
    assert series(recording, "mariadb", "mariadb.threads_running").value.max() >= 1
    assert grew(series(recording, "mariadb", "mariadb.rows_read")) > 10_000
    assert document["map"]["edges"][0]["address"] == f"127.0.0.1:{port}"


def test_no_password_reaches_the_folder(sql_run: tuple[Path, Recording, dict[str, Any], int]) -> None:
    folder, recording, _, _ = sql_run
    secrets = [(folder / "secret.txt").read_text().strip().encode(), SECRET.encode()]
    written = [path for path in (folder / "run").rglob("*") if path.is_file()]
    assert recording.path / "manifest.json" in written
    leaking = {path.name for path in written for secret in secrets if secret in path.read_bytes()}
    assert leaking == set()


def kept_so_far(trial: Path, component: str, probe: str, metric: str) -> list[Series]:
    """Return the series of a metric that are on the disk while the run goes on."""
    time.sleep(0.1)  # each look reads all of it, and the cores are the run's
    with contextlib.suppress(RigError, OSError):
        return list(Recording.open(trial).series(probe, metric, None, component).values())
    return []


def kill_when_seen(pid: int, folder: Path) -> None:
    """Kill a redis once its commands were seen, and end the run once it was seen to go on without it."""
    trial = RunFolder(folder / "run").trial(1)

    def was_watched() -> bool:
        return any(grew(calls) > 50 for calls in kept_so_far(trial.path, "redis", "redis", "commands"))

    Deadline().wait_for(was_watched, "commands of the redis")
    os.kill(pid, signal.SIGKILL)
    Deadline().wait_for(lambda: '"gap"' in trial.events.read_text(encoding="utf-8"), "a gap")
    gap_ns = time.monotonic_ns()

    def goes_on() -> bool:
        others = kept_so_far(trial.path, "server", "process", "cpu_s")
        return any(series.t_ns[-1] > gap_ns + 2 * 10**9 for series in others)

    Deadline().wait_for(goes_on, "readings of the others")
    assert loadrig("steer", "end", "--run", "run", cwd=folder).code == 0


# Ten seconds of load; gaps of what dies are tested probe by probe.
@pytest.mark.nightly
def test_a_dependency_that_dies_leaves_a_gap_and_the_run_ends_well(tmp_path: Path) -> None:
    with (
        started_redis(tmp_path) as redis,
        gunicorn(tmp_path, FLASK, {"REDIS_PORT": str(redis.port)}, "--threads", "4") as server,
    ):
        killer = threading.Thread(target=kill_when_seen, args=(redis.pid, tmp_path))
        killer.start()
        try:
            recording, _ = attacked(
                tmp_path, f"http://127.0.0.1:{server.port}/pooled", "-q", "60/1s", seconds=60
            )
        finally:
            killer.join()
    lost = [event for event in events(recording, "redis", "gap") if event.subject == "redis"]
    assert [event.facts["code"] for event in lost] == ["probe.no-answer"]
    subjects = [event.subject for event in events(recording, "redis", "gap")]
    assert len(subjects) == len(set(subjects)), "each of its probes says it once"
    assert grew(series(recording, "redis", "redis.commands")) > 50
    # The others went on to the end.
    assert series(recording, "server", "process.cpu_s", "tree").t_ns[-1] > lost[0].t_ns + 10**9
    assert recording.is_sealed

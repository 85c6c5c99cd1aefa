"""The probe of access logs: those that nginx and gunicorn write, rotated and cut short, and other formats."""

import http.client
import json
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from syrupy.assertion import SnapshotAssertion

from loadrig.base.component import SERVER, Component
from loadrig.probes import Unavailable, access_log
from loadrig.probes._access_lines import TimeUnit, lines_of, route
from loadrig.probes._session import Place
from tests.conftest import Deadline
from tests.probes.watching import component_of, watching
from tests.servers._daemon import Daemon, free_port, listens, running
from tests.servers.nginx import TIMED, started_nginx

pytestmark = pytest.mark.integration

TOKEN = "eyJhbGciOiJIUzI1NiJ9x4711"


def get(port: int, *paths: str) -> None:
    for path in paths:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        connection.request(
            "GET", path, headers={"Referer": f"http://x/?token={TOKEN}", "User-Agent": 'a "b" c'}
        )
        connection.getresponse().read()
        connection.close()


def server_of(kind: str, daemon: Daemon, argv: tuple[str, ...] = ()) -> Component:
    return replace(component_of(kind, daemon.port, daemon.pid, SERVER), argv=argv)


def test_the_log_that_nginx_holds_open_is_read_by_route_and_status(
    tmp_path: Path, deadline: Deadline
) -> None:
    locations = "location /secret { return 401; } location /broken { return 502; }"
    with started_nginx(tmp_path, locations) as server:
        get(server.port, "/before")
        # nginx writes its line after it has answered.
        log = tmp_path / "access.log"
        deadline.wait_for(lambda: "/before" in log.read_text(), "the line of what was there before")
        with watching(access_log, server_of("nginx", server)) as watched:
            watched.look()
            get(server.port, "/users/1/orders?page=2", "/users/22/orders", f"/reset/{TOKEN}")
            get(server.port, "/secret", "/broken", "/static/app.8f3a2c.js")
            now = watched.until(lambda now: now["requests", ""] == 6)
            assert now["requests", "route:GET /users/*/orders"] == 2
            assert now["requests", "route:GET /reset/*"] == 1
            assert now["answers", "2xx"] == 4
            assert (now["answers", "4xx"], now["answers", "401"], now["answers", "5xx"]) == (1, 1, 1)
            assert now["sent_bytes", ""] > 0
            assert now["unread_lines", ""] == 0
            assert ("time_s", "") not in now, "the combined format tells none"
            assert TOKEN not in watched.everything_said()
            assert "127.0.0.1" not in json.dumps([sample.subject for sample in watched.samples])


def test_times_of_nginx_and_of_what_stands_behind_it_are_added_up(tmp_path: Path) -> None:
    (tmp_path / "up").mkdir()
    with (
        started_nginx(tmp_path / "up", form="off") as behind,
        started_nginx(tmp_path, form=TIMED, upstream=behind.port) as server,
        watching(access_log, server_of("nginx", server)) as watched,
    ):
        watched.look()
        get(server.port, "/up/a", "/up/b", "/plain")
        now = watched.until(lambda now: now["requests", ""] == 3)
        assert now["timed", ""] == 3
        assert ("upstream_s", "") in now
        # Each is rounded to a millisecond by itself.
        assert 0 <= now["upstream_s", ""] <= now["time_s", ""] + 0.003
        assert ("time_s", "route:GET /up/a") in now


def test_a_log_moved_away_and_reopened_loses_nothing(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    with started_nginx(tmp_path) as server, watching(access_log, server_of("nginx", server)) as watched:
        watched.look()
        get(server.port, "/a", "/b")
        watched.until(lambda now: now["requests", ""] == 2)
        (tmp_path / "access.log").rename(tmp_path / "access.log.1")
        get(server.port, "/c")  # still into the old one
        os.kill(server.pid, signal.SIGUSR1)
        end = Deadline()
        end.wait_for((tmp_path / "access.log").exists, "nginx to open its log anew")
        get(server.port, "/d", "/e")
        assert watched.until(lambda now: now["requests", ""] == 5)
        (event,) = watched.of_kind("log_rotated")
        assert event.text == snapshot


def test_a_log_cut_short_is_read_from_its_start(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    with started_nginx(tmp_path) as server, watching(access_log, server_of("nginx", server)) as watched:
        watched.look()
        get(server.port, "/a", "/b")
        watched.until(lambda now: now["requests", ""] == 2)
        os.truncate(tmp_path / "access.log", 0)
        assert watched.look()["requests", ""] == 2
        get(server.port, "/c")
        assert watched.until(lambda now: now["requests", ""] == 3)
        assert watched.of_kind("log_rotated")[0].text == snapshot


APP = """\
def app(environ, start_response):
    start_response("418 Odd" if environ["PATH_INFO"] == "/odd" else "200 OK", [("Content-Length", "2")])
    return [b"ok"]
"""


@contextmanager
def started_gunicorn(folder: Path, *options: str) -> Iterator[tuple[Daemon, tuple[str, ...]]]:
    (folder / "shop.py").write_text(APP)
    port, log = free_port(), folder / "gunicorn.log"
    argv = (sys.executable, "-m", "gunicorn", "shop:app", "--bind", f"127.0.0.1:{port}", *options)
    with running(argv, log, lambda: listens(port), folder=folder) as process:
        yield Daemon(process, port, folder, log), argv


@pytest.mark.parametrize(
    "options",
    [
        ("--access-logfile", "requests.txt"),
        ("--access-logfile=requests.txt", "--access-logformat", '%(t)s "%(r)s" %(s)s %(b)s in %(D)s'),
    ],
)
def test_the_log_of_gunicorns_command_line_is_read_in_its_format(
    options: tuple[str, ...], tmp_path: Path
) -> None:
    with (
        started_gunicorn(tmp_path, *options) as (server, argv),
        watching(access_log, server_of("gunicorn", server, argv)) as watched,
    ):
        watched.look()
        get(server.port, "/items/7", "/items/8", "/odd")
        now = watched.until(lambda now: now["requests", ""] == 3)
        assert now["requests", "route:GET /items/*"] == 2
        assert (now["answers", "2xx"], now["answers", "4xx"], now["sent_bytes", ""]) == (2, 1, 6)
        if "--access-logformat" in options:
            assert 0 < now["time_s", ""] < 30
        else:
            assert ("time_s", "") not in now


def test_an_access_log_on_standard_output_is_found_among_the_errors(tmp_path: Path) -> None:
    with started_gunicorn(tmp_path, "--access-logfile", "-") as (server, argv):
        component = replace(server_of("gunicorn", server, argv), log=server.log)
        with watching(access_log, component) as watched:
            watched.look()
            get(server.port, "/a")
            os.kill(server.pid, signal.SIGHUP)  # it says so in the same file
            now = watched.until(lambda now: now["unread_lines", ""] >= 1 and now["requests", ""] == 1)
            assert now["answers", "2xx"] == 1


def test_a_log_that_is_named_is_read_of_the_server_alone(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_text("")
    place, server = Place(base=tmp_path), Component(SERVER, "program")
    with watching(access_log, server, place, path="a.log") as watched:
        watched.look()
        with (tmp_path / "a.log").open("a") as log:
            log.write('::1 - - [x] "GET / HTTP/1.1" 200 5\nTraceback (most recent call last):\n')
        now = watched.until(lambda now: now["requests", ""] == 1)
        assert now["unread_lines", ""] == 1
    with pytest.raises(Unavailable):
        access_log.attach(access_log.Options(path="a.log"), Component("nginx", "nginx"), place)


@pytest.mark.parametrize(
    "options",
    [access_log.Options(), access_log.Options(path="x", format="$request_time")],
    ids=["no log", "a format that cannot be read"],
)
def test_what_is_missing_or_wrong_is_said(options: access_log.Options, snapshot: SnapshotAssertion) -> None:
    with pytest.raises(Unavailable) as raised:
        access_log.attach(options, Component(SERVER, "program"), Place())
    assert (raised.value.reason, raised.value.mend) == snapshot


@pytest.mark.parametrize(
    ("form", "unit", "line", "entry"),
    [
        (
            "auto",
            "auto",
            '::1 - ann [a] "GET /a HTTP/1.0" 200 12',
            ("GET /a HTTP/1.0", "200", 12, None, None),
        ),
        ("auto", "auto", 'h - - [a] "GET /a" 304 - "-" "x"', ("GET /a", "304", 0, None, None)),
        ("auto", "ms", 'h - - [a] "GET /a" 200 1 250', ("GET /a", "200", 1, 0.25, None)),
        ("auto", "auto", 'h - - [a] "GET /a" 200 1 250', ("GET /a", "200", 1, None, None)),
        (
            "auto",
            "auto",
            'h - - [a] "GET /a" 200 1 "-" "x" 0.500 0.100, 0.200',
            ("GET /a", "200", 1, 0.5, 0.3),
        ),
        ("auto", "auto", 'h - - [a] "GET /a" 200 1 "-" "x" 0.500 -', ("GET /a", "200", 1, 0.5, None)),
        ("auto", "auto", 'h - - [a] "GET /a" 200 1 "-" "x" rt=0.5 urt="0.3"', ("GET /a", "200", 1, 0.5, 0.3)),
        ("auto", "auto", r'h - - [a] "GET /\"q\"" 200 1 "\"" "x"', (r"GET /\"q\"", "200", 1, None, None)),
        ('%h %l %u %t "%r" %s %b %D', "ms", 'h - - [a] "GET /a" 200 1 250', ("GET /a", "200", 1, 0.25, None)),
        (
            '%h %t "%r" %>s %O %{us}T',
            "auto",
            'h [a b] "GET /a" 200 1 250',
            ("GET /a", "200", 1, 2.5e-4, None),
        ),
        (
            "$status|$request_method|$uri|$request_time",
            "auto",
            "200|GET|/a|0.25",
            ("GET /a", "200", 0, 0.25, None),
        ),
    ],
)
def test_formats_of_servers(
    form: str, unit: TimeUnit, line: str, entry: tuple[str, str, int, float | None, float | None]
) -> None:
    answer = lines_of(form, unit)(line)
    assert answer is not None
    assert answer[:3] == entry[:3]
    assert answer[3:] == pytest.approx(entry[3:])


@pytest.mark.parametrize(
    ("fields", "entry"),
    [
        (
            {"request": "GET /a HTTP/1.1", "status": "200", "body_bytes_sent": "7", "request_time": "0.25"},
            ("GET /a HTTP/1.1", "200", 7, 0.25, None),
        ),
        (
            {"request": {"method": "GET", "uri": "/a"}, "status": 200, "size": 7, "duration": 0.25},  # Caddy
            ("GET /a", "200", 7, 0.25, None),
        ),
        (
            {
                "RequestMethod": "GET", "RequestPath": "/a", "DownstreamStatus": 200,
                "DownstreamContentSize": 7, "Duration": 250_000_000, "OriginDuration": 200_000_000,
            },  # Traefik
            ("GET /a", "200", 7, 0.25, 0.2),
        ),
        (
            {"method": "GET", "path": "/a", "status": 200, "duration_ms": 250},
            ("GET /a", "200", 0, 0.25, None),
        ),
    ],
)  # fmt: skip
def test_lines_of_json(
    fields: dict[str, object], entry: tuple[str, str, int, float | None, float | None]
) -> None:
    answer = lines_of("auto", "auto")(json.dumps(fields))
    assert answer is not None
    assert answer[:3] == entry[:3]
    assert answer[3:] == pytest.approx(entry[3:])


@given(st.text(max_size=200), st.sampled_from(["auto", '%h %t "%r" %s %b', "$status $request"]))
def test_no_line_is_too_odd(line: str, form: str) -> None:
    answer = lines_of(form, "auto")(line)
    assert answer is None or (len(answer[1]) == 3 and answer[1].isdecimal())
    assert "?" not in route(line)[1:]


@pytest.mark.parametrize(
    ("request_line", "expected"),
    [
        ("GET / HTTP/1.1", "GET /"),
        ("GET /users/4711/orders?x=1 HTTP/1.1", "GET /users/*/orders"),
        ("POST /v1/carts/550e8400-e29b-41d4-a716-446655440000 HTTP/2.0", "POST /v1/carts/*"),
        ("GET /static/app.8f3a2c.js HTTP/1.1", "GET /static/*.js"),
        ("GET /static/site.css HTTP/1.1", "GET /static/site.css"),
        ("GET /a/b/c/d/e/f/g/h HTTP/1.1", "GET /a/b/c/d/e/f/…"),
        ("GET http://shop.example/a HTTP/1.1", "GET /a"),
        (r"\x16\x03\x01", "?"),
    ],
)
def test_routes(request_line: str, expected: str) -> None:
    assert route(request_line) == expected


@given(st.integers(0, 10**20), st.uuids())
def test_no_number_and_no_uuid_tells_routes_apart(number: int, uuid: object) -> None:
    assert route(f"GET /a/{number}/{uuid}") == "GET /a/*/*"


def test_more_routes_than_are_told_apart_are_others() -> None:
    sums = access_log.Sums(lines_of("auto", "auto"), 3)
    names = "abcdefghij"
    sums.add(
        [f'h - - [a] "GET /{name} HTTP/1.1" 200 1' for n, name in enumerate(names) for _ in range(n + 1)]
    )
    counts = sums.counts()
    routes = {subject for metric, subject in counts if metric == "requests"} - {""}
    assert routes == {"route:GET /j", "route:GET /i", "route:GET /h", "others"}
    assert counts["requests", "others"] == sum(range(1, 8))


@pytest.mark.parametrize(
    ("version", "argv", "unit"),
    [
        ("9.0.98", (), "ms"),
        ("10.1.30", (), "us"),
        ("", ("java", "-Dcatalina.home=/opt/apache-tomcat-9.0.98"), "ms"),
        ("", ("java", "-Dcatalina.base=/srv/tomcat10"), "us"),
        ("", ("java", "-jar", "shop.jar"), "auto"),
    ],
)
def test_the_unit_of_tomcats_times_is_that_of_its_version(
    version: str, argv: tuple[str, ...], unit: TimeUnit
) -> None:
    component = Component(SERVER, "tomcat", program_version=version, argv=argv)
    assert access_log.tomcat_unit(component) == unit

"""Pages for Prometheus as the probe reads them: from the official client, cut, of another kind, gone."""

import contextlib
import socket
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from syrupy.assertion import SnapshotAssertion

from loadrig.base.component import SERVER, THIS_HOST, Component
from loadrig.base.running import Address
from loadrig.probes import prometheus
from loadrig.probes._http import Page
from loadrig.probes._session import Lost, Place, Unavailable
from tests.conftest import Deadline
from tests.integration.servers import serving_heads
from tests.probes.watching import Watched
from tests.servers._announced import Announced, announced

EXPOSITION = """\
import os, threading, time
from prometheus_client import Counter, Gauge, Histogram, Summary, Info, start_http_server
requests = Counter("http_requests", "Requests served.", ["route", "method"])
took = Histogram("http_request_duration_seconds", "How long they took", ["route"])
depth = Gauge("myapp_queue_depth", "Jobs that wait")
held = Gauge("myapp_held_bytes", "Memory held")
for n in range(int(os.environ.get("MANY", "0"))):
    depth_of = Gauge(f"myapp_depth_{n}", "One of many")
Info("myapp_build", "Build").info({"version": "1.2.3"})
summary = Summary("myapp_parse_seconds", "Parsing")
server, thread = start_http_server(int(os.environ.get("PORT", "0")), addr="127.0.0.1")
for _ in range(int(os.environ.get("SERVED", "3"))):
    requests.labels("/x", "GET").inc()
    took.labels("/x").observe(0.25)
held.set(4096)
summary.observe(0.5)
print(f"listening on {server.server_port}", flush=True)
thread.join()
"""

TEXT = b"""\
# HELP http_requests_total Requests served.
# TYPE http_requests_total counter
http_requests_total{method="GET",route="/x"} 3.0
# HELP jobs Jobs that wait
# TYPE jobs gauge
jobs 7
# TYPE took_seconds histogram
took_seconds_bucket{le="1.0"} 2
took_seconds_bucket{le="+Inf"} 3
took_seconds_sum 4.5
took_seconds_count 3
absent_bytes NaN
"""

OPEN = b"""\
# HELP jobs_done Jobs done
# TYPE jobs_done counter
jobs_done_total{kind="a b\\nc"} 3.0
jobs_done_created{kind="a b\\nc"} 1.7e9
# TYPE build info
build_info{version="1"} 1
# EOF
"""


def page(body: bytes, kind: str = "text/plain; version=0.0.4", status: int = 200) -> Page:
    return Page(status, kind, body)


def figures(body: bytes, kind: str = "text/plain; version=0.0.4") -> dict[tuple[str, str], float]:
    return {
        (figure.name, figure.labels): figure.value
        for figure in prometheus.figures_of(page(body, kind), "http://h/m")
    }


def component(port: int, name: str = SERVER, runtime: str = "cpython") -> Component:
    return Component(name, "program", runtime=runtime, address=Address("127.0.0.1", port))


@contextmanager
def watching(component: Component, **options: object) -> Iterator[Watched]:
    session = prometheus.attach(prometheus.Options(**options), component, Place())  # type: ignore[arg-type]
    try:
        yield Watched(session)
    finally:
        session.detach()


@contextmanager
def exposing(folder: Path, **environment: str) -> Iterator[Announced]:
    program = folder / "exposition.py"
    program.write_text(EXPOSITION)
    with announced([sys.executable, str(program)], folder, "cpython", "", environment) as server:
        yield server


def test_of_the_text_format_sums_are_kept_and_buckets_are_not() -> None:
    assert figures(TEXT) == {
        ("http_requests_total", "method=GET,route=/x"): 3.0,
        ("jobs", ""): 7.0,
        ("took_seconds_sum", ""): 4.5,
        ("took_seconds_count", ""): 3.0,
    }


def test_openmetrics_is_read_by_its_own_parser() -> None:
    kind = "application/openmetrics-text; version=1.0.0; charset=utf-8"
    assert figures(OPEN, kind) == {("jobs_done_total", "kind=a b c"): 3.0}
    with pytest.raises(Lost) as lost:  # without its end it is cut short
        figures(OPEN.removesuffix(b"# EOF\n"), kind)
    assert lost.value.code == "probe.not-that"


@pytest.mark.parametrize(
    "answer",
    [
        page(b"<html><body>Hello</body></html>\n", "text/html; charset=utf-8"),
        page(b"<html><body>Hello</body></html>\n"),
        page(b'{"up": 1}\n', "application/json"),
        page(TEXT[:-20]),
        page(b""),
        page(b"# HELP jobs Jobs\n"),
        page(TEXT, status=404),
    ],
    ids=["HTML", "HTML by content", "JSON", "cut short", "empty", "no figures", "not found"],
)
def test_what_is_no_such_page_is_said_with_its_reason(answer: Page, snapshot: SnapshotAssertion) -> None:
    with pytest.raises(Lost) as raised:
        prometheus.figures_of(answer, "http://h/m")
    assert raised.value.code == "probe.not-that"
    assert raised.value.reason == snapshot


def test_a_page_behind_a_password_says_that() -> None:
    with pytest.raises(Lost) as raised:
        prometheus.figures_of(page(b"who are you?\n", status=401), "http://h/m")
    assert raised.value.code == "probe.refused"


@given(st.data(), st.sampled_from([TEXT, OPEN]))
def test_a_spoiled_page_is_read_or_refused_and_no_fault(data: st.DataObject, body: bytes) -> None:
    spoiled = bytearray(body)
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(spoiled) - 1))
        spoiled[at] = data.draw(st.sampled_from(b'{}"=,\n #\\0aE+'))
    kind = "application/openmetrics-text" if body is OPEN else "text/plain"
    with contextlib.suppress(Lost):
        read = prometheus.figures_of(page(bytes(spoiled), kind), "http://h/m")
        assert len({(figure.name, figure.labels) for figure in read}) == len(read) > 0


@pytest.mark.parametrize(
    ("name", "unit"),
    [
        ("http_request_duration_seconds_sum", "s"),
        ("http_request_duration_seconds_count", "1"),
        ("process_cpu_seconds_total", "s"),
        ("go_memstats_alloc_bytes_total", "B"),
        ("process_resident_memory_bytes", "B"),
        ("http_requests_total", "1"),
        ("seconds_since_lunch", "1"),
    ],
)
def test_units_stand_at_the_end_of_names(name: str, unit: str) -> None:
    assert prometheus.unit_of(name) == unit


def test_what_many_programs_tell_goes_first_and_no_name_takes_all_the_room() -> None:
    def figure(name: str, labels: str) -> prometheus.PageSeries:
        return prometheus.PageSeries(name, labels, 1.0, False, "x.")

    ranked = prometheus.by_rank(
        [figure("mine", "a"), figure("mine", "b"), figure("yours", "a"), figure("go_goroutines", "")]
        + [figure("http_requests_total", str(n)) for n in range(2)]
    )
    assert [(figure.name, figure.labels) for figure in ranked] == [
        ("go_goroutines", ""), ("http_requests_total", "0"), ("http_requests_total", "1"),
        ("mine", "a"), ("yours", "a"), ("mine", "b"),
    ]  # fmt: skip


def test_databases_and_the_host_are_not_knocked_at() -> None:
    assert prometheus.fits(component(1))
    assert prometheus.fits(component(1, "api", "jvm"))
    assert not prometheus.fits(component(1, "redis", "native"))
    assert not prometheus.fits(THIS_HOST)


def test_a_named_page_belongs_to_who_listens_there_else_to_the_server() -> None:
    server, api = component(8000), component(9000, "api", "go")
    place = Place(components=lambda: (THIS_HOST, server, api))

    def urls(listener: Component, at: str) -> tuple[str, ...]:
        watch = prometheus.attach(prometheus.Options(at=at), listener, place)
        watch.detach()
        assert isinstance(watch, prometheus.PrometheusWatch)
        return watch.urls

    theirs, nobodys = "http://127.0.0.1:9000/own", "http://10.0.0.7:9100/metrics"
    assert urls(api, theirs) == (theirs,)
    assert theirs not in urls(server, theirs)
    assert urls(server, nobodys) == (nobodys,)
    assert nobodys not in urls(api, nobodys)


def test_a_program_elsewhere_whose_page_nobody_names_is_unavailable(snapshot: SnapshotAssertion) -> None:
    elsewhere = Component(SERVER, "program", address=Address("192.0.2.1", 80))
    with pytest.raises(Unavailable) as raised:
        prometheus.attach(prometheus.Options(), elsewhere, Place())
    assert raised.value.code == "probe.no-process"
    with pytest.raises(Unavailable) as raised:
        prometheus.attach(prometheus.Options(at="metrics"), elsewhere, Place())
    assert (raised.value.code, raised.value.reason) == snapshot


@pytest.mark.integration
def test_the_figures_of_the_official_client_are_found_by_themselves(tmp_path: Path) -> None:
    with exposing(tmp_path) as server, watching(component(server.port)) as watched:
        values = watched.look()
        session = watched.session
        assert isinstance(session, prometheus.PrometheusWatch)
        metrics: Mapping[str, object] = session.metrics
    assert values["http_requests_total", "method=GET,route=/x"] == 3
    assert values["http_request_duration_seconds_sum", "route=/x"] == 0.75
    assert values["http_request_duration_seconds_count", "route=/x"] == 3
    assert values["myapp_parse_seconds_sum", ""] == 0.5
    assert values["myapp_held_bytes", ""] == 4096
    assert values["process_open_fds", ""] > 0
    assert not [name for name, _ in values if name.endswith(("_bucket", "_created", "_info"))]
    assert {name for name, _ in values} <= metrics.keys()
    requests, held = session.metrics["http_requests_total"], session.metrics["myapp_held_bytes"]
    assert (requests.kind, requests.unit, requests.doc) == ("counter", "1", "Requests served.")
    assert (held.kind, held.unit, held.doc) == ("gauge", "B", "Memory held.")
    assert watched.lost == []


@pytest.mark.integration
def test_of_many_series_some_are_kept_and_the_others_counted(tmp_path: Path) -> None:
    with exposing(tmp_path, MANY="80") as server:
        with watching(component(server.port)) as watched:
            values = watched.look()
        assert len(values) == 60
        assert ("http_requests_total", "method=GET,route=/x") in values
        (note,) = watched.of_kind("note")
        assert note.facts["left_out"] >= 20
        with watching(component(server.port), only=("myapp_depth_*",), most=100) as watched:
            assert len(watched.look()) == 80
        assert watched.of_kind("note") == []


@pytest.mark.integration
def test_a_page_that_dies_and_comes_back_is_a_gap_and_its_counters_go_on(
    tmp_path: Path, free_port: int
) -> None:
    url = f"http://127.0.0.1:{free_port}/metrics"
    with watching(component(1), at=url) as watched:
        with exposing(tmp_path, PORT=str(free_port), SERVED="5"):
            assert watched.look()["http_requests_total", "method=GET,route=/x"] == 5
        assert watched.until_lost().code == "probe.no-answer"
        with exposing(tmp_path, PORT=str(free_port), SERVED="4"):
            values = watched.look()
    assert values["http_requests_total", "method=GET,route=/x"] == 9
    assert values["myapp_held_bytes", ""] == 4096


def answering(body: bytes, kind: str = "text/plain", length: int | None = None) -> Callable[..., None]:
    def answer(connection: socket.socket, head: bytes) -> None:
        size = len(body) if length is None else length
        connection.sendall(
            f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {size}\r\n\r\n".encode() + body
        )

    return answer


@pytest.mark.integration
def test_a_web_site_is_left_alone_after_it_was_asked_once(deadline: Deadline) -> None:
    asked: list[bytes] = []

    def answer(connection: socket.socket, head: bytes) -> None:
        asked.append(head.split(b" ")[1])
        answering(b"<html>Hello</html>\n", "text/html")(connection, head)

    with serving_heads(answer) as port, watching(component(port)) as watched:

        def is_told() -> object:
            watched.samples += watched.session.sample(time.monotonic_ns())
            watched.events += watched.session.events()
            return watched.events

        deadline.wait_for(is_told, "the note")
        session = watched.session
        assert isinstance(session, prometheus.PrometheusWatch)
        assert session.look(time.monotonic_ns()).samples == []  # a later reading asks nobody
        (note,) = watched.of_kind("note")
    assert asked == [b"/metrics", b"/actuator/prometheus"]
    assert note.facts["code"] == "probe.not-that"


@pytest.mark.integration
@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (answering(b"<html>Hello</html>\n", "text/html"), "probe.not-that"),
        (answering(TEXT[:-20]), "probe.not-that"),
        (answering(TEXT, length=len(TEXT) + 100), "probe.no-answer"),
    ],
    ids=["html", "cut", "cut-on-the-way"],
)
def test_a_named_page_that_is_none_is_a_gap_until_it_is_one(answer: Callable[..., None], code: str) -> None:
    now = {"answer": answer}
    with (
        serving_heads(lambda connection, head: now["answer"](connection, head)) as port,
        watching(component(1), at=f"http://127.0.0.1:{port}/metrics") as watched,
    ):
        assert watched.until_lost().code == code
        now["answer"] = answering(TEXT)
        assert watched.look()["jobs", ""] == 7


@pytest.mark.integration
def test_an_application_mounted_at_metrics_is_followed_to_its_slash() -> None:
    def answer(connection: socket.socket, head: bytes) -> None:
        if head.startswith(b"GET /metrics/ "):
            answering(TEXT)(connection, head)
        else:
            connection.sendall(
                b"HTTP/1.1 307 Temporary Redirect\r\nLocation: /metrics/\r\nContent-Length: 0\r\n\r\n"
            )

    with serving_heads(answer) as port, watching(component(port)) as watched:
        assert watched.look()["jobs", ""] == 7

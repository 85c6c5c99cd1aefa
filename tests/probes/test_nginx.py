"""The probe of nginx against a real one: with and without its page, restarted, killed."""

import http.client
import os
import re
import signal
import socket
from pathlib import Path

import pytest

from loadrig.base.component import Component
from loadrig.base.running import Address
from loadrig.probes import Unavailable, nginx
from loadrig.probes._session import Place
from tests.probes.watching import component_of, watching
from tests.servers.nginx import started_nginx

pytestmark = pytest.mark.integration

STATUS = "location = {path} {{ stub_status; access_log off; }}"


def get(port: int, *paths: str) -> list[int]:
    """Ask over one connection."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    statuses = []
    for path in paths:
        connection.request("GET", path)
        answer = connection.getresponse()
        answer.read()
        statuses.append(answer.status)
    connection.close()
    return statuses


@pytest.mark.parametrize("path", ["/nginx_status", "/basic_status"])
def test_its_figures_are_those_of_others(path: str, tmp_path: Path) -> None:
    with (
        started_nginx(tmp_path, STATUS.format(path=path)) as server,
        watching(nginx, component_of("nginx", server.port, server.pid)) as watched,
    ):
        before = watched.look()
        get(server.port, "/a", "/b", "/c")
        with socket.create_connection(("127.0.0.1", server.port)) as idle:
            idle.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            idle.recv(4096)
            during = watched.until(lambda now: now["waiting", ""] == 1)
        for _ in range(5):
            after = watched.look()
        assert (during["active", ""], during["writing", ""], during["reading", ""]) == (1, 0, 0)
        assert after["requests", ""] == before["requests", ""] + 4
        assert after["accepted", ""] == after["handled", ""] == before["accepted", ""] + 2
        assert after["dropped", ""] == 0


def test_without_the_page_it_tells_the_configuration_and_asks_no_more(tmp_path: Path) -> None:
    with (
        started_nginx(tmp_path, 'location ~ status { return 404 "no"; }') as server,
        watching(nginx, component_of("nginx", server.port, server.pid)) as watched,
    ):
        for _ in range(4):
            lost = watched.until_lost()
        assert lost.code == "probe.not-that"
        assert "stub_status; allow 127.0.0.1; deny all;" in lost.mend
        asked = (tmp_path / "access.log").read_text().splitlines()
        assert [re.search(r'"GET (\S+)', line)[1] for line in asked] == list(nginx.PATHS)  # type: ignore[index]


def test_the_page_that_is_named_is_asked_until_it_is_there(tmp_path: Path, free_port: int) -> None:
    url = f"http://127.0.0.1:{free_port}/hidden"
    with watching(nginx, component_of("nginx", 1), at=url) as watched:
        assert watched.until_lost().code == "probe.no-answer"
        with started_nginx(tmp_path, STATUS.format(path="/hidden"), port=free_port):
            assert watched.until(lambda now: ("requests", "") in now)


def test_a_page_that_is_forbidden_or_another_is_said_to_be(tmp_path: Path) -> None:
    with started_nginx(tmp_path, "location = /nginx_status { deny all; }") as server:
        for path, code in (("/nginx_status", "probe.refused"), ("/", "probe.not-that")):
            url = f"http://127.0.0.1:{server.port}{path}"
            with watching(nginx, component_of("nginx", server.port), at=url) as watched:
                lost = watched.until_lost()
                assert (lost.code, path in lost.reason) == (code, True)


def test_counters_go_on_over_a_kill_and_a_restart(tmp_path: Path) -> None:
    locations = STATUS.format(path="/nginx_status")
    with (
        started_nginx(tmp_path, locations) as first,
        watching(nginx, component_of("nginx", first.port, first.pid)) as watched,
    ):
        watched.look()
        get(first.port, *["/x"] * 20)
        before = watched.until(lambda now: now["requests", ""] >= 20)
        os.killpg(first.pid, signal.SIGKILL)
        assert watched.until_lost().code == "probe.no-answer"
        with started_nginx(tmp_path, locations, port=first.port):
            after = watched.until(lambda _: watched.of_kind("restarted"))
            assert after["requests", ""] >= before["requests", ""]
            get(first.port, "/y")
            assert watched.until(lambda now: now["requests", ""] == before["requests", ""] + 1)


def test_an_nginx_of_another_machine_is_not_asked_unless_told() -> None:
    far = Component("nginx", "nginx", address=Address("192.0.2.1", 80))
    with pytest.raises(Unavailable) as raised:
        nginx.attach(nginx.Options(), far, Place())
    assert "stub_status" in raised.value.mend


def test_what_is_no_such_page_is_none() -> None:
    assert nginx.parse("<html>Active connections: many</html>") is None
    page = "Active connections: 291 \nserver accepts handled requests\n 16630948 16630946 31070465 \n"
    values = nginx.parse(page + "Reading: 6 Writing: 179 Waiting: 106 \n")
    assert values is not None
    assert (values["accepted"], values["handled"], values["waiting"]) == (16630948, 16630946, 106)

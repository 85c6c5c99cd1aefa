"""`loadrig attack` with no plan, on real servers."""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from loadrig.cli._trial_state import PHASES
from loadrig.testing.leftovers import nothing_left_behind
from tests.integration import servers
from tests.integration.program import loadrig
from tests.integration.shop import SHOP

pytestmark = pytest.mark.integration


@contextmanager
def gunicorn(worker_class: str) -> Iterator[int]:
    """Yield the port of the shop on gunicorn, as a user would have started it."""
    port = servers.free_port()
    words = ["-m", "gunicorn", "-k", worker_class, "-w", "1", "--threads", "4", "-b", f"127.0.0.1:{port}"]
    process = subprocess.Popen(
        [sys.executable, *words, "shop:app"],
        cwd=SHOP,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        deadline = time.monotonic() + 60
        while not servers.answers(port):
            assert time.monotonic() < deadline, "gunicorn did not come up"
            time.sleep(0.05)
        yield port
    finally:
        process.terminate()
        process.wait(timeout=60)


def test_a_server_on_this_machine_is_found_and_watched(tmp_path: Path) -> None:
    with gunicorn("gthread") as port, nothing_left_behind(ports=()):
        url = f"http://127.0.0.1:{port}/products/1.json"
        ended = loadrig("attack", url, "-c", "4", "-z", "2s", "--json", "-o", "out", cwd=tmp_path)
    assert ended.code in (0, 111), ended.err
    result = json.loads(ended.out)
    assert result["outcomes"]["ok"] > 0
    assert result["target"]["pid"]
    assert result["resources"]["memory"]["value"] > 1_000_000
    assert result["resources"]["server_cpu"]["value"] > 0
    # Four users keep four connections where the server keeps them too.
    assert result["connections"]["opened"] <= 8


def test_a_server_that_runs_already_is_neither_started_nor_stopped(tmp_path: Path) -> None:
    with servers.serving(servers.ok, keep_open=True) as port:
        url = f"http://127.0.0.1:{port}/"
        ended = loadrig("attack", url, "-c", "3", "-n", "50", "-o", "out", cwd=tmp_path)
    passed = [name for name, words in PHASES.items() if words in ended.err]
    assert (passed[0], passed[-1]) == ("reaching", "leaving")


def test_so_many_requests_are_made_and_no_more(tmp_path: Path) -> None:
    with servers.serving(servers.ok, keep_open=True) as port:
        url = f"http://127.0.0.1:{port}/"
        ended = loadrig("attack", url, "-c", "3", "-n", "50", "--json", "-o", "out", cwd=tmp_path)
    result = json.loads(ended.out)
    assert result["load"]["requests"] == 50
    assert result["outcomes"]["ok"] == 50


def test_an_open_model_asks_at_its_own_rate(tmp_path: Path) -> None:
    with servers.serving(servers.ok, keep_open=True) as port:
        url = f"http://127.0.0.1:{port}/"
        ended = loadrig("attack", url, "--rate", "100/1s", "-z", "3s", "--json", "-o", "out", cwd=tmp_path)
    result = json.loads(ended.out)
    assert result["load"]["model"] == "rate"
    # Where others have the cores, those due in the last moment are not taken up any more.
    assert 200 <= result["load"]["requests"] <= 301


def test_a_thousand_a_second_are_a_thousand_a_second(tmp_path: Path) -> None:
    with servers.serving(servers.ok, keep_open=True) as port:
        url = f"http://127.0.0.1:{port}/"
        words = ["attack", url, "--rate", "1000", "-z", "2s", "--json"]
        first = json.loads(loadrig(*words, "-o", "first", cwd=tmp_path).out)
        poisson = [*words, "--arrivals", "poisson", "--seed", "1"]
        second = json.loads(loadrig(*poisson, "-o", "second", cwd=tmp_path).out)
    # Those due in the last moment: see above.
    assert 1_300 <= first["load"]["requests"] <= 2_001
    assert second["seed"] == 1
    # The seed that every run had: its arrivals are fewer than asked for, and the same each time.
    assert second["load"]["requests"] != 2_000
    # Alike by chance once in two thousand million.
    assert first["seed"] != 1
    manifest = json.loads((tmp_path / "first" / "trials" / "0001" / "manifest.json").read_text())
    assert manifest["seed"] == first["seed"]
    assert f"seed: {first['seed']}" in (tmp_path / "first" / "plan.yaml").read_text()


def test_method_body_and_headers_arrive_as_given(tmp_path: Path) -> None:
    requests: list[bytes] = []
    with servers.recording(requests) as port:
        url = f"http://127.0.0.1:{port}/orders?x=1"
        words = ["-m", "PUT", "-d", "hello", "-H", "X-One: 1", "-H", "X-Two: 2", "--close"]
        loadrig("attack", url, "-c", "1", "-n", "1", *words, "-o", "out", cwd=tmp_path)
    # A probe asks once for a page of metrics; it says who it is.
    (asked,) = [request for request in requests if b"\r\nUser-Agent: loadrig-probe/" not in request]
    head, _, body = asked.partition(b"\r\n\r\n")
    lines = head.split(b"\r\n")
    assert lines[0] == b"PUT /orders?x=1 HTTP/1.1"
    assert b"X-One: 1" in lines
    assert b"X-Two: 2" in lines
    assert [line.lower() for line in lines if line.lower().startswith(b"connection:")] == [
        b"connection: close"
    ]
    assert body == b"hello"


def test_the_printed_plan_runs_to_the_same_end(tmp_path: Path) -> None:
    with servers.serving(servers.ok, keep_open=True) as port:
        url = f"http://127.0.0.1:{port}/"
        printed = loadrig("attack", url, "-c", "2", "-n", "20", "--print-plan", cwd=tmp_path)
        (tmp_path / "plan.yaml").write_text(printed.out, encoding="utf-8")
        ended = loadrig("run", "plan.yaml", "--json", "--out", "out", cwd=tmp_path)
    assert json.loads(ended.out)["outcomes"]["ok"] == 20


def test_a_wrong_flag_names_the_right_one(tmp_path: Path) -> None:
    ended = loadrig("attack", "http://127.0.0.1:1/", "--conections", "3", cwd=tmp_path)
    assert ended.code == 104
    assert "--connections" in ended.err


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (["-z", "10"], "10s"),
        (["-c", "many"], "many"),
        (["--rate", "fast"], "fast"),
        (["-H", "no colon"], "no colon"),
        (["--goal", "p95 < 5"], "p95 is 5"),
    ],
)
def test_a_wrong_value_is_shown_with_its_flag(tmp_path: Path, words: list[str], part: str) -> None:
    ended = loadrig("attack", "http://127.0.0.1:1/", *words, cwd=tmp_path)
    assert ended.code == 104, ended.err
    assert part in ended.err
    assert "mend:" in ended.err
    assert "Traceback" not in ended.err

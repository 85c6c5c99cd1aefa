"""A plan made of a test of JMeter that polls: it asks until an answer says so, and does what answers say."""

import itertools
import json
import subprocess
import sys
from collections import defaultdict
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from loadrig.base import members
from loadrig.converters import convert_files
from tests.converters.jmx import document, element, group, sampler
from tests.converters.recording import PORT_IN_CASES, serving

pytestmark = pytest.mark.integration

RUN_S = 60
USERS, LOOPS = 3, 4
POLLS = 3
"""Times that a job is asked for until it is done."""


class _Jobs(ThreadingHTTPServer):
    """Server of jobs: every second one is paid for. asked: what was asked of each job, in order."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _JobHandler)
        self.numbers = itertools.count()
        self.asked: dict[str, list[str]] = defaultdict(list)


class _JobHandler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Jobs

    def log_message(self, *_: object) -> None:
        pass

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        number = next(self.server.numbers)
        self._answer({"id": str(number), "kind": "paid" if number % 2 else "free"})

    def do_GET(self) -> None:
        _, what, job = [*self.path.split("/"), ""][:3]
        asked = self.server.asked[job]
        asked.append(what)
        # A paid job is told by a number, and one that is free by a word.
        polls = max(0, POLLS - len(asked))
        is_paid = job.isdecimal() and int(job) % 2 == 1
        is_free_yet = bool(polls) and not is_paid
        self._answer({"left": str(polls) if is_paid else "", "state": "busy" if is_free_yet else ""})

    def _answer(self, content: dict[str, str]) -> None:
        body = json.dumps(content).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def extractor(name: str) -> str:
    keys = {"referenceNames": name, "jsonPathExprs": f"$.{name}"}
    return element("JSONPostProcessor", name, **{f"JSONPostProcessor__{key}": keys[key] for key in keys})


def test_a_job_is_polled_until_it_is_done_and_paid_for_if_it_must_be(tmp_path: Path) -> None:
    order = sampler("order", "/jobs", extractor("id") + extractor("kind"), method="POST")
    poll = sampler("poll", "/poll/${id}", extractor("state") + extractor("left"))
    going = '${__jexl3(("${state}" == "busy" || ${left} > 0) && ${JMeterThread.last_sample_ok})}'
    again = element("WhileController", "while", poll, WhileController__condition=going)
    first = sampler("first", "/first/${id}", extractor("state") + extractor("left"))
    pay = element(
        "IfController",
        "if",
        sampler("pay", "/pay/${id}") + sampler("receipt", "/receipt/${id}"),
        IfController__condition='${__groovy(vars.get("kind") == "paid")}',
    )
    with serving(_Jobs()) as server:
        test = document(group(order + first + again + pay, threads=USERS, loops=LOOPS))
        path = tmp_path / "test.jmx"
        path.write_text(test.replace(str(PORT_IN_CASES), str(server.server_port)), encoding="utf-8")
        convert_files([path], members.load("loadrig.converters", "jmeter"), tmp_path / "plan.yaml")
        words = [sys.executable, "-m", "loadrig.cli", "run", str(tmp_path / "plan.yaml")]
        subprocess.run([*words, "-o", str(tmp_path / "run")], capture_output=True, timeout=RUN_S, check=False)
        # The rig itself looks for metrics, at addresses that are no job's.
        asked = {job: requests for job, requests in server.asked.items() if job.isdecimal()}
    polled = ["first", *["poll"] * (POLLS - 1)]
    assert len(asked) == USERS * LOOPS
    for job, requests in asked.items():
        assert requests == ([*polled, "pay", "receipt"] if int(job) % 2 else polled)

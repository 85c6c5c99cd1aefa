"""Requests of a test to several servers stay: that of most is the target, the others go by their names."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from loadrig.base import members
from loadrig.converters import Conversion, TestSource, convert_files
from loadrig.plan.load import load
from loadrig.plan.servers import MOST_SERVERS
from tests.converters import har, jmx
from tests.converters.recording import recording
from tests.integration.program import loadrig

HERE, THERE = "http://127.0.0.1:8099", "http://127.0.0.1:8098"
POSTMAN = {
    "info": {"schema": "https://schema.getpostman.com/json/collection/v2.1.0/collection.json"},
    "item": [{"request": {"url": url}} for url in (f"{HERE}/a", f"{THERE}/b", f"{HERE}/c")],
}
K6 = f"""\
import http from 'k6/http';
export default () => {{ http.get('{HERE}/a'); http.get('{THERE}/b'); http.get('{HERE}/c'); }}
"""
LOCUST = f"""\
from locust import HttpUser, task
class Shop(HttpUser):
    host = "{HERE}"
    @task
    def shop(self):
        self.client.get("/a")
        self.client.get("{THERE}/b")
        self.client.get("/c")
"""
LISTED = f"GET {HERE}/a\n\nGET {THERE}/b\n\nGET {HERE}/c\n"
JMETER = jmx.document(
    jmx.group(
        jmx.sampler("a", "/a") + jmx.sampler("b", "/b").replace("8099", "8098") + jmx.sampler("c", "/c")
    )
)
TESTS: dict[str, tuple[str, Any]] = {
    "postman": ("test.json", POSTMAN),
    "k6": ("test.js", K6),
    "locust": ("locustfile.py", LOCUST),
    "vegeta": ("targets.txt", LISTED),
    "siege": ("urls.txt", LISTED.replace("GET ", "").replace("\n\n", "\n")),
    "curl": ("test.curl", LISTED.replace("GET", "curl")),
    "jmeter": ("test.jmx", JMETER),
}


def converted(tool: str, folder: Path) -> Conversion:
    name, content = TESTS[tool]
    if isinstance(content, dict):
        content = json.dumps(content)
    (folder / name).write_text(content, encoding="utf-8")
    conversion: Conversion = members.load("loadrig.converters", tool).convert(TestSource(folder / name))
    return conversion


@pytest.mark.parametrize("tool", sorted(TESTS))
def test_a_request_to_another_server_names_it(tool: str, tmp_path: Path) -> None:
    conversion = converted(tool, tmp_path)
    plan = conversion.plan
    steps = [step.request for scenario in plan.scenarios for step in scenario.steps]
    assert {(step.get, step.server) for step in steps} == {
        ("/a", None),
        ("/b", "127.0.0.1:8098"),
        ("/c", None),
    }
    assert (plan.server, plan.servers, plan.allow) == (HERE, {"127.0.0.1:8098": THERE}, ())
    assert not conversion.dropped
    written = convert_files([tmp_path / TESTS[tool][0]], members.load("loadrig.converters", tool),
                            tmp_path / "plan.yaml")  # fmt: skip
    assert load(written.path).servers["127.0.0.1:8098"].url == THERE


def test_more_servers_than_a_plan_may_have_are_left_out(tmp_path: Path) -> None:
    urls = [HERE, *(f"http://127.0.0.1:{port}/" for port in range(1, MOST_SERVERS + 3))]
    (tmp_path / "urls.txt").write_text("\n".join([HERE, *urls]), encoding="utf-8")
    conversion = members.load("loadrig.converters", "siege").convert(TestSource(tmp_path / "urls.txt"))
    assert (len(conversion.plan.servers), len(conversion.dropped)) == (MOST_SERVERS, 2)


def test_of_a_recording_only_hosts_that_are_asked_for_are_taken(tmp_path: Path) -> None:
    entries = [har.entry(url) for url in ("/", "https://api.example/b", "https://ads.example/c")]
    path = tmp_path / "shop.har"
    path.write_text(har.recording_of(*entries), encoding="utf-8")
    alone = har.HAR.convert(TestSource(path))
    assert (alone.plan.servers, len(alone.dropped)) == ({}, 2)
    both = har.HAR.convert(TestSource(path, hosts=("API.example",)))
    assert (both.plan.servers, both.plan.allow) == ({"api.example": "https://api.example"}, ("api.example",))
    assert [step.request.server for step in both.plan.scenarios[0].steps] == [None, "api.example"]
    assert len(both.dropped) == 1


@pytest.mark.integration
@pytest.mark.skipif(not shutil.which("curl"), reason="curl is not installed")
def test_each_server_is_sent_what_curl_sends_it(tmp_path: Path) -> None:
    with recording() as here, recording() as there:
        commands = f"""\
curl http://127.0.0.1:{here.server_port}/login -d user=ann
curl http://127.0.0.1:{there.server_port}/items/1 -H 'X-Case: two'
curl http://127.0.0.1:{there.server_port}/items -d '{{"n": 1}}' -H 'Content-Type: application/json'
curl http://127.0.0.1:{here.server_port}/cart?a=1
curl http://127.0.0.1:{here.server_port}/logout
"""
        (tmp_path / "test.curl").write_text(commands, encoding="utf-8")
        subprocess.run(["sh", "-c", commands], check=True, timeout=60, capture_output=True)
        theirs = [here.requests[:], there.requests[:]]
        here.requests.clear()
        there.requests.clear()
        plan = convert_files([tmp_path / "test.curl"], members.load("loadrig.converters", "curl"),
                             tmp_path / "plan.yaml").path  # fmt: skip
        text = plan.read_text(encoding="utf-8").replace("\nworkload:\n", "\nworkload:\n  limit: {loops: 1}\n")
        plan.write_text(text, encoding="utf-8")
        loadrig("run", "plan.yaml", "-o", "out", cwd=tmp_path)
        assert [here.requests, there.requests] == theirs

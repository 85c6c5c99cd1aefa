"""Plans of several servers: what is sent to which, what is said of it, and what ends it before the load."""

import json
from pathlib import Path
from typing import Any

import pytest

from loadrig.testing.leftovers import nothing_left_behind
from tests.converters.recording import RecordingServer, recording
from tests.integration import servers
from tests.integration.program import EndedProgram, loadrig

pytestmark = pytest.mark.integration

PLAN = """\
loadrig: 1
target: {{external: "http://127.0.0.1:{target}"}}
servers: {{auth: "http://127.0.0.1:{auth}"}}
workload:
  {load}
  login: {{post: /login, server: auth, extract: {{token: $.token}}}}
  headers: {{Authorization: "Bearer {{token}}", Host: shop.example}}
  {requests}
trial: {{warm_up: 0s}}
unwatched: all
"""

STEPS = "steps: [{get: /shop}, {name: profile, get: /me, server: auth}]"
REQUESTS = "requests: [{get: /shop}, {name: profile, get: /me, server: auth}]"


def run(folder: Path, target: int, auth: int, load: str, requests: str) -> EndedProgram:
    (folder / "plan.yaml").write_text(
        PLAN.format(target=target, auth=auth, load=load, requests=requests), encoding="utf-8"
    )
    with nothing_left_behind():
        return loadrig("run", "plan.yaml", "--json", "-o", "out", cwd=folder)


def paths(server: RecordingServer) -> set[tuple[str, str]]:
    return {(request["path"], request["headers"].get("authorization", "")) for request in server.requests}


@pytest.mark.parametrize(
    ("load", "requests"),
    [("users: 3\n  limit: {loops: 10}", STEPS), ("rate: 100/1s\n  limit: {requests: 60}", REQUESTS)],
)
def test_each_request_goes_to_the_server_that_it_names(load: str, requests: str, tmp_path: Path) -> None:
    with recording() as shop, recording() as auth:
        ended = run(tmp_path, shop.server_port, auth.server_port, load, requests)
    assert ended.code in (0, 99, 111, 112), ended.err
    result: dict[str, Any] = json.loads(ended.out)
    assert result["outcomes"] == {"ok": 60}
    assert {name: route["server"] for name, route in result["routes"].items()} == {
        "GET /shop": None,
        "profile": "auth",
    }
    assert paths(shop) == {("/shop", "Bearer t-77")}
    assert paths(auth) == {("/login", ""), ("/me", "Bearer t-77")}
    counts = [sum(request["path"] == path for request in server.requests)
              for server, path in ((shop, "/shop"), (auth, "/me"))]  # fmt: skip
    assert counts == [result["routes"][name]["count"] for name in ("GET /shop", "profile")]


def test_the_dry_run_shows_the_host_of_each_server(tmp_path: Path) -> None:
    text = PLAN.format(target=8000, auth=9001, load="users: 1", requests=STEPS)
    (tmp_path / "plan.yaml").write_text(text, encoding="utf-8")
    shown = loadrig("run", "plan.yaml", "--dry", cwd=tmp_path).out
    hosts = [line.strip() for line in shown.splitlines() if line.strip().lower().startswith("host:")]
    assert hosts == ["Host: shop.example", "Host: 127.0.0.1:9001", "Host: 127.0.0.1:9001"]


def test_a_server_that_takes_no_connection_ends_the_run_before_its_load(tmp_path: Path) -> None:
    with recording() as shop:
        ended = run(tmp_path, shop.server_port, servers.free_port(), "users: 1", STEPS)
        assert not shop.requests
    assert "target.not-listening" in ended.err
    assert "auth" in ended.err

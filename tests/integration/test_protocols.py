"""HTTP/2, WebSockets and gRPC on real servers: the examples as a user runs them, and more."""

import json
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from loadrig.plan.load import load
from loadrig.testing.leftovers import nothing_left_behind
from tests.house.places import ROOT
from tests.integration import servers
from tests.integration.program import EndedProgram, loadrig

NODE = shutil.which("node")

pytestmark = pytest.mark.integration
needs_node = pytest.mark.skipif(NODE is None, reason="no node on this machine: apt install nodejs")

SHORT = {"trial.warm_up": "0s", "trial.measure": "2s"}

TURNING_AWAY = """\
import http2 from "node:http2";
let asked = 0;
const server = http2.createServer();
server.on("stream", (stream) => {
  stream.on("error", () => {});
  if (++asked % 5 === 0) return stream.close(http2.constants.NGHTTP2_REFUSED_STREAM);
  stream.respond({ ":status": 200 });
  stream.end("ok");
  if (asked % 49 === 0) stream.session.goaway();
});
server.listen(Number(process.argv[2]), "127.0.0.1");
"""


@contextmanager
def node(script: Path) -> Iterator[int]:
    """Yield the port of a script for Node.js, which listens on the port it is given."""
    port = servers.free_port()
    process = subprocess.Popen([str(NODE), str(script), str(port)], stdin=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 60
        while not servers.listens(port):
            assert time.monotonic() < deadline, "node did not come up"
            time.sleep(0.05)
        yield port
    finally:
        process.terminate()
        process.wait(timeout=60)


def example(name: str, folder: Path, **changed: str) -> dict[str, Any]:
    """Return the result of an example, run for two seconds with some values changed by dotted keys."""
    shutil.copytree(ROOT / "examples", folder / "examples")
    path = folder / "examples" / name
    path.write_text(load(path, {**SHORT, **changed}).text, encoding="utf-8")
    with nothing_left_behind():
        return result_of(loadrig("run", f"examples/{name}", "--json", "--out", "out", cwd=folder))


def result_of(ended: EndedProgram) -> dict[str, Any]:
    """Return what a run says. A busy machine may make it void or miss a goal; it is then as complete."""
    assert ended.code in (0, 99, 111, 112), ended.err
    result: dict[str, Any] = json.loads(ended.out)
    return result


@needs_node
def test_users_share_the_connections_of_http_2(tmp_path: Path) -> None:
    with node(ROOT / "examples" / "catalogue" / "catalogue.mjs") as port:
        url = f"http://127.0.0.1:{port}/search?q=oak"
        flags = ("-c", "16", "--http2", "--streams", "8", "-n", "400", "--json", "-o", "out")
        result = result_of(loadrig("attack", url, *flags, cwd=tmp_path))
    assert result["outcomes"] == {"ok": 400}
    assert result["status"] == {"200": 400}
    assert (result["connections"]["opened"], result["connections"]["http"]) == (2, "2")


def test_a_server_that_speaks_http_1_1_alone_gets_no_answer_counted(tmp_path: Path) -> None:
    with servers.serving(servers.ok, keep_open=True) as port:
        flags = ("-c", "2", "--http2", "-n", "10", "-t", "2s", "--json", "-o", "out")
        ended = loadrig("attack", f"http://127.0.0.1:{port}/", *flags, cwd=tmp_path)
    assert ended.code == 120, ended.err
    assert "not_http" in ended.err


@needs_node
def test_streams_that_are_reset_and_goaways_are_told_apart_and_counted(tmp_path: Path) -> None:
    script = tmp_path / "turning_away.mjs"
    script.write_text(TURNING_AWAY, encoding="utf-8")
    with node(script) as port:
        flags = ("-c", "10", "--http2", "-n", "500", "-t", "5s", "--json", "-o", "out")
        result = result_of(loadrig("attack", f"http://127.0.0.1:{port}/", *flags, cwd=tmp_path))
    outcomes = result["outcomes"]
    # A GOAWAY takes back requests that the server would have reset, so how many are reset may differ.
    assert outcomes["stream_reset"] > 0
    assert set(outcomes) <= {"ok", "stream_reset", "go_away"}
    assert sum(outcomes.values()) == 500
    connections = result["connections"]
    assert connections["stream_resets"] >= outcomes["stream_reset"]
    assert connections["goaways"] >= 1
    assert connections["opened"] >= 2


@needs_node
def test_the_example_of_http_2_has_good_answers_alone(tmp_path: Path) -> None:
    result = example("http2.yaml", tmp_path)
    assert set(result["outcomes"]) == {"ok"}
    assert result["connections"]["opened"] == 5


@needs_node
def test_the_example_of_grpc_has_good_answers_alone(tmp_path: Path) -> None:
    result = example("grpc.yaml", tmp_path)
    assert set(result["outcomes"]) == {"ok"}
    assert set(result["routes"]) == {"find", "no word"}


@pytest.mark.nightly
@needs_node
def test_a_grpc_status_that_was_not_expected_is_an_outcome_with_an_example(tmp_path: Path) -> None:
    result = example("grpc.yaml", tmp_path, **{"workload.requests.1.expect": "5"})
    assert set(result["outcomes"]) == {"ok", "grpc_error"}
    assert result["routes"]["no word"]["outcomes"]["ok"] == 0
    shown = [failure["detail"] for failure in result["examples"] if failure["outcome"] == "grpc_error"]
    assert shown
    assert all("3 INVALID_ARGUMENT" in detail for detail in shown)


def test_the_example_of_websockets_opens_one_for_each_session(tmp_path: Path) -> None:
    result = example("websocket.yaml", tmp_path)
    assert set(result["outcomes"]) == {"ok"}
    assert result["load"]["requests"] > result["connections"]["opened"] > 0
    assert result["connections"]["reused"] > 0

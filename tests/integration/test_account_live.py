"""The account of a real server whose truth is known: two workers, each waiting 30 ms for a dependency."""

import json
from pathlib import Path
from typing import Any

import pytest

from loadrig.account.sentence import WORDS
from tests.integration.program import EndedProgram, loadrig
from tests.probes.puppets import Puppet

pytestmark = pytest.mark.integration

USERS, WORKERS, DEPENDENCY_S = 12, 2, 0.03

DEPENDENCY = f"""
listener = socket.create_server(("127.0.0.1", 0), backlog=64)
answer = listener.getsockname()[1]
def serve(link):
    with link:
        while link.recv(100):
            time.sleep({DEPENDENCY_S})
            link.sendall(b"value")
def accept():
    while True:
        threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
threading.Thread(target=accept, daemon=True).start()
"""

SERVER = """
listener = socket.create_server(("127.0.0.1", 0), backlog=64)
answer = listener.getsockname()[1]
def work():
    dependency = socket.create_connection(("127.0.0.1", {port}))
    while True:
        with listener.accept()[0] as client:
            if client.recv(10000):
                dependency.sendall(b"key")
                dependency.recv(100)
                client.sendall(b"HTTP/1.1 200 OK\\r\\nContent-Length: 2\\r\\nConnection: close\\r\\n\\r\\nok")
for _ in range({workers}): threading.Thread(target=work, daemon=True).start()
"""


def measured(folder: Path) -> tuple[dict[str, Any], EndedProgram, int]:
    """Return the result of an attack on the two workers, what it printed, and the dependency's port."""
    with Puppet() as dependency, Puppet() as server:
        below = int(dependency.do(DEPENDENCY))
        port = int(server.do(SERVER.format(port=below, workers=WORKERS)))
        words = ("attack", f"http://127.0.0.1:{port}/", "-c", str(USERS), "-z", "6s", "-o", "out")
        ended = loadrig(*words, cwd=folder)
    result = next(iter((folder / "out").rglob("trials/0001/result.json")), None)
    assert result is not None, ended.err
    return json.loads(result.read_text(encoding="utf-8")), ended, below


def test_the_account_says_what_the_server_was_made_to_do(tmp_path: Path) -> None:
    result, ended, port = measured(tmp_path)
    account = result["account"]
    server = account["components"]["server"]
    times: dict[str, float] = {}
    for line in server["per_request"]:
        times[line["state"]] = times.get(line["state"], 0.0) + line["ms"]
    total = account["total_ms"]
    # Two of twelve requests are with a worker, and a worker does nothing but wait for the dependency.
    assert total == pytest.approx(1e3 * USERS / account["requests_per_s"], rel=0.1)
    assert times["awaiting"] == pytest.approx(total * WORKERS / USERS, rel=0.3), times
    # What is promised of a line: within a tenth of the response time of the truth.
    assert times["awaiting"] == pytest.approx(1e3 * DEPENDENCY_S, abs=0.1 * total), times
    assert times["accept_queue"] > 3 * times["awaiting"], times
    others = total - times["awaiting"] - times["accept_queue"]
    assert others < 0.2 * total, times
    assert server["unaccounted_share"] < 0.15, server
    assert sum(times.values()) + server["unaccounted_ms"] == pytest.approx(total, abs=1e-3)
    # Its connections to the dependency are never idle: they are what is full.
    pool = next(slot for slot in server["slots"] if slot["slot"] == "connections")
    assert pool["full_share"] > 0.8, server["slots"]
    waited_for = next(line for line in server["per_request"] if line["state"] == "awaiting")
    assert waited_for["of"] in account["components"] or waited_for["of"].endswith(f":{port}")
    # Twelve users would be served by twelve workers: six times as many, where others leave the cores free.
    first = result["findings"][0]
    assert first["cause"] == "too_few_workers", result["findings"]
    assert 1.15 <= first["gain"] <= 9, first
    assert WORDS["accept_queue"] in account["sentence"]
    assert account["sentence"].split(":")[0] in ended.out

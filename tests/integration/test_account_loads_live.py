"""The account at two loads of a real server of known truth: two workers that hold each request 20 ms."""

import json
from pathlib import Path

import pytest

from loadrig.account import states
from loadrig.judgement.limits.ceilings import HELD
from tests.integration.program import loadrig
from tests.probes.puppets import Puppet

pytestmark = pytest.mark.integration

WORKERS, SERVICE_S = 2, 0.02
LIMIT = WORKERS / SERVICE_S

SERVER = f"""
listener = socket.create_server(("127.0.0.1", 0), backlog=4096)
answer = listener.getsockname()[1]
def work():
    while True:
        with listener.accept()[0] as client:
            if client.recv(10000):
                time.sleep({SERVICE_S})
                client.sendall(b"HTTP/1.1 200 OK\\r\\nContent-Length: 2\\r\\nConnection: close\\r\\n\\r\\nok")
for _ in range({WORKERS}): threading.Thread(target=work, daemon=True).start()
"""

PLAN = """
loadrig: 1
name: two loads
target: {{external: "http://127.0.0.1:{port}"}}
workload:
  rate: {{arrivals: poisson, stages: [{{to: 15/1s, hold: 12s}}, {{to: 150/1s, hold: 12s}}]}}
  requests: [{{get: "/"}}]
"""


# Half a minute of load; accounts by load are tested on recordings each day (tests/account).
@pytest.mark.nightly
def test_the_line_that_bends_and_the_limit_are_those_of_the_workers(tmp_path: Path) -> None:
    with Puppet() as server:
        port = int(server.do(SERVER))
        (tmp_path / "plan.yaml").write_text(PLAN.format(port=port), encoding="utf-8")
        ended = loadrig("run", "plan.yaml", "-o", "out", cwd=tmp_path)
    path = next(iter((tmp_path / "out").rglob("trials/0001/result.json")), None)
    assert path is not None, ended.err
    result = json.loads(path.read_text(encoding="utf-8"))
    loads = result["account"]["loads"]
    assert [round(level["level"]) for level in loads["levels"]] == [15, 150]
    assert [level["overloaded"] for level in loads["levels"]] == [False, True]
    growth = loads["growth"]
    assert growth["ms"] > 1e3 * SERVICE_S, growth
    if growth["interval"][0] <= 0:
        # Of a growth that neighbours made as uncertain as that no line is named.
        assert result["validity"]["verdict"] != "valid"
        assert growth["most"] == []
        return
    assert [line["state"] for line in growth["most"]] == [states.ACCEPT_QUEUE], growth
    assert growth["lines"][0]["share"] == pytest.approx(1.0, abs=0.2), growth
    assert loads["sentence"] in " ".join(ended.out.split())
    # Both workers are taken in the second stage, and then so much is answered that no limit lies below.
    limit = next((ceiling for ceiling in result["diagnosis"]["ceilings"] if ceiling["what"] == HELD), None)
    if limit is None:
        # Of a load that neighbours disturbed no limit is foreseen; tests/judgement has others.
        assert result["validity"]["verdict"] != "valid"
        return
    assert limit["servers"] == pytest.approx(WORKERS, rel=0.1), limit
    assert 0.5 * LIMIT < limit["rps"] < 1.05 * LIMIT, limit
    assert result["diagnosis"]["ceilings"][0]["what"] == HELD

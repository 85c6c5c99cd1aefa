"""Stages of sockets under a real load: the times in them add up to the response time that users see."""

from pathlib import Path

import pytest

from loadrig.measures._stage_times import SERVED, stage_times
from loadrig.recording.reader import Recording
from tests.integration.program import loadrig
from tests.probes.puppets import Puppet

pytestmark = pytest.mark.integration

TWO_WORKERS = """
listener = socket.create_server(("127.0.0.1", 0), backlog=64)
answer = listener.getsockname()[1]
def work():
    while True:
        with listener.accept()[0] as one:
            if one.recv(10000):
                time.sleep(0.03)
                one.sendall(b"HTTP/1.1 200 OK\\r\\nContent-Length: 2\\r\\nConnection: close\\r\\n\\r\\nok")
for _ in range(2): threading.Thread(target=work, daemon=True).start()
"""


def test_the_times_in_all_stages_add_up_to_the_response_time(tmp_path: Path) -> None:
    with Puppet() as server:
        port = int(server.do(TWO_WORKERS))
        words = ("attack", f"http://127.0.0.1:{port}/", "-c", "10", "-z", "5s", "--json", "-o", "out")
        ended = loadrig(*words, cwd=tmp_path)
    manifest = next(iter((tmp_path / "out").rglob("trials/0001/manifest.json")), None)
    assert manifest is not None, ended.err
    recording = Recording.open(manifest.parent)
    window = recording.measured
    mean_s = recording.histogram(from_ns=window.from_ns, to_ns=window.to_ns).mean_ns / 1e9
    served = {one.stage: one for one in stage_times(recording) if one.group == f"in:{port}"}
    times = {
        stage: one.time.value for stage, one in served.items() if stage in SERVED and one.time is not None
    }
    # Ten users and two workers that take 30 ms: most of the time passes before anybody takes a request up.
    assert sum(times.values()) == pytest.approx(mean_s, rel=0.35, abs=0.03), (times, mean_s)
    assert times["not_accepted"] > 2 * times["in_hand"], times
    assert served["in_hand"].number < 3.5, served
    assert served["in_hand"].looks > 10

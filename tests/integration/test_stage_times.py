"""Stages of sockets under a real load: the times in them add up to the response time that users see."""

from pathlib import Path

import pytest

from loadrig.recording.reader import Recording
from tests.integration.program import loadrig
from tests.probes.puppets import Puppet

pytestmark = pytest.mark.integration

SERVED = ("opening", "not_accepted", "unread", "in_hand", "sending", "unacknowledged", "abandoned")
"""Stages in which a request is under way."""

TWO_WORKERS = """
listener = socket.create_server(("127.0.0.1", 0), backlog=64)
answer = listener.getsockname()[1]
def work():
    while True:
        with listener.accept()[0] as client:
            if client.recv(10000):
                time.sleep(0.03)
                client.sendall(b"HTTP/1.1 200 OK\\r\\nContent-Length: 2\\r\\nConnection: close\\r\\n\\r\\nok")
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
    responses = recording.histogram(from_ns=window.from_ns, to_ns=window.to_ns)
    answers_per_s = responses.count / ((window.to_ns - window.from_ns) / 1e9)
    numbers = {}
    for key, series in recording.series("socket_stages", None, f"in:{port}").items():
        is_inside = (series.t_ns > window.from_ns) & (series.t_ns <= window.to_ns)
        if is_inside.any():  # a stage that was first seen after the load has no figure of it
            numbers[key.metric] = float(series.value[is_inside].mean())
    times = {stage: numbers[stage] / answers_per_s for stage in SERVED if stage in numbers}
    # Ten users and two workers that take 30 ms: most of the time passes before anybody takes a request up.
    mean_s = responses.mean_ns / 1e9
    assert sum(times.values()) == pytest.approx(mean_s, rel=0.35, abs=0.03), (times, mean_s)
    assert times["not_accepted"] > 2 * times["in_hand"], times
    assert numbers["in_hand"] < 3.5, numbers

"""A run that is told to monitoring while it goes on, by the command that makes it."""

import json
import socket
from pathlib import Path

import pytest

from loadrig.base.exits import Exit
from tests.integration import servers
from tests.integration.program import loadrig
from tests.publishers.test_otlp import OtlpServer

pytestmark = pytest.mark.integration


def test_a_receiver_is_told_every_request_and_the_run_goes_on_beside_one_that_cannot_be_had(
    tmp_path: Path,
) -> None:
    with (
        servers.serving(servers.ok, keep_open=True) as port,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as receiver,
        socket.create_server(("127.0.0.1", 0)) as listener,
    ):
        receiver.bind(("127.0.0.1", 0))
        receiver.settimeout(10)
        words = ["attack", f"http://127.0.0.1:{port}/", "-q", "50/1s", "-z", "5s", "--json"]
        place = f"statsd=127.0.0.1:{receiver.getsockname()[1]}"
        ran = loadrig(*words, "--out", "run", "--out", place, cwd=tmp_path)
        assert ran.code == Exit.FINE
        packet = receiver.recv(65536).decode()
        in_use = f"openmetrics={listener.getsockname()[1]}"
        beside = loadrig(*words, "--out", "other", "--out", in_use, cwd=tmp_path)
    assert "|#plan:" in packet
    assert beside.code == Exit.FINE
    assert in_use in beside.err
    assert json.loads(beside.out)["outcomes"]["ok"] > 0


@pytest.mark.nightly
def test_a_receiver_of_otlp_is_told_over_grpc_every_request(tmp_path: Path) -> None:
    receiver = OtlpServer()
    with servers.serving(servers.ok, keep_open=True) as port, receiver.serving() as receiving:
        words = ["attack", f"http://127.0.0.1:{port}/", "-q", "50/1s", "-z", "5s", "--json"]
        ran = loadrig(*words, "--out", "run", "--out", f"otlp=grpc://127.0.0.1:{receiving}", cwd=tmp_path)
    assert ran.code == Exit.FINE, ran.err
    last = receiver.metrics[-1].resource_metrics[0].scope_metrics[0].metrics
    (requests,) = (metric for metric in last if metric.name == "loadrig.requests")
    assert sum(point.as_int for point in requests.sum.data_points) == json.loads(ran.out)["outcomes"]["ok"]


@pytest.mark.parametrize("place", ["statsd=", "statsd=nowhere", "otlp=127.0.0.1:4317"])
def test_a_place_that_is_none_is_said_before_there_is_a_run(place: str, tmp_path: Path) -> None:
    ran = loadrig("attack", "http://127.0.0.1:9/", "--out", "run", "--out", place, cwd=tmp_path)
    assert ran.code == Exit.PLAN_WRONG
    assert not (tmp_path / "run").exists()

"""A real server that somebody else uses beside us: the share is named; where nobody does, nothing is said."""

import contextlib
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from loadrig.recording.manifest_document import OthersDocument
from loadrig.recording.reader import Recording
from tests.integration.dying import command
from tests.servers.nginx import started_nginx

pytestmark = pytest.mark.integration

CLIENT = """\
import socket, sys, time
where, each_s = sys.argv[1], float(sys.argv[2])
family = socket.AF_INET if where.isdecimal() else socket.AF_UNIX
peer = socket.socket(family)
peer.connect(("127.0.0.1", int(where)) if where.isdecimal() else where)
print("connected", flush=True)
while True:
    if each_s > 0:
        peer.sendall(b"GET /other HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n")
        peer.recv(65536)
    time.sleep(each_s or 60)
"""
"""A client with one kept connection: a request every so many seconds; 0: it only holds the connection."""


@contextlib.contextmanager
def somebody_else(where: str, each_s: float) -> "Iterator[subprocess.Popen[str]]":
    argv = [sys.executable, "-c", CLIENT, where, str(each_s)]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "connected\n"
            yield process
        finally:
            process.kill()


def loaded(
    capsys: pytest.CaptureFixture[str], port: int, *more: str, length: str = "1500ms"
) -> tuple[list[dict[str, Any]], Recording]:
    """Load the server; returns what check G16 says, and the recording."""
    words = ("attack", f"http://127.0.0.1:{port}/", "--rate", "200/1s", "--out", "out", "--json")
    answer = command(capsys, *words, "-z", length, *more)
    validity = json.loads(answer.out)["validity"]
    assert "G16" not in validity["not_checked"], validity
    reasons = [reason for reason in validity["reasons"] if reason["check"] == "G16"]
    return reasons, Recording.open(Path("out/trials/0001"))


def seen_by_witness(recording: Recording) -> OthersDocument:
    """Return what the witness saw of connections of others."""
    witness = recording.manifest.witness
    assert witness is not None
    assert witness.others is not None
    return witness.others


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


STATUS = "location = /nginx_status { stub_status; }"


@pytest.mark.parametrize(
    ("status", "form", "told_by"),
    [("", "off", "bytes"), (STATUS, "off", "probe nginx"), ("", "combined", "probe access_log")],
    ids=["connections", "counter", "log"],
)
def test_a_load_of_somebody_else_is_marked_with_its_share(
    status: str, form: str, told_by: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with (
        started_nginx(tmp_path, status, form=form) as nginx,
        somebody_else(str(nginx.port), 0.002) as client,
    ):
        # A counter and a log are read once a second, and twice is needed, also where others have the cores.
        (reason,), recording = loaded(capsys, nginx.port, length="1500ms" if told_by == "bytes" else "6s")
    assert reason["level"] == "disturbed"
    assert f"process {client.pid}" in reason["text"]
    assert told_by in reason["text"]
    others = seen_by_witness(recording)
    assert others.bytes > 1_000
    assert others.clients[0].connections == 1


@pytest.mark.parametrize("status", ["", STATUS], ids=["without a counter", "with a counter"])
@pytest.mark.parametrize("is_held", [False, True], ids=["nobody", "an idle connection"])
def test_nothing_is_said_where_nobody_else_sends_anything(
    *, status: str, is_held: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with contextlib.ExitStack() as stack:
        nginx = stack.enter_context(started_nginx(tmp_path, status))
        if is_held:
            stack.enter_context(somebody_else(str(nginx.port), 0))
        reasons, recording = loaded(capsys, nginx.port, "-c", "8")
    assert reasons == []
    others = seen_by_witness(recording)
    assert (others.bytes, others.connections) == (0, int(is_held))


def test_new_connections_for_each_request_of_ours_are_nobody_elses(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = (
        "loadrig: 1\ntarget: {{external: 'http://127.0.0.1:{port}'}}\n"
        "workload: {{rate: 300/1s, connections: {{keep_alive: false}}, requests: [{{get: /}}]}}\n"
        "trial: {{warm_up: {{at_most: 0.2s, at_least: 0s}}, measure: {{at_least: 1s, at_most: 1s}}}}\n"
    )
    with started_nginx(tmp_path, STATUS) as nginx:
        (tmp_path / "plan.yaml").write_text(plan.format(port=nginx.port), encoding="utf-8")
        answer = command(capsys, "run", "plan.yaml", "--out", "out", "--json")
    assert [reason for reason in answer.json["validity"]["reasons"] if reason["check"] == "G16"] == []
    assert seen_by_witness(Recording.open(Path("out/trials/0001"))).clients == ()


def test_a_unix_socket_that_somebody_else_holds_is_only_suspected(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = str(tmp_path / "s")
    with (
        started_nginx(tmp_path, f"listen unix:{path};", form="off") as nginx,
        somebody_else(path, 0.01) as client,
    ):
        (tmp_path / "plan.yaml").write_text(
            f"loadrig: 1\ntarget: {{external: {{url: 'http://127.0.0.1:{nginx.port}', unix: '{path}'}}}}\n"
            "workload: {rate: 100/1s, requests: [{get: /}]}\n"
            "trial: {warm_up: {at_most: 0.2s, at_least: 0s}, measure: {at_least: 1s, at_most: 1s}}\n",
            encoding="utf-8",
        )
        answer = command(capsys, "run", "plan.yaml", "--out", "out", "--json")
    (reason,) = [entry for entry in answer.json["validity"]["reasons"] if entry["check"] == "G16"]
    assert reason["level"] == "note"
    assert f"process {client.pid}" in reason["text"]

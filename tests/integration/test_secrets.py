"""No secret is written, wherever it came in: in no file, on no terminal, in no command line."""

import base64
import gzip
import json
import shlex
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.integration import planted
from tests.lengths import length

pytestmark = [pytest.mark.integration, pytest.mark.timeout(600)]

SENT = ("authorization", "tenant", "query", "login", "pin", "cookie", "body", "form", "json", "given_token")
"""Secrets that the server must get as they are; the others are written in another way on their way to it."""

SEEDS = range(1, length(2, 16))


@dataclass
class SecretsScene:
    """One set of secrets, a folder to run in, and what was printed there. printed: by the words typed."""

    folder: Path
    secrets: dict[str, str]
    printed: dict[str, bytes] = field(default_factory=dict)

    def loadrig(self, *words: str, code: int | None = 0) -> None:
        """Run a command as a user does, and keep what it prints. code: how it must end; None for any."""
        done = subprocess.run(
            [sys.executable, "-m", "loadrig.cli", *words],
            cwd=self.folder / "here",
            capture_output=True,
            timeout=90,
            check=False,
            env={
                **planted.environment(self.secrets),
                "XDG_STATE_HOME": str(self.folder / "state"),
                "NO_COLOR": "1",
            },
        )
        self.printed[shlex.join(words)] = done.stdout + done.stderr
        assert code is None or done.returncode == code, (words, done.returncode, done.stderr.decode())

    def plan(self, name: str, change: Callable[[str], str] = lambda text: text, fails: str = "") -> str:
        """Write the plan outside of the folder that is searched; returns its path."""
        text = planted.PLAN.format(
            **self.secrets, fails=fails, python=sys.executable, server=self.folder / "server.py",
            talk=self.folder / "told.json", seen=self.folder / "seen.jsonl",
        )  # fmt: skip
        path = self.folder / name
        path.write_text(change(text))
        return str(path)


@pytest.fixture(params=SEEDS)
def scene(request: pytest.FixtureRequest, tmp_path: Path) -> SecretsScene:
    secrets = planted.drawn(request.param)
    (tmp_path / "here").mkdir()
    (tmp_path / "state").mkdir()
    (tmp_path / "server.py").write_text(planted.SERVER)
    (tmp_path / "key.txt").write_text(secrets["of_file"] + "\n")
    talk = {
        "token": secrets["given_token"], "cookie": secrets["given_cookie"],
        "variables": ["SHOP_TOKEN", "DATABASE_URL", "SETTINGS", "FROM_ENV"],
    }  # fmt: skip
    (tmp_path / "told.json").write_text(json.dumps(talk))
    return SecretsScene(tmp_path, secrets)


def test_no_secret_is_written_printed_or_seen_in_a_command_line(scene: SecretsScene) -> None:
    with planted.CommandLineWatch() as watch, ThreadPoolExecutor(2) as lanes:
        for lane in [lanes.submit(_run, scene), lanes.submit(_refuse_and_attack, scene)]:
            lane.result()
    requests = (scene.folder / "seen.jsonl").read_text()
    unsent = {kind for kind in SENT if scene.secrets[kind] not in requests}
    assert unsent == set(), "the server gets the true values"

    texts = dict(planted.written(scene.folder / "here", scene.folder / "state"))
    rows = [name for name in texts if name.endswith("series.parquet (rows)")]
    assert len(rows) == 3, "three trials: of the plan, of the server that dies, of the attack"
    log = next(text for name, text in texts.items() if name.endswith("run/trials/0001/target.log"))
    assert min(log.count(words) for words in (b"begins with", b"was sent /json", b"Set-Cookie: ")) > 0
    everything = b"".join(texts.values())
    assert everything.count(b'"retry-after: 7"') > 0, "headers of answers that failed are kept"
    assert everything.count(b'"via: 1.1 shop for ') > 0
    run = json.loads((scene.folder / "here/run/trials/0001/result.json").read_text())
    templates = [
        (template["source"], template["text"]) for template in run["server_logs"]["server"]["templates"]
    ]
    for source, words in (
        ("shop.log", "ERROR the caller {masked:X-Tenant}"),
        ("target.log", "was sent <path>"),
    ):
        assert any(log == source and text.startswith(words) for log, text in templates), (source, templates)
    assert b"Authorization: " in everything, "answers that failed are kept"
    assert b"no: /x" in everything, "of the attack, too"
    assert planted.found_in(texts | scene.printed, scene.secrets) == set()
    # What the plan's author wrote into the command of the server is there, and shows that all is looked at.
    lines = {"command lines": "\n".join(watch.command_lines).encode()}
    assert planted.found_in(lines, scene.secrets) == {("command lines", "argv")}


def _run(scene: SecretsScene) -> None:
    """Run a plan, and all that is made of its run."""
    plan = scene.plan("plan.yaml")
    scene.loadrig("run", plan, "--out", "run", code=None)
    scene.loadrig("report", "run", "--text")
    scene.loadrig("report", "run", "--json")
    scene.loadrig("diagnose", "run", code=None)
    # Nothing of it can be sent again, and that is said without saying it.
    scene.loadrig("run", "run", "--out", "again", code=104)


def _refuse_and_attack(scene: SecretsScene) -> None:
    """Have plans checked, good, misspelt and torn; a server that dies; a quick command."""
    plan = scene.plan("shown.yaml")
    scene.loadrig("check", plan)
    scene.loadrig("check", plan, "--json")
    scene.loadrig("run", plan, "--dry")
    typo = scene.plan("typo.yaml", lambda text: text.replace("  headers:", "  haeders:"))
    torn = scene.plan("torn.yaml", lambda text: text.replace("{user: anna", "{{user"))
    for wrong in (typo, torn):
        scene.loadrig("check", wrong, code=104)
    scene.loadrig("run", scene.plan("dies.yaml", fails=" dies"), "--out", "dies", code=120)
    _attack(scene)


def _attack(scene: SecretsScene) -> None:
    """Run a quick command whose secrets are typed, against a server that repeats them."""

    class Echo(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            reply = f"no: {self.path} {self.headers} {body}".encode()
            self.send_response(403)
            self.send_header("Via", f"1.1 shop for {self.headers['X-Api-Key']}")
            self.send_header("Content-Length", str(len(reply)))
            self.end_headers()
            self.wfile.write(reply)

        def log_message(self, *words: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Echo)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    secrets = scene.secrets
    words = (
        "attack", f"http://127.0.0.1:{server.server_port}/x?token={secrets['typed_query']}",
        "-H", f"X-Api-Key: {secrets['typed_header']}", "-H", "Authorization: Bearer {env:PLANTED}",
        "-d", json.dumps({"password": secrets["typed_body"]}), "-c", "1", "-n", "20",
    )  # fmt: skip
    try:
        scene.loadrig(*words, "--print-plan")
        scene.loadrig(*words, "--out", "attack", code=None)
        scene.loadrig("attack", f"ftp://anna:{secrets['typed_query']}@127.0.0.1/", code=104)
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_the_search_finds_what_is_there(tmp_path: Path) -> None:
    secrets = {"a": 'Secret"-1234567'}
    (tmp_path / "packed.gz").write_bytes(gzip.compress(b'{"x": "Secret\\"-1234567"}'))
    (tmp_path / "page").write_bytes(b"<p>Secret&quot;-1234567</p>")
    (tmp_path / "blob").write_bytes(b"x" + base64.b64encode(b'anna:Secret"-1234567'))
    names = {Path(name).name for name, _ in planted.found_in(dict(planted.written(tmp_path)), secrets)}
    assert names == {"packed.gz (unpacked)", "page", "blob"}

"""Imports of a command before it does what it was asked for: its user waits for them.

The causes are looked at, not the time: what is known to take long must not be there yet. `make bench`
measures the time.
"""

import http.server
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from loadrig.base import members
from loadrig.cli._overview import OPENING, first_line
from loadrig.engine.process import PROGRAM
from loadrig.language.choice import LANGUAGES
from tests.lengths import length

HEAVY = {
    "numpy", "scipy", "rich", "ruamel", "importlib.metadata", "traceback", "multiprocessing",
    "asyncio", "http.client", "ssl", "pickle", "gzip", "random", "shutil", "msgspec", "tomllib",
}  # fmt: skip
"""Each takes from 2 ms to a second to import."""

FOR_RESULTS = {
    "loadrig.report", "loadrig.study.judge", "loadrig.study.result", "loadrig.trial.result",
    "loadrig.trial.checks", "loadrig.cli._finish", "loadrig.cli._run_view", "loadrig.plan.yaml_library",
    "loadrig.measures.throughput", "loadrig.recording.reader", "loadrig.recording.sealing",
    "loadrig.recording.thinning", "loadrig.study.answer", "loadrig.study.choose", "loadrig.study.fidelity",
    "loadrig.study.doomed", "loadrig.study.capacity.goals", "loadrig.trial.split",
}  # fmt: skip
"""Modules that make something of a run, or draw it: not needed before it has begun."""

UNTIL_BEGUN = """
import json, sys, threading

class Watch:
    loaded = set(sys.modules)

    def find_spec(self, name, path=None, target=None):
        if threading.current_thread() is threading.main_thread():
            self.loaded.add(name)  # for what other threads import nobody waits

sys.meta_path.insert(0, Watch())
from loadrig.engine import process

begin = process.Generator.begin

def begin_and_tell(self, at_ns):
    loaded = sorted(Watch.loaded)
    begin(self, at_ns)
    print(json.dumps(loaded), file=sys.__stdout__, flush=True)
    process.Generator.begin = begin

process.Generator.begin = begin_and_tell
from loadrig.cli.__main__ import main
sys.exit(main(sys.argv[1:]))
"""

PLAN = """\
loadrig: 1
name: start
target: {{external: {url}}}
workload: {{users: 1, requests: [{{get: /}}]}}
trial: {{warm_up: 0s, measure: {{at_least: 300ms, at_most: 300ms}}}}
"""


class QuietHandler(http.server.BaseHTTPRequestHandler):
    """Answers every request, and says nothing of it."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"ok")

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def url() -> Iterator[str]:
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), QuietHandler) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            thread.join()


def modules_when_it_began(arguments: list[str], folder: Path, language: str = "en") -> set[str]:
    """Run a command; return what was imported when it told the generator to start."""
    done = subprocess.run(
        [sys.executable, "-c", UNTIL_BEGUN, *arguments],
        cwd=folder,
        env={**os.environ, "LOADRIG_LANG": language},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    first = done.stdout.splitlines()[0] if done.stdout else ""
    assert first.startswith("["), done.stderr
    loaded = set(json.loads(first))
    assert "loadrig.engine.process" in loaded, "what was imported was not seen"
    return loaded


def test_an_attack_imports_nothing_heavy_before_its_first_request(url: str, tmp_path: Path) -> None:
    loaded = modules_when_it_began(["attack", f"{url}/", "-c", "1", "-z", "300ms"], tmp_path)
    assert loaded & HEAVY == set()
    assert loaded & FOR_RESULTS == set()


@pytest.mark.parametrize("language", length(["en"], sorted(LANGUAGES)))
def test_a_plan_of_fixed_length_imports_nothing_heavy_before_its_first_request(
    language: str, url: str, tmp_path: Path
) -> None:
    (tmp_path / "plan.yaml").write_text(PLAN.format(url=url), encoding="utf-8")
    loaded = modules_when_it_began(["run", "plan.yaml"], tmp_path, language)
    # But for the YAML library: the plan is a text that somebody wrote.
    assert loaded & HEAVY <= {"ruamel"}
    assert loaded & FOR_RESULTS <= {"loadrig.plan.yaml_library"}


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["attack", "--help"], ["run", "--help"]])
def test_a_help_page_imports_nothing_heavy(arguments: list[str]) -> None:
    code = (
        "import sys\nfrom loadrig.cli.__main__ import main\n"
        "try:\n    main(sys.argv[1:])\nexcept SystemExit:\n    pass\n"
        "print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, timeout=60, check=True
    )
    loaded = set(done.stderr.split())
    assert loaded & HEAVY == set()
    assert loaded & FOR_RESULTS == set()
    assert "loadrig.plan.load" not in loaded


def test_the_page_of_all_commands_imports_none_of_them() -> None:
    code = (
        "import sys\nfrom loadrig.cli.__main__ import main\nmain(sys.argv[1:])\n"
        "print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "--help"], capture_output=True, text=True, timeout=60, check=True
    )
    loaded = set(done.stderr.split())
    assert "loadrig.cli._overview" in loaded
    assert loaded & {f"loadrig.cli.{name}" for name in members.names("loadrig.cli")} == set()
    assert loaded & {"argparse", "dataclasses", "inspect", "pathlib", "socket", "http.client"} == set()


@pytest.mark.parametrize("name", members.names("loadrig.cli"))
def test_the_first_sentence_of_a_command_is_read_from_its_file(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = members.load("loadrig.cli", name)

    def load(*_: str) -> None:
        pytest.fail(f"{module.__file__} has no HELP that begins with {OPENING!r}: it is imported for --help")

    monkeypatch.setattr(members, "load", load)
    assert first_line(name) == module.HELP.strip().splitlines()[0].rstrip(".")


def test_a_command_whose_file_cannot_be_read_is_imported_for_its_first_sentence(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(members, "source", lambda *_: None)
    assert first_line("attack").startswith("Load a URL")


def test_the_generator_imports_the_native_module_and_nothing_else() -> None:
    *interpreter, program = PROGRAM
    # An empty standard input ends it at once: then what it has imported is all that it ever does.
    code = (
        "import sys\nbefore = set(sys.modules)\n"
        f"file = open({program!r}, encoding='utf-8')\n"
        f"names = {{'__name__': '__main__', '__file__': {program!r}}}\n"
        "try:\n    exec(file.read(), names)\nfinally:\n    print(*set(sys.modules) - before, file=sys.stderr)"
    )
    done = subprocess.run(
        [*interpreter, "-c", code],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert set(done.stderr.split()) == {"loadrig", "loadrig._native"}
    assert {"-I", "-S"} <= set(interpreter)

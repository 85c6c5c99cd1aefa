"""The probe `python` as far as a server tells of itself: its collector, its memory, and no harm done."""

import json
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from loadrig.base.units import Seconds
from loadrig.probes import Place, python
from loadrig.probes._python import gil as _gil
from loadrig.probes._python.reports import InsideReader
from loadrig.testing.leftovers import nothing_left_behind
from tests.conftest import Deadline
from tests.lengths import length
from tests.probes.watching import watching, wording
from tests.servers import gunicorn
from tests.servers.interpreter import as_component, program, to_its_end

IDLE = """\
import time
print("up", flush=True)
while True:
    time.sleep(0.1)
"""


def inside(folder: Path, **options: object) -> Mapping[str, str]:
    return python.prepare(python.Options(**options), folder)  # type: ignore[arg-type]


@contextmanager
def load(port: int, path: str, users: int = 2) -> Iterator[None]:
    """Ask a server again and again, until the block ends."""
    over = threading.Event()

    def ask() -> None:
        while not over.is_set():
            gunicorn.ask(port, path)

    threads = [threading.Thread(target=ask) for _ in range(users)]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        over.set()
        for thread in threads:
            thread.join()


def test_nothing_is_put_into_a_server_unless_asked(tmp_path: Path) -> None:
    assert inside(tmp_path) == {}
    assert list(tmp_path.iterdir()) == []


def test_an_existing_path_of_modules_is_kept_behind_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", "/opt/shop:/opt/lib")
    ours, *rest = inside(tmp_path, inside=True)["PYTHONPATH"].split(":")
    assert rest == ["/opt/shop", "/opt/lib"]
    assert (Path(ours) / "sitecustomize.py").exists()
    monkeypatch.delenv("PYTHONPATH")
    assert inside(tmp_path, inside=True)["PYTHONPATH"] == ours


@pytest.mark.integration
def test_pauses_of_the_collector_are_told_for_each_worker(tmp_path: Path) -> None:
    environment = inside(tmp_path, inside=True)
    with (
        nothing_left_behind(),
        gunicorn.started_gunicorn(tmp_path, "--workers=2", environment=environment) as server,
    ):
        began_ns = time.monotonic_ns()
        with (
            watching(python, gunicorn.component(server), Place(folder=tmp_path), inside=True) as watched,
            load(server.port, "/cycles/20000"),
        ):
            watched.until(lambda _: len({event.subject for event in watched.of_kind("gc_pause")}) == 2)
            values = watched.until(lambda now: now["collections", "generation:2"] >= 2)
    assert {event.facts["pid"] for event in watched.of_kind("gc_pause")} <= set(_pids_told(tmp_path))
    for pause in watched.of_kind("gc_pause"):
        assert 0.001 <= pause.facts["duration_s"] < 5
        assert pause.facts["kind"] in ("generation 0", "generation 1", "generation 2")
        assert pause.t_ns > began_ns - 60 * 10**9
    assert values["collections", "generation:0"] > values["collections", "generation:2"]
    assert values["collected", ""] > 20_000
    assert values["gc_pause_s", ""] > 0
    assert server.log.read_text().count("rror") == 0


def _pids_told(folder: Path) -> list[int]:
    return [int(path.name.partition("-")[0]) for path in (folder / "inside").iterdir()]


@pytest.mark.integration
def test_the_line_that_leaks_is_named_first(tmp_path: Path) -> None:
    options = {"memory_sites": True, "memory_after": Seconds(0), "memory_every": Seconds(0.5)}
    environment = inside(tmp_path, **options)
    with nothing_left_behind(), gunicorn.started_gunicorn(tmp_path, environment=environment) as server:
        line = next(n for n, text in enumerate(gunicorn.APP.splitlines(), 1) if "kept.append" in text)
        component, place = gunicorn.component(server), Place(folder=tmp_path)
        with watching(python, component, place, **options) as watched, load(server.port, "/leak/10000"):
            values = watched.until(lambda now: now["site_growth_bytes", f"shop.py:{line}"] > 3_000_000)
    sites = watched.of_kind("memory_sites")[-1].facts["sites"]
    assert sites[0]["place"] == f"shop.py:{line}"
    assert sites[0]["growth_bytes"] / sites[0]["growth_blocks"] == pytest.approx(10_000, rel=0.05)
    assert all(site["growth_bytes"] <= sites[0]["growth_bytes"] for site in sites)
    assert values["site_bytes", f"shop.py:{line}"] >= values["site_growth_bytes", f"shop.py:{line}"]
    assert len(sites) <= 10


CALLER = """\
import time
kept = []
def helper():
    kept.append(bytearray(20000))
def leaks():
    helper()
def does_not():
    helper()
    kept.pop()
print("up", flush=True)
while True:
    leaks()
    does_not()
    time.sleep(0.001)
"""


@pytest.mark.integration
def test_with_more_depth_the_line_that_called_is_told_too(tmp_path: Path) -> None:
    options = {
        "memory_sites": True, "memory_after": Seconds(0), "memory_every": Seconds(0.2), "memory_depth": 2,
    }  # fmt: skip
    with (
        program(CALLER, inside(tmp_path, **options)) as process,
        watching(python, as_component(process, is_ours=True), Place(folder=tmp_path), **options) as watched,
    ):
        watched.until(lambda _: watched.of_kind("memory_sites"))
    assert watched.of_kind("memory_sites")[-1].subject == "<string>:4 < <string>:6"


FORKS = """\
import gc, os, sys, threading
gc.disable()  # looks at the memory make objects: on a slow machine enough for collections of their own
print("up", flush=True)
sys.stdin.readline()
for n in range(3):
    pid = os.fork()
    if pid == 0:
        for _ in range(n + 1):
            gc.collect()
        sys.exit(0)
    if os.waitpid(pid, 0)[1]:
        print("a child died", flush=True)
gc.collect()
print(len(os.listdir("/proc/self/task")), flush=True)
"""


def interpreters() -> list[str]:
    """Pythons of this machine from 3.8 on that run: the one of the tests, and those of pyenv and the PATH.

    In a short run the oldest and the newest of those beside that of the tests.
    """
    path_by_version = {sys.version_info[:2]: sys.executable}
    folders = [Path("/usr/bin"), Path("/usr/local/bin")]
    folders += [path / "bin" for path in Path.home().glob(".pyenv/versions/3.*")]
    for folder in folders:
        for minor in range(8, 20):
            path = folder / f"python3.{minor}"
            if path.exists():
                path_by_version.setdefault((3, minor), str(path))
    others = sorted(path_by_version.keys() - {sys.version_info[:2]})
    tried = [sys.version_info[:2], *length(dict.fromkeys((*others[:1], *others[-1:])), others)]
    return [path_by_version[version] for version in tried]


@pytest.mark.integration
@pytest.mark.parametrize("interpreter", interpreters(), ids=lambda path: Path(path).name)
def test_a_server_that_forks_goes_on_and_every_child_counts_for_itself(
    tmp_path: Path, interpreter: str
) -> None:
    # -W error: since 3.12 a fork of a process with threads warns, which this makes an error.
    environment = {
        **inside(tmp_path, memory_sites=True, memory_after=Seconds(0), memory_every=Seconds(0.1)),
        "PYTHONWARNINGS": "error",
    }
    with program(FORKS, environment, interpreter) as process:
        output = to_its_end(process)
    assert output.strip() == "2", "our thread is there, and nothing else was said"
    assert process.returncode == 0
    explicit = sorted(_collections(path) for path in (tmp_path / "inside").iterdir())
    assert explicit == [1, 1, 2, 3], "of the parent and the three children"


STOPS = """\
import importlib.util, os, sys, time
spec = importlib.util.spec_from_file_location("inside", sys.argv[1])
inside = importlib.util.module_from_spec(spec)
spec.loader.exec_module(inside)
print("up", flush=True)
sites = inside.Sites(inside.File(sys.argv[2]), 0.0, 0.001, 1)
most = 0
for _ in range(200):
    time.sleep(0.001)
    sites.stop()
    most = max(most, len(os.listdir("/proc/self/task")))
    sites.start()
print(most, flush=True)
"""


@pytest.mark.integration
@pytest.mark.parametrize("interpreter", interpreters(), ids=lambda path: Path(path).name)
def test_no_thread_of_ours_is_there_when_a_server_forks(tmp_path: Path, interpreter: str) -> None:
    """A thread that is about to end loads a library, and a child that is forked meanwhile dies."""
    source = Path(python.__file__).with_name("_inside") / "inside.py"
    code = f"import sys\nsys.argv[1:] = {[str(source), str(tmp_path)]!r}\n{STOPS}"
    with program(code, interpreter=interpreter) as process:
        assert to_its_end(process) == "1\n"


def _collections(path: Path) -> int:
    """Full collections that were asked for; Python's end makes others, which come after the last line."""
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert lines[0]["pid"] == int(path.name.partition("-")[0])
    last = max((line for line in lines if "counts" in line), key=lambda line: line["t"])
    return int(last["counts"][2])


def test_counters_that_two_threads_wrote_at_once_do_not_go_back(tmp_path: Path) -> None:
    def counted(t: int, collections: int) -> str:
        return json.dumps(
            {"counts": [0, 0, collections], "paused": 0, "collected": 0, "uncollectable": 0, "t": t}
        )

    (tmp_path / "1-1.jsonl").write_text(f"{counted(20, 2)}\n{counted(10, 1)}\n", encoding="utf-8")
    samples, _ = InsideReader(tmp_path, "python").read(30)
    assert [sample.value for sample in samples if sample.subject == "generation:2"] == [2.0]


@pytest.mark.integration
def test_a_sitecustomize_of_the_user_still_runs(tmp_path: Path) -> None:
    (tmp_path / "theirs").mkdir()
    (tmp_path / "theirs/sitecustomize.py").write_text("import sys; sys.theirs = __name__, __file__\n")
    ours = inside(tmp_path, inside=True)
    environment = {**ours, "PYTHONPATH": f"{ours['PYTHONPATH']}:{tmp_path / 'theirs'}"}
    code = "import sys, gc\nprint('up', flush=True)\nprint(sys.theirs, len(gc.callbacks), sys.path)\n"
    with program(code, environment) as process:
        output = to_its_end(process)
    assert output.startswith(f"('sitecustomize', '{tmp_path}/theirs/sitecustomize.py') 1 ")
    assert "_inside" not in output, "the application's path is as it was"


@pytest.mark.integration
@pytest.mark.parametrize("fault", ["no folder", "not json", "no variable"])
def test_whatever_is_wrong_with_us_the_server_starts_in_silence(tmp_path: Path, fault: str) -> None:
    environment = dict(
        inside(tmp_path, memory_sites=True, memory_after=Seconds(0), memory_every=Seconds(0.1))
    )
    if fault == "no folder":
        (tmp_path / "inside").rmdir()
    else:
        environment["LOADRIG_INSIDE"] = "{" if fault == "not json" else "{}"
    code = "import gc\nprint('up', flush=True)\ngc.collect()\nprint('served')\n"
    with program(code, environment) as process:
        output = to_its_end(process)
    assert output == "served\n"
    assert process.returncode == 0


@pytest.mark.integration
def test_a_server_that_should_tell_and_does_not_is_remarked_upon_once(
    tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    with program(IDLE) as process:
        session = python.attach(
            python.Options(inside=True), as_component(process, is_ours=True), Place(folder=tmp_path)
        )
        for n in range(5):
            session.sample(10**9 * (1 + n * 15))
        notes = [event for event in session.events() if event.kind == "note"]
        session.detach()
    assert len(notes) == 1
    assert wording(notes[0].text, tmp_path) == snapshot


@pytest.mark.integration
def test_the_server_is_listened_to_where_it_may_not_be_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, deadline: Deadline
) -> None:
    monkeypatch.setattr(_gil, "program", lambda: None)
    code = "import gc, time\nprint('up', flush=True)\nwhile True:\n    gc.collect(); time.sleep(0.01)\n"
    with (
        program(code, inside(tmp_path, inside=True)) as process,
        watching(python, as_component(process, is_ours=True), Place(folder=tmp_path), inside=True) as watched,
    ):
        watched.until(lambda now: now["collections", "generation:2"] > 10, deadline.left_s)
    assert "py-spy" in watched.of_kind("note")[0].text
    assert not [sample for sample in watched.samples if sample.metric == "looks"]

"""A burst finds what a real server spends its CPU time on: the class that was planted comes first."""

import shutil
import subprocess
from pathlib import Path
from types import ModuleType

import pytest

from loadrig.base.component import Component
from loadrig.profilers import decoded, encoded, fold, go_pprof, own_of, perf, py_spy
from tests.lengths import length
from tests.profilers import planted, programs
from tests.servers import go, nginx, node
from tests.servers._daemon import program

pytestmark = pytest.mark.integration


def first_class(
    module: ModuleType, component: Component, folder: Path, besides: frozenset[str] = frozenset()
) -> str:
    """Return the class with most time in a burst, as it is kept and read back.

    besides: what does not count.
    """
    options = getattr(module, "BURST", None) or module.Options()
    raw = module.take(options, component, programs.shot(folder, 2.0))
    profile = decoded(raw.pprof or encoded(raw.profile))
    folded = fold(profile, own_of(component, raw.pid or 0))
    assert folded.total_ns == profile.time_ns > 0
    by_class = folded.by_class(folded.time_ns)
    return max(by_class.keys() - besides, key=lambda work: by_class[work])


BESIDES: frozenset[str] = frozenset({"collector", "own"})
"""Classes that a Go server that encodes takes as well: its collector removes what encoding leaves, and its
own code is more of a short burst where others have the cores."""


WORKS = [
    ("json", "serialise"),
    # A handshake is user time in C without the lock, which kept connections spare.
    ("handshake", "connect"),
    ("own", "own"),
    ("zlib", "compress"),
    ("re", "regex"),
    ("log", "log"),
    ("ssl", "tls"),
]
"""Kinds of work of a Python server, and the classes that they are told as. What each function belongs to
is tested with the table, so a short run tries one of Python and one of C."""


@pytest.mark.parametrize(("work", "expected"), WORKS[: length(2, len(WORKS))])
def test_what_a_python_server_burns_its_time_on_comes_first(work: str, expected: str, tmp_path: Path) -> None:
    if has_tls := work in ("ssl", "handshake"):
        make = "req -x509 -newkey rsa:4096 -nodes -keyout key.pem -out cert.pem -days 2 -subj /CN=shop"
        openssl = program("openssl", "apt-get install openssl")
        subprocess.run([openssl, *make.split()], cwd=tmp_path, check=True, capture_output=True)
    with (
        planted.burning(work, tmp_path) as server,
        planted.kept_busy(server.port, has_tls=has_tls, closes=work == "handshake"),
    ):
        # What is planted comes beside the server's own code, which is more of it where others have the cores.
        besides = frozenset({"own"}) - {expected}
        assert first_class(py_spy, server.component(), tmp_path, besides) == expected


def test_a_go_server_that_encodes_is_found_by_its_own_profile(tmp_path: Path) -> None:
    with (
        go.started_go(go.build("watched", tmp_path), tmp_path) as server,
        planted.kept_busy(server.port, "/json"),
    ):
        assert first_class(go_pprof, server.component(), tmp_path, BESIDES) == "serialise"


def has_perf() -> None:
    if shutil.which("perf") is None:
        pytest.skip("perf is not installed: apt-get install linux-perf")


@pytest.mark.nightly
def test_a_go_server_without_pages_is_found_by_perf(tmp_path: Path) -> None:
    has_perf()
    with (
        go.started_go(go.build("plain", tmp_path), tmp_path) as server,
        planted.kept_busy(server.port, "/json"),
    ):
        assert first_class(perf, server.component(), tmp_path, BESIDES) == "serialise"


@pytest.mark.parametrize(
    ("path", "expected"), [("/json", "serialise"), ("/burn?n=3000000", "own")][: length(1, 2)]
)
def test_a_node_that_writes_a_perf_map_is_found_by_perf(path: str, expected: str, tmp_path: Path) -> None:
    has_perf()
    with (
        node.started_node("classic.cjs", tmp_path, "--perf-basic-prof") as server,
        planted.kept_busy(server.port, path),
    ):
        work = first_class(perf, server.component(), tmp_path)
        Path(f"/tmp/perf-{server.pid}.map").unlink(missing_ok=True)
    assert work == expected


def test_an_nginx_that_compresses_is_found_by_perf(tmp_path: Path) -> None:
    has_perf()
    (tmp_path / "page.html").write_text("".join(f"<p>line {n * n} of a page</p>\n" for n in range(40_000)))
    how = "gzip on; gzip_comp_level 9; gzip_types *; gzip_http_version 1.0;"
    gzip = f"location = /page.html {{ root {tmp_path}; {how} }}"
    with nginx.started_nginx(tmp_path, gzip) as server:
        component = Component("server", "nginx", runtime="native", pid=server.pid)
        with planted.kept_busy(server.port, "/page.html", headers={"Accept-Encoding": "gzip"}):
            assert first_class(perf, component, tmp_path) == "compress"


@pytest.mark.nightly
def test_a_native_program_with_frame_pointers_is_found_by_perf(tmp_path: Path) -> None:
    has_perf()
    with programs.busy_native(tmp_path) as component:
        assert first_class(perf, component, tmp_path) == "own"

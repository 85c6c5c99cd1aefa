"""The wheel of dist/ in a clean place: no checkout, no compiler, empty caches; `make wheels` builds it.

Packages are fetched from an index, so these tests are in their lane at full length alone.
"""

import os
import shutil
import subprocess
import sys
import time
import venv
from pathlib import Path

import pytest

from tests.house.places import ROOT
from tests.integration.servers import serving

pytestmark = [pytest.mark.integration, pytest.mark.nightly]

MACHINE = os.uname().machine

DEADLINE_S = 240.0
"""Seconds after which a test fails. How long the first answer takes is printed: an index may be slow."""

ASKED_FOR_S = 60.0
"""Seconds in which the first answer should be there after the first command."""

TOOLS = ROOT / ".tools" / "wheels" / "bin"
"""Programs that scripts/wheels.sh has installed: uv, pipx."""

ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

FROM_OUTSIDE = ("PIP_", "UV_", "SSL_", "http_proxy", "https_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY")
"""Beginnings of the variables that say where packages come from: they belong to the machine."""


@pytest.fixture(scope="module")
def wheel() -> Path:
    """Return the wheel for this machine."""
    wheels = list((ROOT / "dist").glob(f"*_{MACHINE}.whl"))
    if not wheels:
        pytest.skip("no wheel for this machine in dist/: make wheels")
    return wheels[0]


@pytest.fixture
def clean(tmp_path: Path) -> dict[str, str]:
    """Return an environment with a home of its own, the tools and Python, and nothing of the checkout."""
    programs = tmp_path / "programs"
    programs.mkdir()
    for name in ("uv", "uvx", "pipx"):
        if not (TOOLS / name).exists():
            pytest.skip("no uv and pipx in .tools: make wheels")
        (programs / name).symlink_to(TOOLS / name)
    environment = {name: value for name, value in os.environ.items() if name.startswith(FROM_OUTSIDE)}
    home = tmp_path / "home"
    home.mkdir()
    environment |= {
        "HOME": str(home),
        "PATH": f"{programs}:/usr/bin:/bin",
        "NO_COLOR": "1",
        "LANG": "C.UTF-8",
    }
    environment |= {"UV_PYTHON": os.path.realpath(sys.executable), "UV_PYTHON_DOWNLOADS": "never"}
    environment |= {"PIPX_DEFAULT_PYTHON": os.path.realpath(sys.executable)}
    assert shutil.which("cargo", path=environment["PATH"]) is None
    return environment


def answered(argv: list[str], environment: dict[str, str], folder: Path) -> str:
    """Run a command in an empty folder and return what it prints; fails the test where it fails."""
    place = folder / "elsewhere"
    place.mkdir(exist_ok=True)
    done = subprocess.run(
        argv, cwd=place, env=environment, capture_output=True, text=True, timeout=DEADLINE_S, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def attacked(words: list[str], environment: dict[str, str], folder: Path) -> None:
    """Attack a server of this test's own by the program that words begin, and look at what it answers."""
    with serving(
        lambda connection: connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
    ) as port:
        url = f"http://127.0.0.1:{port}/"
        out = answered([*words, "attack", url, "--close", "-c", "2", "-z", "2s"], environment, folder)
    assert url in out
    assert list(folder.glob("elsewhere/runs/*/report.html"))


def tell(what: str, began: float) -> None:
    """Print how long the first answer took."""
    seconds = time.monotonic() - began
    verdict = "within" if seconds <= ASKED_FOR_S else "longer than"
    print(f"{what}: first answer after {seconds:.1f} s, {verdict} {ASKED_FOR_S:.0f} s")


def test_uvx_loads_a_server_with_nothing_installed(
    wheel: Path, clean: dict[str, str], tmp_path: Path
) -> None:
    began = time.monotonic()
    attacked(["uvx", "--from", str(wheel), "loadrig"], clean, tmp_path)
    tell("uvx", began)


def test_pipx_installs_a_program_that_works(wheel: Path, clean: dict[str, str], tmp_path: Path) -> None:
    began = time.monotonic()
    answered(["pipx", "install", str(wheel)], clean, tmp_path)
    program = Path(clean["HOME"]) / ".local" / "bin" / "loadrig"
    attacked([str(program)], clean, tmp_path)
    tell("pipx", began)
    shown = answered([str(program), "explain", "gunicorn.workers"], clean, tmp_path)
    assert "gunicorn.workers" in shown
    assert "complete" in answered([str(program), "completion", "bash"], clean, tmp_path)
    assert ".TH" in answered([str(program), "man"], clean, tmp_path)
    place = answered(
        [str(program.resolve().with_name("python")), "-c", "import loadrig; print(loadrig.__file__)"],
        clean,
        tmp_path,
    )
    assert not place.startswith(str(ROOT))


def test_a_root_with_python_alone_runs_it(wheel: Path, clean: dict[str, str], tmp_path: Path) -> None:
    if os.geteuid() or shutil.which("unshare") is None:
        pytest.skip("a root of its own needs root and unshare")
    place = tmp_path / "venv"
    venv.EnvBuilder(symlinks=False).create(place)
    install = ["uv", "pip", "install", "--quiet", "--python", str(place / "bin" / "python"), str(wheel)]
    answered(install, clean, tmp_path)
    # The home with cargo, and the checkout, are hidden beneath empty folders.
    hidden = [path for path in (Path.home() / ".cargo", ROOT) if path.is_dir() and path not in place.parents]
    mounts = "; ".join(f"mount -t tmpfs none '{path}'" for path in hidden)
    script = f"{mounts}; exec '{place}/bin/loadrig' \"$@\""
    attacked(["unshare", "--mount", "sh", "-ec", script, "loadrig"], clean, tmp_path)

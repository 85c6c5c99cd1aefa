"""Checks for macOS: every crate but that which asks Linux's kernel; what is missing is named."""

import os
import re
import shutil
import subprocess
from pathlib import Path

from tests.house.places import ROOT

SCRIPT = ROOT / "scripts" / "macos.sh"

ONLY_ON_LINUX = {"loadrig-probes"}


def test_every_crate_that_may_run_there_is_checked() -> None:
    checked = set(re.findall(r"-p ([a-z-]+)", SCRIPT.read_text(encoding="utf-8")))
    crates = {path.parent.name for path in (ROOT / "crates").glob("*/Cargo.toml")}
    assert checked == crates - ONLY_ON_LINUX


def test_without_a_compiler_for_it_that_is_named_and_nothing_fails(tmp_path: Path) -> None:
    place = tmp_path / "scripts"
    place.mkdir()
    shutil.copy(SCRIPT, place)
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in ("sh", "dirname", "uname"):
        (programs / name).symlink_to(shutil.which(name) or name)
    done = subprocess.run(
        [place / SCRIPT.name], env={**os.environ, "PATH": str(programs)}, capture_output=True, text=True,
        timeout=60, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (0, "")
    assert "zig" in done.stderr

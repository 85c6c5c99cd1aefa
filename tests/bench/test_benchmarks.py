"""The benchmarks run and write what they measured. How fast anything was is not looked at here."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

BENCH = Path(__file__).parents[2] / "bench"
SEARCHED = f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin"

needs_rivals = pytest.mark.skipif(
    not (shutil.which("nginx", path=SEARCHED) and shutil.which("wrk", path=SEARCHED)),
    reason="no nginx or no wrk on this machine: apt install nginx wrk",
)
needs_two_cores = pytest.mark.skipif(
    not {0, 1} <= os.sched_getaffinity(0), reason="the benchmarks need cores 0 and 1, one for each side"
)


def run(script: str, *words: str, path: str | None = None) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, str(BENCH / script), *words],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env={**os.environ, **({"PATH": path} if path is not None else {})},
    )


def written(folder: Path) -> dict[str, Any]:
    (path,) = folder.glob("*.json")
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


@needs_rivals
@needs_two_cores
@pytest.mark.integration
def test_the_generator_is_compared_with_wrk(tmp_path: Path) -> None:
    done = run("generator.py", "--blocks", "1", "--seconds", "1", "--results", str(tmp_path))
    # 1 says that a goal was missed, which a busy machine may do to anyone.
    assert done.returncode in (0, 1), done.stderr
    assert "requests per client CPU second" in done.stdout
    found = written(tmp_path)
    for runs in found["generator"]["runs"].values():
        assert [run["requests"] > 0 and run["cpu_s"] > 0 and run["peak_bytes"] > 0 for run in runs] == [True]
    assert found["machine"]["cores"] >= 2


@needs_rivals
@pytest.mark.integration
def test_the_probes_cost_is_measured(tmp_path: Path) -> None:
    done = run("observer.py", "--samples", "3", "--results", str(tmp_path))
    assert done.returncode == 0, done.stderr
    costs = written(tmp_path)["observer"]["sample_us"]
    assert "process" in costs
    assert all(cost["n"] == 3 for cost in costs.values())


def test_a_missing_rival_is_named_with_its_package(tmp_path: Path) -> None:
    done = run("generator.py", "--results", str(tmp_path), path=str(tmp_path))
    if (Path("/usr/local/sbin") / "wrk").exists() or (Path("/usr/sbin") / "wrk").exists():
        pytest.skip("wrk is in a folder that is always searched")
    assert done.returncode == 1
    assert "apt-get install wrk" in done.stderr
    assert list(tmp_path.iterdir()) == []

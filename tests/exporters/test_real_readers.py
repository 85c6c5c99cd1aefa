"""Exported files as the tools themselves read them: JMeter's report generator, and `vegeta report`."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from loadrig.base import members
from loadrig.exporters import ExportedTrial, exported_trial
from loadrig.testing.synthetic import Route, write_recording

# Both come from a package index as large programs: whoever has them runs these at full length.
pytestmark = [pytest.mark.integration, pytest.mark.nightly]

ROUTES = (
    Route("search", share=0.6, outcomes={"http_5xx": 0.05, "timeout": 0.05, "check_failed": 0.02}),
    Route("a cart, of=two\\", share=0.4),
)

RUN_S = 100


@pytest.fixture(scope="module")
def trial(tmp_path_factory: pytest.TempPathFactory) -> ExportedTrial:
    folder = tmp_path_factory.mktemp("trial") / "trial"
    write_recording(folder, rates=(200.0,) * 15, routes=ROUTES)
    return exported_trial(folder)


def exported(trial: ExportedTrial, name: str, path: Path) -> Path:
    with path.open("wb") as file:
        members.load("loadrig.exporters", name).write(trial, file)
    return path


def program_of(name: str, package: str) -> str:
    program = shutil.which(name)
    if program is None:
        pytest.skip(f"{name} is not on this machine: {package}")
    return program


def test_jmeters_report_generator_finds_the_requests_failures_and_quantiles(
    trial: ExportedTrial, tmp_path: Path
) -> None:
    jmeter = program_of("jmeter", "org.apache.jmeter:ApacheJMeter of Maven")
    file = exported(trial, "jtl", tmp_path / "shop.jtl")
    words = [jmeter, "-g", str(file), "-o", str(tmp_path / "report"), "-j", str(tmp_path / "log")]
    done = subprocess.run(words, capture_output=True, text=True, timeout=RUN_S, check=False, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    statistics = json.loads((tmp_path / "report" / "statistics.json").read_text(encoding="utf-8"))
    outcomes = trial.document.outcomes
    assert set(statistics) == {"Total", *(route.name for route in ROUTES)}
    assert statistics["Total"]["sampleCount"] == sum(outcomes.values())
    assert statistics["Total"]["errorCount"] == sum(outcomes.values()) - outcomes["ok"]
    # A route without failures has good answers alone, whose quantiles are those of the recording.
    window = trial.recording.measured
    times = trial.recording.histogram(ROUTES[1].name, "ok", from_ns=window.from_ns, to_ns=window.to_ns)
    for share, name in ((0.9, "pct1ResTime"), (0.95, "pct2ResTime"), (0.99, "pct3ResTime")):
        expected = times.quantile_ns(share) / 1e6
        assert statistics[ROUTES[1].name][name] == pytest.approx(expected, rel=0.03, abs=1.0)
    assert (tmp_path / "report" / "index.html").is_file()


def test_vegetas_report_finds_the_requests_failures_and_quantiles(
    trial: ExportedTrial, tmp_path: Path
) -> None:
    vegeta = program_of("vegeta", "github.com/tsenart/vegeta/v12 of the Go registry")
    file = exported(trial, "vegeta", tmp_path / "shop.json")
    words = [vegeta, "report", "-type", "json", str(file)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=RUN_S, check=False)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    outcomes = trial.document.outcomes
    assert report["requests"] == sum(outcomes.values())
    assert report["success"] == pytest.approx(outcomes["ok"] / report["requests"], abs=1e-9)
    assert report["rate"] == pytest.approx(200.0, rel=0.1)
    times = trial.document.latency_ms.good
    assert times is not None
    # Most are good, so the median of all lies near that of the good ones.
    assert report["latencies"]["50th"] / 1e6 == pytest.approx(times.p50, rel=0.1)

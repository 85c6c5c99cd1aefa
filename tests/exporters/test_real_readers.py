"""Exported files as the tools themselves read them, JMeter, vegeta, InfluxData; and as k6 writes its own."""

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from loadrig.base import members
from loadrig.exporters import ExportedTrial, exported_trial, series_rows
from loadrig.publishers import influx
from loadrig.testing.synthetic import Route, write_recording
from tests.go_programs import built_by_go
from tests.integration import servers
from tests.publishers.test_told import news

# They come from a package index as large programs: whoever has them runs these at full length.
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


LINES = Path(__file__).with_name("influx_lines")
"""Source of a program that reads lines by InfluxData's own decoder, for Go."""


def points(text: bytes, folder: Path) -> list[dict[str, Any]]:
    """Return what InfluxData's decoder reads; it refuses the whole for a line that it cannot read."""
    program = built_by_go(LINES, folder, "no reader of InfluxDB's lines is here, and")
    done = subprocess.run([program], input=text, capture_output=True, timeout=RUN_S, check=False)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_the_decoder_of_influxdata_reads_every_row(trial: ExportedTrial, tmp_path: Path) -> None:
    read = points(exported(trial, "influx", tmp_path / "shop.line").read_bytes(), tmp_path)
    rows = list(series_rows(trial))
    assert len(read) == len(rows) > 100
    for point, row in zip(read, rows, strict=True):
        assert (point["measurement"], point["t_ns"]) == (row.probe, row.t_ns)
        assert point["fields"] == {row.metric: row.value}
        tags = {"plan": trial.name, "component": row.component, "subject": row.subject}
        assert point["tags"] == {key: value for key, value in tags.items() if value}


def test_the_decoder_of_influxdata_reads_what_is_told_while_a_run_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "load.line"
    with influx.begin(str(path), "my shop, of=two") as receiver:
        receiver.take(news())
    second, tier, good, failed = points(path.read_bytes(), tmp_path)
    assert {point["tags"]["plan"] for point in (second, tier, good, failed)} == {"my shop, of=two"}
    assert (second["fields"]["due_per_second"], tier["fields"]["cores"]) == (100, 1.5)
    assert (good["fields"]["total"], failed["fields"]["total"]) == (95, 5)


SCRIPT = """
import http from "k6/http";
export const options = {
  iterations: 5,
  summaryTrendStats: ["avg", "min", "med", "max", "p(90)", "p(95)", "p(99)"],
  thresholds: {http_req_duration: ["max<0.000001", "max<100000"]},
};
export default function () { http.get(__ENV.URL); }
"""
"""Script whose first threshold is missed, and whose second is met."""


def test_the_summary_has_the_form_that_k6_gives_its_own(trial: ExportedTrial, tmp_path: Path) -> None:
    k6 = program_of("k6", "go.k6.io/k6 of the Go registry")
    (tmp_path / "script.js").write_text(SCRIPT, encoding="utf-8")
    with servers.serving(servers.ok, keep_open=True) as port:
        words = [k6, "run", "--quiet", "--no-usage-report", "--summary-export", "own.json", "script.js"]
        environment = {**os.environ, "HOME": str(tmp_path), "URL": f"http://127.0.0.1:{port}/"}
        subprocess.run(
            words, cwd=tmp_path, env=environment, capture_output=True, timeout=RUN_S, check=False
        )  # its exit code says that a threshold was missed
    own = json.loads((tmp_path / "own.json").read_text(encoding="utf-8"))
    ours = json.loads(exported(trial, "k6", tmp_path / "ours.json").read_text(encoding="utf-8"))
    assert ours.keys() == own.keys()
    assert ours["root_group"] == own["root_group"]
    # As k6 writes it, true is a threshold that was missed.
    assert list(own["metrics"]["http_req_duration"].pop("thresholds").values()) == [True, False]
    shared = ours["metrics"].keys() & own["metrics"].keys()
    assert shared == {name for name in ours["metrics"] if not name.startswith("loadrig_")}
    for name in shared:
        assert ours["metrics"][name].keys() == own["metrics"][name].keys()
    assert ours["metrics"]["loadrig_response"].keys() == own["metrics"]["http_req_duration"].keys()

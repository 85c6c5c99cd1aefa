"""A run that is told to a real collector of OpenTelemetry: its metrics and logs are those that were sent."""

import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from loadrig.publishers import otlp
from tests.go_programs import built_by_go
from tests.integration.test_prometheus import WITHIN_S
from tests.publishers.test_pushed import TIMES_MS, pushed_news
from tests.servers._daemon import free_port

# To build a collector takes both cores for a minute, which tests beside it need.
pytestmark = [pytest.mark.integration, pytest.mark.nightly]

SOURCE = Path(__file__).with_name("collector")
"""Source of a collector with a receiver of OTLP and an exporter that prints, for Go."""

PROGRAMS = ("otelcol", "otelcorecol", "otelcol-contrib")
NEEDED = "no collector of OpenTelemetry is installed (otelcol), and"

CONFIG = """
receivers: {otlp: {protocols: {http: {endpoint: "127.0.0.1:%d"}, grpc: {endpoint: "127.0.0.1:%d"}}}}
exporters: {debug: {verbosity: detailed}}
service:
  telemetry: {metrics: {level: none}}
  pipelines:
    metrics: {receivers: [otlp], exporters: [debug]}
    logs: {receivers: [otlp], exporters: [debug]}
"""


def collector_program(folder: Path) -> str:
    """Return the path of a collector, built if need be; skips the test where none can be had."""
    installed = next(filter(None, map(shutil.which, PROGRAMS)), None)
    if installed is not None:
        return installed
    return built_by_go(SOURCE, folder, NEEDED)


@dataclass(frozen=True, slots=True)
class RunningCollector:
    """Collector that runs. urls: where it takes OTLP. printed: file of what it prints."""

    urls: tuple[str, str]
    printed: Path
    process: subprocess.Popen[bytes]

    def wait_for(self, *words: str, after: int = 0) -> str:
        """Return what it has printed after so many letters, as soon as all words are among that."""
        end_s = time.monotonic() + WITHIN_S
        while True:
            text = self.printed.read_text(encoding="utf-8")[after:]
            if all(word in text for word in words):
                return text
            assert self.process.poll() is None, text
            assert time.monotonic() < end_s, text
            time.sleep(0.05)


@contextmanager
def collector(folder: Path) -> Iterator[RunningCollector]:
    program, printed = collector_program(folder), folder / "printed"
    ports = free_port(), free_port()
    (folder / "collector.yaml").write_text(CONFIG % ports)
    words = [program, "--config", f"file:{folder / 'collector.yaml'}"]
    with printed.open("wb") as file, subprocess.Popen(words, stdout=file, stderr=file) as process:
        urls = f"http://127.0.0.1:{ports[0]}", f"grpc://127.0.0.1:{ports[1]}"
        running = RunningCollector(urls, printed, process)
        try:
            running.wait_for("Everything is ready")
            yield running
        finally:
            process.terminate()


def value_of(printed: str, metric: str, field: str) -> float:
    """Return a figure of the first point of a metric, as the collector printed it."""
    _, _, rest = printed.partition(f"-> Name: {metric}\n")
    match = re.search(rf"^ *{field}: ([-+.e\d]+)$", rest.partition("-> Name: ")[0], re.MULTILINE)
    assert match, f"{metric} has no {field}:\n{rest[:600]}"
    return float(match[1])


def test_a_collector_shows_the_metrics_and_logs_that_were_sent_either_way(tmp_path: Path) -> None:
    with collector(tmp_path) as running:
        before = 0
        for url in running.urls:
            with otlp.begin(url, "shop") as receiver:
                receiver.take(pushed_news())
            words = ("loadrig.request_duration", "EventName: restarted", "Body: Str(again)")
            printed = running.wait_for(*words, after=before)
            before += len(printed)
            look(printed)


def look(printed: str) -> None:
    """Look whether what a collector has printed is what was sent to it."""
    assert value_of(printed, "loadrig.good_per_second", "Value") == 95
    assert value_of(printed, "loadrig.requests", "Value") == 9
    assert value_of(printed, "loadrig.request_duration", "Count") == len(TIMES_MS)
    total_s = value_of(printed, "loadrig.request_duration", "Sum")
    assert total_s == pytest.approx(sum(TIMES_MS) / 1000, rel=0.003)
    assert "DataType: ExponentialHistogram" in printed
    assert re.search(r"route: Str\(/cart\)", printed)

"""A run that is told to a real Prometheus: pushed to it, and scraped by it, with native histograms."""

import json
import shutil
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from loadrig._native import Histogram
from loadrig.following.document import SecondDocument, TrialNewsDocument
from loadrig.publishers import LiveNews, openmetrics, remote_write
from tests.servers._daemon import free_port

pytestmark = pytest.mark.integration

WITHIN_S = 20.0
"""Time in which Prometheus has to be up, and to answer: a second or two, more on a busy machine."""

CONFIG = """
scrape_configs:
  - job_name: scraped
    scrape_interval: 300ms
    scrape_timeout: 300ms
    static_configs: [{targets: ["127.0.0.1:%d"]}]
"""


@contextmanager
def prometheus(folder: Path, scraped_port: int) -> Iterator[str]:
    """Yield the URL of a Prometheus that scrapes a port of this machine."""
    program = shutil.which("prometheus")
    if program is None:
        pytest.skip("prometheus is not installed: apt-get install prometheus")
    (folder / "prometheus.yml").write_text(CONFIG % scraped_port)
    address = f"127.0.0.1:{free_port()}"
    words = [
        f"--config.file={folder / 'prometheus.yml'}", f"--storage.tsdb.path={folder / 'data'}",
        f"--web.listen-address={address}", "--web.enable-remote-write-receiver",
        "--enable-feature=native-histograms", "--log.level=error",
    ]  # fmt: skip
    with subprocess.Popen([program, *words], stderr=subprocess.DEVNULL) as server:
        try:
            wait_for(f"http://{address}/-/ready")
            yield f"http://{address}"
        finally:
            server.terminate()


def wait_for(url: str) -> None:
    end_s = time.monotonic() + WITHIN_S
    while True:
        try:
            with urllib.request.urlopen(url, timeout=WITHIN_S):
                return
        except OSError:
            assert time.monotonic() < end_s, url
            time.sleep(0.1)


def value(url: str, query: str) -> float:
    """Return the value of the only series of a query, as soon as there is one."""
    end_s = time.monotonic() + WITHIN_S
    while time.monotonic() < end_s:
        words = urllib.parse.urlencode({"query": query})
        with urllib.request.urlopen(f"{url}/api/v1/query?{words}", timeout=WITHIN_S) as answer:
            series = json.load(answer)["data"]["result"]
        if series:
            (only,) = series
            return float(only["value"][1])
        time.sleep(0.1)
    raise AssertionError(query)


def news_of_now() -> LiveNews:
    second = SecondDocument(
        t_s=round(time.time(), 3), planned=100.0, due=100.0, ok=95.0, failed=5.0, p50_s=0.01, p95_s=None,
        p99_s=0.2, in_flight=3, users=0, lag_s=None, busy_share=0.1,
    )  # fmt: skip
    times = Histogram()
    times.record(20_000_000, 95)
    trial = TrialNewsDocument(
        number=1, seconds=(second,), outcomes={"ok": 95}, counted_to_s=second.t_s, has_counted=True
    )
    return LiveNews(trial, {("/cart", "ok"): times})


def test_prometheus_is_pushed_and_scrapes_the_same_native_histogram(tmp_path: Path) -> None:
    port = free_port()
    with (
        openmetrics.begin(str(port), "shop") as page,
        prometheus(tmp_path, port) as url,
        remote_write.begin(f"{url}/api/v1/write", "shop") as writer,
    ):
        news = news_of_now()
        page.take(news)
        writer.take(news)
        for job in ("", "scraped"):
            which = f'{{job="{job}"}}'
            assert value(url, f"loadrig_good_per_second{which}") == 95
            assert value(url, f"loadrig_requests_total{which}") == 95
            name = f"loadrig_request_duration_seconds{which}"
            assert value(url, f"histogram_count({name})") == 95
            assert value(url, f"histogram_sum({name})") == pytest.approx(95 * 0.02, rel=0.01)
            assert value(url, f"histogram_quantile(0.5, {name})") == pytest.approx(0.02, rel=0.044)

"""News of a run as receivers get them."""

import argparse
import contextlib
import http.server
import io
import shutil
import socket
import subprocess
import threading
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from google.protobuf import proto
from prometheus_client.openmetrics.parser import text_string_to_metric_families

from loadrig._native import Histogram
from loadrig.base.errors import PlanError
from loadrig.cli import publish
from loadrig.cli.publish import WatchedReceiver
from loadrig.following.document import SecondDocument, TierDocument, TrialNewsDocument
from loadrig.publishers import LiveNews, influx, openmetrics, statsd
from loadrig.publishers._prometheus import message
from tests.servers._daemon import free_port


def news(ok: int = 95, *, quiet: bool = False) -> LiveNews:
    second = SecondDocument(
        t_s=1.0, planned=100.0, due=100.0, ok=95.0, failed=5.0, p50_s=0.01, p95_s=None, p99_s=0.2,
        in_flight=3, users=0, lag_s=None, busy_share=0.1,
    )  # fmt: skip
    tier = TierDocument(name='a"b,c|d\n', cores=1.5)
    seconds = () if quiet else (second,)
    return LiveNews(
        TrialNewsDocument(
            number=1,
            seconds=seconds,
            outcomes={"ok": ok, "timeout": 5},
            tiers=(tier,),
            counted_to_s=seconds[-1].t_s if seconds else 0.0,
            has_counted=bool(seconds),
        )
    )


def scraped(port: int, path: str = "/metrics") -> dict[tuple[str, ...], float]:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=60) as answer:
        text = answer.read().decode()
    families = text_string_to_metric_families(text)  # type: ignore[no-untyped-call]
    return {
        (sample.name, *(value for key, value in sorted(sample.labels.items()) if key != "plan")): sample.value
        for family in families
        for sample in family.samples
    }


def test_prometheus_scrapes_the_last_second() -> None:
    port = free_port()
    with openmetrics.begin(str(port), "shop") as receiver:
        assert scraped(port) == {}
        receiver.take(news())
        samples = scraped(port)
        assert samples[("loadrig_good_per_second",)] == 95
        assert samples[("loadrig_response_seconds", "0.99")] == 0.2
        assert samples[("loadrig_requests_total", "timeout")] == 5
        assert samples[("loadrig_cores", 'a"b,c|d\n')] == 1.5
        receiver.take(news(quiet=True))
        assert scraped(port) == samples
        part = TrialNewsDocument(
            number=1, outcomes={"ok": 97, "timeout": 5}, counted_to_s=1.2, has_counted=True
        )
        receiver.take(LiveNews(part))
        later = scraped(port)
        assert later[("loadrig_good_per_second",)] == 95
        assert later[("loadrig_requests_total", "ok")] == 97
        with pytest.raises(urllib.error.HTTPError):
            scraped(port, "/etc/passwd")


def test_only_a_summary_has_the_label_quantile() -> None:
    histogram = Histogram()
    histogram.record(2_000_000, 7)
    times = {("/cart", "ok"): histogram, ("/cart", "timeout"): histogram}
    port = free_port()
    with openmetrics.begin(str(port), "shop") as receiver:
        receiver.take(LiveNews(news().trial, times))
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=60) as answer:
            text = answer.read().decode()
    families = list(text_string_to_metric_families(text))  # type: ignore[no-untyped-call]
    assert {
        family.type for family in families for sample in family.samples if "quantile" in sample.labels
    } == {"summary"}
    counts = [sample.value for family in families for sample in family.samples if "_count" in sample.name]
    assert counts == [7]


@pytest.mark.integration
@pytest.mark.skipif(not shutil.which("promtool"), reason="promtool is not installed")
def test_promtool_does_not_object_to_the_quantiles() -> None:
    page = openmetrics.ScrapedPage("shop")
    page.take(news())
    lint = subprocess.run(
        ["promtool", "check", "metrics"], input=page.content, capture_output=True, timeout=60
    )
    # Its other words are of the counters, whose names OpenMetrics has without `_total` in their heads.
    assert b"quantile" not in lint.stderr


def test_a_port_in_use_is_an_error() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = str(server.getsockname()[1])
        with pytest.raises(OSError, match=r"in use"), openmetrics.begin(port, "shop"):
            pass


def test_statsd_is_told_what_has_grown() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
        server.bind(("127.0.0.1", 0))
        server.settimeout(10)
        with statsd.begin(f"127.0.0.1:{server.getsockname()[1]}", "my shop") as receiver:
            receiver.take(news())
            receiver.take(news(195))
            first, second = (server.recv(65536).decode().splitlines() for _ in range(2))
    assert "loadrig.good_per_second:95|g|#plan:my shop" in first
    assert 'loadrig.cores:1.5|g|#plan:my shop,component:a"b_c_d_' in first
    assert [line for line in second if "|c|" in line] == ["loadrig.requests:100|c|#plan:my shop,outcome:ok"]


def test_no_packet_is_larger_than_a_frame_and_no_line_is_lost() -> None:
    lines = [f"loadrig.x{number}:1|g".encode() for number in range(1000)]
    packets = list(statsd.packets(lines))
    assert max(map(len, packets)) <= statsd.MOST_BYTES
    assert b"\n".join(packets).split(b"\n") == lines


def test_lines_are_added_to_the_end_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "load.line"
    path.write_text("before v=1 1\n")
    with influx.begin(str(path), "my shop") as receiver:
        receiver.take(news())
        receiver.take(news(quiet=True))
    before, second, tier, good, failed = path.read_text().splitlines()
    assert before == "before v=1 1"
    assert second.startswith("loadrig,plan=my\\ shop due_per_second=100.0,")
    assert second.endswith("response_seconds_0.99=0.2 1000000000")
    assert tier == 'loadrig_tier,plan=my\\ shop,component=a"b\\,c|d\\  cores=1.5 1000000000'
    assert good == "loadrig_requests,plan=my\\ shop,outcome=ok total=95.0 1000000000"
    assert failed == "loadrig_requests,plan=my\\ shop,outcome=timeout total=5.0 1000000000"


def test_lines_count_the_requests_of_a_second_that_a_load_did_not_fill(tmp_path: Path) -> None:
    path = tmp_path / "load.line"
    with influx.begin(str(path), "shop") as receiver:
        part = TrialNewsDocument(number=1, outcomes={"ok": 97}, counted_to_s=1.2, has_counted=True)
        receiver.take(LiveNews(part))
    assert path.read_text() == "loadrig_requests,plan=shop,outcome=ok total=97.0 1200000000\n"


@pytest.mark.parametrize("status", [204, 302, 500])
def test_lines_are_posted_and_a_refusal_is_an_error(status: int, monkeypatch: pytest.MonkeyPatch) -> None:
    posted = []

    class WriteHandler(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            content = self.rfile.read(int(self.headers["Content-Length"]))
            posted.append((self.path, self.headers["Authorization"], content))
            self.send_response(status)
            self.send_header("Location", "http://127.0.0.1:9/other")
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            """Say nothing."""

    monkeypatch.setenv(influx.TOKEN, "of-a-test")
    with http.server.HTTPServer(("127.0.0.1", 0), WriteHandler) as server:
        thread = threading.Thread(target=server.handle_request)
        thread.start()
        with influx.begin(f"http://127.0.0.1:{server.server_port}/write?db=load", "shop") as receiver:
            if status == 204:
                receiver.take(news())
            else:
                with pytest.raises(OSError, match=str(status)):
                    receiver.take(news())
        thread.join()
    ((path, token, content),) = posted
    assert (path, token) == ("/write?db=load", "Token of-a-test")
    assert content.startswith(b"loadrig,plan=shop ")


class LostReceiver:
    def take(self, news: LiveNews) -> None:
        raise ConnectionRefusedError(111, f"Connection refused, {len(news.seconds)}")


def test_a_receiver_that_is_gone_is_named_once(capsys: pytest.CaptureFixture[str]) -> None:
    watched = WatchedReceiver("statsd=127.0.0.1:1", LostReceiver())
    for _ in range(3):
        watched.take(news())
    assert len(capsys.readouterr().err.splitlines()) == 1


class LateReceiver:
    """Receiver that takes news from its third call on."""

    def __init__(self) -> None:
        self.calls, self.news = 0, list[LiveNews]()

    def take(self, news: LiveNews) -> None:
        self.calls += 1
        if self.calls < 3:
            raise TimeoutError("it is late")
        self.news.append(news)


def test_the_last_news_are_told_again_to_who_did_not_take_them() -> None:
    receiver, last = LateReceiver(), news()
    watched = WatchedReceiver("otlp=grpc://127.0.0.1:1", receiver)
    watched.take(last)
    watched.end()
    assert receiver.news == [last]
    watched.end()
    assert receiver.calls == 3


def test_who_asks_for_protobuf_gets_native_histograms() -> None:
    port = free_port()
    with openmetrics.begin(str(port), "shop") as receiver:
        histogram = Histogram()
        histogram.record(2_000_000, 7)
        receiver.take(LiveNews(news().trial, {("/cart", "ok"): histogram}))
        accepts = f"{openmetrics.PROTOBUF_TYPE};q=0.6,text/plain;q=0.5"
        request = urllib.request.Request(f"http://127.0.0.1:{port}/metrics", headers={"Accept": accepts})
        with urllib.request.urlopen(request, timeout=60) as answer:
            kind, content = answer.headers["Content-Type"], io.BytesIO(answer.read())
    assert kind.startswith(openmetrics.PROTOBUF)
    families = {}
    while (family := proto.parse_length_prefixed(message("MetricFamily"), content)) is not None:
        families[family.name] = family
    assert families["loadrig_good_per_second"].metric[0].gauge.value == 95
    assert families["loadrig_response_seconds"].type == 2
    (metric,) = families["loadrig_response_seconds"].metric
    assert [label.value for label in metric.label] == ["shop"]
    assert metric.summary.sample_count == 7
    assert metric.summary.sample_sum == pytest.approx(0.014, rel=0.01)
    assert [(row.quantile, row.value) for row in metric.summary.quantile] == [(0.5, 0.01), (0.99, 0.2)]
    assert {metric.counter.value for metric in families["loadrig_requests_total"].metric} == {95, 5}
    (metric,) = families["loadrig_request_duration_seconds"].metric
    assert metric.histogram.sample_count == 7
    assert list(metric.histogram.positive_delta) == [7]


@pytest.mark.parametrize(("beside", "option"), [([], "--to"), (["--beside"], "--out")])
def test_a_place_that_is_none_is_named_by_the_option_that_was_typed(
    beside: list[str], option: str, tmp_path: Path
) -> None:
    parser = argparse.ArgumentParser()
    publish.configure(parser)
    arguments = parser.parse_args([str(tmp_path), "--to", "openmetrics=nowhere", *beside])
    with pytest.raises(PlanError) as refused:
        publish.run(arguments)
    where = refused.value.problems[0].where
    assert where is not None
    assert where.file == option


def test_a_receiver_that_cannot_be_begun_is_named_by_the_option_that_was_typed(tmp_path: Path) -> None:
    place = str(tmp_path / "nowhere" / "x.lines")
    with contextlib.ExitStack() as stack, pytest.raises(PlanError) as refused:
        list(publish._begun(stack, [("influx", place)], "shop", "--out"))
    where = refused.value.problems[0].where
    assert where is not None
    assert where.file == "--out"

"""Reports of each peer on its run, read from its output.

Each parser takes the output and the scratch file that the tool was asked to write (which may not
exist), and returns what it found. Latencies are in ms and are what the tool *says*, however it
counts. Recorded outputs of the real tools: tests/bench/recorded.
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.truth import QUANTILES, quantile

UNITS_MS = {"us": 1e-3, "ms": 1.0, "s": 1e3, "m": 6e4}


@dataclass(frozen=True)
class ToolReport:
    """requests: answered well; errors: failed or answered badly; dropped: due, but never sent."""

    requests: int
    per_second: float
    errors: int = 0
    latency_ms: Mapping[str, float] = field(default_factory=dict)
    dropped: int = 0


Parser = Callable[[str, Path], ToolReport]


def limit(text: str, _: Path) -> ToolReport:
    """Return the limit client's JSON."""
    document = json.loads(text)
    latency = {name: float(document[name]) for name in QUANTILES if name in document}
    return ToolReport(int(document["requests"]), float(document["per_second"]), int(document["bad"]), latency)


def wrk(text: str, _: Path) -> ToolReport:
    """Return the table of wrk --latency."""
    latency = {
        f"p{p}": _ms(value) for p in (50, 90, 99) if (value := _find(rf"^\s+{p}(?:\.000)?%\s+(\S+)", text))
    }
    if worst := _find(r"Latency\s+\S+\s+\S+\s+(\S+)", text):
        latency["max"] = _ms(worst)
    errors = int(_find(r"Non-2xx or 3xx responses: (\d+)", text) or 0)
    errors += sum(int(n) for n in re.findall(r"(?:connect|read|write|timeout) (\d+)", text))
    return ToolReport(
        int(_need(r"(\d+) requests in", text)),
        float(_need(r"Requests/sec:\s+([\d.]+)", text)),
        errors,
        latency,
    )


def wrk2(text: str, file: Path) -> ToolReport:
    """Return the same, and the detailed spectrum, which has every quantile."""
    plain = wrk(text, file)
    spectrum = [
        (float(q), float(ms))
        for ms, q in re.findall(r"^\s+([\d.]+)\s+(0\.\d+|1\.0+)\s+\d+", text, re.MULTILINE)
    ]
    latency = {
        name: next(ms for reached, ms in spectrum if reached >= q - 1e-9)
        for name, q in QUANTILES.items()
        if spectrum and spectrum[-1][0] >= q - 1e-9
    }
    return ToolReport(plain.requests, plain.per_second, plain.errors, latency or plain.latency_ms)


def ab(text: str, _: Path) -> ToolReport:
    """Return the report of ab, whole milliseconds."""
    names = {"50": "p50", "90": "p90", "95": "p95", "99": "p99", "100": "max"}
    latency = {name: float(ms) for p, name in names.items() if (ms := _find(rf"^\s+{p}%\s+(\d+)", text))}
    bad = int(_find(r"Non-2xx responses:\s+(\d+)", text) or 0) + int(_need(r"Failed requests:\s+(\d+)", text))
    requests = int(_need(r"Complete requests:\s+(\d+)", text))
    return ToolReport(requests, float(_need(r"Requests per second:\s+([\d.]+)", text)), bad, latency)


def h2load(text: str, file: Path) -> ToolReport:
    """Return the report of h2load; with --log-file every single latency, in µs, in its third column."""
    latency = {}
    if file.exists():
        rows = (line.split("\t") for line in file.read_text(encoding="utf-8").splitlines())
        latency = _quantiles(int(row[2]) / 1e3 for row in rows if len(row) > 2)
    elif worst := _find(r"time for request:\s+\S+\s+(\S+)", text):
        latency = {"max": _ms(worst)}
    requests = int(_need(r"(\d+) succeeded", text))
    errors = int(_need(r"(\d+) failed", text))
    return ToolReport(requests, float(_need(r"finished in \S+, ([\d.]+) req/s", text)), errors, latency)


def rewrk(text: str, _: Path) -> ToolReport:
    """Rewrk --json; it knows no quantiles."""
    document = json.loads(text[text.index("{") :])
    return ToolReport(
        int(document["requests_total"]),
        float(document["requests_avg"]),
        0,
        {"max": float(document["latency_max"])},
    )


def oha(text: str, _: Path) -> ToolReport:
    """Oha --output-format json. Requests cut off by its deadline at the end are not errors."""
    document = json.loads(text)
    latency = {
        name: document["latencyPercentiles"][name] * 1e3
        for name in QUANTILES
        if document["latencyPercentiles"].get(name) is not None
    }
    latency["max"] = document["summary"]["slowest"] * 1e3
    statuses: dict[str, int] = document.get("statusCodeDistribution", {})
    bad = sum(count for status, count in statuses.items() if not status.startswith("2"))
    bad += sum(
        count for what, count in document.get("errorDistribution", {}).items() if "deadline" not in what
    )
    good = sum(count for status, count in statuses.items() if status.startswith("2"))
    return ToolReport(good, float(document["summary"]["requestsPerSec"]), bad, latency)


def hey(text: str, _: Path) -> ToolReport:
    """Return the report of hey, which gives seconds with four digits."""
    latency = {
        f"p{p}": float(s) * 1e3
        for p in (50, 90, 95, 99)
        if (s := _find(rf"^\s+{p}%+ in ([\d.]+) secs", text))
    }
    latency["max"] = float(_need(r"Slowest:\s+([\d.]+)", text)) * 1e3
    bad = sum(
        int(n) for status, n in re.findall(r"\[(\d+)\]\s+(\d+) responses", text) if not status.startswith("2")
    )
    good = sum(
        int(n) for status, n in re.findall(r"\[(\d+)\]\s+(\d+) responses", text) if status.startswith("2")
    )
    return ToolReport(good, float(_need(r"Requests/sec:\s+([\d.]+)", text)), bad, latency)


def fortio(_: str, file: Path) -> ToolReport:
    """Return the file of fortio load -json."""
    document = json.loads(file.read_text(encoding="utf-8"))
    histogram = document["DurationHistogram"]
    latency = {f"p{row['Percentile']:g}": row["Value"] * 1e3 for row in histogram["Percentiles"]}
    latency["max"] = histogram["Max"] * 1e3
    bad = sum(count for status, count in document["RetCodes"].items() if status != "200")
    return ToolReport(int(histogram["Count"]) - bad, float(document["ActualQPS"]), bad, latency)


def autocannon(text: str, _: Path) -> ToolReport:
    """Autocannon -j."""
    document = json.loads(text[text.index('{"') :].splitlines()[0])
    names = {"p50": "p50", "p90": "p90", "p99": "p99", "p99_9": "p99.9", "max": "max"}
    latency = {ours: float(document["latency"][theirs]) for theirs, ours in names.items()}
    return ToolReport(
        document["2xx"],
        document["2xx"] / document["duration"],
        document["errors"] + document["non2xx"],
        latency,
    )


def k6(_: str, file: Path) -> ToolReport:
    """Return the file of k6 run --summary-export."""
    document = json.loads(file.read_text(encoding="utf-8"))["metrics"]
    times = document["http_req_duration"]
    names = {"med": "p50", "p(90)": "p90", "p(95)": "p95", "p(99)": "p99", "p(99.9)": "p99.9", "max": "max"}
    latency = {ours: float(times[theirs]) for theirs, ours in names.items()}
    dropped = int(document.get("dropped_iterations", {}).get("count", 0))
    bad = int(document["http_req_failed"].get("passes", 0))
    return ToolReport(
        int(document["http_reqs"]["count"]) - bad, float(document["http_reqs"]["rate"]), bad, latency, dropped
    )


def locust(text: str, _: Path) -> ToolReport:
    """Locust --json: a histogram of rounded milliseconds."""
    (document,) = json.loads(text[text.index("[") :])
    times = sorted((float(ms), int(count)) for ms, count in document["response_times"].items())
    latency = _quantiles(ms for ms, count in times for _ in range(count))
    latency["max"] = float(document["max_response_time"])
    lasted = document["last_request_timestamp"] - document["start_time"]
    bad = int(document["num_failures"])
    good = int(document["num_requests"]) - bad
    return ToolReport(good, good / lasted if lasted > 0 else 0.0, bad, latency)


def siege(text: str, _: Path) -> ToolReport:
    """Siege -j, whose JSON has tabs inside its values."""
    document = json.loads(re.sub(r"(:\s*)\t*", r"\1", text[text.index("{") : text.rindex("}") + 1]))
    return ToolReport(
        int(document["transactions"]), float(document["transaction_rate"]),
        int(document["failed_transactions"]),
        {"max": document["longest_transaction"] * 1e3},
    )  # fmt: skip


def vegeta(text: str, _: Path) -> ToolReport:
    """Vegeta report -type=json."""
    document = json.loads(text)
    names = {"50th": "p50", "90th": "p90", "95th": "p95", "99th": "p99", "max": "max"}
    latency = {ours: document["latencies"][theirs] / 1e6 for theirs, ours in names.items()}
    good = round(document["requests"] * document["success"])
    return ToolReport(good, float(document["throughput"]), document["requests"] - good, latency)


def loadrig_attack(text: str, _: Path) -> ToolReport:
    """Loadrig attack --json: the document of one trial."""
    document: dict[str, Any] = json.loads(text)
    latency = {
        name: ms
        for name, ms in document["latency_ms"]["response"].items()
        if name in QUANTILES and ms is not None
    }
    good = int(document["outcomes"].get("ok", 0))
    return ToolReport(
        good, float(document["load"]["achieved_rps"]), sum(document["outcomes"].values()) - good, latency
    )


def _find(pattern: str, text: str) -> str | None:
    match = re.search(pattern, text, re.MULTILINE)
    return match[1] if match else None


def _need(pattern: str, text: str) -> str:
    value = _find(pattern, text)
    if value is None:
        raise ValueError(f"its output has nothing like {pattern!r}")
    return value


def _ms(text: str) -> float:
    number, unit = re.fullmatch(r"([\d.]+)(us|ms|s|m)", text).groups()  # type: ignore[union-attr]
    return float(number) * UNITS_MS[unit]


def _quantiles(values: Iterable[float]) -> dict[str, float]:
    ordered = sorted(values)
    return {name: quantile(ordered, q) for name, q in QUANTILES.items()} if ordered else {}

"""Parsers of what the peers say, in their own words: a folder of recorded output for each."""

import json
from pathlib import Path

import pytest

from bench import parsers, peers
from bench.truth import QUANTILES

RECORDED = Path(__file__).parent / "recorded"
CASES = sorted(path.name for path in RECORDED.iterdir())


@pytest.mark.parametrize("case", CASES)
def test_a_recorded_report_is_read(case: str) -> None:
    folder = RECORDED / case
    expected = json.loads((folder / "expected.json").read_text(encoding="utf-8"))
    parser: parsers.Parser = getattr(parsers, expected.pop("parser"))
    report = parser((folder / "output.txt").read_text(encoding="utf-8"), folder / "file.txt")
    assert report.requests == expected["requests"]
    assert report.per_second == pytest.approx(expected["per_second"])
    assert (report.errors, report.dropped) == (expected["errors"], expected["dropped"])
    assert dict(report.latency_ms) == pytest.approx(expected["latency_ms"])


def test_every_parser_of_a_peer_has_a_recorded_report() -> None:
    recorded = {
        json.loads((RECORDED / case / "expected.json").read_text(encoding="utf-8"))["parser"]
        for case in CASES
    }
    assert {peer.parser.__name__ for peer in peers.PEERS if peer.parser} == recorded


@pytest.mark.parametrize("parser", [parsers.wrk, parsers.ab, parsers.h2load, parsers.hey])
def test_what_is_no_report_is_refused(parser: parsers.Parser, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="output"):
        parser("unable to connect to 127.0.0.1:1 Connection refused\n", tmp_path / "file")


def test_errors_that_wrk_tells_are_counted() -> None:
    text = (RECORDED / "wrk" / "output.txt").read_text(encoding="utf-8")
    text += "  Socket errors: connect 0, read 3, write 0, timeout 4\n  Non-2xx or 3xx responses: 5\n"
    assert parsers.wrk(text, Path("none")).errors == 12


def test_quantiles_of_a_peer_do_not_fall() -> None:
    for case in CASES:
        expected = json.loads((RECORDED / case / "expected.json").read_text(encoding="utf-8"))
        values = [expected["latency_ms"][name] for name in QUANTILES if name in expected["latency_ms"]]
        assert values == sorted(values), case
